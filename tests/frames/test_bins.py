import numpy as np
import pandas as pd
import pytest

import fairmend
from fairmend.errors import DataError, FairmendError, OptionError, UnseenError
from fairmend.frames.bins import Bins

NONE = np.empty(0)
NAMED = {"young": (None, 30), "middle": (30, 50), "old": (50, None)}


@pytest.fixture
def table(rng):
    age = rng.integers(18, 80, 400)
    s = rng.integers(0, 2, 400)
    return pd.DataFrame({"s": s, "age": age, "x": rng.normal(s + age / 20)})


def test_a_bin_holds_its_lower_cut_and_not_its_upper_one():
    bins = Bins.of("age", [30, 50], NONE)
    assert bins.cuts == (30.0, 50.0)
    assert bins.encode(np.array([-9, 29.9, 30, 49.9, 50, 999])).codes.tolist() == [0, 0, 1, 1, 2, 2]


def test_named_bins_are_cuts_with_names():
    bins = Bins.of("age", NAMED, NONE)
    assert (bins.cuts, bins.names) == ((30.0, 50.0), ("young", "middle", "old"))


def test_quantile_bins_part_the_known_rows_evenly(rng):
    values = rng.exponential(size=1_000)
    values[::10] = np.nan
    bins = Bins.of("age", 4, values)
    assert np.bincount(bins.encode(values[~np.isnan(values)]).codes).tolist() == [225] * 4
    # Quartiles of a heaped column meet.
    assert Bins.of("age", 4, np.repeat([0.0, 1.0], [90, 10])).cuts == (0.0,)


@pytest.mark.parametrize("spec", [3, [30, 50], NAMED], ids=str)
def test_bins_are_the_strata(table, spec):
    roles = {"protected": "s", "features": "x"}
    bins = {"age": spec}
    plan = fairmend.design(table, **roles, unprotected="age", unprotected_bins=bins)
    cuts = {3: np.quantile(table.age, [1 / 3, 2 / 3])}.get(spec if spec == 3 else None, [30, 50])
    by_hand = table.assign(u=np.searchsorted(cuts, table.age, side="right"))
    same = fairmend.design(by_hand, **roles, unprotected="u")
    repaired = plan.repair(table, seed=7)
    assert repaired.x.tolist() == same.repair(by_hand, seed=7).x.tolist()
    assert repaired.age.equals(table.age)
    assert len(plan.strata) == 3


def test_bins_are_crossed_with_other_columns(table):
    table["u"] = np.where(np.arange(400) % 3 == 0, "a", "b")
    options = {"unprotected": ["u", "age"], "unprotected_bins": {"age": NAMED}}
    plan = fairmend.design(table, protected="s", **options)
    assert plan.strata.combinations == tuple((u, age) for u in "ab" for age in NAMED)


def test_a_bin_without_research_rows_is_an_unseen_stratum(table):
    plan = fairmend.design(
        table, protected="s", unprotected="age", unprotected_bins={"age": [10, 50]}
    )
    child = table.assign(age=9)
    with pytest.raises(UnseenError, match=r"400 rows with age='below 10'"):
        plan.repair(child, seed=1)
    assert plan.repair(child, seed=1, unseen="keep").equals(child)


@pytest.mark.parametrize(
    ("spec", "wanted"),
    [
        (1, r"unprotected_bins\['age'\]=1 makes no strata\. Pass 2 or more"),
        ([], "cut points in rising order"),
        ([50, 30], "cut points in rising order"),
        ([30, 30], "cut points in rising order"),
        ([np.nan], "cut points in rising order"),
        ([[1, 2]], "cut points in rising order"),
        ({"all": (None, None)}, "must name bins that touch each other"),
        ({"young": (None, 30), "old": (31, None)}, "must name bins that touch"),
        ({"young": (0, 30), "old": (30, None)}, "first open below"),
        ({"young": (None, 30), "old": (30, 99)}, "last above"),
        ({"b": (None, 50), "a": (50, 30), "c": (30, None)}, "rising order|touch"),
    ],
    ids=str,
)
def test_bins_that_cannot_be_are_refused(table, spec, wanted):
    with pytest.raises(OptionError, match=wanted):
        fairmend.design(table, protected="s", unprotected="age", unprotected_bins={"age": spec})


def test_bins_of_other_columns_are_refused(table):
    with pytest.raises(DataError, match=r"names 'x', which is not in unprotected="):
        fairmend.design(table, protected="s", unprotected="age", unprotected_bins={"x": 3})
    words = table.assign(age="old")
    with pytest.raises(FairmendError, match=r"'age' is .*str.* \(a number was expected\)"):
        fairmend.design(words, protected="s", unprotected="age", unprotected_bins={"age": 3})


def test_missing_values_of_a_binned_column_are_refused(table):
    gaps = table.assign(age=table.age.where(table.index > 2).astype(float))
    with pytest.raises(DataError, match=r"missing values in 'age' \(3 rows\)"):
        fairmend.design(gaps, protected="s", unprotected="age", unprotected_bins={"age": 3})
