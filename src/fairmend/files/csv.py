"""CSV files, every field as the text that it is: ``00123`` and ``1.10`` are not numbers here."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from fairmend.errors import ColumnError, FormatError, InputError

BLOCK_BYTES = 1 << 24
"""Bytes parsed at once; no row may be longer, so pyarrow's own 1 MB is too few for long texts."""
BATCH_ROWS = 1 << 16
"""Rows joined to lines at once."""
_NEEDS_QUOTES = '[",\r\n]'


def read_csv(path: Path) -> pa.Table:
    """Read a file of comma-separated values in UTF-8 with a header, all columns as strings.

    Empty fields are empty strings, and a byte order mark is no part of the first name. Rows of
    another length than the header and quotes that are never closed are errors: both are what a torn
    file looks like.
    """
    try:
        header = _header(path)
        table, ragged = _read(path, header, threads=True)
        if ragged:
            _, (first, *_) = _read(path, header, threads=False)  # threads do not know row numbers
            raise InputError.ragged(path, len(ragged), *first)
    except UnicodeDecodeError as error:
        raise InputError.not_utf8(path) from error
    except pa.ArrowInvalid as error:
        if "UTF8" not in str(error):
            raise
        raise InputError.not_utf8(path) from error
    if _ends_in_open_quote(path, table):
        raise InputError.open_quote(path)
    return table


def _header(path: Path) -> list[str]:
    options = csv.ReadOptions(block_size=BLOCK_BYTES)
    skipping = csv.ParseOptions(newlines_in_values=True, invalid_row_handler=lambda row: "skip")
    with csv.open_csv(path, options, skipping) as reader:
        names: list[str] = reader.schema.names
    repeated = [name for name, times in Counter(names).items() if times > 1]
    if repeated:
        table = f"file {path}"
        raise ColumnError.duplicated(table, repeated)
    return names


def _read(
    path: Path, header: list[str], *, threads: bool
) -> tuple[pa.Table, list[tuple[int | None, int, int]]]:
    ragged: list[tuple[int | None, int, int]] = []

    def note(row: Any) -> str:
        ragged.append((row.number, row.actual_columns, row.expected_columns))
        return "skip"

    table = csv.read_csv(
        path,
        csv.ReadOptions(use_threads=threads, block_size=BLOCK_BYTES),
        csv.ParseOptions(newlines_in_values=True, invalid_row_handler=note),
        csv.ConvertOptions(column_types=dict.fromkeys(header, pa.string())),
    )
    return table, ragged


def _ends_in_open_quote(path: Path, table: pa.Table) -> bool:
    """Tell whether the last field opens a quote that nothing closes; pyarrow reads on silently."""
    if not table.num_rows:
        return False
    last = table.column(table.num_columns - 1)[-1].as_py().replace('"', '""').encode()
    with path.open("rb") as file:
        file.seek(0, 2)
        file.seek(max(0, file.tell() - len(last) - 2))
        tail = file.read()
    return tail.endswith(b'"' + last) and not tail.endswith(b'"' + last + b'"')


def write_csv(table: pa.Table, path: Path) -> None:
    """Write a table with quotes only where a field needs them; missing values are empty.

    Lines end in LF and there is no byte order mark, whatever the file had that was read.

    pyarrow's writer quotes all texts or refuses those that need it. So the lines are joined here,
    a batch at a time in C++, and their buffer is the file.
    """
    with path.open("wb") as file:
        names = pa.table([[name] for name in table.column_names], names=table.column_names)
        for part in (names, table):
            for lines in _lines(part):
                file.write(lines)


def _lines(table: pa.Table) -> Iterator[memoryview]:
    lonely = table.num_columns == 1  # where an empty field would be an empty line, which is no row
    for batch in table.to_batches(max_chunksize=BATCH_ROWS):
        fields = [
            _quoted(_text(column, name), empty=lonely)
            for name, column in zip(table.column_names, batch.columns, strict=True)
        ]
        line = pc.binary_join_element_wise(*fields, _large(","))
        _, _, joined = pc.binary_join_element_wise(line, _large("\n"), _large("")).buffers()
        yield memoryview(joined or b"")


def _text(column: pa.Array, name: str) -> pa.Array:
    """Write values as text, the missing ones as empty text."""
    form, dtype = "CSV", str(column.type)
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    try:
        return column.cast(pa.large_string()).fill_null("")
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid) as error:
        raise FormatError.cannot_hold(form, name, dtype) from error


def _quoted(text: pa.Array, *, empty: bool) -> pa.Array:
    needed = pc.match_substring_regex(text, _NEEDS_QUOTES)
    if empty:
        needed = pc.or_(needed, pc.equal(text, ""))
    if not pc.any(needed).as_py():
        return text
    doubled = pc.replace_substring(text, '"', '""')
    quoted = pc.binary_join_element_wise(_large('"'), doubled, _large('"'), _large(""))
    return pc.if_else(needed, quoted, text)


def _large(text: str) -> pa.Scalar:
    return pa.scalar(text, pa.large_string())
