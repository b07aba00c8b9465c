"""What the fields of a text file mean: the columns a plan needs get types, all others stay text."""

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from fairmend.errors import InputError
from fairmend.files.times import as_durations, as_times
from fairmend.frames.codec import ColumnType

Meaning = ColumnType | Literal["any"]
"""What a column holds; ``"any"`` is to be found from its fields."""

_MISSING = pa.array(sorted({spelling.lower() for spelling in csv.ConvertOptions().null_values}))
_NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"
_EXAMPLES = {"datetime": "times like 2024-03-31 or 2024-03-31T12:00", "duration": "12:30:00"}


def with_types(
    table: pa.Table, name: str, meanings: Mapping[str, Meaning], labels: Sequence[str]
) -> pa.Table:
    """Give types to columns of text.

    Parameters
    ----------
    table : pyarrow.Table
        All columns strings, as a file without types is read.
    name : str
        What the errors call it: ``"research data"`` or ``"archive"``.
    meanings : mapping of str to str
        What features hold. Numbers become int64 where every field is a whole number, else float64;
        empty fields and the usual spellings such as ``NA`` become null. Times in ISO become dates
        or timestamps. Categories stay text, and only their empty fields become null. ``"any"`` is
        the first of these three that all fields can be read as.
    labels : sequence of str
        Roles and keys. They become int64 where that loses nothing, so that ``01`` stays text. Empty
        fields become null.

    Returns
    -------
    pyarrow.Table
        Names that the table does not have are left out: whoever needs them says so better.

    Examples
    --------
    >>> table = pa.table({"age": ["39", ""], "sex": ["F", "M"], "u": ["0", "1"], "zip": ["01", ""]})
    >>> with_types(table, "archive", {"age": "number"}, ["sex", "u"]).to_pylist()[1]
    {'age': None, 'sex': 'M', 'u': 1, 'zip': ''}
    """
    wrong: dict[str, int] = {}
    for column in table.column_names:
        at, text = table.schema.get_field_index(column), table[column]
        if column in meanings:
            typed = _READ[meanings[column]](text)
            if typed is not None:
                table = table.set_column(at, column, typed)
            elif meanings[column] == "number":
                wrong[column] = not_numbers(text)
            else:
                raise not_times(name, column, meanings[column])
        elif column in labels:
            table = table.set_column(at, column, label(text))
    some = {column: count for column, count in wrong.items() if count}
    if some:
        raise InputError.not_all_numbers(name, some)
    return table


def _any(text: pa.ChunkedArray) -> pa.ChunkedArray:
    for read in (_numbers, _times):
        typed = read(text)
        if typed is not None:
            return typed
    return category(text)


def _numbers(text: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """Read a column as whole numbers, else as numbers, else not at all."""
    given = bare(text)
    for dtype in (pa.int64(), pa.float64()):
        try:
            return given.cast(dtype)
        except pa.ArrowInvalid:
            continue
    return None


def _times(text: pa.ChunkedArray) -> pa.ChunkedArray | None:
    return as_times(bare(text))


def _durations(text: pa.ChunkedArray) -> pa.ChunkedArray | None:
    return as_durations(bare(text))


def category(text: pa.ChunkedArray) -> pa.ChunkedArray:
    """Leave fields as they are, but empty ones missing."""
    return pc.if_else(pc.equal(text, ""), pa.scalar(None, pa.string()), text)


_READ: dict[Meaning, Callable[[pa.ChunkedArray], pa.ChunkedArray | None]] = {
    "any": _any,
    "number": _numbers,
    "datetime": _times,
    "duration": _durations,
    "category": category,
}


def bare(text: pa.ChunkedArray) -> pa.ChunkedArray:
    """Trim fields; empty ones and the usual spellings such as ``NA`` are missing."""
    trimmed = pc.utf8_trim_whitespace(text)
    missing = pc.is_in(pc.utf8_lower(trimmed), value_set=_MISSING)
    return pc.if_else(missing, pa.scalar(None, pa.string()), trimmed)


def not_numbers(text: pa.ChunkedArray) -> int:
    """Count the fields that are no numbers; 0 in a column of words, where none is one."""
    given = bare(text).drop_null()
    numbers: int = pc.sum(pc.match_substring_regex(given, _NUMBER)).as_py() or 0
    return len(given) - numbers if numbers else 0


def not_times(table: str, column: str, meaning: str) -> InputError:
    """Build the error for fields that are no times, or not all in one form."""
    return InputError(
        f"The {table} has fields in {column!r} that are no {meaning}s as the plan's research data "
        f"had there. A text file holds {_EXAMPLES[meaning]}, all in the form of its first row: "
        f"write them so, or pass a Parquet file."
    )


def label(text: pa.ChunkedArray) -> pa.ChunkedArray:
    """Read a role or key as int64 where that loses nothing; empty fields are missing."""
    given = category(text)
    try:
        whole = given.cast(pa.int64())
    except pa.ArrowInvalid:
        return given
    lossless = pc.all(pc.equal(whole.cast(pa.string()), given)).as_py()
    return whole if lossless is not False else given
