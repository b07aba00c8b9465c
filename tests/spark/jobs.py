"""Spark jobs in a process of their own, which tests start, watch and kill."""

import json
import os
import sys
import time
from pathlib import Path


def session(executor):
    os.environ.setdefault("PYSPARK_PYTHON", executor)
    from pyspark.sql import SparkSession

    made = (
        SparkSession.builder.master("local[2,4]")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.memory", "3g")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "65536")
        .config("spark.sql.parquet.columnarReaderBatchSize", "65536")
        .config("spark.sql.files.maxPartitionBytes", "32m")
        .getOrCreate()
    )
    made.sparkContext.setLogLevel("ERROR")
    return made


def repaired(df, plan, **options):
    import fairmend
    import fairmend.spark

    return fairmend.spark.repair(df, fairmend.Plan.load(plan), key="id", seed=7, **options)


def job(spark, archive, plan, out, partitions="0", labels=None):
    """Repair a table once; with a label model, as if nobody's sex had been recorded."""
    import fairmend

    df = spark.read.parquet(archive)
    if int(partitions):
        df = df.repartition(int(partitions))
    options = {}
    if labels is not None:
        df, options = df.drop("sex"), {"labels": fairmend.LabelModel.load(labels)}
    repaired(df, plan, **options).write.parquet(out)


def stream(spark, archive, plan, out):
    """Repair the files of a folder one by one, slowly enough to be killed in between."""
    source = spark.readStream.schema(spark.read.parquet(archive).schema)
    df = source.option("maxFilesPerTrigger", 1).parquet(archive)
    query = (
        repaired(df, plan)
        .writeStream.format("parquet")
        .option("checkpointLocation", out + ".checkpoint")
        .trigger(availableNow=True)
        .start(out)
    )
    query.awaitTermination()


def rates(spark, archive, plan, out, runs="3"):
    """Time the same job that copies, that goes through Python and copies, and that repairs."""
    from collections.abc import Iterator

    import pyarrow as pa
    from pyspark.sql import functions as sf

    @sf.arrow_udf("struct<a:double,b:long>")
    def same(batches: Iterator[tuple[pa.Array, ...]]) -> Iterator[pa.Array]:
        for wage, hours, *_ in batches:
            yield pa.StructArray.from_arrays([wage, hours], names=["a", "b"])

    df = spark.read.parquet(archive)
    rows = df.count()
    crossing = df.withColumn("s", same("wage", "hours", "sex", "college", "id"))
    crossing = crossing.withColumn("wage", sf.col("s.a")).withColumn("hours", sf.col("s.b"))
    jobs = {
        "copy": lambda: df,
        "copy through Python": lambda: crossing.drop("s"),
        "repair": lambda: repaired(df, plan, check_keys=False),
        "repair, keys checked": lambda: repaired(df, plan),
    }
    times, used = ({name: [] for name in jobs} for _ in range(2))
    for _ in range(int(runs)):
        for name, make in jobs.items():
            started, before = time.perf_counter(), cpu_seconds(spark)
            make().write.mode("overwrite").parquet(out)
            times[name].append(time.perf_counter() - started)
            used[name].append(cpu_seconds(spark) - before)
    found = {
        "rows": rows,
        "columns": len(df.columns),
        "rows_per_second": {name: round(rows / min(one)) for name, one in times.items()},
        "rows_per_cpu_second": {name: round(rows / min(one)) for name, one in used.items()},
        "seconds": times,
        "cpu_seconds": used,
    }
    Path(out + ".json").write_text(json.dumps(found))


def cpu_seconds(spark):
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


if __name__ == "__main__":
    what, executor, *given = sys.argv[1:]
    spark = session(executor)
    {"job": job, "stream": stream, "rates": rates}[what](spark, *given)
    spark.stop()
