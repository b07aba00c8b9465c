"""Columns of a table as NumPy arrays and back, over what any kind of table gives: Arrow arrays."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fairmend.errors import ColumnError, DataError
from fairmend.frames.codec import Codec, beyond_float
from fairmend.frames.levels import Encoded

if TYPE_CHECKING:
    from fairmend.transport.support import Floats


class Columns(ABC):
    """What a repair and a design read of a table; :class:`fairmend.frames.table.Frame` is one.

    Parameters
    ----------
    name : str
        What the errors call the table: ``"research data"`` or ``"archive"``.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    @abstractmethod
    def __len__(self) -> int:
        """Count the rows."""

    @property
    @abstractmethod
    def columns(self) -> list[str]:
        """Names of the columns, in order."""

    @abstractmethod
    def arrow(self, name: str) -> Any:
        """Return one column as a single pyarrow array."""

    @abstractmethod
    def rows(self, places: NDArray[np.intp]) -> "Columns":
        """Return some of the rows, in the order given."""

    @abstractmethod
    def replaced(
        self,
        before: Mapping[str, "Floats"],
        after: Mapping[str, "Floats"],
        codecs: Mapping[str, Codec],
        dropped: Sequence[str] = (),
    ) -> Any:
        """Return the table with new values in some columns and others left out.

        A column in which nothing is to be written is not touched, and neither are missing values,
        so null and NaN stay what they were. Types, order and index are kept. One value has one
        spelling, in rows that did not move and in tables where none did: an unmoved ``-0.0`` or
        ``"True"`` beside a moved ``0.0`` or ``"true"`` would tell who was moved, as would digits
        that a plan's numbers do not have, of nanoseconds and of long decimals.
        """

    def require(self, names: Sequence[str], parameter: str) -> None:
        """Raise unless all named columns are there."""
        for name in names:
            if name not in self.columns:
                raise ColumnError.missing(self.name, name, parameter, self.columns)

    def encoded(self, name: str) -> Encoded:
        """Encode a column's values by dictionary."""
        import pyarrow as pa

        array = self.arrow(name)
        if not pa.types.is_dictionary(array.type):
            array = array.dictionary_encode()
        values, codes = array.dictionary.to_pylist(), array.indices
        if array.null_count:
            values.append(None)
            codes = codes.fill_null(len(values) - 1)
        codes = codes.to_numpy(zero_copy_only=False)
        return Encoded(codes.astype(np.int64), tuple(map(_plain, values)))

    def refuse_missing(self, names: Sequence[str]) -> None:
        """Raise if role columns have missing labels, with counts."""
        missing = {name: self._missing_labels(name) for name in names}
        if any(missing.values()):
            raise DataError.missing_labels(self.name, {k: n for k, n in missing.items() if n})

    def _missing_labels(self, name: str) -> int:
        import pyarrow.compute as pc

        array = self.arrow(name)
        return int(pc.sum(pc.is_null(array, nan_is_null=True)).as_py() or 0)

    def finite_numbers(self, codecs: Mapping[str, Codec]) -> "dict[str, Floats]":
        """Return columns as float64 with NaN for missing; infinities are an error."""
        arrays = {name: self.arrow(name) for name in codecs}
        other = {
            name: str(array.type)
            for name, array in arrays.items()
            if not codecs[name].reads(array.type)
        }
        if other:
            expected = {name: codecs[name].type for name in other}
            raise ColumnError.of_other_type(self.name, other, expected)
        values = {name: codecs[name].encode(array) for name, array in arrays.items()}
        inexact = {name: beyond_float(array, values[name]) for name, array in arrays.items()}
        if any(inexact.values()):
            raise DataError.inexact(self.name, {k: n for k, n in inexact.items() if n})
        infinite = {name: int(np.count_nonzero(np.isinf(x))) for name, x in values.items()}
        if any(infinite.values()):
            raise DataError.infinite(self.name, {k: n for k, n in infinite.items() if n})
        return values

    def changes(
        self,
        before: Mapping[str, "Floats"],
        after: Mapping[str, "Floats"],
        codecs: Mapping[str, Codec],
    ) -> "Iterator[tuple[str, Floats, NDArray[np.bool_]]]":
        """Give each column in which something is to be written, its new values and where.

        What is written in a row follows from that row alone, or the cut into tables would show.
        """
        for name, values in after.items():
            x = before[name]
            at = (values != x) & ~(np.isnan(values) & np.isnan(x))
            if codecs[name].type == "category":
                at |= codecs[name].spelt_otherwise(self.arrow(name))
            else:
                at |= (values == 0.0) & np.signbit(x)
                at |= codecs[name].finer(self.arrow(name), x)
            if at.any():
                yield name, values, at


def rewritten(array: Any, codec: Codec, values: "Floats", at: NDArray[np.bool_]) -> Any:
    """Put ``values[at]`` into a copy of an Arrow array; NaN empties a place."""
    gone = np.isnan(values)
    if codec.type == "number" and _is_number(array.type) and not (array.null_count or gone.any()):
        return codec.decode(values, array.type)  # unmoved numbers are exact: no mask is needed
    filled = at & ~gone
    return _merged(array, codec.decode(values[filled], array.type), filled, at)


def _plain(value: Any) -> Any:
    """Make a level of a value: NaN is missing; a date, which JSON cannot hold, is its text."""
    if isinstance(value, float) and np.isnan(value):
        return None
    return value if isinstance(value, str | int | float | None) else str(value)


def _merged(array: Any, new: Any, filled: NDArray[np.bool_], at: NDArray[np.bool_]) -> Any:
    """Take ``new`` where ``filled``, null where ``at`` but not filled, else what was there."""
    import pyarrow as pa
    import pyarrow.compute as pc

    plain = array.dictionary_decode() if pa.types.is_dictionary(array.type) else array
    plain = plain.cast(pa.string()) if pa.types.is_string_view(plain.type) else plain
    if pa.types.is_dictionary(new.type):
        new = new.dictionary_decode()
    if len(new) == np.count_nonzero(at) and _is_number(plain.type) and new.type.equals(plain.type):
        # Nothing is emptied: three times as fast, of the types that have it.
        return new if len(new) == len(plain) else pc.replace_with_mask(plain, pa.array(at), new)
    place = np.cumsum(filled) - 1
    spread = new.take(pa.array(np.maximum(place, 0), mask=~filled)) if len(new) else None
    if spread is None:
        spread = pa.nulls(len(array), plain.type)
    return pc.if_else(pa.array(at), spread, plain)


def _is_number(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))
