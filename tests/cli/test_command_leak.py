import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from fairmend.measures.leak import leak

LINE = "--protected sex --unprotected college --features age,pay"


def rows_of(text):
    return [line.split() for line in text.splitlines() if line.strip(" ─")]


def test_a_repair_hides_the_group(planned):
    planned("repair archive.parquet --plan plan.json -o out.parquet --seed 7")
    before, after = (
        json.loads(planned(f"leak {name}.parquet {LINE} --no-each --exclude zip --json").stdout)
        for name in ("archive", "out")
    )
    assert before["auc"] > 0.75
    assert after["auc"] < 0.58
    assert abs(before["null"] - 0.5) < 0.05
    assert before["rows"] == 2_000
    measured = leak(
        pq.read_table("archive.parquet"),
        protected="sex",
        unprotected="college",
        features=["age", "pay"],
        exclude="zip",
        each=False,
    )
    assert (before["auc"], before["null"]) == (measured.auc, measured.null)
    assert before["by_stratum"] == measured.by_stratum
    assert before["joint"] == measured.to_dict()["joint"]


def test_the_tables_show_adversaries_and_columns(run):
    result = run(f"leak archive.parquet {LINE} --max-rows 800 --permutations 0")
    rows = rows_of(result.stdout)
    assert rows[0] == ["the", "adversary", "sees", "AUC", "95", "%", "interval", "shuffled"]
    joint, college_0, college_1, everything, title, head, *columns = rows[1:]
    assert joint[:4] == ["the", "2", "features", "together"]
    assert college_0[:2] == ["where", "college=0"]
    assert college_1[:2] == ["where", "college=1"]
    assert everything[:2] == ["all", "columns"]
    assert float(joint[5]) < float(joint[4]) < float(joint[7])
    assert title == ["Each", "column", "alone"]
    assert head[0] == "column"
    kinds = [(row[0], row[1]) for row in columns]
    assert sorted(kinds) == [("age", "feature"), ("pay", "feature"), ("zip", "untouched")]
    assert kinds[0] != ("zip", "untouched")
    assert "no adversary saw 'id': a key" in result.stderr
    assert "Tested 800 of 2,000 rows (" in result.stderr


def test_less_can_be_asked_for(run):
    line = f"leak archive.csv {LINE} --max-rows 800 --permutations 0"
    result = run(f"{line} --exclude id,zip --no-each --no-all-columns")
    assert len(rows_of(result.stdout)) == 4
    assert result.stderr.startswith("Tested 800 of 2,000 rows (")
    one = run("leak archive.csv --protected sex --features age --exclude id,zip,pay --no-each")
    assert rows_of(one.stdout)[1][:2] == ["the", "feature"]


def test_several_groups_have_a_table_of_their_own(run):
    line = "leak archive.parquet --protected sex,college --features age,pay --no-each"
    rows = rows_of(run(f"{line} --exclude zip,id --permutations 0").stdout)
    at = rows.index(["Each", "group", "against", "the", "rest"])
    assert len(rows[at + 2 :]) == 4


def test_both_formats_give_the_same_figures(run):
    line = "leak archive.{} --protected sex --features age,pay --exclude zip --no-each --json"
    assert run(line.format("csv")).stdout == run(line.format("parquet")).stdout


def test_json_goes_to_a_file_too(run):
    run(f"leak archive.parquet {LINE} --no-each --no-all-columns --json leak.json")
    found = json.loads(Path("leak.json").read_text())
    assert found["all_columns"] is None
    assert found["features"] == ["age", "pay"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("archive.csv --protected Sex --features age", "Did you mean 'sex'?"),
        ("archive.csv --protected sex", "Missing option '--features'"),
        ("no.csv --protected sex --features age", "There is no file no.csv"),
        (
            "archive.csv --protected sex --features age --json plan/x.json",
            "there is no folder plan",
        ),
    ],
)
def test_faults_end_in_a_message_and_code_2(run, line, message):
    assert message in run(f"leak {line}", 2).stderr
