import json
from pathlib import Path

import pytest

LINE = "audit archive.parquet out.parquet --plan plan.json --no-leak"


@pytest.fixture
def repaired(planned):
    planned("repair archive.parquet --plan plan.json -o out.parquet --seed 7")
    return planned


def test_the_terminal_says_it_in_words_and_in_a_table(repaired):
    result = repaired(LINE)
    words, _, figures = result.stdout.partition("  feature  ")
    assert words.startswith("Above tolerance: sex still shows")
    assert "fell from" in words
    rows = [line.split() for line in figures.splitlines() if line.split()[:1] in (["age"], ["pay"])]
    assert [row[0] for row in rows[:2]] == ["age", "pay"]
    assert all("tolerance" in row or "evidence" in row for row in rows[:2])
    assert "Missing values by group" in figures
    assert result.stderr.startswith("Audited 2,000 rows (")


def test_reports_are_written_as_their_suffixes_say(repaired):
    result = repaired(f"{LINE} -o a.json -o a.html --paper-grid 100 --label zip --favourable 1", 2)
    assert "has the outcome '1'" in result.stderr
    assert not Path("a.json").exists()
    shown = repaired(f"{LINE} -o a.json -o a.html --paper-grid 100").stdout
    assert "paper E before" in shown
    found = json.loads(Path("a.json").read_text())
    assert (found["format"], found["rows"], found["paper"]["grid"]) == (
        "fairmend-audit",
        2_000,
        100,
    )
    assert "<html" in Path("a.html").read_text()
    assert "a.json exists already" in repaired(f"{LINE} -o a.json", 2).stderr
    again = repaired(f"{LINE} -o a.json --force --json --paper-grid 100").stdout
    assert json.loads(again) == found


def test_gates_set_the_exit_code(repaired):
    passed = repaired(f"{LINE} --fail-if E>0.5 --fail-if damage>3 --fail-if verdict=insufficient")
    assert "fails" not in passed.stderr
    failed = repaired(
        f"{LINE} -o a.json --fail-if E>0.0000001 --fail-if tv>0.9 --fail-if verdict", 3
    )
    assert "the audit fails. E>0.0000001: the largest E of a feature, in nats is" in failed.stderr
    assert "verdict: the verdict is above tolerance" in failed.stderr
    assert "tv>0.9" not in failed.stderr
    assert Path("a.json").exists(), "what fails is written too"


def test_unseen_rows_are_said(repaired):
    text = Path("archive.csv").read_text().replace(",F,", ",X,", 30)
    Path("odd.csv").write_text(text)
    result = repaired("audit odd.csv odd.csv --plan plan.json --no-leak")
    assert "30 left out, without a group or stratum of the plan" in result.stderr
    assert "is AFTER the repaired file?" in result.stderr


def test_swapped_files_are_suspected(repaired):
    result = repaired("audit out.parquet archive.parquet --plan plan.json --no-leak")
    assert "is BEFORE the archive, and AFTER its repair?" in result.stderr


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "archive.csv research.csv --plan plan.json",
            "has 2,000 rows and the repaired archive 800",
        ),
        ("archive.csv out.parquet --plan archive.csv", "is no plan file"),
        ("archive.csv no.csv --plan plan.json", "There is no file no.csv"),
        ("archive.csv out.parquet --plan plan.json -o no/out.json", "there is no folder no"),
        ("archive.csv out.parquet --plan plan.json -o out.pdf", "must be one of"),
        (
            "archive.csv out.parquet --plan plan.json -o plan.json --force",
            "is read by this command",
        ),
        ("archive.csv out.parquet --plan plan.json --paper-grid 1", "1 is not in the range"),
        ("archive.csv out.parquet --plan plan.json --fail-if leek>0.6", "'leek>0.6' is no gate"),
        (f"{LINE[6:]} --fail-if leak>0.6", "The leak test was left out"),
        ("archive.csv out.parquet --plan plan.json --tolerance auc=1", "tolerances='auc'"),
    ],
)
def test_faults_end_in_a_message_and_code_2(repaired, line, message):
    assert message in repaired(f"audit {line}", 2).stderr


def test_pairs_of_features_and_of_values_are_shown(repaired):
    line = "audit archive.parquet out.parquet --plan plan.json --research research.csv"
    shown = " ".join(repaired(f"{line} -o a.json").stdout.split())
    assert "AUC for the groups of two features that tell most after the repair" in shown
    assert "no research row has: age, pay" in shown
    found = json.loads(Path("a.json").read_text())
    assert found["combinations"]["forbidden"] is None
    assert [row["first"] for row in found["pairs"]["rows"]] == ["age", "age", "pay"]
