"""What the fields of a text file mean: the columns a plan needs get types, all others stay text."""

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv

from fairmend.errors import InputError

_MISSING = pa.array(sorted({spelling.lower() for spelling in csv.ConvertOptions().null_values}))
_NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"


def with_types(
    table: pa.Table, name: str, numbers: Sequence[str], labels: Sequence[str]
) -> pa.Table:
    """Give types to columns of text.

    Parameters
    ----------
    table : pyarrow.Table
        All columns strings, as a file without types is read.
    name : str
        What the errors call it: ``"research data"`` or ``"archive"``.
    numbers : sequence of str
        Features. They become int64 where every field is a whole number, else float64; empty fields
        and the usual spellings such as ``NA`` become null. A column without any number stays text.
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
    >>> with_types(table, "archive", ["age"], ["sex", "u"]).to_pylist()[1]
    {'age': None, 'sex': 'M', 'u': 1, 'zip': ''}
    """
    wrong = {}
    for column in table.column_names:
        at, text = table.schema.get_field_index(column), table[column]
        if column in numbers:
            typed = _numbers(text)
            if typed is None:
                wrong[column] = _not_numbers(text)
            else:
                table = table.set_column(at, column, typed)
        elif column in labels:
            table = table.set_column(at, column, _label(text))
    some = {column: count for column, count in wrong.items() if count}
    if some:
        raise InputError.not_all_numbers(name, some)
    return table


def text_where_unchanged(
    text: pa.ChunkedArray, before: pa.ChunkedArray, after: pa.ChunkedArray
) -> pa.ChunkedArray:
    """Write repaired numbers as text, and leave the fields of those that stayed as they were.

    So ``1.10`` and ``NA`` come out as they went in.
    """
    changed = pc.fill_null(pc.not_equal(before, after), False)
    return pc.if_else(changed, after.cast(pa.string()), text)


def _numbers(text: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """Read a column as whole numbers, else as numbers, else not at all."""
    bare = _bare(text)
    for dtype in (pa.int64(), pa.float64()):
        try:
            return bare.cast(dtype)
        except pa.ArrowInvalid:
            continue
    return None


def _bare(text: pa.ChunkedArray) -> pa.ChunkedArray:
    trimmed = pc.utf8_trim_whitespace(text)
    missing = pc.is_in(pc.utf8_lower(trimmed), value_set=_MISSING)
    return pc.if_else(missing, pa.scalar(None, pa.string()), trimmed)


def _not_numbers(text: pa.ChunkedArray) -> int:
    """Count the fields that are no numbers; 0 in a column of text, where none is one."""
    bare = _bare(text).drop_null()
    numbers: int = pc.sum(pc.match_substring_regex(bare, _NUMBER)).as_py() or 0
    return len(bare) - numbers if numbers else 0


def _label(text: pa.ChunkedArray) -> pa.ChunkedArray:
    given = pc.if_else(pc.equal(text, ""), pa.scalar(None, pa.string()), text)
    try:
        whole = given.cast(pa.int64())
    except pa.ArrowInvalid:
        return given
    lossless = pc.all(pc.equal(whole.cast(pa.string()), given)).as_py()
    return whole if lossless is not False else given
