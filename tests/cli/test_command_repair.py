import json
from pathlib import Path

import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from fairmend.files.csv import read_csv


def test_it_repairs_and_says_so_in_one_line_on_stderr(planned):
    result = planned("repair archive.parquet --plan plan.json -o out.parquet")
    assert result.stdout == ""
    assert result.stderr.startswith("Repaired 2,000 rows into out.parquet; age: ")
    assert " missing" in result.stderr
    assert result.stderr.count("\n") == 1
    before, after = pq.read_table("archive.parquet"), pq.read_table("out.parquet")
    assert after.schema.equals(before.schema)
    assert not after["age"].equals(before["age"])
    assert after.drop_columns(["age", "pay"]).equals(before.drop_columns(["age", "pay"]))


def test_the_seed_is_never_said(planned):
    Path("seed").write_text("123456789012345\n")
    line = "repair archive.csv --plan plan.json -o {} --seed-file seed --summary {}"
    result = planned(line.format("a.csv", "s.json"))
    assert "123456789012345" not in result.output
    assert json.loads(Path("s.json").read_text())["seed"] == 123456789012345
    assert Path("s.json").stat().st_mode & 0o777 == 0o600
    planned("repair archive.csv --plan plan.json -o b.csv --seed 123456789012345")
    assert Path("a.csv").read_bytes() == Path("b.csv").read_bytes()


@pytest.mark.parametrize("content", ["hunter2", "", "-1", "1 2", str(2**64)])
def test_a_wrong_seed_file_is_refused_without_showing_it(planned, content):
    Path("seed").write_text(content)
    line = "repair archive.csv --plan plan.json -o b.csv --seed-file seed"
    result = planned(line, 2)
    assert result.stderr.startswith("fairmend: error: ")
    assert not content or content not in result.stderr.replace("2**64 - 1", "")
    assert "Pass one of them" in planned(f"{line} --seed 1", 2).stderr
    assert "There is no file seed.txt. Did you mean 'seed'?" in planned(f"{line}.txt", 2).stderr


def test_options_reach_the_repair(planned):
    planned("repair archive.csv --plan plan.json -o a.csv --seed 1 --key id --drop-protected")
    table = read_csv(Path("a.csv"))
    assert "sex" not in table.column_names
    Path("odd.csv").write_text("sex,college,age,pay\nF,0,300,20\nX,0,30,20\nM,7,30,20\n")
    assert "2 rows with" not in planned("repair odd.csv --plan plan.json -o b.csv", 2).stderr
    result = planned(
        "repair odd.csv --plan plan.json -o b.csv --unseen keep --out-of-range keep --seed 1"
    )
    assert (
        "age: 1 out of range (33.33 %), 2 unseen (66.67 %); pay: 2 unseen (66.67 %)"
        in result.stderr
    )
    assert read_csv(Path("b.csv"))["age"].to_pylist() == ["300", "30", "30"]
    result = planned(
        "repair odd.csv --plan plan.json -o c.csv --unseen keep --out-of-range raise", 2
    )
    assert "outside the plan's support in 'age' (1 rows)" in result.stderr


def test_the_amount_overrides_the_plans(planned):
    planned("repair archive.csv --plan plan.json -o none.csv --amount 0 --seed 1")
    assert Path("none.csv").read_bytes() == Path("archive.csv").read_bytes()
    planned("repair archive.csv --plan plan.json -o half.csv --amount 0.5 --seed 1")
    planned("repair archive.csv --plan plan.json -o whole.csv --seed 1")
    before, half, whole = (
        read_csv(Path(f"{name}.csv"))["age"].to_pylist() for name in ("archive", "half", "whole")
    )
    moved = [sum(a != b for a, b in zip(before, x, strict=True)) for x in (half, whole)]
    assert 0.3 * moved[1] < moved[0] < 0.7 * moved[1]
    message = "amount=1.5 is not possible"
    assert message in planned("repair archive.csv --plan plan.json -o b.csv --amount 1.5", 2).stderr


def test_unseen_rows_can_be_repaired_as_anybody(planned):
    Path("odd.csv").write_text("sex,college,age,pay\n" + "X,0,30,20\nM,7,30,20\n" * 20)
    result = planned("repair odd.csv --plan plan.json -o b.csv --unseen pool --seed 1")
    assert result.stderr.startswith("Repaired 40 rows")
    assert read_csv(Path("b.csv"))["pay"].to_pylist() != ["20"] * 40


def test_rows_repaired_as_anybody_are_counted(planned):
    Path("odd.csv").write_text("sex,college,age,pay\n" + "X,0,30,20\nM,7,30,20\n" * 20)
    result = planned("repair odd.csv --plan plan.json -o b.csv --unseen pool --seed 1")
    assert "age: 40 unseen (100 %); pay: 40 unseen (100 %)" in result.stderr


