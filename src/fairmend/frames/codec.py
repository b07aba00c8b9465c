"""Codecs: a column's values as numbers, and back in the column's own type."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from fairmend.errors import ColumnError, DataError
from fairmend.frames.levels import Level, canonical, in_order
from fairmend.transport.support import Floats

ColumnType = Literal["number", "datetime", "duration", "category"]

EXACT_DIGITS = 15
"""Decimals of so many digits come back from a float as they were."""
MOST_EXACT_SCALE = 22
"""Powers of ten up to this one are floats."""

UNSEEN_LEVEL = -1.0
"""Stands for a category that the research data did not show."""


@dataclass(frozen=True)
class Codec:
    """How a feature's values are written as float64, NaN for missing.

    Attributes
    ----------
    type : {"number", "datetime", "duration", "category"}
        Numbers are themselves; times are microseconds; categories are places in ``levels``.
    levels : tuple
        Levels of a category in order; booleans are categories too.
    """

    type: ColumnType
    levels: tuple[Level, ...] = ()

    @classmethod
    def of(cls, array: Any, name: str, table: str) -> Self:
        """Choose the codec by an Arrow array's type; levels of a category from its values."""
        import pyarrow as pa

        kind = array.type
        if _is_number(kind):
            return cls("number")
        if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
            return cls("datetime")
        if pa.types.is_duration(kind) or pa.types.is_time(kind):
            return cls("duration")
        if _is_category(kind):
            return cls.category(array)
        raise ColumnError.unsupported(table, name, str(kind))

    @classmethod
    def category(cls, array: Any, order: Sequence[Level] | None = None) -> Self:
        """List the levels: as given, as an ordered dictionary has them, or sorted."""
        import pyarrow as pa

        if order is not None:
            return cls("category", tuple(order))
        if pa.types.is_dictionary(array.type) and array.type.ordered:
            used = set(array.indices.unique().to_pylist())
            levels = enumerate(array.dictionary.to_pylist())
            return cls("category", tuple(level for i, level in levels if i in used))
        return cls("category", tuple(in_order([v for v in _distinct(array) if v is not None])))

    def reads(self, kind: Any) -> bool:
        """Tell whether a column of an Arrow type can be encoded."""
        import pyarrow as pa

        if pa.types.is_null(kind):
            return True
        if self.type == "number":
            return _is_number(kind)
        if self.type == "datetime":
            return bool(pa.types.is_timestamp(kind) or pa.types.is_date(kind))
        if self.type == "duration":
            return bool(pa.types.is_duration(kind) or pa.types.is_time(kind))
        return _is_category(kind) or _is_number(kind)

    def encode(self, array: Any) -> Floats:
        """Turn an Arrow array into float64."""
        import pyarrow as pa

        if pa.types.is_null(array.type):
            return np.full(len(array), np.nan)
        if self.type == "category":
            return self._places(array)
        if self.type != "number":
            array = array.cast(_microseconds(array.type), safe=False).cast(pa.int64())
        if pa.types.is_decimal(array.type):
            return _of_decimals(array)
        values: Floats = array.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
        return values

    def decode(self, values: Floats, kind: Any) -> Any:
        """Turn float64 without NaN into an Arrow array of a column's type."""
        import pyarrow as pa

        if self.type == "category":
            return self._levels_at(values.astype(np.int64), kind)
        if self.type != "number":
            whole = pa.array(np.rint(values).astype(np.int64))
            return whole.cast(_microseconds(kind)).cast(kind, safe=False)
        if pa.types.is_integer(kind):
            return pa.array(_whole(values, kind)).cast(kind)
        if pa.types.is_decimal(kind):
            distinct, place = np.unique(values, return_inverse=True)
            # As whole numbers are: a support reaches beyond its values, a type may not.
            beyond = 10.0 ** (kind.precision - kind.scale)
            most = min(beyond - 10.0**-kind.scale, float(np.nextafter(beyond, 0.0)))
            distinct = np.clip(distinct, -most, most)
            # Rounded, then spelt as short as it reads back: 0.1 to 18 places ends in zeros.
            texts = [repr(round(value, kind.scale)) for value in distinct.tolist()]
            written = pa.array(texts, pa.string()).cast(kind)
            return written.take(pa.array(place))
        return pa.array(values).cast(kind, safe=False)

    def finer(self, array: Any, values: Floats) -> NDArray[np.bool_]:
        """Mark what an Arrow array tells beyond its values: nanoseconds, decimals beyond floats."""
        import pyarrow as pa
        import pyarrow.compute as pc

        kind = array.type
        if getattr(kind, "unit", None) == "ns":
            plain = array.cast(_microseconds(kind), safe=False).cast(kind)
            differ = pc.not_equal(array, plain)
        elif pa.types.is_decimal(kind) and kind.precision > EXACT_DIGITS:
            # Of so many digits only, or writing all would cost more than the repair.
            long = np.flatnonzero(np.abs(values) >= 10.0 ** (EXACT_DIGITS - kind.scale))
            known = long[~np.isnan(values[long])]
            differ = pc.not_equal(array.take(pa.array(known)), self.decode(values[known], kind))
            marked = np.zeros(len(array), dtype=np.bool_)
            marked[known] = differ.to_numpy(zero_copy_only=False)
            return marked
        else:
            return np.zeros(len(array), dtype=np.bool_)
        told: NDArray[np.bool_] = differ.fill_null(False).to_numpy(zero_copy_only=False)
        return told

    def spelt_otherwise(self, array: Any) -> NDArray[np.bool_]:
        """Mark the texts of an Arrow array that equal a level and are not written as it is."""
        import pyarrow as pa
        import pyarrow.compute as pc

        if not pa.types.is_dictionary(array.type):
            array = array.dictionary_encode()
        entries = array.dictionary
        if pa.types.is_string_view(entries.type):
            entries = entries.cast(pa.string())
        if not (pa.types.is_string(entries.type) or pa.types.is_large_string(entries.type)):
            return np.zeros(len(array), dtype=np.bool_)
        places = self._places(entries)
        known = np.flatnonzero(places >= 0.0)
        odd = np.zeros(len(entries) + 1, dtype=np.bool_)
        levels = self.decode(places[known], entries.type)
        odd[known] = pc.not_equal(entries.take(pa.array(known)), levels).to_numpy(False)
        marked: NDArray[np.bool_] = odd[array.indices.fill_null(len(entries)).to_numpy(False)]
        return marked

    def _places(self, array: Any) -> Floats:
        import pyarrow as pa

        if not pa.types.is_dictionary(array.type):
            array = array.dictionary_encode()
        place = {canonical(level): float(i) for i, level in enumerate(self.levels)}
        values = array.dictionary.to_pylist()
        to = [
            np.nan if v is None or v != v else place.get(canonical(v), UNSEEN_LEVEL) for v in values
        ]
        codes = array.indices.fill_null(len(values)).to_numpy(zero_copy_only=False)
        places: Floats = np.array([*to, np.nan])[codes]
        return places

    def _levels_at(self, places: NDArray[np.int64], kind: Any) -> Any:
        import pyarrow as pa

        plain = kind.value_type if pa.types.is_dictionary(kind) else kind
        plain = pa.string() if pa.types.is_string_view(plain) else plain  # which has no take
        try:
            levels = pa.array([_as_type(level, plain) for level in self.levels], type=plain)
        except (pa.ArrowInvalid, pa.ArrowTypeError, ValueError) as error:
            message = (
                f"The plan's levels {list(self.levels)} cannot be written as {plain}: the "
                f"archive's column is of another type than the research data's. Cast it."
            )
            raise DataError(message) from error
        return levels.take(pa.array(places))


