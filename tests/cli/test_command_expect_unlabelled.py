import json

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import fairmend
from fairmend.cli.main import cli
from fairmend.datasets import simulate
from fairmend.files.csv import write_csv

ROLES = {"protected": "s", "unprotected": "u", "features": ["x1"]}
NAMED = ["--protected", "s", "--unprotected", "u", "--features", "x1", "--n-support", "20"]


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    path, table = tmp_path_factory.mktemp("expect"), simulate(1_300, 2)
    pq.write_table(table.slice(0, 300), path / "research.parquet")
    write_csv(table.slice(0, 300), path / "research.csv")
    (path / "archive").mkdir()
    for at in (0, 500):
        pq.write_table(table.slice(300 + at, 500).drop(["s"]), path / "archive" / f"{at}.parquet")
    return path, table


def run(*args):
    return CliRunner().invoke(cli, ["expect-unlabelled", *map(str, args)])


def test_it_says_what_the_function_says(tables):
    path, table = tables
    named = [*NAMED, "--archive", path / "archive", "--hidden", "14%,0.46", "--worlds", 2]
    found = run(path / "research.parquet", *named, "--damage", "0", "-o", path / "found.json")
    assert found.exit_code == 0, found.output
    archive = table.slice(300, 1_000).drop(["s"])
    options = {"n_support": 20, "hidden": [0.14, 0.46], "budgets": [0.0], "repeats": 2}
    wanted = fairmend.expect_unlabelled(table.slice(0, 300), archive, **ROLES, **options)
    assert json.loads((path / "found.json").read_text()) == json.loads(json.dumps(wanted.to_dict()))
    for one in wanted.ways:
        assert f"{one.way} " in found.output
    assert "14% unlabelled, sample" in found.output
    assert f"{wanted['blind 0'].leak:.3f}" in found.output


def test_text_is_read_as_it_is_meant(tables):
    path, _ = tables
    few = ["--worlds", 2, "--no-leak", "--damage", "0.3"]
    found = run(path / "research.csv", *NAMED, *few)
    assert found.exit_code == 0, found.output
    assert "Tried 7 ways of repair" in found.output


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--hidden", "146%"], "is no share"),
        (["--hidden", "some"], "is no share"),
        (["--damage", "much"], "no list of numbers"),
        (["-o", "found.txt"], "ends in .json"),
        (["--also", "town", "--archive", "ARCHIVE"], "has no column 'town', named by also="),
    ],
)
def test_what_is_wrong_is_said_before_any_work(tables, given, said):
    path, _ = tables
    given = [path / "archive" if one == "ARCHIVE" else one for one in given]
    found = run(path / "research.parquet", *NAMED, *given)
    assert found.exit_code == 2
    assert said in found.output
