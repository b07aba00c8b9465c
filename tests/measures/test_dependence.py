import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairmend.datasets import adult, simulate
from fairmend.errors import CellError, ColumnError, DataError, OptionError
from fairmend.measures.dependence import dependence
from fairmend.measures.divergence import divergence
from fairmend.measures.sample import Sample


def normals(seed=0, n=400, apart=1.0):
    rng = np.random.default_rng(seed)
    groups, strata = rng.integers(0, 2, n), rng.integers(0, 3, n)
    return rng.normal(apart * groups + strata), groups, strata


seeds = st.integers(0, 10_000)
kinds = st.sampled_from(["continuous", "discrete", "mixed"])


def column(seed, kind, n=120):
    values, groups, strata = normals(seed, n)
    if kind == "discrete":
        values = np.round(values * 2)
    if kind == "mixed":
        values[::3] = 0.0
    return values, groups, strata


@given(seeds, kinds, st.floats(1e-6, 1e6), st.floats(-100, 100))
def test_units_do_not_matter(seed, kind, a, b):
    values, groups, strata = column(seed, kind)
    found = dependence(values, groups, strata)
    # Atoms must stay tied: the same value always maps to the same float.
    assert dependence(a * values + a * b, groups, strata) == pytest.approx(found, rel=1e-6)


@given(seeds, kinds)
def test_swapping_the_groups_does_not_matter(seed, kind):
    values, groups, strata = column(seed, kind)
    assert dependence(values, 1 - groups, strata) == pytest.approx(
        dependence(values, groups, strata), rel=1e-9
    )


@given(seeds, kinds)
def test_order_of_rows_does_not_matter(seed, kind):
    values, groups, strata = column(seed, kind)
    order = np.random.default_rng(seed + 1).permutation(values.size)
    assert dependence(values[order], groups[order], strata[order]) == pytest.approx(
        dependence(values, groups, strata), rel=1e-9
    )


@given(
    st.lists(
        st.sampled_from([0.0, 1.0, 2.5, -3.0, 1e9, 1e-9]) | st.floats(-1e12, 1e12), min_size=4
    ),
    st.sampled_from(["auto", "continuous", "discrete", "mixed"]),
)
def test_it_is_at_least_zero_and_finite_for_any_values(values, kind):
    groups = np.arange(len(values)) % 2
    found = dependence(values, groups, kind=kind)
    assert 0 <= found < np.inf


def test_it_is_half_a_nat_on_the_papers_simulation():
    rng = np.random.default_rng(1)
    found = []
    for _ in range(20):
        table = simulate(5_500, rng)
        found.append(dependence(table.select(["x1", "x2"]), table["s"], table["u"]))
    assert np.mean(found) == pytest.approx(0.505, abs=0.025)


def test_permuted_groups_leave_the_floor():
    values, groups, _ = normals(2, 5_000)
    shuffled = np.random.default_rng(3).permutation(groups)
    assert dependence(values, shuffled) < 0.01 < 0.2 < dependence(values, groups)


def test_strata_explain_what_they_can():
    # Without strata the groups differ only because they are in different strata.
    rng = np.random.default_rng(4)
    strata = rng.integers(0, 2, 20_000)
    groups = (rng.random(20_000) < np.where(strata == 1, 0.8, 0.2)).astype(int)
    values = rng.normal(2.0 * strata)
    assert dependence(values, groups) > 0.35
    assert dependence(values, groups, strata) < 0.005


def test_adult_hours_depend_on_sex_and_their_floor_does_not():
    table = adult(complete=True)
    hours, sex = np.array(table["hours-per-week"]), np.array(table["sex"])
    college = np.array(table["college"])
    shuffled, rng = sex.copy(), np.random.default_rng(5)
    for level in np.unique(college):
        shuffled[college == level] = rng.permutation(sex[college == level])
    assert dependence(hours, sex, college) == pytest.approx(0.186, abs=0.01)
    assert dependence(hours, shuffled, college) < 0.02


def parts(seed=6):
    rng = np.random.default_rng(seed)
    n = 900
    groups = rng.choice(["a", "b", "c"], n)
    strata = rng.choice(["u", "v"], n, p=[0.7, 0.3])
    table = {"x": rng.normal(groups == "b"), "y": rng.normal(2.0 * (groups == "c"))}
    return table, groups, strata