def beyond_float(array: Any, values: Floats) -> int:
    """Count integers and decimals so large that float64 cannot tell integers apart."""
    import pyarrow as pa

    is_exact = pa.types.is_integer(array.type) or pa.types.is_decimal(array.type)
    return int(np.count_nonzero(np.abs(values) >= 2.0**53)) if is_exact else 0


def _of_decimals(array: Any) -> Floats:
    """Read decimals as the floats nearest to them, as CSV has them.

    Arrow's own cast misses these by a last digit in a third of all values, and 0.57 beside
    0.5700000000000001 would be two atoms. A quotient of two whole numbers that floats hold is
    rounded once; what is longer is read by its text.
    """
    import pyarrow as pa

    kind = array.type
    unscaled = getattr(pa, f"decimal{kind.bit_width}")(kind.precision, 0)
    try:
        steps = array.view(unscaled).cast(pa.int64()).to_numpy(zero_copy_only=False)
    except pa.ArrowInvalid:
        steps = np.array([np.inf])
    steps = steps.astype(np.float64)
    if 0 <= kind.scale <= MOST_EXACT_SCALE and not (np.abs(steps) >= 2.0**53).any():
        nearest: Floats = steps / 10.0**kind.scale
    else:
        text = array.cast(pa.string()).cast(pa.float64())
        nearest = text.to_numpy(zero_copy_only=False)
    return nearest


def _whole(values: Floats, kind: Any) -> NDArray[Any]:
    """Round to an integer type, whose ends catch what does not fit: 130 in 8 bits is 127, not -126.

    A support is wider than the research range, so this happens to columns that use all their bits.
    """
    ends = np.iinfo(str(kind))
    inside: NDArray[Any] = np.clip(np.rint(values), ends.min, np.nextafter(ends.max + 1.0, 0.0))
    return inside.astype(ends.dtype)


def _is_number(kind: Any) -> bool:
    import pyarrow as pa

    return bool(
        pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    )


def _is_category(kind: Any) -> bool:
    import pyarrow as pa

    return bool(
        pa.types.is_boolean(kind)
        or pa.types.is_dictionary(kind)
        or pa.types.is_string(kind)
        or pa.types.is_large_string(kind)
        or pa.types.is_string_view(kind)
    )


def _distinct(array: Any) -> list[Any]:
    import pyarrow as pa

    plain = array.dictionary_decode() if pa.types.is_dictionary(array.type) else array
    values: list[Any] = plain.unique().to_pylist()
    return values


def _as_type(level: Level, kind: Any) -> Level:
    """Write a level as its column has it: ``1`` as text in a CSV, as a number in Parquet."""
    import pyarrow as pa

    if pa.types.is_boolean(kind):
        return canonical(level) in ("true", "1")
    if pa.types.is_integer(kind):
        return int(canonical(level))
    if pa.types.is_floating(kind):
        return float(canonical(level))
    return level if isinstance(level, str) else canonical(level)


def _microseconds(kind: Any) -> Any:
    """Name the type in microseconds that stands for a type of time."""
    import pyarrow as pa

    if pa.types.is_time(kind):
        return pa.time64("us")
    if pa.types.is_duration(kind):
        return pa.duration("us")
    return pa.timestamp("us", tz=getattr(kind, "tz", None))
