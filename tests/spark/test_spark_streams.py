"""Streams are repaired by the same call: each row once, counted and watched batch by batch."""

import os
import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import fairmend


def wait_until(holds, seconds=60):
    until = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.05)


@pytest.fixture(scope="module")
def files(people, tmp_path_factory):
    """Write three files, and keep a fourth to arrive later."""
    folder = tmp_path_factory.mktemp("archive")
    for at in range(3):
        pq.write_table(people.slice(225 * at, 225), folder / f"{at}.parquet")
    return folder


@pytest.fixture
def run(spark, plan, tmp_path):
    """Run a stream until it has read all files there are, to the end of its checkpoint."""
    import fairmend.spark

    def run(folder, plan=plan, **options):
        schema = spark.read.parquet(str(folder)).schema
        source = spark.readStream.schema(schema).option("maxFilesPerTrigger", 1)
        repaired = fairmend.spark.repair(
            source.parquet(str(folder)), plan, key="id", seed=7, **options
        )
        query = (
            repaired.writeStream.format("parquet")
            .option("checkpointLocation", str(tmp_path / "checkpoint"))
            .trigger(availableNow=True)
            .start(str(tmp_path / "repaired"))
        )
        assert query.awaitTermination(120)
        return spark.read.parquet(str(tmp_path / "repaired")).toArrow().sort_by("id")

    return run


def test_a_stream_goes_on_from_its_checkpoint_with_each_row_once(run, plan, people, files):
    summary, local = {}, {}
    monitor = fairmend.Monitor(plan)
    found = run(files, summary=summary, monitor=monitor)
    wanted = plan.repair(people.slice(0, 675), key="id", seed=7, summary=local).sort_by("id")
    assert found.to_pydict() == wanted.to_pydict()
    assert summary == local
    wait_until(lambda: monitor.rows == 675)  # Spark tells of the last micro-batch in its own time
    assert monitor.alarm is None
    assert monitor.to_dict()["looks"] == 3  # one a micro-batch

    pq.write_table(people.slice(675), files / "3.parquet")
    later = {}
    found = run(files, summary=later)
    assert found.to_pydict() == plan.repair(people, key="id", seed=7).sort_by("id").to_pydict()
    assert later["rows"] == 225


def test_a_stream_is_repaired_jointly(run, joint, crossed, tmp_path):
    folder = tmp_path / "crossed"
    folder.mkdir()
    for at in range(2):
        pq.write_table(crossed.slice(450 * at, 450), folder / f"{at}.parquet")
    found = run(folder, joint)
    assert found.to_pydict() == joint.repair(crossed, key="id", seed=7).sort_by("id").to_pydict()


def test_drift_sets_off_an_alarm_at_its_micro_batch(run, plan, people, tmp_path):
    folder, now = tmp_path / "drifting", int(time.time())
    folder.mkdir()
    for at, shift in enumerate([0.0, 0.0, 20.0]):
        part = people.slice(300 * at, 300)
        wage = pa.array(part["wage"].to_numpy() + shift)
        part = part.set_column(part.column_names.index("wage"), "wage", wage)
        path = folder / f"{at}.parquet"
        pq.write_table(part, path)
        os.utime(path, (now + at, now + at))  # by which Spark takes files, in milliseconds
    monitor = fairmend.Monitor(plan)
    run(folder, monitor=monitor)
    wait_until(lambda: monitor.alarm is not None)
    assert monitor.alarm.row == 900
    assert monitor.alarm.since == 600
    assert "'wage'" in monitor.alarm.words(plan)


@pytest.mark.slow
def test_rates_and_sockets_are_sources(spark, plan, tmp_path):
    import socket
    import threading

    from pyspark.sql import functions as sf

    import fairmend.spark

    people = [
        sf.when(sf.col("id") % 2 == 0, "F").otherwise("M").alias("sex"),
        (sf.col("id") % 3 % 2).alias("college"),
        (sf.lit(20) + sf.col("id") % 30).alias("hours"),
        (sf.lit(10) + sf.col("id") % 20).cast("double").alias("wage"),
    ]
    listener = socket.create_server(("127.0.0.1", 0))

    def send():
        caller, _ = listener.accept()
        caller.sendall("".join(f"{n}\n" for n in range(1_000)).encode())
        done.wait(60)
        caller.close()

    done = threading.Event()
    thread = threading.Thread(target=send)
    thread.start()
    ticks = spark.readStream.format("rate").option("rowsPerSecond", 500).load()
    lines = spark.readStream.format("socket").option("host", "127.0.0.1")
    lines = lines.option("port", listener.getsockname()[1]).load()
    sources = {
        "ticks": ticks.select(sf.col("value").alias("id")),
        "lines": lines.select(sf.col("value").cast("long").alias("id")),
    }
    for name, source in sources.items():
        repaired = fairmend.spark.repair(source.select("id", *people), plan, key="id", seed=7)
        query = repaired.writeStream.format("memory").queryName(name).start()
        while spark.table(name).count() < 500:
            assert query.exception() is None
            query.awaitTermination(0.5)
        query.stop()
        found = spark.table(name).toArrow()
        ids = found["id"].to_numpy()
        assert np.unique(ids).size == ids.size
        first = spark.createDataFrame(pa.table({"id": ids})).select("id", *people).toArrow()
        wanted = plan.repair(first, key="id", seed=7)
        assert found.sort_by("id")["wage"].equals(wanted.sort_by("id")["wage"])
    done.set()
    thread.join(60)
    listener.close()
