"""How large an Arrow array is when each of its values is written out, which its body does not say.

A view, or a place in a dictionary, stands for a text of any length: 5 MB of body can make 500 GB.
"""

from typing import Any

import numpy as np
import pyarrow as pa

from fairmend.serve import refusals

FOLD = 10
"""Values may be so many times as large, written out, as the largest body."""


def unfolded(array: Any, most_rows: int) -> int:
    """Count the bytes of an array's values that stand for more than they take.

    Parameters
    ----------
    array : pyarrow.Array
        Of which the sizes of buffers were checked, but not what is in them.
    most_rows : int
        Entries that a dictionary may have.
    """
    kind = array.type
    if isinstance(kind, pa.BaseExtensionType):
        return unfolded(array.storage, most_rows)
    if pa.types.is_dictionary(kind):
        return _of_dictionary(array, most_rows)
    if pa.types.is_string_view(kind) or pa.types.is_binary_view(kind):
        return int(_lengths(array).sum())
    if any(is_one(kind) for is_one in _FOLDED):
        raise refusals.folded(str(kind))
    if pa.types.is_struct(kind) or pa.types.is_union(kind):
        return sum(unfolded(array.field(i), most_rows) for i in range(kind.num_fields))
    return unfolded(array.values, most_rows) if pa.types.is_nested(kind) else 0


_FOLDED = (
    pa.types.is_run_end_encoded,
    pa.types.is_list_view,
    pa.types.is_large_list_view,
)


def _of_dictionary(array: Any, most_rows: int) -> int:
    entries = array.dictionary
    if len(entries) > most_rows:
        raise refusals.long_dictionary(len(entries), most_rows)
    if pa.types.is_nested(entries.type) or pa.types.is_dictionary(entries.type):
        raise refusals.folded(str(array.type))
    places = array.indices.drop_null().to_numpy(zero_copy_only=False)
    return int(_lengths(entries)[places].sum()) if _is_text(entries.type) else 0


def _is_text(kind: Any) -> bool:
    tests = (pa.types.is_string, pa.types.is_binary, pa.types.is_large_string)
    others = (pa.types.is_large_binary, pa.types.is_string_view, pa.types.is_binary_view)
    return any(test(kind) for test in tests + others)


def _lengths(array: Any) -> Any:
    """Give the length of each text, as its buffers claim it; places of gaps may claim anything."""
    kind, n, first = array.type, len(array), array.offset
    buffer = array.buffers()[1]
    if not n or buffer is None:
        return np.zeros(n, dtype=np.int64)
    if pa.types.is_string_view(kind) or pa.types.is_binary_view(kind):
        views = np.frombuffer(buffer, dtype=np.int32, count=4 * (first + n)).reshape(-1, 4)
        return np.maximum(views[first:, 0].astype(np.int64), 0)
    large = pa.types.is_large_string(kind) or pa.types.is_large_binary(kind)
    offsets = np.frombuffer(buffer, dtype=np.int64 if large else np.int32, count=first + n + 1)
    ends = offsets[first:].astype(np.int64)
    return np.maximum(ends[1:] - ends[:-1], 0)
