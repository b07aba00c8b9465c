"""One table, whatever library made it."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from fairmend.errors import ColumnError, DataError, FairmendError
from fairmend.frames.codec import Codec
from fairmend.frames.columns import Columns, rewritten

if TYPE_CHECKING:
    from fairmend.transport.support import Floats


class Frame(Columns):
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
        super().__init__(name)
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

    def labelled(self, names: Sequence[str]) -> "Frame":
        """Return the rows that have a value in each of the named columns."""
        import pyarrow.compute as pc

        known = np.ones(len(self), dtype=np.bool_)
        for name in names:
            known &= ~pc.is_null(self.arrow(name), nan_is_null=True).to_numpy(zero_copy_only=False)
        return self if known.all() else self.rows(np.flatnonzero(known))

    def arrow(self, name: str) -> Any:
        """Return one column as a single pyarrow array."""
        import pyarrow as pa

        try:
            array = self._frame[name].to_arrow()
        except (pa.ArrowInvalid, pa.ArrowTypeError):
            message = f"Column {name!r} of the {self.name} mixes types. Convert it to one type."
            raise ColumnError(message) from None  # Arrow's own message quotes a person's value
        return array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array

    def replaced(
        self,
        before: Mapping[str, "Floats"],
        after: Mapping[str, "Floats"],
        codecs: Mapping[str, Codec],
        dropped: Sequence[str] = (),
    ) -> Any:
        """Return the table with new values in some columns and others left out."""
        changed = [
            self._written(name, codecs[name], values, at)
            for name, values, at in self.changes(before, after, codecs)
        ]
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
        if isinstance(getattr(series.to_native(), "dtype", None), np.dtype):
            filled, emptied = at & ~np.isnan(values), at & np.isnan(values)
            new = codec.decode(values[filled], array.type)
            return self._written_numpy(series, new, filled, emptied)
        whole = rewritten(array, codec, values, at)
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
