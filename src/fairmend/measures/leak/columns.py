"""Columns as an adversary sees them: numbers, few categories, or many values that repeat."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from fairmend.errors import ColumnError
from fairmend.frames.codec import Codec
from fairmend.frames.table import Frame
from fairmend.measures.arrays import Floats

MOST_CATEGORIES = 255
"""The bins of gradient boosting: with more distinct values it cannot tell each from the next."""

Shape = Literal["number", "category", "many"]


@dataclass(frozen=True)
class Seen:
    """One column.

    Attributes
    ----------
    name : str
        Column.
    values : ndarray of shape (n,)
        Numbers; categories as whole numbers from 0 on; NaN for missing.
    shape : {"number", "category", "many"}
        ``"many"`` are values too many to be bins of their own that repeat all the same. There the
        value itself may give S away, as after a shift by group, and not only its size.
    """

    name: str
    values: Floats
    shape: Shape


def see(
    frame: Frame, names: Sequence[str], features: Sequence[str]
) -> tuple[dict[str, Seen], dict[str, str]]:
    """Read columns of any type, and say of each that is not shown to adversaries why.

    Parameters
    ----------
    frame : Frame
        The table.
    names : sequence of str
        Columns to read.
    features : sequence of str
        Those that must be readable, and that are no keys if they are numbers.

    Returns
    -------
    seen, unseen
        By name.
    """
    seen: dict[str, Seen] = {}
    unseen: dict[str, str] = {}
    for name in names:
        array = frame.arrow(name)
        if array.null_count == len(array):
            unseen[name] = "it has one value only"
            continue
        try:
            codec = Codec.of(array, name, frame.name)
        except ColumnError:
            if name in features:
                raise
            unseen[name] = f"its type, {array.type}"
            continue
        if _is_key(array, codec, is_feature=name in features):
            unseen[name] = "a key: its values do not repeat"
            continue
        one = _seen(name, codec, _finite(codec.encode(array)))
        if _is_constant(one.values):
            unseen[name] = "it has one value only"
            continue
        seen[name] = one
    return seen, unseen


def _is_constant(values: Floats) -> bool:
    known = values[~np.isnan(values)]
    return not known.size or (known.size == values.size and bool((known == known[0]).all()))


def _is_key(array: Any, codec: Codec, *, is_feature: bool) -> bool:
    """Tell whether a column names rows: no value of an integer or of a text comes twice."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if codec.type == "category":
        plain = array.dictionary_decode() if pa.types.is_dictionary(array.type) else array
    elif pa.types.is_integer(array.type) and not is_feature:
        plain = array
    else:
        return False
    known = len(plain) - plain.null_count
    return bool(known > MOST_CATEGORIES and pc.count_distinct(plain).as_py() == known)


def _seen(name: str, codec: Codec, values: Floats) -> Seen:
    known = ~np.isnan(values)
    distinct, place, rows = np.unique(values[known], return_inverse=True, return_counts=True)
    many = distinct.size > MOST_CATEGORIES and 2 * distinct.size <= max(int(known.sum()), 1)
    if codec.type != "category":
        return Seen(name, values, "many" if many else "number")
    if distinct.size <= MOST_CATEGORIES:
        return Seen(name, values, "category")
    # Text in the order of its frequency: sorted by letters, the places would mean nothing.
    by_frequency = np.empty(distinct.size)
    by_frequency[np.argsort(-rows, kind="stable")] = np.arange(distinct.size)
    ranked = np.full(values.size, np.nan)
    ranked[known] = by_frequency[place]
    return Seen(name, ranked, "many")


def _finite(values: Floats) -> Floats:
    """Put infinite values a little beyond the others: an adversary may see them, not stumble."""
    wild = np.isinf(values)
    if not wild.any():
        return values
    tame = values[np.isfinite(values)]
    low, high = (tame.min(), tame.max()) if tame.size else (0.0, 0.0)
    beyond = 1.0 + high - low
    return np.where(wild, np.where(values > 0, high + beyond, low - beyond), values)
