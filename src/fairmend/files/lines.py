"""Rows as lines of CSV, joined in C++ a batch at a time."""

from collections.abc import Iterator, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from fairmend.errors import FormatError

BATCH_ROWS = 1 << 16
"""Rows joined to lines at once."""
_NEEDS_QUOTES = '[",\r\n]'


def csv_header(names: Sequence[str]) -> memoryview:
    """Write the line of names."""
    (line,) = csv_lines(pa.table([[name] for name in names], names=list(names)))
    return line


def csv_lines(table: pa.Table) -> Iterator[memoryview]:
    """Write rows, with quotes only where a field needs them; missing values are empty.

    pyarrow's writer quotes all texts or refuses those that need it.
    """
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
