"""The examples run."""

import json
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import fairmend

EXAMPLES = Path(__file__).parents[2] / "examples"

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def adult():
    table = fairmend.datasets.adult(complete=True).rename_columns({"hours-per-week": "hours"})
    return table.append_column("id", pa.array(range(table.num_rows)))


def test_the_script_repairs_a_folder_and_then_what_is_new(spark, adult, tmp_path):
    plan = fairmend.design(
        adult[:10_000], protected="sex", unprotected="college", features=["age", "hours"]
    )
    plan.save(tmp_path / "plan.json")
    (tmp_path / "seed.txt").write_text("7\n")
    (tmp_path / "archive").mkdir()
    pq.write_table(adult[10_000:30_000], tmp_path / "archive" / "0.parquet")

    def submit(out, *options):
        command = [
            *("spark-submit", "--master", "local[2]", "--driver-memory", "1g"),
            *("--conf", "spark.driver.host=127.0.0.1", "--conf", "spark.ui.enabled=false"),
            *(EXAMPLES / "spark_repair.py", "archive", "plan.json", out),
            *("--key", "id", "--seed-file", "seed.txt", *options),
        ]
        command[0] = str(Path(sys.executable).with_name("spark-submit"))
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[-3_000:]
        found = spark.read.parquet(str(tmp_path / out)).toArrow().sort_by("id")
        return found, json.loads(done.stdout.strip().splitlines()[-1])

    found, summary = submit("repaired")
    assert found.equals(plan.repair(adult[10_000:30_000], seed=7, key="id").cast(found.schema))
    assert summary["rows"] == 20_000
    submit("streamed", "--stream", "checkpoint")
    pq.write_table(adult[30_000:], tmp_path / "archive" / "1.parquet")
    found, summary = submit("streamed", "--stream", "checkpoint")
    assert found.equals(plan.repair(adult[10_000:], seed=7, key="id").cast(found.schema))
    assert summary["rows"] == len(adult) - 30_000


def test_the_notebook_runs(spark, adult, monkeypatch, capsys):
    monkeypatch.setenv("FAIRMEND_SEED", "7")
    spark.createDataFrame(adult[:10_000]).createOrReplaceTempView("research")
    spark.createDataFrame(adult[10_000:20_000]).createOrReplaceTempView("archive")
    notebook = EXAMPLES / "notebook_spark.py"
    exec(compile(notebook.read_text(), str(notebook), "exec"), {"spark": spark})
    said = capsys.readouterr().out
    assert "hours: E 0." in said
    assert spark.table("repaired").count() == 10_000
    spark.sql("DROP TABLE repaired")
