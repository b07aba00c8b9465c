"""Fields of text read as a plan means them, the same for any cut into batches.

What a column holds is not told by all of its fields, which nobody has seen yet, but by the plan:
numbers are floats, and where all values of the plan are whole numbers, the repaired ones are, too.
In which form times are, is told by the first row.
"""

import re
from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from fairmend.errors import DataError, InputError
from fairmend.files.fields import bare, category, label, not_numbers, not_times
from fairmend.files.times import as_durations
from fairmend.plan.feature import Feature
from fairmend.plan.labels import Labels
from fairmend.plan.plan import Plan

_ZONE = re.compile(r"(Z|[+-]\d\d(:?\d\d)?)$")
_TABLE = "archive"
_WHOLE = r"^[+-]?[0-9]+$"
_DAY = len("2024-03-31")
_DAY_LONG = 86_400e6


def typed_rows(
    read: pa.Table,
    plan: Plan,
    key: Sequence[str],
    first: Mapping[str, str],
    told_by: Labels | None = None,
) -> pa.Table:
    """Give the columns that a plan needs their types.

    Parameters
    ----------
    read : pyarrow.Table
        A batch of text.
    plan : Plan
        Says what its features hold.
    key : sequence of str
        Columns that tell rows apart.
    first : mapping of str to str
        Fields of the source's first row.
    told_by : Labels, optional
        Says what the columns hold by which groups are estimated.
    """
    types = {name: codec.type for name, codec in plan.codecs.items()}
    types |= dict.fromkeys(plan.strata.bins, "number")
    features = {feature.name: feature for feature in plan.features}
    labels = [*plan.protected, *plan.unprotected, *key]
    if told_by is not None:
        labels += [name for name in told_by.columns if name not in told_by.codecs]
        types = {name: codec.type for name, codec in told_by.codecs.items()} | types
    columns: dict[str, pa.ChunkedArray] = {}
    wrong: dict[str, int] = {}
    for name in read.column_names:
        text, found = read[name], types.get(name)
        if found == "number":
            columns[name], wrong[name] = _numbers(text, is_key=name in key)
        elif found == "datetime":
            columns[name] = _times(text, name, first.get(name), features.get(name))
        elif found == "duration":
            columns[name] = _durations(text, name)
        elif found == "category":
            columns[name] = category(text)
        else:
            columns[name] = label(text) if name in labels else text
    some = {name: count for name, count in wrong.items() if count}
    if some:
        raise InputError.not_all_numbers(_TABLE, some)
    _refuse_inexact(read, columns, [name for name in columns if types.get(name) == "number"])
    return pa.table(columns)


def stored(values: pa.ChunkedArray, feature: Feature) -> pa.ChunkedArray:
    """Give repaired values the type that a column of them has in a file with types."""
    if feature.codec.type != "number" or not _is_whole(feature):
        return values
    try:
        return values.cast(pa.int64())
    except pa.ArrowInvalid as error:
        raise InputError.not_whole(feature.name, _fractions(values)) from error


def _numbers(text: pa.ChunkedArray, *, is_key: bool) -> tuple[pa.ChunkedArray, int]:
    """Read floats, or the integers that a key has to be; count the fields that are neither."""
    given = bare(text)
    try:
        return given.cast(pa.int64() if is_key else pa.float64()), 0
    except pa.ArrowInvalid:
        # All are wrong in a column of words, which tells nobody's value either.
        return text, not_numbers(text) or len(given.drop_null())


def _times(
    text: pa.ChunkedArray, name: str, first: str | None, feature: Feature | None
) -> pa.ChunkedArray:
    shown = pc.drop_null(bare(pa.chunked_array([[first]], pa.string()))).to_pylist()
    are_days = feature is not None and _multiples(feature, _DAY_LONG)
    is_day = len(shown[0]) == _DAY if shown else are_days
    zone = "UTC" if shown and not is_day and _ZONE.search(shown[0]) else None
    given = bare(text)
    try:
        if is_day:
            return given.cast(pa.date32())
        try:
            return given.cast(pa.timestamp("us", zone))
        except pa.ArrowInvalid:
            return given.cast(pa.timestamp("ns", zone)).cast(pa.timestamp("us", zone), safe=False)
    except pa.ArrowInvalid as error:
        raise not_times(_TABLE, name, "datetime") from error


def _durations(text: pa.ChunkedArray, name: str) -> pa.ChunkedArray:
    found = as_durations(bare(text))
    if found is None:
        raise not_times(_TABLE, name, "duration")
    return found.cast(pa.time64("us"), safe=False)


def _refuse_inexact(
    read: pa.Table, columns: Mapping[str, pa.ChunkedArray], numbers: Sequence[str]
) -> None:
    """Refuse whole numbers that a float cannot tell from their neighbours."""
    counts = {}
    for name in numbers:
        large = pc.greater_equal(pc.abs(columns[name]), 2.0**53)
        if pc.any(large).as_py():
            texts = pc.utf8_trim_whitespace(read[name].filter(large))
            counts[name] = pc.sum(pc.match_substring_regex(texts, _WHOLE)).as_py() or 0
    if any(counts.values()):
        raise DataError.inexact(_TABLE, {name: n for name, n in counts.items() if n})


def _is_whole(feature: Feature) -> bool:
    """Tell whether a repair writes whole numbers only."""
    return _multiples(feature, 1.0)


def _multiples(feature: Feature, step: float) -> bool:
    """Tell whether all values that a repair can write are multiples of a step."""
    cells = (*feature.cells, feature.anywhere)
    of_points = all(bool((np.fmod(cell.support, step) == 0.0).all()) for cell in cells)
    has_shape = feature.kind in ("continuous", "mixed")
    on_lattice = feature.lattice > 0.0 and np.fmod(feature.lattice, step) == 0.0
    return of_points and (on_lattice or not has_shape)


def _fractions(values: pa.ChunkedArray) -> int:
    return int(pc.sum(pc.not_equal(values, pc.round(values))).as_py() or 0)
