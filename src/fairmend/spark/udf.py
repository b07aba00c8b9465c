"""The column function that repairs: over Arrow where Spark has that, over pandas below 4.1."""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql import functions as sf
from pyspark.sql.types import StructField, StructType

from fairmend.spark import through_pandas
from fairmend.spark.columns import column

if TYPE_CHECKING:
    from pyspark.sql import Column

    from fairmend.spark.worker import Work

HAS_ARROW = hasattr(sf, "arrow_udf")


def repair_udf(work: "Work", fields: Sequence[StructField]) -> "Column":
    """Make the column of structs that holds all repaired features.

    Parameters
    ----------
    work : Work
        What the workers do.
    fields : sequence of StructField
        The columns that they are given, in the order of ``work.names``.
    """
    returned = fields[: len(work.features)]
    if HAS_ARROW:
        types = [field.dataType for field in returned]
        udf: Any = sf.arrow_udf(_function_of(work), _struct(types))
        given = [column(field.name) for field in fields]
    else:
        types = [through_pandas.sent_type(field) for field in returned]
        udf = sf.pandas_udf(through_pandas.function_of(work, fields), _struct(types))
        given = [through_pandas.sent(field) for field in fields]
    if not work.key:  # or Spark might compute it twice, and mix the results
        udf = udf.asNondeterministic()
    return udf(*given)


def moved_column(moved: str, place: int, field: StructField) -> "Column":
    """Put a repaired column in the place of the old one: same name, nullability and metadata."""
    new = column(moved).getField(f"f{place}")
    if not HAS_ARROW:
        new = through_pandas.received(new, field)
    if not field.nullable:
        # What comes from Python may be null, in Spark's eyes; with a column that is not, it is not.
        new = sf.coalesce(new, column(field.name))
    return new.alias(field.name, metadata=field.metadata or {})


def _struct(types: Sequence[Any]) -> StructType:
    return StructType([StructField(f"f{i}", kind) for i, kind in enumerate(types)])


def _function_of(work: "Work") -> Callable[..., Any]:
    def repaired(batches: Iterator[tuple[pa.Array, ...]]) -> Iterator[pa.Array]:
        for arrays in work.repaired(batches):
            yield pa.StructArray.from_arrays(arrays, names=[f"f{i}" for i in range(len(arrays))])

    return repaired