def test_unseen_levels_are_counted(planned):
    Path("odd.csv").write_text("sex,college,age,pay\nF,0,30,20\nX,0,30,20\nX,0,30,20\n")
    result = planned("repair odd.csv --plan plan.json -o b.csv", 2)
    assert "2 rows with sex='X'" in result.stderr
    assert "unseen='keep'" in result.stderr


def test_a_single_row_is_refused_without_a_key(planned):
    Path("one.csv").write_text("sex,college,age,pay\nF,0,30,20\n")
    assert "one-row" in planned("repair one.csv --plan plan.json -o b.csv", 2).stderr
    planned("repair one.csv --plan plan.json -o b.csv --key pay", 0)


def test_outputs_that_exist_need_force(planned):
    Path("out.csv").write_text("old")
    line = "repair archive.csv --plan plan.json -o out.csv"
    assert "out.csv exists already. Pass force=True (--force)" in planned(line, 2).stderr
    assert Path("out.csv").read_text() == "old"
    planned(f"{line} --force")
    assert Path("out.csv").read_text() != "old"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("archive.csv --plan plan.json -o no/out.csv", "there is no folder no."),
        ("archive.csv --plan plan.json -o out.xlsx", "told by its suffix"),
        ("archive.xlsx --plan plan.json -o out.csv", "told by its suffix"),
        ("archiv.csv --plan plan.json -o out.csv", "Did you mean 'archive.csv'?"),
        ("archive.csv --plan no.json -o out.csv", "plan file no.json cannot be read"),
        ("archive.csv --plan archive.csv -o out.csv", "is no plan file"),
        ("archive.csv --plan torn.json -o out.csv", "is no plan file"),
        ("archive.csv --plan changed.json -o out.csv", "was changed or damaged"),
        ("archive.csv --plan newer.json -o out.csv", "has plan version 99"),
        ("archive.csv --plan archive.parquet -o out.csv", "is no plan file"),
        ("torn.parquet --plan plan.json -o out.csv", "cannot be read as Parquet"),
        ("ragged.csv --plan plan.json -o out.csv", "1 row(s) of another length"),
    ],
)
def test_faults_end_in_a_message_and_code_2(planned, line, message):
    plan = Path("plan.json").read_text()
    Path("torn.json").write_text(plan[: len(plan) // 2])
    Path("changed.json").write_text(plan.replace('"counts":[2', '"counts":[3', 1))
    Path("newer.json").write_text(plan.replace('"version":1', '"version":99'))
    Path("torn.parquet").write_bytes(Path("archive.parquet").read_bytes()[:-100])
    Path("ragged.csv").write_text("sex,college,age,pay\nF,0,30,20\nM,0,3")
    files = sorted(Path().iterdir())
    result = planned(f"repair {line}", 2)
    assert result.stderr.startswith("fairmend: error: ")
    assert message in result.stderr
    assert sorted(Path().iterdir()) == files


def test_an_archive_in_other_units_is_warned_of(planned):
    table = pq.read_table("archive.parquet")
    months = table.set_column(4, "age", pc.multiply(table["age"], 12))
    pq.write_table(months, "months.parquet")
    shown = planned("repair months.parquet --plan plan.json -o out.parquet").stderr
    known = len(table) - table["age"].null_count
    assert f"{known:,} out of range (" in shown
    warning = (
        "fairmend: warning: 100 % of 'age' is outside the plan's support: is the archive in the "
        "same units as the research data?"
    )
    assert warning in shown.splitlines()
    assert shown.count("warning") == 1


def test_a_summary_gives_its_seed_to_another_repair(planned):
    line = "repair archive.csv --plan plan.json -o"
    planned(f"{line} a.csv --summary s.json")
    planned(f"{line} b.csv --seed-file s.json")
    assert Path("a.csv").read_bytes() == Path("b.csv").read_bytes()
    for taken in ("s.json", "plan.json", "archive.csv"):
        shown = planned(f"{line} {taken} --seed-file s.json --force", 2).stderr
        assert f"{taken} is read by this command" in shown
    assert "keys must identify rows" in " ".join(planned("repair -h").stdout.split())


def test_drift_is_said_recorded_and_stops_where_asked(planned):
    table = pq.read_table("archive.parquet")
    moved = table.set_column(5, "pay", pc.add(table["pay"], 2.0))
    pq.write_table(moved, "moved.parquet")
    line = "repair moved.parquet --plan plan.json -o out.parquet"
    result = planned(f"{line} --monitor seen.json --stop-on-drift", 4)
    assert "fairmend: error: The archive has drifted from the research data" in result.stderr
    assert "'pay' where college=" in result.stderr
    assert not Path("out.parquet").exists()
    assert json.loads(Path("seen.json").read_text())["alarm"]["feature"] == "pay"
    result = planned(f"{line} --monitor seen.json --force")
    assert "fairmend: warning: the archive has drifted" in result.stderr
    assert json.loads(Path("seen.json").read_text())["complete"] is True
    assert len(pq.read_table("out.parquet")) == 2_000
