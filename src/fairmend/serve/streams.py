"""Arrow IPC bodies: read with care, since their lengths are the sender's word."""

import struct
from typing import Any

import pyarrow as pa

from fairmend.serve import refusals
from fairmend.serve.unfolding import FOLD, unfolded

STREAM = "application/vnd.apache.arrow.stream"

RECORD_BATCH, DICTIONARY_BATCH = 3, 2
"""Kinds of messages in Arrow's format (Message.fbs)."""


def read(body: bytes, most_rows: int, most_bytes: int) -> pa.Table:
    """Read a stream, and check every length and offset in it; values may not unfold beyond a size.

    Parameters
    ----------
    body : bytes
        The stream.
    most_rows : int
        Rows that are allowed.
    most_bytes : int
        Size that a body may have; what its values come to is allowed ``FOLD`` times as much.
    """
    try:
        refuse_compressed(body)
        reader = pa.ipc.open_stream(body)
        batches, rows, size = [], 0, 0
        for batch in reader:
            rows += batch.num_rows
            if rows > most_rows:
                raise refusals.too_many(rows, most_rows)
            batch.validate()  # the sizes of buffers; what is in them only where it is not a bomb
            size += sum(unfolded(column, most_rows) for column in batch.columns)
            if size > FOLD * most_bytes:
                raise refusals.unfolds(FOLD * most_bytes)
            batches.append(batch)
        table = pa.Table.from_batches(batches, reader.schema)
        table.validate(full=True)
    except (pa.ArrowException, OSError, ValueError, struct.error, IndexError, OverflowError):
        # Without Arrow's own words, which may quote a value.
        raise refusals.not_arrow() from None
    if len(set(table.column_names)) < table.num_columns:
        raise refusals.repeated()
    return table


def write(table: pa.Table) -> bytes:
    """Write a table as a stream."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    written: bytes = sink.getvalue().to_pybytes()
    return written


def refuse_compressed(body: bytes) -> None:
    """Refuse compressed buffers: a kilobyte of them may claim to be a terabyte."""
    for message in pa.ipc.MessageReader.open_stream(body):
        if message.type in ("record batch", "dictionary") and is_compressed(message.metadata):
            raise refusals.compressed()


def is_compressed(metadata: Any) -> bool:
    """Tell whether a message's record batch names a codec, from its FlatBuffer."""
    data = memoryview(metadata)
    message = _Table.root(data)
    batch = message.child(2)
    if batch is not None and message.byte(1) == DICTIONARY_BATCH:
        batch = batch.child(1)
    return batch is not None and batch.offset_of(3) != 0


class _Table:
    """A table in a FlatBuffer: a list of offsets says where its fields are, 0 for absent ones."""

    def __init__(self, data: memoryview, at: int) -> None:
        self.data, self.at = data, at
        self.fields = at - int(struct.unpack_from("<i", data, at)[0])
        if at < 0 or self.fields < 0:
            raise IndexError(at)

    @classmethod
    def root(cls, data: memoryview) -> "_Table":
        return cls(data, struct.unpack_from("<I", data, 0)[0])

    def offset_of(self, field: int) -> int:
        size = struct.unpack_from("<H", self.data, self.fields)[0]
        where = 4 + 2 * field
        if where >= size:
            return 0
        return int(struct.unpack_from("<H", self.data, self.fields + where)[0])

    def child(self, field: int) -> "_Table | None":
        offset = self.offset_of(field)
        if not offset:
            return None
        at = self.at + offset
        return _Table(self.data, at + struct.unpack_from("<I", self.data, at)[0])

    def byte(self, field: int) -> int:
        offset = self.offset_of(field)
        return int(self.data[self.at + offset]) if offset else 0
