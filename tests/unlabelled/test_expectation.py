import json

import numpy as np
import pyarrow as pa
import pytest
from hidden_groups import ROLES

import fairmend
from fairmend.datasets import simulate

ONE = {**ROLES, "features": ["x1"]}


@pytest.fixture(scope="module")
def expected():
    table = simulate(4_500, 21)
    research, archive = table.slice(0, 1_500), table.slice(1_500)
    found = fairmend.expect_unlabelled(
        research, archive.drop(["s"]), **ONE, repeats=6, budgets=[0.5], n_support=50
    )
    return research, archive, found


def test_what_is_expected_of_each_way_is_near_what_happens(expected):
    research, archive, found = expected
    plan = fairmend.design(research, **ONE, n_support=50)
    hidden = archive.drop(["s"])
    model = fairmend.LabelModel(**ONE).fit(research, hidden)
    tables = {
        "none": archive,
        "labelled": plan.repair(archive, seed=1),
        "sample": plan.repair(hidden, labels=model, seed=1),
        "blind 0.5": plan.blind(0.5).repair(hidden, seed=1),
    }
    deviation = archive["x1"].to_numpy().std()
    for way, table in tables.items():
        e = fairmend.dependence(table["x1"], archive["s"], archive["u"], kind="continuous")
        assert found[way].e == pytest.approx(e, abs=0.13)
        assert found[way].low <= found[way].e <= found[way].high
        moved = fairmend.damage(archive["x1"], table["x1"]).rmse / deviation
        assert found[way].damage == pytest.approx(moved, abs=0.1)
        seen = pa.table({"s": archive["s"], "u": archive["u"], "x1": table["x1"]})
        told = fairmend.leak(seen, **ONE, each=False, all_columns=False, permutations=0).auc
        assert found[way].leak == pytest.approx(told, abs=0.07)
        assert found[way].leak_low <= told <= found[way].leak_high


def test_ways_are_in_the_order_that_knowledge_gives(expected):
    found = expected[2]
    partly = found["46% unlabelled, sample"].e
    assert found["labelled"].e < partly < found["sample"].e < found["none"].e


def test_the_recommendation_is_in_words_and_plain_types(expected):
    found = expected[2]
    assert f"Recommended without groups, at about that damage: {found.recommended}." in str(found)
    assert "ranks groups with an AUC of" in str(found)
    assert json.loads(json.dumps(found.to_dict()))["told"] == pytest.approx(found.told)
    assert 0.0 < found.told < 0.5


def test_leaks_are_of_rows_that_no_plan_has_seen():
    """Chance alone in 400 rows: who knows a row again would tell groups that are not there."""
    table = simulate(400, 4)
    mixed = pa.array(np.random.default_rng(0).permutation(table["s"].to_numpy()))
    table = table.set_column(0, "s", mixed).drop(["u"])
    options = {"protected": "s", "features": ["x1"], "repeats": 2, "budgets": []}
    found = fairmend.expect_unlabelled(table, **options)
    assert max(abs(one.leak - 0.5) for one in found.ways) < 0.12
    assert found.recommended is None
    without = fairmend.expect_unlabelled(table, **options, leak=False)
    assert {one.leak for one in without.ways} == {None}
    assert [one.e for one in without.ways] == [one.e for one in found.ways]
    assert "AUC of" not in str(without)


def test_too_few_rows_for_an_adversary_leave_the_leak_open():
    table = simulate(60, 4).drop(["u"])
    s = table["s"].to_numpy()
    few = table.take(np.append(np.flatnonzero(s == 1), np.flatnonzero(s == 0)[:6]))
    options = {"protected": "s", "features": ["x1"], "repeats": 2, "budgets": []}
    found = fairmend.expect_unlabelled(few, **options)
    assert {one.leak for one in found.ways} == {None}
