import json

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import gaussian_kde

import fairmend
from fairmend.errors import ColumnError, FairmendError
from fairmend.measures.dependence import dependence
from fairmend.report.densities import densities
from fairmend.report.levels import MOST_LEVELS
from fairmend.report.pooling import FEWEST
from fairmend.transport.bandwidth import bandwidth_of
from fairmend.transport.points import Points


@pytest.fixture(scope="module")
def shown(repaired):
    return densities(*repaired)


def sides(shown):
    return [(panel, panel[side], side) for panel in shown["panels"] for side in ("before", "after")]


def values_of(repaired, panel, side, group=None):
    archive, after, _ = repaired
    here = np.array(archive["stratum"]) == int(panel["stratum"].removeprefix("stratum="))
    if group is not None:
        here &= np.array(archive["group"]) == group
    return np.array((archive if side == "before" else after)[panel["feature"]])[here]


def test_panels_are_in_the_plans_order(shown):
    assert [(p["feature"], p["stratum"], p["kind"]) for p in shown["panels"]] == [
        ("hours", "stratum=0", "discrete"),
        ("hours", "stratum=1", "discrete"),
        ("height", "stratum=0", "continuous"),
        ("height", "stratum=1", "continuous"),
        ("income", "stratum=0", "mixed"),
        ("income", "stratum=1", "mixed"),
    ]
    assert shown["groups"] == ["a", "b", "c"]


def test_it_is_plain_enough_for_json(shown):
    again = json.loads(json.dumps(shown, allow_nan=False))
    assert again["panels"][0]["before"]["curves"][0]["share"]


def test_shares_sum_to_one(shown):
    for panel, side, _ in sides(shown):
        for curve in side["curves"][:2]:
            assert len(curve["share"]) == len(panel["edges"]) - 1
            assert sum(curve["share"]) == pytest.approx(1)
            assert min(curve["share"]) >= 0


def test_rows_are_those_of_the_table(shown, repaired):
    for panel, side, name in sides(shown):
        for curve in side["curves"][:2]:
            assert curve["rows"] == values_of(repaired, panel, name, curve["group"]).size


def test_shares_of_a_discrete_feature_are_counts_where_those_are_not_small(shown, repaired):
    for panel, side, name in sides(shown):
        if panel["kind"] != "discrete":
            continue
        assert panel["single"]
        centres = (np.array(panel["edges"][1:]) + panel["edges"][:-1]) / 2
        for curve in side["curves"][:2]:
            values = values_of(repaired, panel, name, curve["group"])
            beside = {at for first, end in curve["pooled"] for at in range(first - 1, end + 1)}
            for at, centre in enumerate(centres):
                if at not in beside:
                    assert curve["share"][at] == pytest.approx(np.mean(values == centre))
            assert curve["share"][np.argmin(np.abs(centres - 40))] > 0.25, "the atom is seen"


def test_no_small_count_can_be_read_from_a_share(shown):
    for panel, side, _ in sides(shown):
        if panel["kind"] == "continuous":
            continue
        for curve in side["curves"][:2]:
            rows = np.array(curve["share"]) * curve["rows"]
            for first, end in curve["pooled"]:
                assert rows[first:end].sum() < 1e-9 or rows[first:end].sum() > FEWEST - 1e-9
                rows[first:end] = 0
            assert not ((rows > 1e-9) & (rows < FEWEST - 1e-9)).any()


def test_a_smooth_curve_is_the_kernel_density_but_for_pooling(shown, repaired):
    for panel, side, name in sides(shown):
        if panel["kind"] != "continuous":
            continue
        edges = np.array(panel["edges"])
        centres, width = (edges[1:] + edges[:-1]) / 2, edges[1] - edges[0]
        for curve in side["curves"][:2]:
            values = values_of(repaired, panel, name, curve["group"])
            oracle = gaussian_kde(values, bandwidth_of(Points.of(values)) / values.std(ddof=1))(
                centres
            )
            assert np.abs(np.array(curve["share"]) - oracle * width).sum() < 0.05


def test_a_group_of_few_rows_is_not_shown(shown):
    for _, side, _ in sides(shown):
        assert side["curves"][2] == {"group": "c", "rows": None, "share": None, "pooled": []}


def test_dependence_is_that_of_the_groups_that_are_shown(shown, repaired):
    archive = repaired[0]
    for panel, side, name in sides(shown):
        values = values_of(repaired, panel, name)
        here = np.array(archive["stratum"]) == int(panel["stratum"].removeprefix("stratum="))
        group = np.array(archive["group"])[here]
        many = group != "c"
        expected = dependence(values[many], group[many], kind=panel["kind"])
        assert side["dependence"] == pytest.approx(expected)


