"""Parquet files."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq


def read_parquet(path: Path) -> pa.Table:
    """Read a whole file with its schema's metadata and dictionary types.

    Not by ``read_table``, which makes a column of every parent folder named like ``sex=F``.
    """
    with pq.ParquetFile(path) as file:
        return file.read()


def write_parquet(table: pa.Table, path: Path) -> None:
    """Write a whole table."""
    pq.write_table(table, path)
