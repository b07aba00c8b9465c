"""Fixed hypothesis seeds, one table in the types of all libraries, and a session of Spark."""

import os
import shutil
import sys
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import settings

import fairmend

settings.register_profile(
    "fairmend", deadline=None, derandomize=True, database=None, max_examples=60
)
settings.load_profile("fairmend")


def _chunked(arrow):
    """Cut a table into uneven chunks, one of them empty."""
    cuts = sorted(min(cut, len(arrow)) for cut in (0, 1, 1, len(arrow) // 3, len(arrow)))
    return pa.concat_tables([arrow.slice(a, b - a) for a, b in pairwise(cuts)])


LIBRARIES = {
    "pandas": lambda arrow: arrow.to_pandas(),
    "pandas-nullable": lambda arrow: arrow.to_pandas(types_mapper=_nullable.get),
    "pandas-arrow": lambda arrow: arrow.to_pandas(types_mapper=pd.ArrowDtype),
    "polars": pl.from_arrow,
    "polars-chunked": lambda arrow: pl.concat([pl.from_arrow(arrow[:5]), pl.from_arrow(arrow[5:])]),
    "pyarrow": lambda arrow: arrow,
    "pyarrow-chunked": _chunked,
}
"""From a pyarrow table to each type of table that is promised to work."""

_nullable = {
    pa.int64(): pd.Int64Dtype(),
    pa.int8(): pd.Int8Dtype(),
    pa.uint16(): pd.UInt16Dtype(),
    pa.float64(): pd.Float64Dtype(),
    pa.float32(): pd.Float32Dtype(),
    pa.bool_(): pd.BooleanDtype(),
    pa.string(): pd.StringDtype(),
}


@pytest.fixture(params=LIBRARIES)
def as_table(request):
    """Give the function that makes a library's table of a pyarrow table."""
    return LIBRARIES[request.param]


@pytest.fixture
def rng():
    return np.random.default_rng(20240607)


@pytest.fixture(scope="session")
def people():
    """Return 900 rows of two groups in two strata: a heaped whole number and a real one."""
    draw = np.random.default_rng(42)
    n = 900
    sex = draw.choice(["F", "M"], n, p=[0.4, 0.6])
    college = draw.integers(0, 2, n)
    hours = draw.integers(15, 60, n) + 4 * (sex == "M")
    hours[draw.random(n) < 0.4] = 40
    return pa.table(
        {
            "id": draw.permutation(n) + 10_000,
            "sex": sex,
            "college": college,
            "hours": hours,
            "wage": 5 + 40 * draw.beta(2 + 0.8 * (sex == "M"), 4 - college),
        }
    )


@pytest.fixture(scope="session")
def crossed(people):
    """Return people whose wage follows the hours up in one group and down in the other.

    A job with gaps follows both.
    """
    hours = people["hours"].to_numpy()
    sign = np.where(people["sex"].to_numpy(zero_copy_only=False) == "M", 1, -1)
    wages = 30 + 0.8 * sign * (hours - hours.mean()) + np.sin(np.arange(900.0))
    jobs = np.array(["clerk", "cook", "smith"])[(hours // 12 + (wages > 30)) % 3]
    gaps = np.arange(900) % 11 == 0
    people = people.set_column(4, "wage", pa.array(wages))
    return people.append_column("job", pa.array(jobs, mask=gaps))


@pytest.fixture(scope="session")
def joint(crossed):
    """Return a joint plan for them."""
    plan = fairmend.design(
        crossed.slice(0, 500),
        protected="sex",
        unprotected="college",
        exclude=["id"],
        joint="sequential",
    )
    assert plan.is_joint
    return plan


@pytest.fixture(scope="session")
def spark(tmp_path_factory):
    """Start a small local session, once a process; skip where there is no Java."""
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


@pytest.fixture(scope="session")
def constrained(joint):
    """Return the joint plan with a combination that no repair produces."""
    forbidden = {"hours": [{"above": 40}], "job": ["cook"]}
    return replace(joint, options=replace(joint.options, constraints=(forbidden,)))
