"""One table, whatever library made it."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from fairmend.errors import ColumnError, DataError, FairmendError
from fairmend.frames.levels import Encoded

if TYPE_CHECKING:
    from fairmend.transport.support import Floats


class Frame:
    """Columns in as NumPy arrays, columns out in the table's own type.

    The table itself is never modified.

    Parameters
    ----------
    native : pandas, polars or pyarrow table
        Anything that narwhals reads eagerly.
    name : str
        What the errors call it: ``"research data"`` or ``"archive"``.
    """

    def __init__(self, native: Any, name: str) -> None:
        self.name = name
        try:
            self._frame: nw.DataFrame[Any] = nw.from_native(native, eager_only=True)
        except TypeError as error:
            message = (
                f"The {name} is a {type(native).__name__}, which is no table in memory. "
                f"Pass a pandas, polars or pyarrow table (collect a lazy frame first)."
            )
            raise FairmendError(message) from error
        except nw.exceptions.DuplicateError as error:
            raise ColumnError.duplicated(name, _repeated(native)) from error

    def __len__(self) -> int:
        return len(self._frame)

    @property
    def columns(self) -> list[str]:
        """Names of the columns, in order."""
        return list(self._frame.columns)

    @property
    def native(self) -> Any:
        """The table as its owner knows it."""
        return self._frame.to_native()

    def require(self, names: Sequence[str], parameter: str) -> None:
        """Raise unless all named columns are there."""
        for name in names:
            if name not in self._frame.columns:
                raise ColumnError.missing(self.name, name, parameter, self.columns)

    def arrow(self, name: str) -> Any:
        """Return one column as a single pyarrow array."""
        import pyarrow as pa

        try:
            array = self._frame[name].to_arrow()
        except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
            message = (
                f"Column {name!r} of the {self.name} mixes types ({error}). Convert it to one type."
            )
            raise ColumnError(message) from error
        return array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array

    def encoded(self, name: str) -> Encoded:
        """Encode a column's values by dictionary."""
        import pyarrow as pa

        array = self.arrow(name)
        if not pa.types.is_dictionary(array.type):
            array = array.dictionary_encode()
        values = array.dictionary.to_pylist()
        if array.null_count:
            values.append(None)
        codes = array.indices.fill_null(len(values) - 1).to_numpy(zero_copy_only=False)
        return Encoded(codes.astype(np.int64), tuple(map(_plain, values)))

    def require_numeric(self, names: Sequence[str]) -> None:
        """Raise unless all named columns hold integers or floats."""
        dtypes = {name: self._frame[name].dtype for name in names}
        other = {
            name: str(dtype)
            for name, dtype in dtypes.items()
            if not (dtype.is_integer() or dtype.is_float())
        }
        if other:
            raise ColumnError.not_numeric(self.name, other)

    def encoded_without_missing(self, names: Sequence[str]) -> list[Encoded]:
        """Encode role columns; missing labels are an error that counts them."""
        encoded = [self.encoded(name) for name in names]
        missing = {
            name: int(np.isin(one.codes, one.missing_codes).sum())
            for name, one in zip(names, encoded, strict=True)
            if one.missing_codes
        }
        if any(missing.values()):
            raise DataError.missing_labels(self.name, {k: n for k, n in missing.items() if n})
        return encoded

    def finite_numbers(self, names: Sequence[str]) -> "dict[str, Floats]":
        """Return numeric columns as float64 with NaN for missing; infinities are an error."""
        self.require_numeric(names)
        values = {name: self.numbers(name) for name in names}
        infinite = {name: int(np.isinf(x).sum()) for name, x in values.items()}
        if any(infinite.values()):
            raise DataError.infinite(self.name, {k: n for k, n in infinite.items() if n})
        return values

    def numbers(self, name: str) -> "Floats":
        """Return a numeric column as float64, missing values as NaN."""
        import pyarrow as pa

        array = self.arrow(name)
        values: Floats = array.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
        return values

    def replaced(
        self,
        before: Mapping[str, "Floats"],
        after: Mapping[str, "Floats"],
        dropped: Sequence[str] = (),
    ) -> Any:
        """Return the table with new numbers in some columns and others left out.

        A value that did not change is not written, so null, NaN and integers beyond 2^53 stay what
        they were. Types, order and index are kept.
        """
        changed = []
        for name, values in after.items():
            at = (values != before[name]) & ~np.isnan(values)
            if at.any():
                changed.append(_written(self._frame[name], values, at))
        return self._described(self._frame.with_columns(*changed).drop(dropped).to_native())

    def _described(self, native: Any) -> Any:
        """Put back what narwhals loses: the metadata of Arrow's fields and pandas' attrs."""
        if self._frame.implementation.is_pyarrow():
            import pyarrow as pa

            schema = self.native.schema
            fields = [schema.field(name) for name in native.column_names]
            return native.cast(pa.schema(fields, schema.metadata))
        if self._frame.implementation.is_pandas():
            native.attrs = dict(self.native.attrs)
        return native


def _plain(value: Any) -> Any:
    """Make a level of a value: NaN is missing; a date, which JSON cannot hold, is its text."""
    if isinstance(value, float) and np.isnan(value):
        return None
    return value if isinstance(value, str | int | float | None) else str(value)


def _whole(values: "Floats", dtype: Any) -> NDArray[Any]:
    """Round to an integer type, whose ends catch what does not fit: 130 in 8 bits is 127, not -126.

    A support is wider than the research range, so this happens to columns that use all their bits.
    """
    ends = np.iinfo(str(dtype).lower())
    inside: NDArray[Any] = np.clip(np.rint(values), ends.min, np.nextafter(ends.max + 1.0, 0.0))
    return inside.astype(ends.dtype)


def _written(series: nw.Series[Any], values: "Floats", at: NDArray[np.bool_]) -> nw.Series[Any]:
    """Put ``values[at]`` into a copy of a series of any library, in its own type."""
    if series.implementation.is_pyarrow():
        return _written_arrow(series, values, at)
    new = _whole(values[at], series.dtype) if series.dtype.is_integer() else values[at]
    if isinstance(getattr(series.to_native(), "dtype", None), np.dtype):
        # Six times faster than scatter, which pandas does by position.
        whole = series.to_numpy().copy()
        whole[at] = new
        return nw.new_series(series.name, whole, backend=series.implementation)
    return series.scatter(np.flatnonzero(at), new)


def _written_arrow(
    series: nw.Series[Any], values: "Floats", at: NDArray[np.bool_]
) -> nw.Series[Any]:
    import pyarrow as pa
    import pyarrow.compute as pc

    native = series.to_native()
    new = np.where(at, values, 0.0)
    if pa.types.is_integer(native.type):
        new = _whole(new, series.dtype)
    new = pa.array(new, mask=~at).cast(native.type, safe=False)
    whole = pc.if_else(pa.array(at), new, native)
    chunked = whole if isinstance(whole, pa.ChunkedArray) else pa.chunked_array([whole])
    written: nw.Series[Any] = nw.from_native(chunked, series_only=True).alias(series.name)
    return written


def _repeated(native: Any) -> list[str]:
    names = [str(name) for name in getattr(native, "column_names", None) or native.columns]
    return sorted({name for name in names if names.count(name) > 1})
