"""Gathering: what each partition makes of its rows, merged on the cluster until it is little."""

from collections.abc import Callable, Iterator
from math import ceil
from typing import TYPE_CHECKING

import pyarrow as pa

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

AT_ONCE = 16
"""Parts that one task merges, and that the driver does in the end."""

PART = "part binary"

Make = Callable[[Iterator[pa.RecordBatch]], bytes | None]
Merge = Callable[[list[bytes]], bytes]


def gathered(df: "DataFrame", make: Make, merge: Merge) -> list[bytes]:
    """Turn each partition into bytes, and merge these in a tree: few ever meet in one place.

    Parameters
    ----------
    df : DataFrame
        The columns that go through Python.
    make : callable
        Of the batches of a partition; None where they say nothing.
    merge : callable
        Of several parts; it gives the same whichever come together.
    """

    def made(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        part = make(batches)
        if part is not None:
            yield _batch(part)

    def merged(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        parts = [part for batch in batches for part in batch.column(0).to_pylist()]
        if parts:
            yield _batch(merge(parts))

    left = df.rdd.getNumPartitions()
    parts = df.mapInArrow(made, PART)
    while left > AT_ONCE:
        left = ceil(left / AT_ONCE)
        parts = parts.repartition(left).mapInArrow(merged, PART)
    return [bytes(row[0]) for row in parts.collect()]


def _batch(part: bytes) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays([pa.array([part], pa.binary())], names=["part"])
