"""Parquet files, a row group at a time."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from fairmend.files.stream import Batch, given

CUT_ROWS = 1 << 18
"""Rows read at once of a row group that is too large to be read whole."""
LARGE = 1 << 28
"""Bytes of memory above which a row group is large."""
BYTES_A_VALUE = 8
COPIES = 4
"""How often a value that is repaired is in memory at once: read, as numbers, moved, written."""


@dataclass(frozen=True)
class ParquetSource:
    """A file whose batches are its row groups, or parts of large ones.

    Attributes
    ----------
    path : Path
        The file.
    metadata : pyarrow.parquet.FileMetaData
        Its footer.
    schema : pyarrow.Schema
        The columns that are read.
    columns : list of str, optional
        Their names; by default all.
    """

    path: Path
    metadata: pq.FileMetaData
    schema: pa.Schema
    columns: Sequence[str] | None = None

    @property
    def rows(self) -> int:
        """How many rows it has."""
        return int(self.metadata.num_rows)

    @property
    def first(self) -> dict[str, str]:
        """Nothing: its columns have types."""
        return {}

    @property
    def has_large_groups(self) -> bool:
        """Whether a row group is too large to be in memory with its copies."""
        return any(self._size(at) > LARGE for at in range(self.metadata.num_row_groups))

    def of(self, columns: Collection[str]) -> "ParquetSource":
        """Return the same file of which only some columns are read."""
        fields = [field for field in self.schema if field.name in columns]
        schema = pa.schema(fields, metadata=self.schema.metadata)
        return replace(self, schema=schema, columns=schema.names)

    def batches(self) -> Iterator[Batch]:
        """Yield row groups; the threads that repair them read them."""
        first_row = 0
        for at in range(self.metadata.num_row_groups):
            rows, size = self.metadata.row_group(at).num_rows, self._size(at)
            if size > LARGE:
                yield from self._cut(at, first_row)
            else:
                name = f"row group {at + 1}"
                yield Batch(at, first_row, rows, name, partial(self._read, at), size)
            first_row += rows
        if not self.metadata.num_row_groups:
            yield Batch(0, 0, 0, "no row group", self.schema.empty_table)

    def _read(self, at: int) -> pa.Table:
        # A file of its own for every thread, and without pre_buffer, which keeps what it has read.
        with pq.ParquetFile(self.path, metadata=self.metadata, pre_buffer=False) as file:
            return file.read_row_group(at, columns=self.columns, use_threads=False)

    def _cut(self, at: int, first_row: int) -> Iterator[Batch]:
        size = self._size(at) * CUT_ROWS // self.metadata.row_group(at).num_rows
        with pq.ParquetFile(self.path, metadata=self.metadata, pre_buffer=False) as file:
            parts = file.iter_batches(CUT_ROWS, row_groups=[at], columns=self.columns)
            for part in parts:
                table = pa.Table.from_batches([part])
                name = f"row group {at + 1}"
                yield Batch(at, first_row, len(table), name, given(table), size)
                first_row += len(table)

    def _size(self, at: int) -> int:
        """Estimate the memory that a row group takes while it is repaired."""
        group = self.metadata.row_group(at)
        names = self.schema.names
        values = group.num_rows * len(names) * BYTES_A_VALUE * COPIES
        chunks = (group.column(place) for place in range(group.num_columns))
        texts = sum(
            chunk.total_uncompressed_size
            for chunk in chunks
            if chunk.path_in_schema.split(".")[0] in names and chunk.physical_type == "BYTE_ARRAY"
        )
        return int(values + 2 * texts)


@contextmanager
def parquet_source(path: Path) -> Iterator[ParquetSource]:
    """Open a file to be read by row groups."""
    with pq.ParquetFile(path, pre_buffer=False) as file:
        yield ParquetSource(path, file.metadata, file.schema_arrow)


class ParquetSink:
    """A file whose row groups are the batches.

    Parameters
    ----------
    path : Path
        The file to write.
    like : pyarrow.parquet.FileMetaData, optional
        A file whose compression it takes over.
    """

    as_text = False

    def __init__(self, path: Path, like: pq.FileMetaData | None = None) -> None:
        self._path, self._like = path, like
        self._writer: pq.ParquetWriter | None = None

    def encode(self, repaired: pa.Table, batch: Batch) -> pa.Table:
        """Leave a table as it is: row groups are encoded one after the other."""
        del batch
        return repaired

    def write(self, encoded: pa.Table) -> None:
        """Write a row group."""
        if self._writer is None:
            self._writer = pq.ParquetWriter(
                self._path, encoded.schema, compression=_compression(self._like)
            )
        self._writer.write_table(encoded)

    def close(self) -> None:
        """Write the footer."""
        if self._writer is not None:
            self._writer.close()


@contextmanager
def parquet_sink(path: Path, like: pq.FileMetaData | None = None) -> Iterator[ParquetSink]:
    """Open a file to be written by row groups."""
    sink = ParquetSink(path, like)
    try:
        yield sink
    finally:
        sink.close()


def _compression(like: pq.FileMetaData | None) -> str | dict[str, str]:
    if like is None or not like.num_row_groups:
        return "snappy"
    group = like.row_group(0)
    chunks = [group.column(place) for place in range(group.num_columns)]
    return {c.path_in_schema: c.compression.replace("UNCOMPRESSED", "NONE") for c in chunks}
