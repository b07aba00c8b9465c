import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment
from scipy.stats import spearmanr

from fairmend.errors import ColumnError, DataError
from fairmend.measures.damage import Damage, damage

pairs = st.lists(st.tuples(st.integers(-5, 5), st.integers(-5, 5)), min_size=2, max_size=12)


def best_pairing(before, after):
    cost = np.subtract.outer(before, after) ** 2
    return cost[linear_sum_assignment(cost)].sum()


@given(pairs)
def test_distance_of_laws_is_that_of_the_best_pairing(rows):
    before, after = np.array(rows, dtype=float).T
    found = damage(before, after)
    assert found.w2 == pytest.approx(np.sqrt(best_pairing(before, after) / before.size))
    assert found.w2 <= found.rmse + 1e-12


@given(pairs, st.integers(0, 1_000))
def test_laws_are_compared_within_strata_and_groups(rows, seed):
    before, after = np.array(rows, dtype=float).T
    rng = np.random.default_rng(seed)
    strata, groups = rng.integers(0, 2, before.size), rng.choice(["a", "b"], before.size)

    def distance(cells):
        squares = [best_pairing(before[cells == c], after[cells == c]) for c in np.unique(cells)]
        return np.sqrt(sum(squares) / before.size)

    crossed = np.char.add(strata.astype(str), groups)
    assert damage(before, after, strata).w2 == pytest.approx(distance(strata))
    assert damage(before, after, groups=groups).w2 == pytest.approx(distance(groups))
    assert damage(before, after, strata, groups=groups).w2 == pytest.approx(distance(crossed))


@given(pairs)
def test_rank_correlation_is_scipys(rows):
    before, after = np.array(rows, dtype=float).T
    found = damage(before, after).rank_correlation
    if np.ptp(before) == 0 or np.ptp(after) == 0:
        assert np.isnan(found)
    else:
        assert found == pytest.approx(spearmanr(before, after).statistic, abs=1e-12)


def test_two_normals_have_their_closed_form():
    # W2² of N(0, 1) and N(1, 2²) is 1² + (2 - 1)²; independent rows differ by 1 + 1 + 4 on average.
    rng = np.random.default_rng(0)
    found = damage(rng.normal(size=100_000), rng.normal(1, 2, size=100_000))
    assert found.w2 == pytest.approx(np.sqrt(2), abs=0.03)
    assert found.rmse == pytest.approx(np.sqrt(6), abs=0.03)
    assert abs(found.rank_correlation) < 0.015


def test_every_figure_of_a_small_example():
    found = damage([10.0, 20.0, 30.0, 40.0, 50.0], [10.0, 30.0, 20.0, 40.0, 60.0])
    assert found == Damage(
        rmse=pytest.approx(np.sqrt(60)),
        w2=pytest.approx(np.sqrt(20)),
        mean_absolute=6.0,
        p95_absolute=10.0,
        share_changed=0.6,
        rank_correlation=pytest.approx(0.9),
        n=5,
    )
    assert found.to_dict()["n"] == 5


def test_nothing_done_is_no_damage():
    values = np.random.default_rng(1).normal(size=30)
    found = damage(values, values.copy())
    assert (found.rmse, found.w2, found.p95_absolute, found.share_changed) == (0, 0, 0, 0)
    assert found.rank_correlation == pytest.approx(1)


def test_the_least_change_counts_as_changed():
    assert damage([0.1, 0.3], [0.1, 0.1 + 0.2]).share_changed == 0.5


@given(pairs, st.floats(1e-6, 1e6), st.floats(-1e3, 1e3))
def test_it_is_in_the_features_units(rows, a, b):
    before, after = np.array(rows, dtype=float).T
    found, scaled = damage(before, after), damage(a * before + a * b, a * after + a * b)
    for name in ("rmse", "w2", "mean_absolute", "p95_absolute"):
        assert getattr(scaled, name) == pytest.approx(a * getattr(found, name), rel=1e-6)


def test_missing_pairs_are_left_out():
    found = damage([1.0, None, 3.0], [2.0, None, 3.0], ["u", "u", "v"])
    assert found == damage([1.0, 3.0], [2.0, 3.0], ["u", "v"])
    assert found.n == 2


def test_nothing_but_missing_is_nan():
    found = damage([None, None], [None, None])
    assert found.n == 0
    assert np.isnan([found.rmse, found.w2, found.share_changed, found.rank_correlation]).all()


def test_order_is_undefined_where_all_are_equal():
    assert np.isnan(damage([1, 1, 1], [1, 2, 3]).rank_correlation)


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
def test_tables_give_each_shared_feature(library):
    before = library({"age": [1, 2], "sex": ["f", "m"], "hours": [40.0, 38.0], "old": [1, 1]})
    after = library({"hours": [40.0, 39.0], "age": [1, 2], "sex": ["f", "m"], "new": [1, 1]})
    found = damage(before, after, ["u", "v"])
    assert list(found) == ["age", "hours"]
    assert found["hours"] == damage([40.0, 38.0], [40.0, 39.0], ["u", "v"])
    assert found["age"].rmse == 0


def test_values_missing_on_one_side_are_counted():
    before = pl.DataFrame({"x": [1.0, None, 3.0], "y": [1.0, 2.0, None], "z": [1.0, 2.0, 3.0]})
    after = pl.DataFrame({"x": [None, 2.0, 3.0], "y": [1.0, 2.0, 3.0], "z": [1.0, 2.0, 3.0]})
    with pytest.raises(DataError, match=r"'x' \(2 rows\), 'y' \(1 rows\) the value is missing ei"):
        damage(before, after)


def test_infinite_values_are_counted():
    with pytest.raises(DataError, match=r"'values' \(1 rows\).*Set them to missing"):
        damage([1.0, 2.0], [1.0, np.inf])


def test_table_is_compared_with_a_table():
    table = pl.DataFrame({"x": [1.0]})
    with pytest.raises(ColumnError, match="before= is a table and after= is not"):
        damage(table, [1.0])
    with pytest.raises(ColumnError, match="after= is a table and before= is not"):
        damage([1.0], table)


def test_something_must_be_shared():
    with pytest.raises(ColumnError, match=r"before= has \['x', 's'\], after= has \['y', 's'\]"):
        damage(pl.DataFrame({"x": [1], "s": ["a"]}), pl.DataFrame({"y": [1], "s": ["a"]}))


def test_rows_must_agree():
    with pytest.raises(DataError, match=r"before= has 2, after= has 1, strata= has 3"):
        damage([1, 2], [1], [0, 0, 0])
    with pytest.raises(DataError, match=r"missing values in 'groups' \(1 rows\)"):
        damage([1, 2], [1, 2], groups=["a", None])