def test_the_archives_own_extremes_are_not_in_it(repaired):
    archive, after, plan = repaired
    extreme = archive["height"].to_pylist()
    extreme[100] = 812.34
    far = archive.set_column(3, "height", [extreme])
    usual, wide = densities(archive, after, plan), densities(far, after, plan)
    assert [p["edges"] for p in usual["panels"]] == [p["edges"] for p in wide["panels"]]
    assert "812.3" not in json.dumps(wide)


def test_missing_values_and_unknown_levels_are_left_out(repaired):
    archive, after, plan = repaired
    hours = archive["hours"].to_pylist()
    hours[1000:1010] = [None] * 10
    group = archive["group"].to_pylist()
    group[1010:1020] = ["d"] * 10
    holed = archive.set_column(0, "group", [group]).set_column(2, "hours", [hours])
    rows = [
        sum(c["rows"] or 0 for p in shown["panels"][:2] for c in p["before"]["curves"])
        for shown in (densities(archive, after, plan), densities(holed, after, plan))
    ]
    assert rows[1] == rows[0] - 20


def test_the_table_after_repair_needs_no_protected_column(repaired, shown):
    archive, after, plan = repaired
    assert densities(archive, after.drop_columns(["group"]), plan) == shown


def test_nothing_to_compare_gives_no_figure():
    research = pa.table({"s": [0, 0, 1, 1], "x": [1, 2, 2, 3]})
    plan = fairmend.design(research, protected="s", features="x")
    side = densities(research, research, plan)["panels"][0]["before"]
    assert side["dependence"] is None
    assert [curve["share"] for curve in side["curves"]] == [None, None]


def test_tables_of_different_length_are_refused(repaired):
    archive, after, plan = repaired
    with pytest.raises(FairmendError, match=r"4,000 rows and .* 3,999. Pass the same rows"):
        densities(archive, after.slice(1), plan)


def test_a_missing_feature_is_named(repaired):
    archive, after, plan = repaired
    with pytest.raises(ColumnError, match=r"table after repair has no column 'height'"):
        densities(archive, after.drop_columns(["height"]), plan)


# Categories and times


@pytest.fixture(scope="module")
def words():
    rng = np.random.default_rng(2)
    n = 3_000
    group = rng.integers(0, 2, n)
    level = (rng.geometric(0.2 + 0.1 * group) - 1) % 15
    day = np.datetime64("2020-01-01") + rng.integers(0, 300 + 100 * group, n).astype("m8[D]")
    table = pa.table(
        {
            "group": group,
            "town": [f"town {at}" for at in level],
            "grade": np.array(["low", "mid", "top"])[np.minimum(level, 2)],
            "fair": level > 3,
            "day": day,
        }
    )
    kinds = {"grade": ["low", "mid", "top"]}
    plan = fairmend.design(table, protected="group", kinds=kinds)
    return table, plan.repair(table, seed=3), plan


def test_a_category_has_a_bar_for_each_level_by_their_share_and_one_for_the_rest(words):
    table, after, plan = words
    shown = densities(table, after, plan)
    town, grade, fair, day = shown["panels"]
    assert town["levels"] == [f"town {at}" for at in range(MOST_LEVELS - 1)] + ["other"]
    assert town["edges"] == [at - 0.5 for at in range(MOST_LEVELS + 1)]
    assert grade["levels"] == ["low", "mid", "top"]
    assert fair["levels"] == ["False", "True"]
    assert (day["levels"], day["type"]) == (None, "datetime")
    first = np.array(table["town"])[np.array(table["group"]) == 0]
    share = town["before"]["curves"][0]["share"]
    assert share[0] == pytest.approx(np.mean(first == "town 0"))
    rest = [f"town {at}" for at in range(MOST_LEVELS - 1, 15)]
    assert share[-1] == pytest.approx(np.mean(np.isin(first, rest)))
    assert json.dumps(shown, allow_nan=False)


def test_a_category_is_as_dependent_as_all_of_its_levels(words):
    table, after, plan = words
    town = densities(table, after, plan)["panels"][0]
    code = np.array([int(name.split()[1]) for name in table["town"].to_pylist()])
    expected = dependence(code, np.array(table["group"]), kind="categorical")
    assert town["before"]["dependence"] == pytest.approx(expected)
    assert town["after"]["dependence"] < 0.3 * expected


def test_a_category_that_the_plan_does_not_know_is_left_out(words):
    table, _, plan = words
    odd = table.set_column(1, "town", [["Atlantis"] * 10 + table["town"].to_pylist()[10:]])
    rows = [
        sum(curve["rows"] for curve in densities(t, t, plan)["panels"][0]["before"]["curves"])
        for t in (table, odd)
    ]
    assert rows == [3_000, 2_990]
    assert "Atlantis" not in json.dumps(densities(odd, odd, plan))
