"""Arrow tables, read without narwhals: NumPy and pyarrow are all that a repair of them needs."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fairmend.errors import ColumnError, DataError
from fairmend.frames.codec import Codec
from fairmend.frames.columns import Columns, rewritten

if TYPE_CHECKING:
    from fairmend.transport.support import Floats


class ArrowFrame(Columns):
    """A pyarrow table; see :class:`fairmend.frames.table.Frame` for all others.

    Parameters
    ----------
    native : pyarrow.Table
        Not modified.
    name : str
        What the errors call it.
    """

    def __init__(self, native: Any, name: str) -> None:
        super().__init__(name)
        self._table = native
        names = native.column_names
        if len(set(names)) < len(names):
            repeated = sorted({one for one in names if names.count(one) > 1})
            raise ColumnError.duplicated(name, repeated)

    def __len__(self) -> int:
        return int(self._table.num_rows)

    @property
    def columns(self) -> list[str]:
        """Names of the columns, in order."""
        return list(self._table.column_names)

    def arrow(self, name: str) -> Any:
        """Return one column as a single pyarrow array."""
        column = self._table[name]
        return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()

    def rows(self, places: NDArray[np.intp]) -> "ArrowFrame":
        """Return some of the rows, in the order given."""
        return ArrowFrame(self._table.take(places), self.name)

    def replaced(
        self,
        before: Mapping[str, "Floats"],
        after: Mapping[str, "Floats"],
        codecs: Mapping[str, Codec],
        dropped: Sequence[str] = (),
    ) -> Any:
        """Return the table with new values in some columns and others left out."""
        table = self._table
        for name, values, at in self.changes(before, after, codecs):
            place = table.column_names.index(name)
            field = table.schema.field(name)
            column = rewritten(self.arrow(name), codecs[name], values, at)
            if column.null_count and not field.nullable:
                raise DataError.cannot_be_missing(name, f"{field.type} not null")
            table = table.set_column(place, field, column.cast(field.type))
        return table.drop_columns(list(dropped)) if dropped else table


def frame_of(native: Any, name: str) -> Columns:
    """Open a table of any library; an Arrow table by itself, all others by narwhals."""
    if type(native).__module__.startswith("pyarrow") and hasattr(native, "column_names"):
        return ArrowFrame(native, name)
    from fairmend.frames.table import Frame

    return Frame(native, name)
