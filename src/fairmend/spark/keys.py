"""Whether keys identify rows, judged over a whole table in one reading of its key columns."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pyspark.sql import functions as sf

from fairmend.errors import RowKeyError
from fairmend.frames.sharing import FEW_ROWS, MOST_SHARING
from fairmend.spark import faults
from fairmend.spark.columns import column

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

ONE_IN = 64
"""Keys are counted by their hashes, one in so many: that is an eighth of counting them all."""

FEW_KEYS = 1_000
"""Counted keys below which the estimate is too rough, and all keys are counted."""

ERROR = 0.02
"""Of Spark's estimate of distinct values."""


def refuse_shared(df: "DataFrame", key: Sequence[str]) -> None:
    """Raise if keys are missing or many rows share one, by the rule of :class:`Sharing`."""
    columns = [column(name) for name in key]
    hashed = df.select(sf.xxhash64(*columns).alias("hash"), *(c.isNull().alias(f"no{i}") for i, c in
                       enumerate(columns)))  # fmt: skip
    chosen = sf.when(sf.pmod(sf.col("hash"), sf.lit(ONE_IN)) == 0, sf.col("hash"))
    gone = [sf.sum(sf.col(f"no{i}").cast("long")) for i in range(len(key))]
    found = hashed.agg(
        sf.count(sf.lit(1)), sf.approx_count_distinct(chosen, ERROR), *gone
    ).collect()
    rows, keys, *missing = found[0]
    nobody = {name: count for name, count in zip(key, missing, strict=True) if count}
    if nobody:
        raise faults.missing_keys(nobody)
    if rows < FEW_ROWS:
        return
    total = ONE_IN * keys
    if keys < FEW_KEYS:
        every = hashed.agg(sf.approx_count_distinct(sf.col("hash"), ERROR)).collect()
        total = every[0][0]
    if total * MOST_SHARING < rows:
        raise RowKeyError.too_few(key, total, rows)
