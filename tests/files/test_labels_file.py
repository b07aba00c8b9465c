import json
import shutil

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import fairmend
from fairmend.cli.main import cli
from fairmend.errors import ColumnError, OutputError
from fairmend.files.csv import read_csv, write_csv
from fairmend.files.formats import read_table, write_table
from fairmend.files.label_model import label_model_file
from fairmend.files.repair import repair_file

ROLES = {"protected": ["s"], "unprotected": ["u"], "features": ["age", "pay"]}


@pytest.fixture(scope="session")
def model(_tables, tmp_path_factory):
    path = tmp_path_factory.mktemp("labels")
    pq.write_table(_tables[0], path / "research.parquet")
    options = {"also": ["rate"], "method": "bayes", **ROLES}
    label_model_file(path / "research.parquet", path / "model.json", **options)
    return path / "model.json"


@pytest.fixture
def told(folder, model):
    """Add a model and archives without the group: absent, and in part."""
    shutil.copy(model, folder / "model.json")
    hidden = folder.archive.drop(["s"])
    mask = np.random.default_rng(2).random(hidden.num_rows) < 0.3
    part = folder.archive.set_column(
        folder.archive.schema.get_field_index("s"),
        "s",
        pa.array(folder.archive["s"].to_numpy(), mask=mask),
    )
    for name, table in (("hidden", hidden), ("part", part)):
        pq.write_table(table, folder / f"{name}.parquet", row_group_size=300)
        write_csv(table, folder / f"{name}.csv")
    return folder, {"hidden": hidden, "part": part}


def test_drawn_labels_become_the_last_member_of_each_object(told):
    folder, _ = told
    write_table(read_table(folder / "part.parquet"), folder / "part.ndjson")
    options = {"seed": 3, "labels": folder / "model.json", "write_labels": "drawn"}
    for suffix in ("parquet", "ndjson"):
        source, out = folder / f"part.{suffix}", folder / f"drawn.{suffix}"
        repair_file(source, folder / "plan.json", out, **options)
    rows = [json.loads(line) for line in (folder / "drawn.ndjson").read_text().splitlines()]
    wanted = read_table(folder / "drawn.parquet")
    assert [list(row)[-1] for row in rows] == ["drawn"] * len(rows)
    for name in ("drawn", "age", "pay"):
        assert [row[name] for row in rows] == wanted[name].to_pylist()


@pytest.mark.parametrize("draw", ["sample", "map", "expected"])
@pytest.mark.parametrize("which", ["hidden", "part"])
def test_files_give_what_a_table_gives(told, draw, which):
    folder, tables = told
    plan = fairmend.Plan.load(folder / "plan.json")
    model = fairmend.LabelModel.load(folder / "model.json")
    wanted = plan.repair(tables[which], seed=3, labels=model, draw=draw)
    for suffix in ("parquet", "csv"):
        out = folder / f"out.{suffix}"
        done = repair_file(
            folder / f"{which}.{suffix}",
            folder / "plan.json",
            out,
            seed=3,
            labels=folder / "model.json",
            draw=draw,
            memory=1,
        )
        assert done["features"]["pay"]["estimated"] == (
            tables["part"]["s"].null_count if which == "part" else 2_000
        )
        found = pq.read_table(out) if suffix == "parquet" else read_csv(out)
        assert found.column_names == tables[which].column_names
        for name in ("age", "pay"):
            column = found[name]
            if suffix == "csv":
                column = pa.array([None if not v else float(v) for v in column.to_pylist()])
            one, other = (np.array(c.to_pylist(), dtype=float) for c in (column, wanted[name]))
            np.testing.assert_array_equal(one, other)


def test_estimates_are_written_only_when_asked_for(told):
    folder, _ = told
    options = {"seed": 3, "labels": folder / "model.json"}
    for suffix in ("parquet", "csv"):
        archive, out = folder / f"hidden.{suffix}", folder / f"out.{suffix}"
        repair_file(archive, folder / "plan.json", out, write_labels="guess", **options)
        found = pq.read_table(out) if suffix == "parquet" else read_csv(out)
        assert set(found["guess"].to_pylist()) == {"0", "1"}
        with pytest.raises(ColumnError, match="Pass another name"):
            repair_file(
                archive, folder / "plan.json", out, write_labels="zip", force=True, **options
            )


def test_a_folder_goes_on_with_the_same_model_only(told):
    folder, tables = told
    many, out = folder / "many", folder / "out"
    many.mkdir()
    for at in range(4):
        pq.write_table(tables["hidden"].slice(500 * at, 500), many / f"{at}.parquet")
    options = {"seed": 3, "labels": folder / "model.json"}
    repair_file(many, folder / "plan.json", out, **options)
    whole = folder / "whole.parquet"
    repair_file(folder / "hidden.parquet", folder / "plan.json", whole, **options)
    parts = [pq.read_table(out / f"{at}.parquet") for at in range(4)]
    assert pa.concat_tables(parts).equals(pq.read_table(whole))


def test_the_commands(told):
    folder, _ = told
    run = CliRunner().invoke
    args = ["label-model", str(folder / "research.csv"), "--protected", "s", "--unprotected", "u"]
    args += ["--features", "age,pay", "--archive", str(folder / "hidden.csv")]
    found = run(cli, [*args, "-o", str(folder / "other.json")], catch_exceptions=False)
    assert found.exit_code == 0, found.output
    assert "predicted" in found.output
    assert "likeliest group is right" in found.output
    again = run(cli, [*args, "-o", str(folder / "other.json")])
    assert again.exit_code == 2
    assert isinstance(again.exception, SystemExit)
    repair = ["repair", str(folder / "hidden.csv"), "--plan", str(folder / "plan.json")]
    repair += ["--labels", str(folder / "other.json"), "--draw", "map"]
    found = run(cli, [*repair, "-o", str(folder / "out.csv")], catch_exceptions=False)
    assert found.exit_code == 0, found.output
    assert "2,000 estimated (100 %)" in found.output
    assert json.loads((folder / "other.json").read_text())["format"] == "fairmend-label-model"


def test_the_model_is_no_output(told):
    folder, _ = told
    with pytest.raises(OutputError):
        repair_file(
            folder / "hidden.parquet",
            folder / "plan.json",
            folder / "model.json",
            labels=folder / "model.json",
            force=True,
        )


def test_without_labels_the_protected_column_is_needed(told):
    folder, _ = told
    with pytest.raises(ColumnError, match="named by protected="):
        repair_file(folder / "hidden.parquet", folder / "plan.json", folder / "out.parquet")
