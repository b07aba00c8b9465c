"""Designing: what is learnt from which rows, and every refusal of bad research data."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import fairmend
from fairmend.errors import CellError, ColumnError, DataError, FairmendError, OptionError
from fairmend.plan.storage import to_content

ROLES = {"protected": "sex", "unprotected": "college", "exclude": "id"}


def content(plan):
    """Lay a plan out without the hash and what only describes the types of levels."""
    parts = to_content(plan)
    return {name: parts[name] for name in ("features", "options")}


def groups_of(n, *groups):
    """Make a table with n rows of numbers in each group."""
    rng = np.random.default_rng(0)
    s = np.repeat(np.array(groups, dtype=object), n)
    return pd.DataFrame({"s": s, "x": rng.normal(size=s.size)})


# What is learnt


def test_features_are_all_columns_without_a_role(people):
    plan = fairmend.design(people, **ROLES)
    assert plan.feature_names == ("hours", "wage")
    assert plan.protected == ("sex",)
    assert plan.unprotected == ("college",)
    assert [feature.kind for feature in plan.features] == ["discrete", "continuous"]


def test_named_features_keep_their_order(people):
    plan = fairmend.design(people, protected="sex", features=["wage", "hours"])
    assert plan.feature_names == ("wage", "hours")
    assert fairmend.design(people, protected="sex", features="wage").feature_names == ("wage",)


def test_the_same_plan_from_every_type_of_table(people, as_table):
    assert content(fairmend.design(as_table(people), **ROLES)) == content(
        fairmend.design(people, **ROLES)
    )


def test_the_same_plan_from_levels_that_are_text(people):
    text = people.to_pandas().astype({"college": str})
    assert content(fairmend.design(text, **ROLES)) == content(fairmend.design(people, **ROLES))


def test_t_weights_the_same_group_when_levels_are_text():
    table = groups_of(30, 9, 10)
    table["x"] += table["s"].astype(float)
    one = fairmend.design(table, protected="s", t=0.9)
    other = fairmend.design(table.astype({"s": str}), protected="s", t=0.9)
    assert content(one) == content(other)
    assert one.groups.combinations == ((9,), (10,))
    # t = 0.9 of the second group, which is 10.
    cell = one.features[0].cells[0]
    means = cell.marginals @ cell.support
    assert cell.target @ cell.support == pytest.approx(0.1 * means[0] + 0.9 * means[1], abs=1e-6)


def test_research_data_is_not_modified(people, as_table):
    table, twin = as_table(people), as_table(people)
    fairmend.design(table, **ROLES)
    same = table.equals(twin)
    assert same


def test_missing_values_are_left_out_of_the_design(people):
    wage = people["wage"].to_numpy().copy()
    gone = np.arange(900) % 3 == 0
    with_gaps = people.set_column(4, "wage", pa.array(wage, mask=gone))
    plan = fairmend.design(with_gaps, **ROLES, features=["wage"])
    only = fairmend.design(people.filter(pa.array(~gone)), **ROLES, features=["wage"])
    assert content(plan) == content(only)
    nan = people.set_column(4, "wage", pa.array(np.where(gone, np.nan, wage)))
    assert content(fairmend.design(nan, **ROLES, features=["wage"])) == content(only)
    counts = sum(cell.counts.sum() for cell in plan.features[0].cells)
    assert counts == (~gone).sum()


def test_rows_of_one_feature_do_not_need_the_others(people):
    wage = pa.array(people["wage"].to_numpy(), mask=np.arange(900) >= 500)
    plan = fairmend.design(people.set_column(4, "wage", wage), **ROLES)
    hours, wages = (sum(c.counts.sum() for c in feature.cells) for feature in plan.features)
    assert (hours, wages) == (900, 500)


def test_kinds_can_be_set_by_hand(people):
    plan = fairmend.design(people, **ROLES, kinds={"hours": "continuous", "wage": "discrete"})
    assert [feature.kind for feature in plan.features] == ["continuous", "discrete"]
    assert plan.features[0].reason == "given by kinds="
    assert plan.features[0].cells[0].atoms.size == 0
    found = fairmend.design(people, **ROLES, kinds={}).features[0]
    assert "distinct values in 900 rows" in found.reason


def test_every_stratum_and_every_crossed_group_has_its_cell(people):
    table = people.append_column("race", pa.array(["B", "W", "W"] * 300))
    plan = fairmend.design(
        table, protected=["sex", "race"], unprotected="college", features=["wage"]
    )
    assert len(plan.groups) == 4
    assert len(plan.strata) == len(plan.features[0].cells) == 2
    frame = table.to_pandas()
    for u, cell in enumerate(plan.features[0].cells):
        sizes = frame[frame.college == u].groupby(["sex", "race"]).size()
        assert cell.counts.tolist() == sizes.tolist()


def test_without_strata_all_rows_are_one(people):
    plan = fairmend.design(people, protected="sex", features=["wage"])
    assert len(plan.features[0].cells) == 1
    assert plan.features[0].cells[0].counts.sum() == 900


# Targets


def mean_target(table, **options):
    plan = fairmend.design(table, protected="s", features=["x"], kinds={"x": "discrete"}, **options)
    cell = plan.features[0].cells[0]
    return float(cell.target @ cell.support), cell.marginals @ cell.support


def test_t_is_the_weight_of_the_last_of_two_groups():
    table = groups_of(40, "a", "b")
    for t in (0, 0.25, 1):
        mean, means = mean_target(table, t=t)
        assert mean == pytest.approx((1 - t) * means[0] + t * means[1], abs=1e-9)


def test_three_groups_are_weighted_equally_or_as_told():
    table = groups_of(40, "c", "a", "b")
    mean, means = mean_target(table)
    assert mean == pytest.approx(means.mean(), abs=1e-9)
    for weights in ([5, 3, 2], {"c": 2, "a": 5, "b": 3}, np.array([0.5, 0.3, 0.2])):
        mean, means = mean_target(table, target_weights=weights)
        assert mean == pytest.approx(means @ [0.5, 0.3, 0.2], abs=1e-9)
    mean, means = mean_target(table, target_weights={"a": 0, "b": 0, "c": 1})
    assert mean == pytest.approx(means[2], abs=1e-9)


def test_target_weights_match_levels_by_value():
    table = groups_of(40, 0, 1, 2)
    wanted, _ = mean_target(table, target_weights=[3, 1, 0])
    for keys in ((0, 1, 2), ("0", "1", "2"), (0.0, 1.0, 2.0)):
        mean, _ = mean_target(table, target_weights=dict(zip(keys, (3, 1, 0), strict=True)))
        assert mean == wanted


# Constant columns


def test_a_constant_feature_is_repaired_as_itself(as_table):
    arrow = pa.table({"s": ["a", "b"] * 20, "x": [3.25] * 40})
    plan = fairmend.design(as_table(arrow), protected="s")
    assert plan.features[0].cells[0].support.tolist() == [3.25]
    repaired = plan.repair(as_table(arrow), seed=1)
    assert set(repaired["x"]) == {3.25} or set(repaired["x"].to_pylist()) == {3.25}


@pytest.mark.parametrize("kind", ["continuous", "discrete", "mixed"])
@pytest.mark.parametrize("output", ["support", "monge"])
def test_a_column_that_is_constant_in_one_stratum_stays_so_there(kind, output):
    if output == "monge" and kind != "continuous":
        return
    rng = np.random.default_rng(0)
    u, s = np.arange(400) // 200, np.arange(400) % 2
    table = pd.DataFrame({"u": u, "s": s, "x": np.where(u == 0, 0.1, rng.normal(s))})
    plan = fairmend.design(table, protected="s", unprotected="u", kinds={"x": kind}, output=output)
    repaired = plan.repair(table, seed=1)
    assert set(repaired.x[u == 0]) == {0.1}
    assert (repaired.x[u == 1] != table.x[u == 1]).any()


# Columns that are refused


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ({"protected": "Sex"}, r"research data has no column 'Sex', named by protected=.*'sex'\?"),
        ({"protected": ["sex", "colege"]}, r"'colege', named by protected=.*mean 'college'\?"),
        ({"protected": "sex", "unprotected": "colleg"}, r"named by unprotected=.*'college'\?"),
        ({"protected": "sex", "features": ["wages"]}, r"named by features=.*'wage'\?"),
        ({"protected": "sex", "exclude": ["ID"]}, r"named by exclude=.*mean 'id'\?"),
        ({"protected": "zzz"}, r"columns are \['id', 'sex', 'college', 'hours', 'wage'\]\.$"),
    ],
)
def test_a_column_that_is_not_there_is_answered_with_the_nearest(people, options, wanted):
    with pytest.raises(ColumnError, match=wanted):
        fairmend.design(people, **options)


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ({"protected": "sex", "features": ["sex"]}, r"'sex' is named by protected= and features="),
        ({"protected": "sex", "unprotected": "sex"}, r"named by protected= and unprotected="),
        (
            {"protected": "sex", "unprotected": "college", "features": ["hours", "college"]},
            r"'college' is named by unprotected= and features=\. A column has one role",
        ),
        ({"protected": "sex", "features": ["wage", "wage"]}, r"named by features= and features="),
        ({"protected": ["sex", "sex"]}, r"named by protected= and protected="),
    ],
)
def test_a_column_has_one_role(people, options, wanted):
    with pytest.raises(ColumnError, match=wanted):
        fairmend.design(people, **options)


def test_features_of_no_number_time_or_category_are_refused_by_name():
    table = pl.DataFrame({"s": ["a", "b"] * 9, "t": ["1", "2"] * 9, "many": [[1], [2, 3]] * 9})
    assert fairmend.design(table, protected="s", exclude="many").feature_names == ("t",)
    with pytest.raises(ColumnError, match=r"Feature 'many' .* of type large_list.*exclude="):
        fairmend.design(table, protected="s")


def test_names_that_are_no_text_are_refused():
    table = pd.DataFrame([[0, 1.0], [1, 2.0]] * 4, columns=[3, 7])
    with pytest.raises(ColumnError, match=r"names that are not text: \[3, 7\]\..*rename"):
        fairmend.design(table, protected=3)
    with pytest.raises(ColumnError, match=r"has no column 's', named by protected=.*are \[3, 7\]"):
        fairmend.design(table, protected="s")
    other = table.rename(columns={3: "s"})
    with pytest.raises(ColumnError, match=r"names that are not text: \[7\]"):
        fairmend.design(other, protected="s")
    assert fairmend.design(other.assign(x=1.0), protected="s", features="x").feature_names == ("x",)


def test_a_table_without_features_is_refused(people):
    with pytest.raises(FairmendError, match="No feature is left to repair"):
        fairmend.design(people.select(["sex", "college"]), protected="sex", unprotected="college")


@pytest.mark.parametrize("protected", [(), [], None])
def test_a_design_needs_a_protected_column(people, protected):
    with pytest.raises(OptionError, match="protected= names no column"):
        fairmend.design(people, protected=protected, features=["wage"])


# Rows that are refused


def test_an_empty_table_is_refused(people, as_table):
    with pytest.raises(DataError, match=r"research data has no rows\. At least 2 rows a group"):
        fairmend.design(as_table(people)[:0], **ROLES)


def test_all_cells_that_are_too_small_are_listed_at_once():
    table = pd.DataFrame(
        {
            "s": ["a", "a", "b", "a", "a", "b", "b"],
            "u": [0, 0, 0, 1, 1, 1, 1],
            "x": [1, 2, 3, 4, 5, 6, 7.0],
            "y": [1, 2, 3, None, 5, 6, None],
        }
    )
    with pytest.raises(CellError) as refusal:
        fairmend.design(table, protected="s", unprotected="u")
    said = str(refusal.value)
    for cell in (
        "'x' where u=0 and s='b' (1 rows)",
        "'y' where u=0 and s='b' (1 rows)",
        "'y' where u=1 and s='a' (1 rows)",
        "'y' where u=1 and s='b' (1 rows)",
    ):
        assert cell in said
    assert said.count("(1 rows)") == 4
    assert "at least 2 research rows" in said
    assert "coarser column in unprotected=" in said


def test_groups_that_a_stratum_lacks_are_listed_and_long_lists_cut():
    table = pd.DataFrame({"s": [0, 1] * 30, "u": np.arange(60), "x": np.arange(60.0)})
    with pytest.raises(CellError, match=r"where u=0 and s=1 \(0 rows\).*and 100 more: a marginal"):
        fairmend.design(table, protected="s", unprotected="u")


def test_one_group_is_none_to_repair(people):
    women = people.filter(pa.compute.equal(people["sex"], "F"))
    with pytest.raises(
        CellError, match=r"has one group only, sex='F'\. A repair needs at least two"
    ):
        fairmend.design(women, **ROLES)


def test_infinite_values_are_counted(people, as_table):
    wage = np.where(np.arange(900) % 9 == 0, np.inf, people["wage"].to_numpy())
    table = as_table(people.set_column(4, "wage", pa.array(wage)))
    with pytest.raises(
        DataError, match=r"research data has infinite values in 'wage' \(100 rows\)"
    ):
        fairmend.design(table, **ROLES)


def test_missing_groups_and_strata_are_counted(people, as_table):
    sex = pa.array(people["sex"].to_pylist(), mask=np.arange(900) < 7)
    college = pa.array(people["college"].to_pylist(), mask=np.arange(900) % 2 == 0)
    gaps = people.set_column(1, "sex", sex).set_column(2, "college", college)
    with pytest.raises(
        DataError, match=r"missing values in 'sex' \(7 rows\), 'college' \(450 rows\)"
    ):
        fairmend.design(as_table(gaps), **ROLES)


@pytest.mark.parametrize("thing", [None, {"s": [1]}, "people.csv", pl.LazyFrame({"s": [1]})])
def test_what_is_no_table_is_refused(thing):
    with pytest.raises(FairmendError, match=r"research data is a \w+, which is no table in memory"):
        fairmend.design(thing, protected="s")


# Options that are refused


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ({"kinds": {"age": "discrete"}}, r"names 'age', which is not a feature\..*'hours', 'wage'"),
        (
            {"kinds": {"wage": "odd"}},
            r"kinds\['wage'\]='odd' .*\['continuous', 'discrete', 'mixed'",
        ),
        ({"n_support": 1}, "n_support=1 is not a number of points"),
        ({"n_support": 2.0}, r"n_support=2\.0 is not a number of points"),
        ({"n_support": True}, "n_support=True is not"),
        ({"n_support": "50"}, r"whole number from 2 on"),
        ({"margin": -0.1}, r"margin=-0\.1 .*a number from 0"),
        ({"margin": np.inf}, "margin=inf"),
        ({"margin": np.nan}, "margin=nan"),
        ({"margin": "wide"}, "margin='wide'"),
        ({"bandwidth": "cv"}, r"bandwidth='cv' is not known.*'silverman', 'scott', 'isj'"),
        ({"bandwidth": 0}, r"bandwidth=0 is not a width\. Pass a positive number or a rule"),
        ({"bandwidth": np.nan}, "bandwidth=nan is not a width"),
        ({"bandwidth": None}, "bandwidth=None is not a width"),
        ({"output": "mean"}, r"output='mean'.*\['support', 'dithered', 'monge'\]"),
        ({"t": 1.1}, r"t=1\.1 is not possible\. Pass a number from 0 to 1\."),
        ({"t": "half"}, "t='half'"),
        ({"t": True}, "t=True"),
        ({"t": np.nan}, "t=nan"),
        ({"unseen": "drop"}, r"unseen='drop'.*\['raise', 'keep', 'pool'\]"),
        ({"out_of_range": "wrap"}, r"out_of_range='wrap'.*\['clip', 'keep', 'raise'\]"),
        ({"target_weights": [1]}, "must be 2 non-negative numbers, one a group in the order"),
        ({"target_weights": [-1, 2]}, "non-negative"),
        ({"target_weights": [0, 0]}, "not all zero"),
        ({"target_weights": [np.nan, 1]}, "non-negative"),
        ({"target_weights": {"F": 1}}, r"names the groups \['F'\].*has \['F', 'M'\]"),
        ({"target_weights": [1, 2], "t": 0.3}, "say the same thing twice"),
    ],
)
def test_an_option_that_cannot_be_is_refused(people, options, wanted):
    with pytest.raises(OptionError, match=wanted):
        fairmend.design(people, **ROLES, **options)


def test_t_is_for_two_groups():
    with pytest.raises(
        OptionError, match=r"t=0\.2 weights two groups, .* has 3\..*target_weights="
    ):
        fairmend.design(groups_of(9, "a", "b", "c"), protected="s", t=0.2)


@pytest.mark.parametrize(
    ("values", "wanted"),
    [
        (np.repeat([1.0, 2.0, 3.0], 20), "'x', which is discrete"),
        (np.append(np.zeros(30), np.exp(np.linspace(1, 2, 30))), "'x', which is mixed"),
        (np.arange(60.0) ** 2 * 3, "'x', which comes in steps of 3"),
    ],
)
def test_monge_is_refused_where_it_would_leak(values, wanted):
    table = pd.DataFrame({"s": np.arange(60) % 2, "x": values})
    with pytest.raises(OptionError, match=f"would leak the groups of {wanted}.*output='support'"):
        fairmend.design(table, protected="s", output="monge")


# Many rows


def test_columns_of_many_levels_are_crossed_without_a_table_of_all_combinations():
    rng = np.random.default_rng(0)
    n = 40_000
    a, b = np.repeat(np.arange(n // 4), 4), np.repeat(rng.permutation(n // 4), 4)
    table = pd.DataFrame({"s": np.arange(n) % 2, "a": a, "b": b, "x": rng.integers(0, 3, n)})
    plan = fairmend.design(table.head(400), protected="s", unprotected=["a", "b"])
    repaired = plan.repair(table, seed=1, unseen="keep")
    assert repaired[400:].equals(table[400:])
