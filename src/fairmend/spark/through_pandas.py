"""Below Spark 4.1 batches travel as pandas series, which have one missing value and odd times."""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql import functions as sf
from pyspark.sql.types import DataType, IntegerType, LongType

from fairmend.spark.columns import arrow_type, column

if TYPE_CHECKING:
    from pyspark.sql import Column
    from pyspark.sql.types import StructField

    from fairmend.spark.worker import Work


def sent(field: "StructField") -> "Column":
    """Send times as numbers: pandas would show them in the session's time zone."""
    kind = field.dataType.typeName()
    if kind == "timestamp":
        return sf.unix_micros(column(field.name))
    return sf.unix_date(column(field.name)) if kind == "date" else column(field.name)


def sent_type(field: "StructField") -> DataType:
    """Say as what a column is sent."""
    kind = field.dataType.typeName()
    if kind == "timestamp":
        return LongType()
    return IntegerType() if kind == "date" else field.dataType


def received(moved: "Column", field: "StructField") -> "Column":
    """Turn what comes back into the column's type; what was NaN and is missing has stayed NaN."""
    kind = field.dataType.typeName()
    if kind == "timestamp":
        return sf.timestamp_micros(moved)
    if kind == "date":
        return sf.date_from_unix_date(moved)
    if kind in ("float", "double"):
        old = column(field.name)
        return sf.when(sf.isnan(old) & moved.isNull(), old).otherwise(moved)
    return moved


def function_of(work: "Work", fields: "Sequence[StructField]") -> Callable[..., Any]:
    """Make the function of batches, whose annotations say to Spark what kind of one it is."""
    import pandas as pd

    types = [arrow_type(field) for field in fields]

    def repaired(batches: Any) -> Any:
        arrays = ([_array(s, t) for s, t in zip(b, types, strict=True)] for b in batches)
        for done in work.repaired(arrays):
            yield _frame(done)

    repaired.__annotations__ = {
        "batches": Iterator[tuple[pd.Series, ...]],
        "return": Iterator[pd.DataFrame],
    }
    return repaired


def _array(series: Any, kind: pa.DataType) -> pa.Array:
    if pa.types.is_timestamp(kind) and kind.tz is not None:
        return pa.Array.from_pandas(series, type=pa.int64()).cast(kind)
    if pa.types.is_date(kind):
        return pa.Array.from_pandas(series, type=pa.int32()).cast(kind)
    array = pa.Array.from_pandas(series, type=kind)
    return array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array


def _frame(arrays: "Sequence[pa.Array]") -> Any:
    import pandas as pd

    return pd.DataFrame({f"f{i}": _series(array) for i, array in enumerate(arrays)})


def _series(array: pa.Array) -> Any:
    if pa.types.is_timestamp(array.type) and array.type.tz is not None:
        array = array.cast(pa.int64())
    if pa.types.is_date(array.type):
        array = array.cast(pa.int32())
    return array.to_pandas()
