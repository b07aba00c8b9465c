"""Files of the benchmarks, larger than memory where asked: written batch by batch, then deleted."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from torrent import ROLES, torrent

import fairmend

BATCH, DRAWN = 2**20, 4
"""Rows of a batch, and how many batches are drawn before they come again."""

FEATURES = ("continuous", "discrete", "mixed")
COLUMNS = (*ROLES.values(), *FEATURES)
REPAIRED = ("continuous", "discrete")
RESEARCH_ROWS = 10_000


def batches(rows: int, seed: int) -> Iterator[pa.Table]:
    """Draw people with a number, two roles and three features, a batch at a time."""
    drawn = [torrent(min(BATCH, rows), seed + at).select(COLUMNS) for at in range(DRAWN)]
    for number, first in enumerate(range(0, rows, BATCH)):
        n = min(BATCH, rows - first)
        people = drawn[number % DRAWN].slice(0, n)
        yield people.add_column(0, "id", pa.array(np.arange(first, first + n)))


def write_archive(path: Path, rows: int, seed: int) -> None:
    """Write a Parquet file of such people, with row groups of 1,048,576 rows and snappy."""
    writer = None
    for table in batches(rows, seed):
        writer = writer or pq.ParquetWriter(path, table.schema, compression="snappy")
        writer.write_table(table)
    writer.close()


def planned(path: Path, seed: int) -> None:
    """Write a plan for two columns of such people."""
    plan = fairmend.design(torrent(RESEARCH_ROWS, seed), **ROLES, features=REPAIRED)
    plan.save(path)


@contextmanager
def folder() -> Iterator[Path]:
    """Yield a folder that is gone afterwards; TMPDIR says on which disk."""
    with TemporaryDirectory(prefix="fairmend-benchmark-") as path:
        yield Path(path)


if __name__ == "__main__":
    write_archive(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
