"""Faults that were found in existing tools; each is a test of ours."""

import pickle

import numpy as np
import pandas as pd
import pytest

from fairmend import DistributionalRepair, datasets
from fairmend.errors import CellError, UnseenError
from fairmend.plan.storage import to_content


def sample(n, seed=0, groups=("a", "b")):
    """S, U, a heaped integer and a float, both of which depend on S."""
    rng = np.random.default_rng(seed)
    s, u = rng.integers(0, len(groups), n), rng.integers(0, 2, n)
    hours = np.where(rng.random(n) < 0.4, 40, 20 + 10 * s + rng.integers(0, 15, n))
    return pd.DataFrame(
        {"s": np.array(groups)[s], "u": u, "hours": hours, "score": rng.normal(size=n) + s + u}
    )


def distance(values, groups, bins):
    """Largest total variation between the laws of two groups."""
    counts = [np.histogram(values[groups == g], bins)[0] for g in np.unique(groups)]
    laws = [count / count.sum() for count in counts]
    return max(np.abs(p - q).sum() / 2 for p in laws for q in laws)


def within_strata(table, repaired, name, bins):
    return max(
        distance(repaired[name][table["u"] == u], table["s"][table["u"] == u], bins) for u in (0, 1)
    )


BINS = {"hours": np.arange(15, 60), "score": np.linspace(-4, 6, 11)}


def repair_of(**options):
    return DistributionalRepair("s", "u", **({"seed": 7, "drop_protected": False} | options))


def test_new_rows_are_repaired_not_only_those_of_fit():
    repair, archive = repair_of().fit(sample(3_000)), sample(6_000, seed=1)
    out = repair.transform(archive)
    for name, bins in BINS.items():
        before = within_strata(archive, archive, name, bins)
        assert within_strata(archive, out, name, bins) < 0.25 * before


def test_discrete_laws_are_brought_together_and_not_swapped():
    rng = np.random.default_rng(0)
    s = rng.integers(0, 2, 4_000)
    X = pd.DataFrame({"x": (rng.random(4_000) < np.where(s, 0.11, 0.68)).astype(int)})
    out = DistributionalRepair(seed=7).fit_transform(X, sensitive_features=s)
    shares = out["x"].groupby(s).mean()
    assert shares[0] == pytest.approx(0.395, abs=0.03)
    assert shares[1] == pytest.approx(0.395, abs=0.03)


@pytest.mark.parametrize("unit", [0.01, 100.0])
def test_units_do_not_matter(unit):
    table = sample(1_000)
    scaled = table.assign(score=table["score"] * unit)
    out, expected = repair_of().fit_transform(scaled), repair_of().fit_transform(table)
    np.testing.assert_allclose(out["score"], expected["score"] * unit, rtol=1e-9, atol=1e-9 * unit)


def test_no_hours_below_zero_and_no_ages_below_those_seen():
    adult = datasets.adult(complete=True)
    research, archive = adult.slice(0, 3_000), adult.slice(3_000, 10_000)
    repair = DistributionalRepair("sex", "college", ["age", "hours-per-week"], seed=7)
    out = repair.fit(research).transform(archive)
    for name in ("age", "hours-per-week"):
        seen = research[name].to_numpy()
        assert set(out[name].to_numpy()) <= set(seen)


def test_nan_stays_nan_and_does_not_become_the_top_of_the_support():
    table = sample(1_000)
    holes = np.random.default_rng(0).random(1_000) < 0.1
    table["score"] = table["score"].mask(holes)
    out = repair_of().fit_transform(table)
    np.testing.assert_array_equal(out["score"].isna(), holes)


def test_third_value_of_s_is_a_group_of_its_own():
    table = sample(6_000, groups=("a", "b", "c"))
    repair = repair_of().fit(table)
    assert len(repair.plan_.groups) == 3
    out = repair.transform(table)
    for name, bins in BINS.items():
        assert within_strata(table, out, name, bins) < 0.3 * within_strata(table, table, name, bins)


