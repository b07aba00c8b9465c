import json
from pathlib import Path

import pytest


@pytest.fixture
def repaired(planned):
    planned("repair archive.parquet --plan plan.json -o out.parquet --seed 7")
    return planned


def test_the_table_shows_each_feature(repaired):
    result = repaired("audit archive.parquet out.parquet --plan plan.json")
    figures, missing = result.stdout.split("Missing values depend on the group")
    head, *rows = [line for line in figures.splitlines() if line.strip(" ─")]
    assert head.split() == ["feature", "E", "before", "E", "after", "floor", "RMSE", "changed"]
    assert [row.split()[0] for row in rows] == ["age", "pay"]
    assert all(row.split()[-1].endswith("%") for row in rows)
    assert result.stderr.startswith("Audited 2,000 rows (")
    head, row = [line for line in missing.splitlines() if line.strip(" ─")]
    assert head.split()[-2:] == ["sex='F'", "sex='M'"]
    assert row.split()[0] == "age", "nothing is missing in pay"
    assert row.count("→") == 2
    assert row.count("%") == 6


def test_json_without_a_file_is_printed_instead(repaired):
    result = repaired("audit archive.parquet out.parquet --plan plan.json --json")
    found = json.loads(result.stdout)
    assert [feature["name"] for feature in found["features"]] == ["age", "pay"]
    assert not Path("-").exists()


def test_a_category_has_no_rmse(planned):
    planned(
        "design research.csv --protected sex --features zip,age --kind zip=categorical -o c.json"
    )
    planned("repair archive.csv --plan c.json -o c.csv --unseen keep")
    shown = planned("audit archive.csv c.csv --plan c.json").stdout
    cells = next(row for row in shown.splitlines() if "zip" in row).split()
    assert cells[4] == "–"
    assert cells[5].endswith("%")


def test_json_has_the_tables_numbers(repaired):
    line = "audit archive.csv out.parquet --plan plan.json --paper-grid 500 --json out.json"
    shown = repaired(line).stdout
    assert "paper E before" in shown
    found = json.loads(Path("out.json").read_text())
    assert (found["rows"], found["paper_grid"]) == (2_000, 500)
    for feature in found["features"]:
        cells = next(row for row in shown.splitlines() if feature["name"] in row).split()
        names = ("nats_before", "nats_after", "floor_after", "paper_before", "paper_after", "rmse")
        assert cells[1:-1] == [f"{feature[name]:.3g}" for name in names]
        assert cells[-1] == f"{feature['share_changed']:.1%}"
    assert "out.json exists already" in repaired(line, 2).stderr
    repaired(f"{line} --force")


def test_unseen_rows_are_said(repaired):
    text = Path("archive.csv").read_text().replace(",F,", ",X,", 3)
    Path("odd.csv").write_text(text)
    result = repaired("audit odd.csv odd.csv --plan plan.json")
    assert "3 unseen and not measured" in result.stderr


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("archive.csv research.csv --plan plan.json", "has 2,000 rows and the repaired file 800"),
        ("archive.csv out.parquet --plan archive.csv", "is no plan file"),
        ("archive.csv no.csv --plan plan.json", "There is no file no.csv"),
        ("archive.csv out.parquet --plan plan.json --json no/out.json", "there is no folder no"),
        ("archive.csv out.parquet --plan plan.json --paper-grid 1", "1 is not in the range"),
    ],
)
def test_faults_end_in_a_message_and_code_2(repaired, line, message):
    assert message in repaired(f"audit {line}", 2).stderr
