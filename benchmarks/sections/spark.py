"""Spark against jobs that copy.

One Parquet file of six columns, of which two are repaired, read and written by Spark with two
threads (`local[2]`): by a job that copies without leaving the JVM; by one whose column function
takes the columns that a repair takes through Python, and gives back as many unchanged; and by
`fairmend.spark.repair`, with the check of all keys before it and without. Jobs come in turn, one
run more than is counted, for the JVM to compile them. The ratios are of rows/s, by the clock and by
the processor time of the JVM and its Python workers together: medians over the runs, each of which
compares neighbours in time. Arrow batches have 32,768 rows, and Spark is told to turn columns into
rows before the function (`columnarInput`), which is faster with Spark's own Parquet reader. Needs
PySpark 4.1 and Java; `--rows` below some millions measures Spark's start only.
"""

import os
import statistics
import sys
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

from archives import REPAIRED, folder, planned
from programs import written

ROWS, SEED = 20_000_000, 2
RUNS = 3
CROSSING = (*REPAIRED, "sex", "college", "id")
SETTINGS = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.memory": "3g",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.files.maxPartitionBytes": "32m",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "32768",
    "spark.sql.execution.arrow.pythonUDF.columnarInput.enabled": "false",
}


def section(rows):
    """Time the jobs."""
    import fairmend
    import fairmend.spark

    with folder() as place, session() as spark:
        planned(place / "plan.json", SEED + 1)
        plan = fairmend.Plan.load(place / "plan.json")
        df = spark.read.parquet(str(written(place / "archive.parquet", rows, SEED)))
        options = {"key": "id", "seed": 7}
        jobs = {
            "copy in the JVM": lambda: df,
            "copy through Python": lambda: through_python(df),
            "repair": lambda: fairmend.spark.repair(df, plan, check_keys=False, **options),
            "repair, keys checked": lambda: fairmend.spark.repair(df, plan, **options),
        }
        runs = {name: [] for name in jobs}
        for _ in range(RUNS + 1):
            for name, made in jobs.items():
                start, used = perf_counter(), processor_seconds(spark)
                made().write.mode("overwrite").parquet(str(place / "out"))
                used = processor_seconds(spark) - used
                runs[name].append((perf_counter() - start, used))
    copy, through, *_ = (done[1:] for done in runs.values())
    for name, done in runs.items():
        seconds, used = (min(one) for one in zip(*done[1:], strict=True))
        yield {
            "job": name,
            "M rows/s": rows / seconds / 1e6,
            "× copy": ratio(copy, done[1:], 0),
            "× copy through Python": ratio(through, done[1:], 0),
            "processor, µs a row": 1e6 * used / rows,
            "processor: × copy": ratio(copy, done[1:], 1),
            "processor: × copy through Python": ratio(through, done[1:], 1),
        }


def ratio(of, to, kind):
    """Take the median of what the same runs of two jobs took, by the clock or the processor."""
    return statistics.median(a[kind] / b[kind] for a, b in zip(of, to, strict=True))


def session():
    """Start Spark with two threads."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]")
    for name, value in SETTINGS.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def through_python(df):
    """Send the columns of a repair through Python, and two of them back."""
    import pyarrow as pa
    from pyspark.sql import functions as sf

    @sf.arrow_udf("struct<f0:double,f1:double>")
    def same(batches: Iterator[tuple[pa.Array, ...]]) -> Iterator[pa.Array]:
        for one, other, *_ in batches:
            yield pa.StructArray.from_arrays([one, other], names=["f0", "f1"])

    moved = dict(zip(REPAIRED, ("copied.f0", "copied.f1"), strict=True))
    copied = df.withColumn("copied", same(*CROSSING))
    return copied.select(*(sf.col(moved.get(name, name)).alias(name) for name in df.columns))


def processor_seconds(spark):
    """Add up the processor time of the JVM, its Python workers and those that have ended."""
    parents, ticks = {}, {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                stat = (entry / "stat").read_text().rsplit(")")[1].split()
            except OSError:
                continue
            parents[int(entry.name)] = int(stat[1])
            ticks[int(entry.name)] = sum(map(int, stat[11:15]))

    def is_ours(pid):
        while pid in parents and pid != jvm:
            pid = parents[pid]
        return pid == jvm

    jvm = spark.sparkContext._gateway.proc.pid
    return sum(n for pid, n in ticks.items() if is_ours(pid)) / os.sysconf("SC_CLK_TCK")
