"""Repairing: every refusal, every policy and every count; batches are in the contract suite."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import fairmend
from fairmend.errors import ColumnError, DataError, OptionError, RowKeyError, UnseenError

ROLES = {"protected": "sex", "unprotected": "college", "exclude": "id"}


@pytest.fixture(scope="module")
def plan(people):
    return fairmend.design(people.slice(0, 500), **ROLES)


@pytest.fixture
def archive(people):
    return people.slice(500)


def column(table, name):
    return np.asarray(table[name], dtype=float)


def list_of(column):
    return column.to_pylist() if isinstance(column, pa.ChunkedArray) else column.to_list()


def names_of(table):
    return list(table.column_names if isinstance(table, pa.Table) else table.columns)


def with_column(table, name, values):
    return table.set_column(table.column_names.index(name), name, pa.array(values))


# What comes out


def test_repaired_values_are_those_of_the_support(plan, archive):
    repaired = plan.repair(archive, seed=7)
    for feature in plan.features:
        found = set(repaired[feature.name].to_pylist())
        assert found <= set(np.concatenate([cell.support for cell in feature.cells]).tolist())
    assert repaired["hours"].type == pa.int64()
    untouched = ["id", "sex", "college"]
    assert repaired.select(untouched).equals(archive.select(untouched))
    assert repaired.column_names == archive.column_names


def test_repair_brings_the_groups_together(people):
    # These are the research rows: shrinkage would only keep the marginals from fitting them.
    plan = fairmend.design(people, **ROLES, shrinkage=0)
    big = pa.concat_tables([people] * 20)
    before, after = big.to_pandas(), plan.repair(big, seed=7).to_pandas()
    for name in ("hours", "wage"):
        for u in (0, 1):
            apart = [
                table[table.college == u].groupby("sex")[name].mean().diff().iloc[-1]
                for table in (before, after)
            ]
            assert abs(apart[1]) < 0.15 * abs(apart[0])


def test_the_columns_may_be_in_any_order_and_others_may_be_there(plan, archive):
    repaired = plan.repair(archive, seed=7)
    mixed = archive.select(["wage", "college", "hours", "sex"])
    mixed = mixed.append_column("note", pa.array(["x"] * 400))
    found = plan.repair(mixed, seed=7)
    assert found.column_names == ["wage", "college", "hours", "sex", "note"]
    assert found["wage"].equals(repaired["wage"])
    assert found["hours"].equals(repaired["hours"])


def test_protected_columns_stay_unless_dropped(plan, archive, as_table):
    kept = plan.repair(as_table(archive), seed=7)
    dropped = plan.repair(as_table(archive), seed=7, drop_protected=True)
    assert names_of(kept) == ["id", "sex", "college", "hours", "wage"]
    assert names_of(dropped) == ["id", "college", "hours", "wage"]
    for name in names_of(dropped):
        np.testing.assert_array_equal(column(dropped, name), column(kept, name))


def test_monge_is_a_function_of_the_value_alone(people, archive):
    plan = fairmend.design(people, **ROLES, features=["wage"], output="monge")
    one, other = plan.repair(archive, seed=7), plan.repair(archive, seed=8, first_row=10**6)
    assert one.equals(other)
    frame = pd.DataFrame({"before": archive["wage"], "after": one["wage"], "u": archive["college"],
                          "s": archive["sex"]})  # fmt: skip
    for _, cell in frame.groupby(["u", "s"]):
        assert cell.sort_values("before").after.is_monotonic_increasing
    assert frame.after.nunique() > 350


# The seed


def test_a_seed_is_fresh_by_default_and_handed_back_in_private(plan, archive):
    first, second = {}, {}
    one = plan.repair(archive, summary=first)
    other = plan.repair(archive, summary=second)
    assert first["seed"] != second["seed"]
    assert not one.equals(other)
    assert plan.repair(archive, seed=first["seed"]).equals(one)
    assert "seed" not in repr(plan)
    assert str(first["seed"]) not in repr(plan) + repr(vars(plan))


def test_another_seed_is_another_repair_of_every_feature(plan, archive):
    one, other = (plan.repair(archive, seed=seed) for seed in (1, 2))
    for name in plan.feature_names:
        assert (column(one, name) != column(other, name)).mean() > 0.05


def test_features_of_one_row_draw_for_themselves():
    # With one draw for both, the second column would tell how the first was drawn.
    rng = np.random.default_rng(0)
    s = np.arange(4_000) % 2
    x = rng.binomial(1, 0.2 + 0.5 * s)
    table = pa.table({"s": s, "one": x, "other": x})
    repaired = fairmend.design(table, protected="s").repair(table, seed=1).to_pandas()
    moved = repaired[(s == 0) & (x == 0)]
    assert 0.2 < moved.one.mean() < 0.4
    assert abs(moved.one.corr(moved.other)) < 0.1


@pytest.mark.parametrize("seed", [-1, 2**64, 1.5, "7", True])
def test_a_bad_seed_is_refused(plan, archive, seed):
    with pytest.raises(OptionError, match="seed"):
        plan.repair(archive, seed=seed)


# Missing values


def test_missing_values_stay_and_change_no_other_row(plan, archive, as_table):
    gone = np.arange(400) % 7 == 0
    wage = pa.array(archive["wage"].to_numpy(), mask=gone)
    hours = pa.array(archive["hours"].to_numpy(), mask=gone[::-1])
    gaps = with_column(with_column(archive, "wage", wage), "hours", hours)
    summary = {}
    repaired = plan.repair(as_table(gaps), seed=7, summary=summary)
    whole = plan.repair(archive, seed=7)
    for name, missing in (("wage", gone), ("hours", gone[::-1])):
        found = pd.to_numeric(pd.Series(list(repaired[name])).map(str), errors="coerce")
        np.testing.assert_array_equal(found.isna(), missing)
        np.testing.assert_array_equal(found[~missing], column(whole, name)[~missing])
        assert summary["features"][name]["missing"] == missing.sum()


def test_a_column_of_nothing_but_missing_values_stays(plan, archive, as_table):
    gaps = with_column(archive, "wage", pa.nulls(400, pa.float64()))
    repaired = plan.repair(as_table(gaps), seed=7)
    assert pd.Series(list(repaired["wage"])).map(str).isin(["None", "nan", "<NA>"]).all()


# Out of range


@pytest.fixture
def outliers(archive):
    wage = archive["wage"].to_numpy().copy()
    wage[:3], wage[5] = 1e6, 0.0
    return with_column(archive, "wage", wage)


def test_values_out_of_range_are_clipped_and_counted(plan, outliers):
    summary = {}
    repaired = plan.repair(outliers, seed=7, summary=summary)
    wage = column(repaired, "wage")
    low, high = plan.features[1].range
    assert low.min() <= wage.min() <= wage.max() <= high.max()
    assert summary["features"]["wage"]["out_of_range"] == 4
    # The fifth row is an outlier at the other end.
    assert wage[:3].min() > np.median(wage) > wage[5]


def test_values_out_of_range_are_kept_on_request(plan, outliers):
    summary = {}
    repaired = plan.repair(outliers, seed=7, out_of_range="keep", summary=summary)
    clipped = plan.repair(outliers, seed=7)
    assert column(repaired, "wage")[[0, 1, 2, 5]].tolist() == [1e6, 1e6, 1e6, 0.0]
    others = np.setdiff1d(np.arange(400), [0, 1, 2, 5])
    np.testing.assert_array_equal(column(repaired, "wage")[others], column(clipped, "wage")[others])
    assert summary["features"]["wage"]["out_of_range"] == 4


def test_values_out_of_range_are_refused_on_request_with_counts(plan, outliers):
    wanted = r"outside the plan's support in 'wage' \(4 rows\)\..*margin=.*out_of_range='clip'"
    with pytest.raises(DataError, match=wanted):
        plan.repair(outliers, seed=7, out_of_range="raise")
    plan.repair(
        outliers.filter(pa.compute.less(outliers["wage"], 50)).slice(6), out_of_range="raise"
    )


def test_research_values_are_never_out_of_range(people):
    cents = np.round(people["wage"].to_numpy(), 2)
    for margin in (0, 0.1):
        for table in (people, with_column(people, "wage", cents)):
            plan = fairmend.design(table, **ROLES, margin=margin, kinds={"wage": "continuous"})
            plan.repair(table, seed=1, out_of_range="raise")


@pytest.mark.parametrize("margin", [0, 0.1])
@pytest.mark.parametrize("seed", range(3))
def test_research_values_of_heavy_tails_are_never_out_of_range(margin, seed):
    rng = np.random.default_rng(seed)
    s = np.arange(3_000) % 2
    incomes = rng.lognormal(10, 2.5, 3_000)
    for x in (incomes, -incomes, rng.standard_cauchy(3_000), np.round(incomes)):
        table = pd.DataFrame({"s": s, "x": x})
        plan = fairmend.design(table, protected="s", margin=margin)
        repaired = plan.repair(table, seed=1, out_of_range="raise")
        support = plan.features[0].cells[0].support
        assert support[0] >= 0 or x.min() < 0
        assert support[-1] <= 0 or x.max() > 0
        assert set(repaired.x) <= set(support)
        if margin and x.min() < 0 < x.max():
            assert support[0] < x.min()


def test_policies_default_to_those_of_the_plan(people, outliers):
    plan = fairmend.design(people.slice(0, 500), **ROLES, out_of_range="raise", unseen="keep")
    with pytest.raises(DataError):
        plan.repair(outliers, seed=7)
    unseen = with_column(outliers, "college", [9] * 400)
    assert plan.repair(unseen, seed=7).equals(unseen)
    assert not plan.repair(outliers, seed=7, out_of_range="clip").equals(outliers)
    with pytest.raises(UnseenError):
        plan.repair(unseen, seed=7, unseen="raise")


@pytest.mark.parametrize("policy", ["unseen", "out_of_range"])
def test_a_policy_that_cannot_be_is_refused(plan, archive, policy):
    with pytest.raises(OptionError, match=rf"{policy}='drop' is not known\. Pass one of"):
        plan.repair(archive, **{policy: "drop"})


# Unseen levels


@pytest.fixture
def strangers(archive):
    sex = archive["sex"].to_pylist()
    college = archive["college"].to_pylist()
    sex[3:6], college[5:7] = ["X"] * 3, [2, 2]
    return with_column(with_column(archive, "sex", sex), "college", college)


def test_an_unseen_group_is_refused_with_counts_and_what_is_known(plan, strangers, as_table):
    wanted = (
        r"archive has 3 rows with sex='X' and there is no plan for them: the research data had sex "
        r"in \['F', 'M'\]\. Refit .* unseen='keep'"
    )
    with pytest.raises(UnseenError, match=wanted):
        plan.repair(as_table(strangers), seed=7)


def test_an_unseen_stratum_is_refused_with_counts_and_what_is_known(plan, archive):
    college = [2, 2, 3, *archive["college"].to_pylist()[3:]]
    wanted = r"2 rows with college=2, 1 rows with college=3 .* had college in \[0, 1\]"
    with pytest.raises(UnseenError, match=wanted):
        plan.repair(with_column(archive, "college", college), seed=7)


def test_many_unseen_levels_are_cut_after_the_most_frequent(plan, archive):
    college = [*range(100, 150), *[7] * 350]
    with pytest.raises(UnseenError, match=r"350 rows with college=7, .* and 31 more levels"):
        plan.repair(with_column(archive, "college", college), seed=7)


def test_unseen_rows_are_left_identical_on_request_and_counted(plan, archive, strangers, as_table):
    summary = {}
    repaired = plan.repair(as_table(strangers), seed=7, unseen="keep", summary=summary)
    kept = np.array([3, 4, 5, 6])
    others = np.setdiff1d(np.arange(400), kept)
    whole = plan.repair(archive, seed=7)
    for name in plan.feature_names:
        np.testing.assert_array_equal(column(repaired, name)[kept], column(archive, name)[kept])
        np.testing.assert_array_equal(column(repaired, name)[others], column(whole, name)[others])
        assert summary["features"][name]["unseen"] == 4


def test_crossed_levels_that_never_met_are_unseen():
    table = pd.DataFrame({"a": [0, 0, 1], "b": [0, 1, 1], "x": [1.0, 2, 3]})
    research = pd.concat([table] * 4)
    plan = fairmend.design(research, protected=["a", "b"])
    with pytest.raises(
        UnseenError, match=r"2 rows with a=1 and b=0 .* a × b in \[\(0, 0\), \(0, 1\)"
    ):
        plan.repair(pd.DataFrame({"a": [1, 1, 0], "b": [0, 0, 0], "x": [1.0, 1, 1]}), seed=1)


def test_an_archive_without_groups_is_told_how_they_are_estimated(plan, archive):
    bare = archive.drop_columns(["sex"])
    with pytest.raises(ColumnError, match=r"no column 'sex'.*fairmend label-model and --labels"):
        plan.repair(bare)


def test_missing_labels_in_the_archive_are_refused_with_counts(plan, archive, as_table):
    sex = pa.array(archive["sex"].to_pylist(), mask=np.arange(400) < 9)
    with pytest.raises(DataError, match=r"archive has missing values in 'sex' \(9 rows\)"):
        plan.repair(as_table(with_column(archive, "sex", sex)), seed=7)


# The summary


def test_summaries_add_up(plan, outliers, strangers):
    summary = {}
    plan.repair(outliers, seed=7, summary=summary)
    plan.repair(strangers, seed=7, unseen="keep", summary=summary)
    assert summary["rows"] == 800
    assert summary["seed"] == 7
    out = {f.name: {"missing": 0, "out_of_range": 0, "unseen": 4} for f in plan.features}
    alone = {}
    plan.repair(strangers, seed=7, unseen="keep", summary=alone)
    for name, counts in alone["features"].items():
        out[name]["out_of_range"] += counts["out_of_range"]
    out["wage"]["out_of_range"] += 4
    alone = {}
    plan.repair(outliers, seed=7, summary=alone)
    out["hours"]["out_of_range"] += alone["features"]["hours"]["out_of_range"]
    assert summary["features"] == out


# Bad archives


@pytest.mark.parametrize("name", ["sex", "college", "hours", "wage"])
def test_a_missing_column_is_named_with_its_nearest(plan, archive, name, as_table):
    table = as_table(archive.rename_columns({name: name.title()}))
    with pytest.raises(
        ColumnError, match=rf"archive has no column '{name}'.*mean '{name.title()}'"
    ):
        plan.repair(table, seed=7)


def test_infinite_values_are_refused_with_counts(plan, archive):
    wage = archive["wage"].to_numpy().copy()
    wage[:5] = -np.inf
    with pytest.raises(DataError, match=r"archive has infinite values in 'wage' \(5 rows\)"):
        plan.repair(with_column(archive, "wage", wage), seed=7)


def test_features_of_another_type_are_refused_by_type(plan, archive):
    table = with_column(archive, "wage", [str(w) for w in archive["wage"].to_pylist()])
    wanted = r"archive has columns of another type: 'wage' is string \(a number was expected\)\."
    with pytest.raises(ColumnError, match=wanted):
        plan.repair(table, seed=7)


def test_an_empty_archive_is_repaired_to_an_empty_one(plan, archive, as_table):
    empty = as_table(archive)[:0]
    repaired = plan.repair(empty, seed=7, summary=(summary := {}))
    assert type(repaired) is type(empty)
    assert len(repaired) == 0
    assert names_of(repaired) == names_of(empty)
    assert summary["rows"] == 0


# Keys


def test_one_row_needs_a_key_or_a_number(plan, archive, as_table):
    row = as_table(archive.slice(0, 1))
    with pytest.raises(RowKeyError, match=r"can be read off the repaired values\. Pass key="):
        plan.repair(row, seed=7)
    assert len(plan.repair(row, seed=7, first_row=0)) == 1
    assert len(plan.repair(row, seed=7, key="id")) == 1
    assert len(plan.repair(as_table(archive.slice(0, 2)), seed=7)) == 2


@pytest.mark.parametrize("first_row", [-1, 0.0, "0", True, 2**64])
def test_a_bad_first_row_is_refused(plan, archive, first_row):
    with pytest.raises(OptionError, match="first_row"):
        plan.repair(archive, seed=7, first_row=first_row)


def test_keys_may_be_several_and_of_any_type(plan, archive):
    numbers = archive["id"].to_numpy()
    table = archive.append_column("a", pa.array(numbers // 100).cast(pa.int32()))
    table = table.append_column("b", pa.array([f"row {n % 100}" for n in numbers]))
    shuffled = table.take(np.random.default_rng(0).permutation(400))
    one = plan.repair(table, seed=7, key=["a", "b"]).sort_by("id")
    other = plan.repair(shuffled, seed=7, key=["a", "b"]).sort_by("id")
    assert one.equals(other)
    assert not one.equals(plan.repair(table, seed=7, key=["b", "a"]).sort_by("id"))


@pytest.mark.parametrize("key", ["wage", "missing"])
def test_bad_keys_are_refused(plan, archive, key):
    table = archive.append_column("missing", pa.array([None, *["k"] * 399]))
    with pytest.raises(RowKeyError, match=r"is of type double|has 1 missing values"):
        plan.repair(table, seed=7, key=key)


AS_TEXT = {
    "text": lambda table: table,
    "view": lambda table: with_column(table, "flag", table["flag"].cast(pa.string_view())),
    "dictionary": lambda table: with_column(table, "flag", table["flag"].dictionary_encode()),
    "pandas": pa.Table.to_pandas,
    "polars": pl.from_arrow,
}


@pytest.mark.parametrize("form", AS_TEXT)
def test_a_row_is_spelt_the_same_whether_others_of_its_table_moved_or_not(form):
    rng = np.random.default_rng(3)
    s = rng.integers(0, 2, 2_000)
    flag = np.where(rng.random(2_000) < 0.2 + 0.5 * s, "True", "False")
    rate = np.where(rng.random(2_000) < 0.7, -0.0, rng.integers(1, 9, 2_000) / 4 + s)
    archive = pa.table({"s": s, "flag": flag, "rate": rate})
    research = with_column(archive, "flag", pc.utf8_lower(archive["flag"]))
    plan = fairmend.design(research, protected="s", features=["flag", "rate"])

    def spelt(start, rows):
        part = AS_TEXT[form](archive[start : start + rows])
        repaired = plan.repair(part, seed=7, first_row=start)
        columns = (map(str, list_of(repaired[name])) for name in ("flag", "rate"))
        return list(zip(*columns, strict=True))

    whole = spelt(0, 60)
    assert whole == [one for start in range(60) for one in spelt(start, 1)]
    assert {flag for flag, _ in whole} == {"true", "false"}
    assert "-0.0" not in {rate for _, rate in whole}
