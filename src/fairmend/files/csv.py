"""CSV files, every field as the text that it is: ``00123`` and ``1.10`` are not numbers here."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import csv

from fairmend.errors import ColumnError, InputError
from fairmend.files.bytestream import Bytes, Out, reading, writing
from fairmend.files.cuts import LONGEST, blocks, end_of_csv, first_csv_record, refuse_open_quote
from fairmend.files.lines import csv_header, csv_lines
from fairmend.files.stream import Batch, given

COPIES = 6
"""How often a block is in memory at once while it is repaired: as text, read, written."""
_MARK = b"\xef\xbb\xbf"
_QUOTED = re.compile(rb'"[^"]*"')


@dataclass(frozen=True)
class CsvSource:
    """A file or pipe of comma-separated values in UTF-8 with a header, all columns as strings.

    Empty fields are empty strings, and a byte order mark is no part of the first name. Rows of
    another length than the header and quotes that are never closed are errors: both are what a torn
    file looks like.

    Attributes
    ----------
    stream : Bytes
        What follows on ``start``.
    where : object
        Its name, for errors.
    names : list of str
        The header.
    first : mapping of str to str
        The fields of the first row.
    start : bytes
        The rows that have been taken from the stream already.
    """

    stream: Bytes
    where: object
    names: list[str]
    first: Mapping[str, str]
    start: bytes

    @property
    def schema(self) -> pa.Schema:
        """Names of its columns, all strings."""
        return pa.schema([(name, pa.string()) for name in self.names])

    @property
    def rows(self) -> None:
        """How many rows it has is not known."""

    def batches(self) -> Iterator[Batch]:
        """Yield blocks of rows, read; a block ends where a record does."""
        number = first_row = 0
        for block in blocks(self.stream, end_of_csv, self.where, self.start):
            table = _rows(block, self.names, self.where, first_row)
            if len(table):
                name = f"rows {first_row + 1:,} to {first_row + len(table):,}"
                size = COPIES * len(block)
                yield Batch(number, first_row, len(table), name, given(table), size)
            number, first_row = number + 1, first_row + len(table)
        if not first_row:
            yield Batch(0, 0, 0, "no rows", self.schema.empty_table)


def csv_from(stream: Bytes, where: object) -> CsvSource:
    """Read the header and the first row of a stream.

    Parameters
    ----------
    stream : Bytes
        From its beginning.
    where : object
        Its name, for errors.
    """
    data = b""
    while len(data) < len(_MARK) and (taken := stream.take()):
        data += taken
    header, end, data = _first(stream, data.removeprefix(_MARK), where)
    names = _names(header, where)
    record, _, rest = _first(stream, data[end:], where)
    rows = _rows(record, names, where, 0).to_pylist() if record.strip(b"\r\n") else []
    return CsvSource(stream, where, names, rows[0] if rows else {}, rest)


def _first(stream: Bytes, data: bytes, where: object) -> tuple[bytes, int, bytes]:
    """Find the first record, where it ends, and all that has been taken of the stream so far."""
    while (found := first_csv_record(data)) is None:
        if len(data) > LONGEST:
            raise InputError.endless_record(where, LONGEST)
        taken = stream.take()
        if not taken:
            refuse_open_quote(data, end_of_csv, where)
            return data, len(data), data
        data += taken
    return *found, data


def csv_source(
    compression: str | None = None,
) -> Callable[[Path], AbstractContextManager[CsvSource]]:
    """Make the function that opens a file, maybe a compressed one."""

    @contextmanager
    def opened(path: Path) -> Iterator[CsvSource]:
        with reading(path, compression) as stream:
            yield csv_from(stream, path)

    return opened


class CsvSink:
    """A file or pipe to which rows are written, with quotes only where a field needs them.

    Missing values are empty. Lines end in LF and there is no byte order mark, whatever the file had
    that was read.

    Parameters
    ----------
    out : Out
        Takes the bytes.
    """

    as_text = True

    def __init__(self, out: Out) -> None:
        self._out, self._begun = out, False

    def encode(self, repaired: pa.Table, batch: Batch) -> tuple[list[str], list[memoryview]]:
        """Join fields to lines."""
        del batch
        return repaired.column_names, list(csv_lines(repaired))

    def write(self, encoded: tuple[list[str], list[memoryview]]) -> None:
        """Write lines, and before the first ones the header."""
        names, lines = encoded
        if not self._begun:
            lines = [csv_header(names), *lines]
            self._begun = True
        for part in lines:
            self._out.write(part)


def csv_sink(compression: str | None = None) -> Callable[[Path], AbstractContextManager[CsvSink]]:
    """Make the function that opens a file to be written, maybe a compressed one."""

    @contextmanager
    def opened(path: Path) -> Iterator[CsvSink]:
        with writing(path, compression) as out:
            yield CsvSink(out)

    return opened


def read_csv(path: Path) -> pa.Table:
    """Read a whole file."""
    with csv_source()(path) as source:
        return pa.concat_tables([batch.read() for batch in source.batches()])


def write_csv(table: pa.Table, path: Path) -> None:
    """Write a whole table."""
    with csv_sink()(path) as sink:
        sink.write(sink.encode(table, Batch(0, 0, len(table), "all rows", given(table))))


def _names(header: bytes, where: object) -> list[str]:
    if not header.strip(b"\r\n"):
        message = "Empty CSV file"
        raise pa.ArrowInvalid(message)
    plain = _QUOTED.sub(b"", header)
    for sign in (b";", b"\t"):
        if plain.count(sign) > plain.count(b","):
            raise InputError.other_separator(where, sign.decode())
    try:
        # A file may end with its header, and pyarrow reads no line without an end.
        names: list[str] = _parsed(header + b"\n", None)[0].column_names
    except UnicodeDecodeError as error:
        raise InputError.not_utf8(where) from error
    repeated = [name for name, times in Counter(names).items() if times > 1]
    if repeated:
        table = f"file {where}"
        raise ColumnError.duplicated(table, repeated)
    return names


def _rows(block: bytes, names: list[str], where: object, before: int) -> pa.Table:
    """Read rows; the errors name them by their number in the whole file, the header's being 1."""
    try:
        table, ragged = _parsed(block, names)
    except pa.ArrowInvalid as error:
        if "UTF8" not in str(error):
            raise
        raise InputError.not_utf8(where) from error
    if ragged:
        number, length = ragged[0]
        raise InputError.ragged(where, len(ragged), before + number + 1, length, len(names))
    return table


def _parsed(block: bytes, names: list[str] | None) -> tuple[pa.Table, list[tuple[int, int]]]:
    ragged: list[tuple[int, int]] = []

    def note(row: Any) -> str:
        ragged.append((row.number, row.actual_columns))
        return "skip"

    table = csv.read_csv(
        pa.BufferReader(block),
        csv.ReadOptions(use_threads=False, block_size=len(block) + 1, column_names=names),
        csv.ParseOptions(newlines_in_values=True, invalid_row_handler=note),
        csv.ConvertOptions(column_types=dict.fromkeys(names or (), pa.string())),
    )
    return table, ragged
