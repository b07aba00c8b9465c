"""Workers and drivers that die, executors that have almost nothing, and many partitions."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import fairmend

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc").exists(), reason="processes are found in /proc"),
    pytest.mark.usefixtures("spark"),  # which skips where Spark cannot run
]

ROWS = 400_000
JOBS = Path(__file__).with_name("jobs.py")


@pytest.fixture(scope="module")
def table():
    draw = np.random.default_rng(11)
    male, college = draw.random(ROWS) < 0.6, draw.integers(0, 2, ROWS)
    hours = draw.integers(15, 60, ROWS) + 4 * male
    hours[draw.random(ROWS) < 0.4] = 40
    return pa.table(
        {
            "id": draw.permutation(ROWS),
            "sex": np.where(male, "M", "F"),
            "college": college,
            "hours": hours,
            "wage": 5 + 40 * draw.beta(2 + 0.8 * male, 4 - college),
        }
    )


@pytest.fixture(scope="module")
def archive(table, tmp_path_factory):
    folder = tmp_path_factory.mktemp("archive")
    for at in range(8):
        pq.write_table(table.slice(ROWS // 8 * at, ROWS // 8), folder / f"{at}.parquet")
    return folder


@pytest.fixture(scope="module")
def saved(table, tmp_path_factory):
    plan = fairmend.design(
        table.slice(0, 5_000), protected="sex", unprotected="college", features=["hours", "wage"]
    )
    path = tmp_path_factory.mktemp("plan") / "plan.json"
    plan.save(path)
    return path


@pytest.fixture(scope="module")
def wanted(table, saved):
    return fairmend.Plan.load(saved).repair(table, key="id", seed=7).sort_by("id")


def start(what, *given, executor=sys.executable):
    command = [sys.executable, str(JOBS), what, str(executor), *map(str, given)]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True)


def finish(process):
    _, said = process.communicate(timeout=400)
    assert process.returncode == 0, said[-3_000:]


def kill(process):
    """End a driver and its JVM, which are the session that it was started in."""
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


def result(spark, folder):
    return spark.read.parquet(str(folder)).toArrow().sort_by("id").combine_chunks()


def same(found, wanted):
    return all(found[name].equals(wanted[name]) for name in wanted.column_names)


def workers_of(process):
    """List the Python workers under a driver: the children of Spark's daemon."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                parents[int(entry.name)] = int(
                    (entry / "stat").read_text().rsplit(")")[1].split()[1]
                )
            except OSError:
                continue

    def is_daemon(pid):
        try:
            return b"pyspark.daemon" in (Path("/proc") / str(pid) / "cmdline").read_bytes()
        except OSError:
            return False

    def ours(pid):
        while pid in parents and pid != process.pid:
            pid = parents[pid]
        return pid == process.pid

    return [p for p, of in parents.items() if is_daemon(p) and is_daemon(of) and ours(p)]


@pytest.mark.parametrize("partitions", [1, 7, 200])
def test_any_number_of_partitions_gives_the_same_bytes(spark, archive, saved, wanted, partitions):
    import fairmend.spark

    df = spark.read.parquet(str(archive)).repartition(partitions)
    found = fairmend.spark.repair(df, fairmend.Plan.load(saved), key="id", seed=7)
    assert found.rdd.getNumPartitions() == partitions
    assert same(found.toArrow().sort_by("id"), wanted)


def test_a_worker_that_is_killed_costs_nothing_but_time(spark, archive, saved, wanted, tmp_path):
    process = start("job", archive, saved, tmp_path / "out", 40)
    killed, until = [], time.monotonic() + 120
    while process.poll() is None and time.monotonic() < until and len(killed) < 2:
        for pid in workers_of(process)[:1]:
            time.sleep(0.3)  # in the middle of its work
            os.kill(pid, signal.SIGKILL)
            killed.append(pid)
        time.sleep(0.05)
    finish(process)
    assert killed
    assert same(result(spark, tmp_path / "out"), wanted)


def test_a_killed_stream_goes_on_with_every_row_once(spark, archive, saved, wanted, tmp_path):
    out = tmp_path / "out"
    process = start("stream", archive, saved, out)
    commits = Path(f"{out}.checkpoint", "commits")
    until = time.monotonic() + 120
    while time.monotonic() < until and process.poll() is None:
        if commits.exists() and len([p for p in commits.iterdir() if p.name.isdecimal()]) >= 2:
            break
        time.sleep(0.01)
    assert process.poll() is None, "the stream ended before it could be killed"
    kill(process)
    done = len([p for p in commits.iterdir() if p.name.isdecimal()])
    assert 2 <= done < 8
    finish(start("stream", archive, saved, out))
    found = result(spark, out)
    assert len(found) == ROWS
    assert same(found, wanted)


def test_executors_need_numpy_and_pyarrow_only(spark, archive, saved, table, wanted, tmp_path):
    """Workers run a Python that finds nothing else: no narwhals, pandas, scikit-learn, click."""
    import pyarrow

    site = tmp_path / "site"
    site.mkdir()
    for package in (np, pyarrow, fairmend):
        home = Path(package.__file__).parent
        (site / home.name).symlink_to(home)
        libraries = home.with_name(f"{home.name}.libs")
        if libraries.exists():
            (site / libraries.name).symlink_to(libraries)
    lean, used = tmp_path / "python", tmp_path / "used"
    lean.write_text(
        f'#!/bin/sh\necho "$@" >> "{used}"\n'
        f'PYTHONPATH="{site}:$PYTHONPATH" exec {sys.base_prefix}/bin/python3 -S "$@"\n'
    )
    lean.chmod(0o755)
    others = ["narwhals", "pandas", "sklearn", "scipy", "click", "rich", "polars"]
    for name in others:
        absent = subprocess.run([lean, "-c", f"import {name}"], capture_output=True, check=False)
        assert absent.returncode == 1, name
    finish(start("job", archive, saved, tmp_path / "out", executor=lean))
    assert "pyspark.daemon" in used.read_text()  # so the workers were run by it, and no other
    assert same(result(spark, tmp_path / "out"), wanted)
    roles = {"protected": "sex", "unprotected": "college", "features": ["hours", "wage"]}
    hidden, plan = table.drop(["sex"]), fairmend.Plan.load(saved)
    for method in ("bayes", "mixture"):
        path = tmp_path / f"{method}.json"
        fairmend.LabelModel(**roles, method=method).fit(table.slice(0, 5_000)).save(path)
        finish(start("job", archive, saved, tmp_path / method, 0, path, executor=lean))
        model = fairmend.LabelModel.load(path)
        told = plan.repair(hidden, key="id", seed=7, labels=model).sort_by("id")
        assert same(result(spark, tmp_path / method), told)
