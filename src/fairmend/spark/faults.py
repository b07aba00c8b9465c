"""The errors of the Spark door."""

from collections.abc import Sequence

from fairmend.errors import ColumnError, OptionError, RowKeyError


def no_key() -> RowKeyError:
    """Build the refusal of a table without a key."""
    return RowKeyError(
        "key= is missing. Spark has no stable row number: how rows are numbered depends on how "
        "the table is read and partitioned, so a task that is tried again would give its rows "
        "other draws. Pass key= with columns that identify rows, or key=None together with "
        "reproducible=False to draw at random each time that a row is computed."
    )


def both_ways(what: str) -> OptionError:
    """Build the error for a key or seed of a repair that draws at random."""
    return OptionError(
        f"reproducible=False draws at random for each row, so {what}= would have no effect. "
        f"Leave one of them out."
    )


def monitor_of_table() -> OptionError:
    """Build the error for a monitor of what is no stream."""
    return OptionError(
        "monitor= watches the micro-batches of a stream, and this DataFrame is a table. Leave it "
        "out, and see fairmend.spark.audit for the drift of a table."
    )


def monitor_through_connect() -> OptionError:
    """Build the error for a monitor where workers cannot reach the driver."""
    return OptionError(
        "monitor= needs accumulators, which Spark Connect does not have. Leave it out, or run in a "
        "classic session (spark-submit)."
    )


def monitor_of_old_spark() -> OptionError:
    """Build the error for a monitor where counts do not reach the driver."""
    return OptionError(
        "monitor= needs Spark 4.1 or newer: below it, what workers count does not reach the "
        "driver, and an alarm would never go off. Leave it out, or run on a newer Spark."
    )


def missing_keys(counts: dict[str, int]) -> RowKeyError:
    """Build the error for rows without a key."""
    listed = ", ".join(f"{name!r} ({count:,} rows)" for name, count in counts.items())
    return RowKeyError(
        f"Key columns have missing values: {listed}, and a row without a key has no draw of its "
        f"own. Fill them or name another column in key=."
    )


def unsupported(name: str, kind: str) -> ColumnError:
    """Build the error for a column of a type that no repair reads."""
    return ColumnError(
        f"Column {name!r} of the archive is of Spark's type {kind}. Features are numbers, times, "
        f"booleans or text, keys whole numbers or text: cast it."
    )


def duplicated(columns: Sequence[str]) -> ColumnError:
    """Build the error for column names that occur more than once."""
    repeated = sorted({name for name in columns if list(columns).count(name) > 1})
    return ColumnError.duplicated("archive", repeated)


def nothing_joined(key: Sequence[str]) -> RowKeyError:
    """Build the error for two tables without a common key."""
    return RowKeyError(
        f"No row of the archive has a key in {list(key)} that a row of the repaired table has, so "
        f"there is nothing to compare. Name the columns that identify a row in both."
    )