def test_parts_are_the_parts_of_the_whole():
    table, groups, strata = parts()
    frame = pl.DataFrame(table)
    total = dependence(frame, groups, strata)
    by_feature = dependence(frame, groups, strata, by="feature")
    by_stratum = dependence(frame, groups, strata, by="stratum")
    by_pair = dependence(frame, groups, strata, by="pair")
    assert by_feature == {
        name: pytest.approx(dependence(values, groups, strata)) for name, values in table.items()
    }
    assert np.mean(list(by_feature.values())) == pytest.approx(total)
    assert list(by_stratum) == ["u", "v"]
    shares = [np.mean(strata == level) for level in by_stratum]
    assert np.dot(shares, list(by_stratum.values())) == pytest.approx(total)
    assert list(by_pair) == [("a", "b"), ("a", "c"), ("b", "c")]
    assert np.mean(list(by_pair.values())) == pytest.approx(total)


def test_a_pair_is_estimated_as_if_alone():
    table, groups, _ = parts()
    two = groups != "c"
    by_pair = dependence(table["x"], groups, by="pair")
    assert dependence(table["x"][two], groups[two]) == pytest.approx(by_pair["a", "b"])


def test_without_strata_the_level_is_none():
    values, groups, _ = normals()
    assert dependence(values, groups, by="stratum") == {None: dependence(values, groups)}
    assert dependence(values, groups, by="feature") == {"values": dependence(values, groups)}


def test_missing_values_are_left_out_of_their_feature_only():
    values, groups, strata = normals(7)
    gaps = values.copy()
    gaps[(strata == 1) & (np.arange(values.size) % 2 == 0)] = np.nan
    has = ~np.isnan(gaps)
    both = dependence(np.column_stack([values, gaps]), groups, strata, by="feature")
    assert both["x0"] == pytest.approx(dependence(values, groups, strata))
    # Strata are weighted by the rows that have the value, as if the others were not there.
    assert both["x1"] == pytest.approx(dependence(values[has], groups[has], strata[has]))


@pytest.mark.parametrize("kind", ["continuous", "discrete", "mixed"])
def test_auto_finds_the_kind(kind):
    values, groups, strata = column(8, kind, n=2_000)
    found = {k: dependence(values, groups, strata, kind=k) for k in ("auto", kind)}
    assert found["auto"] == found[kind]
    others = {"continuous", "discrete"} - {kind}
    assert all(dependence(values, groups, strata, kind=k) != found["auto"] for k in others)


def test_kind_is_of_all_rows_not_of_a_stratum():
    # Stratum 1 alone would be continuous.
    rng = np.random.default_rng(9)
    values = np.concatenate([np.repeat(np.arange(100.0), 2), rng.normal(size=20)])
    groups, strata = np.arange(220) % 2, np.repeat([0, 1], [200, 20])
    found = dependence(values, groups, strata, by="stratum")[1]
    here = strata == 1
    assert found == dependence(values[here], groups[here], kind="discrete")


def test_weights_are_rows_and_zero_is_none():
    values, groups, strata = normals(10)
    weights = np.where(np.arange(values.size) % 4, 2.0, 0.0)
    kept = weights > 0
    assert dependence(values, groups, strata, weights=weights) == pytest.approx(
        dependence(values[kept], groups[kept], strata[kept], weights=weights[kept])
    )


def test_weights_move_the_strata():
    values, groups, _ = normals(11, 2_000, apart=0.0)
    strata = np.arange(2_000) % 2
    values = values + 2 * groups * strata
    by_stratum = dependence(values, groups, strata, by="stratum")
    weights = np.where(strata == 1, 3.0, 1.0)
    found = dependence(values, groups, strata, weights=weights)
    assert found == pytest.approx(0.25 * by_stratum[0] + 0.75 * by_stratum[1], rel=0.02)


def test_any_library_gives_the_same():
    table, groups, strata = parts()
    expected = dependence(np.column_stack(list(table.values())), groups, strata)
    assert dependence(pd.DataFrame(table), pd.Series(groups), pd.Series(strata)) == expected
    assert dependence(pl.DataFrame(table), pl.Series(groups), pl.Series(strata)) == expected
    assert dependence(pa.table(table), pa.array(groups), pa.array(strata)) == expected
    assert dependence(table["x"].tolist(), list(groups)) == dependence(table["x"], groups)


