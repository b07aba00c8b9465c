import json

import pyarrow.parquet as pq
import pytest

from fairmend.measures.leak import leak

LINE = "--protected sex --unprotected college --features age,pay"


def test_a_repair_hides_the_group(planned):
    planned("repair archive.parquet --plan plan.json -o out.parquet --seed 7")
    before, after = (
        json.loads(planned(f"leak {name}.parquet {LINE} --permutations 1 --json").stdout)
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
        permutations=1,
    )
    assert (before["auc"], before["null"]) == (measured.auc, measured.null)
    assert before["by_stratum"] == measured.by_stratum


def test_the_table_has_a_row_a_stratum_and_one_for_all(run):
    result = run(f"leak archive.csv {LINE} --permutations 1 --max-rows 800")
    head, *rows = [line.split() for line in result.stdout.splitlines() if line.strip(" ─")]
    assert head == ["stratum", "AUC", "shuffled"]
    assert [row[0] for row in rows] == ["college=0", "college=1", "all"]
    assert result.stderr.startswith("Tested 2,000 rows (")
    shuffled = run(f"leak archive.csv {LINE} --permutations 0 --max-rows 800").stdout
    assert shuffled.split()[-1] == "none"


def test_both_formats_give_the_same_figures(run):
    line = "leak archive.{} --protected sex --features age,pay --permutations 0 --json"
    assert run(line.format("csv")).stdout == run(line.format("parquet")).stdout


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
