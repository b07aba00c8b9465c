import inspect
import json
from pathlib import Path
from xml.etree import ElementTree as ET

from fairmend.cli.design import design
from fairmend.cli.forecast import forecast
from fairmend.foresight import forecast as in_library

LINE = "forecast research.csv --protected sex --unprotected college --features age,pay"


def test_tables_words_and_files(run):
    result = run(f"{LINE} --no-leak -o found.json -o found.svg")
    rows = [line.split() for line in result.stdout.splitlines() if line.strip()]
    assert [row[0] for row in rows if row[0] in ("age", "pay")][:2] == ["age", "pay"]
    assert "more rows" in result.stdout
    content = json.loads(Path("found.json").read_text())
    assert set(content["features"]) == {"age", "pay"}
    assert content["joint"] is None
    for sentence in content["sentences"]:
        assert sentence[:60] in result.stdout
    ET.parse("found.svg")
    assert "Forecast from 800 research rows; wrote found.json, found.svg" in result.stderr


def test_files_are_refused_before_any_work(run):
    Path("there.json").touch()
    assert "there.json" in run(f"{LINE} -o there.json", 2).output
    assert "ends in .json or .svg" in run(f"{LINE} -o found.txt", 2).output


def test_the_options_of_design_are_options_here():
    mine = {param.name for param in forecast.params}
    assert {param.name for param in design.params} <= mine
    own = {n for n, p in inspect.signature(in_library).parameters.items() if p.kind == 3}
    assert own - {"seed"} <= mine


def test_a_joint_plan_is_forecast_from_a_parquet_file(run):
    line = LINE.replace("csv", "parquet")
    result = run(f"{line} --joint sequential --archive-rows 3000 -o found.json")
    content = json.loads(Path("found.json").read_text())
    assert content["sequential"]["adversary_rows"] == 3_000
    shown = " ".join(result.stdout.split())
    assert "repaired jointly: expect an adversary that learns from 3,000 rows" in shown
