"""Spark jobs in a process of their own, which tests start, watch and kill."""

import os
import sys


def session(executor):
    os.environ["PYSPARK_PYTHON"] = executor  # over that of the tests, which this process inherits
    from pyspark.sql import SparkSession

    made = (
        SparkSession.builder.master("local[2,4]")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.memory", "3g")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "32768")
        .config("spark.sql.execution.arrow.pythonUDF.columnarInput.enabled", "false")
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


if __name__ == "__main__":
    what, executor, *given = sys.argv[1:]
    spark = session(executor)
    {"job": job, "stream": stream}[what](spark, *given)
    spark.stop()
