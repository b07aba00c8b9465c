"""The measures' border: array-likes and tables in, NumPy arrays out.

Nothing else in this package knows that there are several kinds of arrays. Rows are matched by
position; the index of a Series plays no part.
"""

from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from fairmend.measures import faults

if TYPE_CHECKING:
    import pyarrow as pa

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
Column: TypeAlias = Any
"""One entry a row: a list, a NumPy array, a pandas or Polars Series, an Arrow array."""
Table: TypeAlias = Any
"""Features side by side: a 2-D NumPy array, or a table that narwhals reads eagerly."""

VALUES = "values"
"""The name of the one feature when it is passed as an array."""


@dataclass(frozen=True)
class Labels:
    """A column of labels as codes.

    Attributes
    ----------
    codes : ndarray of shape (n,)
        The place of each row's label in ``levels``; -1 where it is missing.
    levels : tuple
        The distinct labels that occur, as Python objects, sorted.
    """

    codes: Codes
    levels: tuple[Any, ...]


def labels(values: Column, name: str) -> Labels:
    """Read labels of any one type; ``None``, null and NaN are missing.

    Examples
    --------
    >>> labels(["m", "f", None, "m"], "groups")
    Labels(codes=array([ 1,  0, -1,  1]), levels=('f', 'm'))
    """
    import pyarrow as pa

    found = _arrow(values, name)
    if pa.types.is_dictionary(found.type):
        found = found.dictionary_decode()
    encoded = found.dictionary_encode()
    seen = encoded.dictionary.to_pylist()
    levels = sorted({level for level in seen if not _missing(level)})
    place = {level: code for code, level in enumerate(levels)}
    # The last entry is for nulls, whose index is filled with -1; NaN is a value to Arrow.
    to = np.array([place.get(level, -1) for level in seen] + [-1], dtype=np.int64)
    codes = encoded.indices.cast(pa.int64()).fill_null(-1).to_numpy(zero_copy_only=False)
    return Labels(to[codes], tuple(levels))


def one_stratum(n: int) -> Labels:
    """Put all rows into one stratum, whose level is None."""
    return Labels(np.zeros(n, dtype=np.int64), (None,))


def numbers(values: Column, name: str) -> Floats:
    """Read numbers or booleans as float64, with NaN for what is missing.

    Examples
    --------
    >>> numbers([1, None, 2.5], "values")
    array([1. , nan, 2.5])
    """
    if isinstance(values, np.ndarray) and values.ndim == 1 and values.dtype.kind in "biuf":
        return values.astype(np.float64)
    import pyarrow as pa

    found = _arrow(values, name)
    if pa.types.is_dictionary(found.type):
        found = found.dictionary_decode()
    if not _numeric(found.type):
        raise faults.not_numbers({name: str(found.type)})
    floats = found.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    return np.asarray(floats, dtype=np.float64)


def features(values: Table | Column, name: str = VALUES) -> dict[str, Floats]:
    """Read a table as its columns by name, or one column under the name given.

    The columns of a 2-D array are named ``"x0"``, ``"x1"``, …
    """
    found = columns(values, name)
    if found is None:
        return {name: numbers(values, name)}
    wrong = {one: kind for one, (kind, is_number) in kinds(found).items() if not is_number}
    if wrong:
        raise faults.not_numbers(wrong)
    return {one: numbers(column, one) for one, column in found.items()}


def columns(values: Table | Column, name: str) -> dict[str, Column] | None:
    """Split a table into its columns by name; None when it is one column."""
    if isinstance(values, np.ndarray):
        if values.ndim != 2:
            return None
        return {f"x{i}": column for i, column in enumerate(values.T)}
    import narwhals as nw

    found = _opened(values, name)
    if isinstance(found, nw.LazyFrame):
        raise faults.lazy(name)
    if isinstance(found, nw.DataFrame):
        return {column: found.get_column(column).to_native() for column in found.columns}
    return None


def kinds(found: Mapping[str, Column]) -> dict[str, tuple[str, bool]]:
    """Tell each column's type, and whether it is one of numbers."""
    types = {name: _arrow(column, name).type for name, column in found.items()}
    return {name: (str(one), _numeric(one)) for name, one in types.items()}


def require_rows(found: Mapping[str, int]) -> int:
    """Return the number of rows, which all arguments must share."""
    if len(set(found.values())) > 1:
        raise faults.lengths(found)
    n = next(iter(found.values()))
    if n == 0:
        raise faults.no_rows()
    return n


def require_labels(found: Mapping[str, Labels]) -> None:
    """Refuse missing labels, in all arguments at once."""
    counts = {name: int((one.codes < 0).sum()) for name, one in found.items()}
    if any(counts.values()):
        raise faults.missing_labels({name: count for name, count in counts.items() if count})


def require_finite(found: Mapping[str, Floats]) -> None:
    """Refuse infinite values, in all columns at once."""
    counts = {name: int(np.isinf(one).sum()) for name, one in found.items()}
    if any(counts.values()):
        raise faults.infinite({name: count for name, count in counts.items() if count})


def _opened(values: Table | Column, name: str) -> Any:
    """Wrap what narwhals knows; anything else stays what it is."""
    import narwhals as nw

    try:
        return nw.from_native(values, pass_through=True, allow_series=True)
    except nw.exceptions.DuplicateError:
        raise faults.same_names(name) from None


def _arrow(values: Column, name: str) -> "pa.Array":
    import narwhals as nw
    import pyarrow as pa

    # A string would be read as its characters; most likely it names a column of a table.
    if isinstance(values, str | bytes | Mapping | Set):
        raise faults.not_a_column(name, _described(values))
    found = _opened(values, name)
    if isinstance(found, nw.DataFrame | nw.LazyFrame):
        raise faults.not_a_column(name, "a table")
    try:
        if isinstance(found, nw.Series):
            array = found.to_arrow()
        elif isinstance(found, pa.Array):
            array = found
        else:
            array = pa.array(found, from_pandas=True)
    except (pa.ArrowException, TypeError):
        raise faults.not_a_column(name, _described(values)) from None
    if pa.types.is_nested(array.type):
        raise faults.not_a_column(name, str(array.type))
    return array


def _described(values: object) -> str:
    if isinstance(values, list | tuple):
        types = sorted({type(value).__name__ for value in values})
        return f"{type(values).__name__} of {' and '.join(types)}"
    shape = getattr(values, "shape", None)
    return type(values).__name__ + (f" of shape {shape}" if shape is not None else "")


def _numeric(kind: "pa.DataType") -> bool:
    import pyarrow as pa

    tests = (
        pa.types.is_integer,
        pa.types.is_floating,
        pa.types.is_decimal,
        pa.types.is_boolean,
        pa.types.is_null,
    )
    return any(test(kind) for test in tests)


def _missing(level: object) -> bool:
    return level is None or level != level  # NaN differs from itself
