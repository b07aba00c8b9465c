"""One table, whatever library made it."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from fairmend.errors import ColumnError, DataError, FairmendError
from fairmend.frames.codec import Codec, beyond_float
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

    def rows(self, places: NDArray[np.intp]) -> "Frame":
        """Return some of the rows, in the order given."""
        return Frame(self._frame[places].to_native(), self.name)

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
        except (pa.ArrowInvalid, pa.ArrowTypeError):
            message = f"Column {name!r} of the {self.name} mixes types. Convert it to one type."
            raise ColumnError(message) from None  # Arrow's own message quotes a person's value
        return array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array

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
        infinite = {name: int(np.isinf(x).sum()) for name, x in values.items()}
        if any(infinite.values()):
            raise DataError.infinite(self.name, {k: n for k, n in infinite.items() if n})
        return values

    def replaced(
        self,
        before: Mapping[str, "Floats"],
        after: Mapping[str, "Floats"],
        codecs: Mapping[str, Codec],
        dropped: Sequence[str] = (),
    ) -> Any:
        """Return the table with new values in some columns and others left out.

        A column in which nothing changed is not touched, and neither are missing values, so null
        and NaN stay what they were. Types, order and index are kept. In a column that changed, one
        value has one spelling: an unmoved ``-0.0`` or ``"True"`` beside a moved ``0.0`` or
        ``"true"`` would tell who was moved.
        """
        changed = []
        for name, values in after.items():
            x = before[name]
            at = (values != x) & ~(np.isnan(values) & np.isnan(x))
            if at.any():
                odd = (values == 0.0) & np.signbit(x)
                if codecs[name].type == "category":
                    odd = values >= 0.0
                changed.append(self._written(name, codecs[name], values, at | odd))
        return self._described(self._frame.with_columns(*changed).drop(dropped).to_native())

    def _described(self, native: Any) -> Any:
        """Put back what narwhals loses: the metadata of Arrow's fields and pandas' attrs."""
        before = self.native
        if self._frame.implementation.is_pyarrow():
            import pyarrow as pa

            fields = [before.schema.field(name) for name in native.column_names]
            return native.cast(pa.schema(fields, before.schema.metadata))
        if self._frame.implementation.is_pandas():
            native.attrs = dict(before.attrs)
        return native

    def _written(
        self, name: str, codec: Codec, values: "Floats", at: NDArray[np.bool_]
    ) -> nw.Series[Any]:
        """Put ``values[at]`` into a copy of a column, in its own type; NaN empties a place."""
        series, array = self._frame[name], self.arrow(name)
        filled, emptied = at & ~np.isnan(values), at & np.isnan(values)
        new = codec.decode(values[filled], array.type)
        if isinstance(getattr(series.to_native(), "dtype", None), np.dtype):
            return self._written_numpy(series, new, filled, emptied)
        whole = _merged(array, new, filled, at)
        written: nw.Series[Any] = nw.from_native(_as_native(series, whole), series_only=True)
        return written.alias(name)

    def _written_numpy(
        self,
        series: nw.Series[Any],
        new: Any,
        filled: NDArray[np.bool_],
        emptied: NDArray[np.bool_],
    ) -> nw.Series[Any]:
        whole = series.to_numpy().copy()
        if emptied.any():
            if whole.dtype.kind in "iub":
                raise DataError.cannot_be_missing(series.name, str(whole.dtype))
            whole[emptied] = None  # NaN or NaT in numbers and times
        whole[filled] = new.to_numpy(zero_copy_only=False)
        return nw.new_series(series.name, whole, backend=series.implementation)


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
    place = np.cumsum(filled) - 1
    spread = new.take(pa.array(np.maximum(place, 0), mask=~filled)) if len(new) else None
    if spread is None:
        spread = pa.nulls(len(array), plain.type)
    return pc.if_else(pa.array(at), spread, plain)


def _as_native(series: nw.Series[Any], array: Any) -> Any:
    """Turn an Arrow array into a series of the same library and type as another."""
    import pyarrow as pa

    native = series.to_native()
    if series.implementation.is_pyarrow():
        return pa.chunked_array([array]).cast(native.type)
    namespace = series.__native_namespace__()
    if series.implementation.is_polars():
        return namespace.from_arrow(array).cast(native.dtype)
    if hasattr(native.dtype, "__from_arrow__"):
        array = native.dtype.__from_arrow__(pa.chunked_array([array]))
        return namespace.Series(array, dtype=native.dtype, index=native.index)
    return namespace.Series(array.to_pandas().to_numpy(), dtype=native.dtype, index=native.index)


def _repeated(native: Any) -> list[str]:
    names = [str(name) for name in getattr(native, "column_names", None) or native.columns]
    return sorted({name for name in names if names.count(name) > 1})
