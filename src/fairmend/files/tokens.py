"""Columns as JSON: each value as its token, and rows as lines of objects."""

import json

import pyarrow as pa
import pyarrow.compute as pc

from fairmend.errors import FormatError

BATCH_ROWS = 1 << 16
"""Rows joined to lines at once."""
_CONTROL = r"[\x00-\x1f]"
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def json_lines(table: pa.Table) -> list[memoryview]:
    """Write rows as objects, one a line; missing values are null."""
    lines = []
    keys = [json.dumps(name, ensure_ascii=False) for name in table.column_names]
    for batch in table.to_batches(max_chunksize=BATCH_ROWS):
        parts: list[pa.Array | pa.Scalar] = []
        for at, (key, column) in enumerate(zip(keys, batch.columns, strict=True)):
            parts += [_large(f"{',' if at else '{'}{key}:"), tokens(column, table.column_names[at])]
        line = pc.binary_join_element_wise(*parts, _large("}\n"), _large(""))
        _, _, joined = line.buffers()
        lines.append(memoryview(joined or b""))
    return lines


def tokens(column: pa.Array, name: str) -> pa.Array:
    """Write the values of a column as JSON."""
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    kind = column.type
    if pa.types.is_floating(kind):
        column = pc.if_else(pc.is_finite(column), column, pa.scalar(None, kind))
    try:
        text = column.cast(pa.large_string())
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid) as error:
        form, dtype = "NDJSON", str(kind)
        raise FormatError.cannot_hold(form, name, dtype) from error
    if pa.types.is_timestamp(kind):
        text = pc.replace_substring(text, " ", "T")
    bare = (pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal, pa.types.is_boolean)
    written = text if any(is_bare(kind) for is_bare in bare) else quoted(text)
    return written.fill_null("null")


def quoted(text: pa.Array) -> pa.Array:
    """Write texts as JSON strings."""
    if pc.any(pc.match_substring_regex(text, r'["\\\x00-\x1f]')).as_py():
        text = pc.replace_substring(text, "\\", "\\\\")
        text = pc.replace_substring(text, '"', '\\"')
        if pc.any(pc.match_substring_regex(text, _CONTROL)).as_py():
            for code in range(0x20):
                written = _SHORT.get(chr(code), f"\\u{code:04x}")
                text = pc.replace_substring(text, chr(code), written)
    return pc.binary_join_element_wise(_large('"'), text, _large('"'), _large(""))


def _large(text: str) -> pa.Scalar:
    return pa.scalar(text, pa.large_string())
