"""Spark's columns: their names in expressions, and the types that Arrow has for them."""

from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql import functions as sf

from fairmend.spark import faults

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark.sql import Column
    from pyspark.sql.types import StructField

ARROW_TYPES = {
    "byte": pa.int8(),
    "tinyint": pa.int8(),
    "short": pa.int16(),
    "smallint": pa.int16(),
    "integer": pa.int32(),
    "int": pa.int32(),
    "long": pa.int64(),
    "bigint": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "boolean": pa.bool_(),
    "string": pa.string(),
    "varchar": pa.string(),
    "char": pa.string(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us", tz="UTC"),
    "timestamp_ntz": pa.timestamp("us"),
}
"""By Spark's names; those of Spark 4 and those of 3.5."""


def column(name: str) -> "Column":
    """Name a column in an expression, whatever characters it has."""
    return sf.col("`" + name.replace("`", "``") + "`")


def arrow_type(field: "StructField") -> pa.DataType:
    """Say how Arrow holds a column."""
    kind: Any = field.dataType
    name = kind.typeName()
    if name == "decimal":
        return pa.decimal128(kind.precision, kind.scale)
    if name.startswith("interval day") or type(kind).__name__ == "DayTimeIntervalType":
        return pa.duration("us")
    if name.startswith("timestamp") and "ntz" in name:
        return pa.timestamp("us")
    known = ARROW_TYPES.get(name.partition("(")[0].partition(" ")[0])
    if known is None:
        raise faults.unsupported(field.name, kind.simpleString())
    return known


def arrow_schema(fields: "Sequence[StructField]") -> pa.Schema:
    """Say how Arrow holds some columns."""
    return pa.schema([(field.name, arrow_type(field)) for field in fields])