def test_it_is_the_divergence_of_two_samples():
    values, groups, _ = normals(12)
    alone = divergence(Sample(values[groups == 0]), Sample(values[groups == 1]), np.empty(0))
    assert dependence(values, groups) == alone


def test_input_is_not_modified():
    values, groups, strata = normals()
    before = values.copy(), groups.copy(), strata.copy()
    dependence(values, groups, strata, weights=np.ones(values.size))
    for one, copy in zip((values, groups, strata), before, strict=True):
        np.testing.assert_array_equal(one, copy)


def test_options_are_checked():
    values, groups, _ = normals()
    with pytest.raises(OptionError, match=r"scale='bits' is not known. Pass one of \['nats'"):
        dependence(values, groups, scale="bits")
    with pytest.raises(OptionError, match=r"by='groups' is not known"):
        dependence(values, groups, by="groups")
    with pytest.raises(OptionError, match=r"kind='odd' is not known"):
        dependence(values, groups, kind="odd")
    with pytest.raises(OptionError, match=r"weights= was passed with scale='paper'.*Leave it out"):
        dependence(values, groups, scale="paper", weights=np.ones(400))
    with pytest.raises(OptionError, match=r"kind= was passed with scale='paper'"):
        dependence(values, groups, scale="paper", kind="discrete")
    with pytest.raises(OptionError, match=r"grid=1 is too small"):
        dependence(values, groups, scale="paper", grid=1)


def test_all_small_cells_are_named_at_once():
    groups = ["f", "f", "m", "f", "f", "m", "m"]
    strata = ["low", "low", "low", "high", "high", "high", "high"]
    values = {"age": [1, 2, 3, 4, 5, 6, 7], "pay": [1, 2, 3, 4, None, 6, 7]}
    with pytest.raises(CellError, match="coarser groups= or strata=") as error:
        dependence(pl.DataFrame(values), groups, strata)
    for cell in (
        "'age', stratum='low', group='m': 1",
        "'pay', stratum='low', group='m': 1",
        "'pay', stratum='high', group='f': 1",
    ):
        assert cell in str(error.value)


def test_missing_labels_are_counted_in_all_arguments():
    with pytest.raises(DataError, match=r"'groups' \(1 rows\), 'strata' \(2 rows\).*Fill them"):
        dependence([1, 2, 3], ["a", None, "b"], [None, 1, float("nan")])


def test_infinite_values_are_counted_in_all_features():
    table = np.array([[1, np.inf], [2, -np.inf], [np.inf, 3], [4, 5]])
    with pytest.raises(DataError, match=r"'x0' \(1 rows\), 'x1' \(2 rows\).*Set them to missing"):
        dependence(table, [0, 1, 0, 1])


def test_one_group_cannot_be_compared():
    with pytest.raises(CellError, match=r"groups= has 1 level, \['f'\].*at least 2 groups"):
        dependence([1, 2], ["f", "f"])


def test_lengths_must_agree():
    with pytest.raises(DataError, match=r"values= has 2, groups= has 3, strata= has 4, weights="):
        dependence([1, 2], [0, 1, 1], [0, 0, 0, 0], weights=[1])
    with pytest.raises(DataError, match="no rows"):
        dependence([], [])


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ([1, None, -1, 1], r"1 missing or infinite and 1 negative"),
        ([1, np.inf, 1, 1], r"1 missing or infinite and 0 negative"),
        ([0, 0, 0, 0], "no rows to measure"),
    ],
)
def test_weights_are_checked(weights, said):
    with pytest.raises(DataError, match=said):
        dependence([1, 2, 3, 4], [0, 1, 0, 1], weights=weights)


def test_table_needs_features():
    with pytest.raises(ColumnError, match="table without columns"):
        dependence(np.empty((3, 0)), [0, 1, 1])


def test_a_million_rows_take_seconds_not_minutes():
    # About 0.5 s here; the direct sum over rows and grid points takes minutes.
    rng = np.random.default_rng(13)
    groups = rng.integers(0, 2, 1_000_000)
    found = dependence(rng.normal(groups), groups)
    assert found == pytest.approx(0.5, abs=0.01)