def test_third_value_of_s_that_fit_never_saw_is_not_taken_for_another():
    repair, archive = repair_of().fit(sample(500)), sample(90, groups=("a", "b", "c"))
    n = (archive["s"] == "c").sum()
    with pytest.raises(UnseenError, match=rf"{n} rows with s='c'.*pass unseen='keep'"):
        repair.transform(archive)


def test_rows_of_unseen_groups_are_kept_and_do_not_become_zero():
    repair, archive = repair_of(unseen="keep").fit(sample(500)), sample(90, groups=("a", "b", "c"))
    kept = archive["s"] == "c"
    out = repair.transform(archive)
    pd.testing.assert_frame_equal(out[kept], archive[kept])
    assert not out[~kept].equals(archive[~kept])


def test_unseen_u_is_named_with_its_number_of_rows():
    archive = sample(100)
    archive.loc[:4, "u"] = 9
    with pytest.raises(UnseenError, match=r"5 rows with u=9 .* research data had u in \[0, 1\]"):
        repair_of().fit(sample(500)).transform(archive)


def test_small_cell_is_named_with_its_number_of_rows():
    table = sample(100)
    table.loc[0, ["s", "u"]] = ["c", 1]
    with pytest.raises(CellError, match=r"'hours' where u=1 and s='c' \(1 rows\)"):
        repair_of().fit(table)


def arrays_in(thing, seen):
    if id(thing) in seen:
        return
    seen.add(id(thing))
    if isinstance(thing, np.ndarray):
        yield thing
    elif isinstance(thing, dict):
        for part in thing.values():
            yield from arrays_in(part, seen)
    elif isinstance(thing, tuple | list | set | frozenset):
        for part in thing:
            yield from arrays_in(part, seen)
    elif hasattr(thing, "__dict__"):
        yield from arrays_in(vars(thing), seen)


@pytest.mark.parametrize("beside", [False, True])
def test_fitted_object_keeps_no_rows(beside):
    sizes = {}
    for n in (2_017, 20_011):
        table = sample(n)
        repair, roles = repair_of(n_support=100), {}
        if beside:
            roles = {"sensitive_features": table.pop("s"), "control_features": table.pop("u")}
            repair = DistributionalRepair(n_support=100, seed=7)
        repair.fit(table, **roles).transform(table, **roles)
        arrays = list(arrays_in(repair, set()))
        assert arrays
        assert not [array.shape for array in arrays if n in array.shape]
        assert not any(isinstance(value, pd.DataFrame) for value in vars(repair).values())
        sizes[n] = len(pickle.dumps(repair))
    small, large = sizes.values()
    assert large < 1.1 * small < 200_000


def test_rows_do_not_depend_on_the_other_rows_of_the_batch():
    table = sample(400).assign(key=range(400))
    repair = repair_of(key="key").fit(table)
    extreme = table.assign(score=table["score"].where(table["key"] < 10, 1e6))
    pd.testing.assert_frame_equal(repair.transform(extreme)[:10], repair.transform(table)[:10])


def test_repeated_index_is_no_error():
    table = sample(400).set_axis([0] * 400)
    assert list(repair_of().fit_transform(table).index) == [0] * 400


def test_no_label_is_needed_and_none_is_used():
    table = sample(400)
    out = repair_of().fit_transform(table)
    labelled = repair_of().fit_transform(table, y=np.arange(400) % 2)
    pd.testing.assert_frame_equal(out, labelled)


def test_transform_does_not_fit_again():
    repair = repair_of().fit(sample(500))
    plan, before = repair.plan_, to_content(repair.plan_)
    shifted = sample(500, seed=1).assign(score=lambda t: t["score"] + 1)
    repair.transform(shifted)
    assert repair.plan_ is plan
    assert to_content(plan) == before


def test_same_seed_gives_the_same_result_and_another_another():
    table = sample(500)
    first, second, other = (repair_of(seed=seed).fit_transform(table) for seed in (1, 1, 2))
    pd.testing.assert_frame_equal(first, second)
    assert not first.equals(other)
