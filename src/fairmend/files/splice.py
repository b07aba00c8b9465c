"""Parquet to Parquet without decoding what is only passed through.

A Parquet file is a row of column chunks and a footer that says where each lies. So only roles, keys
and features are decoded, only the repaired features are encoded again, and all other chunks are
copied as the bytes that they are. Faster than any copy that decodes, and nothing can change in a
column that nobody has looked into: its encodings, statistics, nesting, and types that Arrow does
not know.

What is not copied are page indexes and Bloom filters, which are optional.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from fairmend.files.footer import MAGIC, Chunk, Column, Footer
from fairmend.files.parquet import ParquetSource
from fairmend.files.stream import Batch
from fairmend.files.thrift import I32, Struct, ThriftError

PIECE = 1 << 23
"""Bytes copied at once."""


@dataclass(frozen=True)
class Fresh:
    """A column chunk that was encoded anew.

    Attributes
    ----------
    chunk : Chunk
        Its description, and its place within the buffer.
    element : Struct
        Its column's part of the schema.
    data : pyarrow.Buffer
        A Parquet file of this column alone.
    """

    chunk: Chunk
    element: Struct
    data: pa.Buffer


def footer_to_splice(source: ParquetSource) -> Footer | None:
    """Return a file's footer if the file can be spliced: all of it is understood.

    pyarrow has read it, too, and must have found the same chunks.
    """
    if source.has_large_groups or not source.metadata.num_row_groups:
        return None
    try:
        footer = Footer.read(source.path)
    except ThriftError:
        return None
    theirs = source.metadata
    for at, group in enumerate(footer.groups):
        row_group = theirs.row_group(at)
        if not row_group.num_rows or row_group.num_columns != len(group):
            return None
        sizes = [row_group.column(place).total_compressed_size for place in range(len(group))]
        if sizes != [chunk.size for chunk in group]:
            return None
    return None if _has_wrong_sizes(theirs.created_by) else footer


def _has_wrong_sizes(created_by: str | None) -> bool:
    """Tell whether a file is of a writer that forgot a page's header in its chunk's size."""
    return str(created_by).startswith("parquet-mr version 1.2.")


class SpliceSink:
    """A file made of another one's chunks and of fresh ones.

    Parameters
    ----------
    source : ParquetSource
        The file whose chunks are copied.
    footer : Footer
        Its footer.
    kept : sequence of str
        Columns of the output.
    features : sequence of str
        Those that are repaired.
    files : pair of file
        The two files, opened in binary mode and unbuffered.
    """

    as_text = False

    def __init__(
        self,
        source: ParquetSource,
        footer: Footer,
        kept: Sequence[str],
        features: Sequence[str],
        files: tuple[BinaryIO, BinaryIO],
    ) -> None:
        self._source, self._footer, self._features = source, footer, features
        self._columns = [column for column in footer.columns if column.name in kept]
        self._old, self._new = files
        self._groups: list[list[Struct]] = []
        self._elements: dict[str, Struct] = {}
        self._at = self._put(MAGIC)

    def encode(self, repaired: pa.Table, batch: Batch) -> dict[str, Fresh]:
        """Encode the repaired columns of a row group."""
        group = self._source.metadata.row_group(batch.number)
        return {
            column.name: self._fresh(repaired.select([column.name]), column, group)
            for column in self._columns
            if column.name in self._features
        }

    def _fresh(self, table: pa.Table, column: Column, group: pq.RowGroupMetaData) -> Fresh:
        """Encode one column as it was encoded: its codec, dictionary and physical type."""
        was = group.column(column.leaves.start)
        sink = pa.BufferOutputStream()
        with pq.ParquetWriter(
            sink,
            table.schema.remove_metadata(),
            compression=was.compression.replace("UNCOMPRESSED", "NONE"),
            use_dictionary=was.has_dictionary_page,
            use_deprecated_int96_timestamps=was.physical_type == "INT96",
            store_decimal_as_integer=was.physical_type in ("INT32", "INT64"),
            store_schema=False,
        ) as writer:
            writer.write_table(table, row_group_size=len(table))
        data = sink.getvalue()
        size = int.from_bytes(data[-8:-4], "little")
        footer = Footer.of(data[len(data) - 8 - size : -8].to_pybytes())
        ((chunk,),), (mine,) = footer.groups, footer.columns
        element = _like(mine.elements[0], column.elements[0])
        return Fresh(chunk, element, data)

    def write(self, encoded: dict[str, Fresh]) -> None:
        """Write a row group: fresh chunks, and between them those that are copied."""
        old, descriptions = self._footer.groups[len(self._groups)], []
        for column in self._columns:
            fresh = encoded.get(column.name)
            if fresh is None:
                descriptions += [self._copied(old[leaf]) for leaf in column.leaves]
            else:
                descriptions.append(self._written(fresh))
                self._elements[column.name] = fresh.element
        self._groups.append(descriptions)

    def close(self) -> None:
        """Write the footer."""
        names = [column.name for column in self._columns]
        schema = self._source.schema
        footer = self._footer.remade(
            self._columns,
            self._groups,
            self._elements,
            self._features,
            pa.schema([schema.field(name) for name in names], schema.metadata),
        )
        self._put(footer)

    def _copied(self, chunk: Chunk) -> Struct:
        start = self._at
        _copy(self._old, self._new, chunk.start, start, chunk.size)
        self._at += chunk.size
        return chunk.moved(start)

    def _written(self, fresh: Fresh) -> Struct:
        start, chunk = self._at, fresh.chunk
        self._at += self._put(fresh.data[chunk.start : chunk.start + chunk.size])
        return chunk.moved(start)

    def _put(self, data: bytes | pa.Buffer) -> int:
        """Write all of some bytes; an unbuffered file may take only a part at a time."""
        left = memoryview(data)
        while left:
            left = left[self._new.write(left) :]
        return len(data)


@contextmanager
def splice_sink(
    source: ParquetSource, footer: Footer, path: Path, kept: Sequence[str], features: Sequence[str]
) -> Iterator[SpliceSink]:
    """Open a file to be written from another one's parts."""
    with source.path.open("rb", buffering=0) as old, path.open("wb", buffering=0) as new:
        sink = SpliceSink(source, footer, kept, features, (old, new))
        yield sink
        sink.close()


def _like(element: Struct, was: Struct) -> Struct:
    """Keep a column's name and number in its new part of the schema."""
    element = element.copy()
    element.fields[4] = was.fields[4]
    element.drop(9)
    if 9 in was.fields:
        element.put(9, I32, was.get(9))
    same = {number: value for number, value in was.fields.items() if number <= 3}
    mine = {number: value for number, value in element.fields.items() if number <= 3}
    return was if same == mine else element


def _copy(old: BinaryIO, new: BinaryIO, start: int, to: int, size: int) -> None:
    """Copy bytes between files, within the kernel where it can."""
    while size:
        copied = _copied_by_kernel(old, new, start, to, size)
        if not copied:
            part = os.pread(old.fileno(), min(size, PIECE), start)
            if not part:
                message = "the file became shorter while it was read"
                raise OSError(message)
            copied = os.pwrite(new.fileno(), part, to)
        start, to, size = start + copied, to + copied, size - copied
    new.seek(to)


def _copied_by_kernel(old: BinaryIO, new: BinaryIO, start: int, to: int, size: int) -> int:
    if not hasattr(os, "copy_file_range"):
        return 0
    try:
        return os.copy_file_range(old.fileno(), new.fileno(), min(size, PIECE), start, to)
    except OSError as error:
        if error.errno in (28, 122, 5):  # no space, no quota, a broken disk
            raise
        return 0
