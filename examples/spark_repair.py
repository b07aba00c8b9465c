r"""Repair an archive on a Spark cluster, or the files that arrive in a folder.

spark-submit --conf spark.sql.execution.arrow.maxRecordsPerBatch=32768 \
    --conf spark.sql.execution.arrow.pythonUDF.columnarInput.enabled=false \
    examples/spark_repair.py s3://bank/archive plan.json s3://bank/repaired \
    --key id --seed-file seed.txt

The executors need fairmend with NumPy and pyarrow. Set PYSPARK_PYTHON to the Python that has them,
or the workers take the first python3 in their PATH. The seed is a secret: keep its file where the
driver alone can read it, and make it with ``fairmend repair --save-seed`` or a password manager.
"""

import argparse
import json
import sys
from pathlib import Path

from pyspark.sql import SparkSession

import fairmend


def main() -> None:
    """Read the command line, repair, and say what was done to how many rows."""
    given = arguments()
    spark = SparkSession.builder.appName("fairmend repair").getOrCreate()
    plan = fairmend.Plan.load(given.plan)
    seed = int(given.seed_file.read_text())
    summary: dict[str, object] = {}
    options = {"key": given.key.split(","), "seed": seed, "summary": summary}
    if given.stream:
        # Each file once, also after a crash: start the same command again.
        source = spark.readStream.schema(spark.read.parquet(given.archive).schema)
        monitor = fairmend.Monitor(plan)
        repaired = fairmend.spark.repair(
            source.parquet(given.archive), plan, monitor=monitor, **options
        )
        query = repaired.writeStream.format("parquet").trigger(availableNow=True)
        query.option("checkpointLocation", given.stream).start(given.out).awaitTermination()
        if monitor.alarm is not None:
            sys.stderr.write(f"drift: {monitor.alarm.words(plan)}\n")
    else:
        archive = spark.read.parquet(given.archive)
        repaired = fairmend.spark.repair(archive, plan, check_keys=not given.trust_keys, **options)
        repaired.write.parquet(given.out)
    del summary["seed"]
    sys.stdout.write(json.dumps(summary) + "\n")
    spark.stop()


def arguments() -> argparse.Namespace:
    """Say what may be asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("archive", help="folder of Parquet files")
    parser.add_argument("plan", help="plan file, from fairmend design")
    parser.add_argument("out", help="folder to write")
    parser.add_argument("--key", required=True, help="columns that identify rows, comma-separated")
    parser.add_argument("--seed-file", required=True, type=Path, help="file with the seed alone")
    parser.add_argument("--trust-keys", action="store_true", help="the keys are known to be unique")
    parser.add_argument("--stream", metavar="CHECKPOINT", help="repair the files that are new")
    return parser.parse_args()


if __name__ == "__main__":
    main()
