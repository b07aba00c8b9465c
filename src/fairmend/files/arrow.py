"""Arrow IPC, the file and the stream, a record batch at a time."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
from pyarrow import ipc

from fairmend.files.bytestream import writing
from fairmend.files.stream import Batch, given

CUT_ROWS = 1 << 17
"""Rows repaired at once of a record batch that has more."""
LARGE = 1 << 27
"""Bytes of a record batch above which it is not brought into memory as a whole."""
BYTES_A_VALUE = 8
COPIES = 4
"""How often a value is in memory at once while it is repaired."""


@dataclass(frozen=True)
class ArrowSource:
    """A file or stream of record batches.

    Attributes
    ----------
    schema : pyarrow.Schema
        Names and types of its columns.
    parts : callable
        Gives the record batches, each once.
    """

    schema: pa.Schema
    parts: Callable[[], Iterator[pa.RecordBatch]]

    @property
    def rows(self) -> None:
        """How many rows it has is not known: each batch has its own count."""

    @property
    def first(self) -> dict[str, str]:
        """Nothing: its columns have types."""
        return {}

    def batches(self) -> Iterator[Batch]:
        """Yield record batches, or parts of large ones."""
        number = first_row = 0
        for at, part in enumerate(self.parts(), 1):
            for start in range(0, part.num_rows, CUT_ROWS):
                table = pa.Table.from_batches([part.slice(start, CUT_ROWS)])
                name = f"record batch {at}"
                size = COPIES * table.nbytes
                yield Batch(number, first_row, len(table), name, given(table), size)
                number, first_row = number + 1, first_row + len(table)
        if not number:
            yield Batch(0, 0, 0, "no record batch", self.schema.empty_table)


@contextmanager
def arrow_source(path: Path) -> Iterator[ArrowSource]:
    """Open an IPC file. A large record batch is mapped, so that it is read bit by bit."""
    with pa.memory_map(str(path)) as mapped, pa.OSFile(str(path)) as plain:
        seen, copied = ipc.open_file(mapped), ipc.open_file(plain)
        one = ipc.open_file(mapped, options=ipc.IpcReadOptions(included_fields=[0]))

        def parts() -> Iterator[pa.RecordBatch]:
            for at in range(seen.num_record_batches):
                size = one.get_batch(at).num_rows * len(seen.schema) * BYTES_A_VALUE
                yield (seen if size > LARGE else copied).get_batch(at)

        yield ArrowSource(seen.schema, parts)


@contextmanager
def arrow_stream_source(path: Path) -> Iterator[ArrowSource]:
    """Open a file that holds an IPC stream."""
    with path.open("rb") as file, arrow_from(file) as source:
        yield source


@contextmanager
def arrow_from(file: IO[bytes]) -> Iterator[ArrowSource]:
    """Open an IPC stream that is read from a file or pipe."""
    with ipc.open_stream(file) as reader:
        yield ArrowSource(reader.schema, lambda: chain(reader))


class ArrowSink:
    """A file or stream whose record batches are the batches.

    Parameters
    ----------
    out : file
        Takes the bytes.
    new : callable
        Makes a writer of it: of a file or of a stream.
    compression : {"lz4", "zstd"}, optional
        How buffers are compressed.
    """

    as_text = False

    def __init__(
        self, out: Any, new: Callable[..., ipc.RecordBatchStreamWriter], compression: str | None
    ) -> None:
        self._out, self._new = out, new
        # A dictionary may grow from batch to batch, and a file, not only a stream, can say so.
        self._options = ipc.IpcWriteOptions(compression=compression, emit_dictionary_deltas=True)
        self._writer: Any = None
        self._dictionaries: dict[str, pa.Array] = {}

    def encode(self, repaired: pa.Table, batch: Batch) -> pa.Table:
        """Bring each column into one piece."""
        del batch
        return repaired.combine_chunks()

    def write(self, encoded: pa.Table) -> None:
        """Write a record batch."""
        if self._writer is None:
            self._writer = self._new(self._out, encoded.schema, options=self._options)
        for part in self._unified(encoded).to_batches():
            self._writer.write_batch(part)

    def close(self) -> None:
        """Write the end."""
        if self._writer is not None:
            self._writer.close()

    def _unified(self, table: pa.Table) -> pa.Table:
        """Let the dictionaries of a batch go on from those before it."""
        for at, field in enumerate(table.schema):
            if not pa.types.is_dictionary(field.type):
                continue
            column = table.column(at)
            before = self._dictionaries.get(field.name)
            if before is not None and column.num_chunks:
                none = pa.array([], field.type.index_type)
                known = pa.DictionaryArray.from_arrays(none, before, ordered=field.type.ordered)
                joined = pa.chunked_array([known, *column.chunks]).unify_dictionaries()
                column = pa.chunked_array(joined.chunks[1:], field.type)
                table = table.set_column(at, field, column)
            if column.num_chunks:
                self._dictionaries[field.name] = column.chunk(0).dictionary
        return table


def arrow_sink(
    compression: str | None = None,
) -> Callable[[Path], AbstractContextManager[ArrowSink]]:
    """Make the function that opens an IPC file to be written."""

    @contextmanager
    def opened(path: Path) -> Iterator[ArrowSink]:
        with writing(path) as out, arrow_to(out, ipc.new_file, compression) as sink:
            yield sink

    return opened


@contextmanager
def arrow_stream_sink(path: Path) -> Iterator[ArrowSink]:
    """Open a file to be written as an IPC stream."""
    with writing(path) as out, arrow_to(out) as sink:
        yield sink


@contextmanager
def arrow_to(
    out: Any,
    new: Callable[..., ipc.RecordBatchStreamWriter] = ipc.new_stream,
    compression: str | None = None,
) -> Iterator[ArrowSink]:
    """Write IPC to a file or pipe that is open; its end only where all went well."""
    sink = ArrowSink(out, new, compression)
    yield sink
    sink.close()
