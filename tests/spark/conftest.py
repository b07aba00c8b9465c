"""A small local session for the tests of a process, which skip where there is no Java."""

import os
import shutil
import sys

import pyarrow as pa
import pytest

import fairmend


@pytest.fixture(scope="session")
def spark(tmp_path_factory):
    pytest.importorskip("pyspark", reason="PySpark is not installed: pip install 'fairmend[spark]'")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("Spark needs Java 17, and there is none")
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable  # or workers take the python3 from PATH
    folder = tmp_path_factory.mktemp("spark")
    session = (
        SparkSession.builder.master("local[2]")
        .appName("fairmend tests")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.memory", "1g")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.adaptive.enabled", "false")
        .config("spark.sql.codegen.wholeStage", "false")
        .config("spark.sql.session.timeZone", "Asia/Kolkata")
        .config("spark.sql.warehouse.dir", str(folder))
        .config("spark.local.dir", str(folder))
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture(scope="module")
def plan(people):
    return fairmend.design(
        people.slice(0, 500), protected="sex", unprotected="college", features=["hours", "wage"]
    )


@pytest.fixture(scope="session")
def noted(people):
    """Add a column that is only passed through."""
    note = pa.array([None if i % 5 == 0 else f"note, {i}" for i in range(900)])
    return people.append_column("a.b `note`", note)
