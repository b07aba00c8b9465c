"""What an audit says of features together: joint leak, pairs, and combinations of values."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier

import fairmend
from fairmend.auditing import combinations as combinations_module
from fairmend.auditing.on_disk import audit_files
from fairmend.files.csv import write_csv

QUICK = HistGradientBoostingClassifier(max_iter=30)
FORBIDDEN = {"hours": [{"above": 40}], "job": ["cook"]}
RARE = {"hours": [{"above": 1000}], "job": ["smith"]}


@pytest.fixture(scope="module")
def constrained(joint):
    return replace(joint, options=replace(joint.options, constraints=(FORBIDDEN, RARE)))


@pytest.fixture(scope="module")
def repaired(crossed, constrained):
    return constrained.repair(crossed, seed=7)


@pytest.fixture(scope="module")
def content(crossed, repaired, constrained):
    research = crossed.slice(0, 500)
    return fairmend.audit(
        crossed, repaired, constrained, adversary=QUICK, research=research
    ).content


def auc(content, sees):
    (row,) = (row for row in content["leak"]["rows"] if row["sees"] == sees)
    return row["before"]["value"], row["after"]["value"]


def pair(content, *names):
    (row,) = (r for r in content["pairs"]["rows"] if {r["first"], r["second"]} == set(names))
    return row


def test_a_joint_plan_is_compared_with_features_one_at_a_time(content, crossed, joint):
    before, after = auc(content, "features")
    same, alone = auc(content, "alone")
    assert before == same
    assert min(before, alone) > after + 0.1, "nothing is told by one feature alone"
    by_themselves = joint.without_joint()
    assert not by_themselves.is_joint
    wanted = fairmend.design(
        crossed.slice(0, 500), protected="sex", unprotected="college", exclude=["id"]
    )
    assert by_themselves.repair(crossed, seed=3).equals(wanted.repair(crossed, seed=3))
    answer = content["summary"]["findings"][1]["answer"]
    assert f"by itself would have left {alone:.2f}." in answer


def test_other_plans_are_compared_with_nothing(crossed, joint):
    plan = joint.without_joint()
    audit = fairmend.audit(crossed, plan.repair(crossed, seed=1), plan, adversary=QUICK)
    sees = [row["sees"] for row in audit.content["leak"]["rows"]]
    assert "alone" not in sees
    assert audit.content["combinations"] is None


def test_the_map_shows_which_pair_tells_the_group(content, crossed, joint):
    """Hours and wage go together in opposite ways, which neither of them shows."""
    names = [row["first"] for row in content["pairs"]["rows"] if row["first"] == row["second"]]
    assert names == content["pairs"]["features"] == list(joint.feature_names)
    together = pair(content, "hours", "wage")
    assert together["before"]["value"] > 0.9
    alone = joint.without_joint()
    other = fairmend.audit(crossed, alone.repair(crossed, seed=7), alone, adversary=QUICK).content
    left = pair(other, "hours", "wage")
    assert left["beyond"] > 0.2
    assert together["beyond"] < left["beyond"] / 2
    assert pair(other, "hours")["after"]["value"] < 0.58


def test_combinations_are_counted_before_and_after(content, crossed, repaired):
    found = content["combinations"]
    forbidden = pc.and_(pc.equal(crossed["job"], "cook"), pc.greater(crossed["hours"], 40))
    share = pc.sum(pc.fill_null(forbidden, False)).as_py() / 900
    assert share > 0.05
    first, rare = found["constraints"]
    assert first == {"words": "hours above 40 and job='cook'", "before": share, "after": 0.0}
    assert (rare["before"], rare["after"]) == (0.0, 0.0)
    assert found["forbidden"] == {"before": share, "after": 0.0}
    research, names = crossed.slice(0, 500), ["hours", "wage", "job"]
    for when, rows in (("before", crossed), ("after", repaired)):
        wanted = fairmend.unseen_pairs(rows, research, features=names)
        shares = {frozenset(pair): round(share * 900) for pair, share in wanted.items()}
        for row in found["unseen"]:
            n = shares[frozenset((row["first"], row["second"]))]
            assert row[when] == (None if 0 < n < 5 else pytest.approx(n / 900))


def test_few_rows_with_a_combination_are_not_told(crossed, constrained):
    hours = np.where(np.arange(900) < 3, 50, np.minimum(crossed["hours"].to_numpy(), 40))
    archive = crossed.set_column(crossed.column_names.index("hours"), "hours", pa.array(hours))
    job = np.where(np.arange(900) < 3, "cook", "clerk")
    archive = archive.set_column(archive.column_names.index("job"), "job", pa.array(job))
    repaired = constrained.repair(archive, seed=1)
    audit = fairmend.audit(archive, repaired, constrained, leak=False)
    assert audit.content["combinations"]["forbidden"] == {"before": None, "after": 0.0}
    assert audit.content["pairs"] is None
    assert "forbids: a few rows before, 0.0% after" in str(audit.content["summary"]["findings"])
    page = audit.to_html()
    assert "&lt;5 rows before the repair" in page
    assert "2 combinations that the plan forbids" in page


def test_files_give_what_tables_give(crossed, repaired, constrained, content, tmp_path):
    constrained.save(tmp_path / "plan.json")
    pq.write_table(crossed, tmp_path / "a.parquet")
    write_csv(repaired, tmp_path / "b.csv")
    write_csv(crossed.slice(0, 500), tmp_path / "r.csv")
    found = audit_files(
        *(tmp_path / name for name in ("a.parquet", "b.csv", "plan.json")),
        research=tmp_path / "r.csv", adversary=QUICK,
    ).content  # fmt: skip
    for part in ("combinations", "pairs"):
        assert found[part] == content[part]
    rows = [[row for row in one["leak"]["rows"] if row["sees"] == "alone"]
            for one in (found, content)]  # fmt: skip
    assert rows[0] == rows[1]


def test_of_many_rows_some_are_looked_at_for_each_constraint(
    crossed, repaired, constrained, content, monkeypatch
):
    monkeypatch.setattr(combinations_module, "MOST_ROWS", 400)
    found = fairmend.audit(crossed, repaired, constrained, leak=False).content["combinations"]
    wanted = content["combinations"]
    assert found["forbidden"] == wanted["forbidden"]
    some, all_ = (one["constraints"][0]["before"] for one in (found, wanted))
    assert some != all_
    assert some == pytest.approx(all_, abs=0.05)
    assert found["constraints"][0]["after"] == 0.0
