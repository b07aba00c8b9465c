"""Row keys: what makes a row's draws its own."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from fairmend.errors import RowKeyError
from fairmend.frames.sharing import Sharing
from fairmend.kernel.draws import Bits, mix, row_numbers

if TYPE_CHECKING:
    from fairmend.frames.columns import Columns

_WHOLE = (
    (r"^(0|-?[1-9][0-9]{0,17})$", "", "int64"),
    (r"^[1-9][0-9]{18}$", "", "uint64"),
    (r"^-[1-9][0-9]{18}$", str(-(2**63)), "int64"),
    (r"^[1-9][0-9]{19}$", str(2**64 - 1), "uint64"),
)
"""Texts that are whole numbers of 64 bits: how they look, the largest of them, and their type."""


def row_keys(
    frame: "Columns", key: Sequence[str], first_row: int | None, sharing: Sharing | None = None
) -> Bits:
    """Give each row 64 bits that are its own: from its key columns, or else from its number.

    Integers count by value, whatever their width; strings by their UTF-8 bytes, but a text that is
    the plain writing of a whole number of 64 bits counts as that number, since a CSV file does not
    say which it meant, and one odd key must not change the draws of all other rows.

    Parameters
    ----------
    frame : Frame
        The archive.
    key : sequence of str
        Key columns, maybe none.
    first_row : int or None
        Number of the table's first row in its source, where there are no key columns. ``None``
        starts at 0, and is refused for a single row.
    sharing : Sharing, optional
        Counts the keys, where the table is a batch of a source: the caller judges them as a whole.
        Without it, keys that many of the table's own rows share are refused here.
    """
    if not key:
        if first_row is None and len(frame) == 1:
            raise RowKeyError.one_row()
        return row_numbers(0 if first_row is None else first_row, len(frame))
    frame.require(key, "key")
    folded = _bits(frame.arrow(key[0]), key[0])
    for name in key[1:]:
        folded = mix(folded) ^ _bits(frame.arrow(name), name)
    seen = Sharing() if sharing is None else sharing
    seen.add(mix(folded))
    if sharing is None:
        seen.refuse_shared(key)
    return folded


def _bits(array: Any, name: str) -> Bits:
    import pyarrow as pa

    if array.null_count:
        message = (
            f"Key column {name!r} has {array.null_count:,} missing values, and a row without a key "
            f"has no draw of its own. Fill them or name another column in key=."
        )
        raise RowKeyError(message)
    if pa.types.is_dictionary(array.type):
        by_entry: Bits = _bits(array.dictionary, name)[array.indices.to_numpy(zero_copy_only=False)]
        return by_entry
    if pa.types.is_integer(array.type):
        integers = array.to_numpy(zero_copy_only=False)
        wide = np.uint64 if integers.dtype.kind == "u" else np.int64
        by_value: Bits = integers.astype(wide).view(np.uint64)
        return by_value
    texts = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
    if any(is_text(array.type) for is_text in texts):
        return _hash_or_number(array.cast(pa.large_string()))
    message = (
        f"Key column {name!r} is of type {array.type}. Keys are integers or strings: cast it, or "
        f"name another column in key=."
    )
    raise RowKeyError(message)


def _hash_or_number(array: Any) -> Bits:
    import pyarrow as pa
    import pyarrow.compute as pc

    hashed = _hash_text(array)
    for pattern, largest, dtype in _WHOLE:
        whole = pc.match_substring_regex(array, pattern)
        if largest:  # of texts as long as this one, the order of numbers is that of texts
            whole = pc.and_(whole, pc.less_equal(array, pa.scalar(largest, array.type)))
        if pc.any(whole).as_py():
            at = whole.to_numpy(zero_copy_only=False)
            numbers = pc.filter(array, whole).cast(dtype).to_numpy(zero_copy_only=False)
            hashed[at] = numbers.view(np.uint64)
    return hashed


def _hash_text(array: Any) -> Bits:
    """Hash UTF-8 texts eight bytes at a time, all rows at once."""
    _, offsets_buffer, data = array.buffers()
    offsets = np.frombuffer(offsets_buffer, dtype=np.int64)[array.offset :][: len(array) + 1]
    raw = np.frombuffer(data, dtype=np.uint8) if data else np.empty(0, dtype=np.uint8)
    padded = np.concatenate([raw, np.zeros(8, dtype=np.uint8)])
    # A view of the eight bytes that start at every byte.
    words = np.ndarray((raw.size + 1,), dtype="<u8", buffer=padded, strides=(1,))
    start, length = offsets[:-1], np.diff(offsets)
    hashed = mix(length.astype(np.uint64))
    for at in range(0, int(length.max(initial=0)), 8):
        rows = np.flatnonzero(length > at)
        left = np.minimum(length[rows] - at, 8).astype(np.uint64)
        unused = (np.uint64(8) - left) * np.uint64(8)
        word = (words[start[rows] + at] << unused) >> unused
        hashed[rows] = mix(hashed[rows] ^ word)
    return hashed
