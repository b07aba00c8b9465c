"""What is wrong with values, keys and groups of rows."""

from collections.abc import Mapping, Sequence
from typing import Self

from fairmend.errors.base import ESTIMATED, MOST_LISTED, FairmendError, counted


class DataError(FairmendError):
    """Values that no plan can be designed from or applied to."""

    @classmethod
    def infinite(cls, table: str, counts: Mapping[str, int]) -> Self:
        """Build the error for infinite values, with their counts by feature."""
        return cls(
            f"The {table} has infinite values in {counted(counts)}. Transport needs finite "
            f"numbers: set them to missing (missing values stay missing) or drop those rows."
        )

    @classmethod
    def missing_labels(cls, table: str, counts: Mapping[str, int]) -> Self:
        """Build the error for missing protected or unprotected values."""
        way = "make 'missing' a level."
        if table == "archive":
            way = f"write a level such as 'unknown' there and pass unseen='keep'. {ESTIMATED}"
        return cls(
            f"The {table} has missing values in {counted(counts)}, and a row without its group "
            f"or stratum has no plan. Fill them, drop those rows, or {way}"
        )

    @classmethod
    def empty(cls, table: str) -> Self:
        """Build the error for a table without rows."""
        return cls(f"The {table} has no rows. At least 2 rows a group and stratum are needed.")

    @classmethod
    def bad_weights(cls, name: str, count: int) -> Self:
        """Build the error for sample weights that are missing, negative or all zero."""
        return cls(
            f"Column {name!r}, named by sample_weight=, has {count:,} missing or negative weights, "
            f"or none above zero. Weights are numbers from 0 on."
        )

    @classmethod
    def inexact(cls, table: str, counts: Mapping[str, int]) -> Self:
        """Build the error for integers and decimals that float64 cannot tell apart."""
        return cls(
            f"The {table} has numbers beyond 2^53 in {counted(counts)}. A moved value would be "
            f"rounded and an unmoved one not, which tells them apart: are these identifiers? Leave "
            f"them out with exclude=, or divide them."
        )

    @classmethod
    def tied(cls, name: str, share: float) -> Self:
        """Build the error for ties in the archive where the deterministic map needs none."""
        return cls(
            f"{share:.0%} of the archive's values of {name!r} repeat, and output='monge' would "
            f"move each group's repeated values to places of their own. The research data had no "
            f"such ties. Redesign with output='support'."
        )

    @classmethod
    def cannot_be_missing(cls, name: str, dtype: str) -> Self:
        """Build the error for a column that cannot hold the missing values of missing='state'."""
        return cls(
            f"Column {name!r} is of type {dtype}, which holds no missing values, and "
            f"missing='state' has to empty some rows. Convert it to a "
            f"nullable type, or pass missing='keep'."
        )

    @classmethod
    def out_of_range(cls, counts: Mapping[str, int]) -> Self:
        """Build the error for values beyond the support, under the policy to stop."""
        return cls(
            f"The archive has values outside the plan's support in {counted(counts)}. Redesign "
            f"with research rows that show them or a wider margin=, or pass out_of_range='clip' to "
            f"move them to the nearest end, or 'keep' to leave them as they are."
        )


class CellError(FairmendError):
    """Groups that are too small to learn a marginal from."""

    @classmethod
    def one_group(cls, group: str) -> Self:
        """Build the error for research data in which everybody is of one group."""
        return cls(
            f"The research data has one group only, {group}. A repair needs at least two groups to "
            f"bring together."
        )

    @classmethod
    def no_rows(cls) -> Self:
        """Build the error for a stratum in which a feature is never known."""
        return cls(
            "A feature has no known value in a whole stratum. Leave it out with exclude=, or name "
            "a coarser column in unprotected=."
        )

    @classmethod
    def too_small(cls, cells: Sequence[tuple[str, str, str, int]], least: int) -> Self:
        """Build the error for all (feature, stratum, group, rows) with too few rows."""
        listed = "; ".join(
            f"{feature!r} where {stratum} and {group} ({rows} rows)"
            for feature, stratum, group, rows in cells[:MOST_LISTED]
        )
        more = len(cells) - MOST_LISTED
        return cls(
            f"No plan can be designed for {listed}{f'; and {more} more' if more > 0 else ''}: a "
            f"marginal needs at least {least} research rows. Add research rows for those groups, "
            f"name a coarser column in unprotected=, or let them lean on others with small_groups=."
        )


class UnseenError(FairmendError):
    """The archive holds a group or stratum for which there is no plan."""

    @classmethod
    def levels(
        cls, counts: Mapping[str, int], columns: Sequence[str], known: Sequence[object]
    ) -> Self:
        """Build the error for levels that the research data did not have, with row counts."""
        most = sorted(counts, key=lambda name: -counts[name])[:MOST_LISTED]
        listed = ", ".join(f"{counts[name]:,} rows with {name}" for name in most)
        more = len(counts) - len(most)
        return cls(
            f"The archive has {listed}{f' and {more} more levels' if more > 0 else ''} and there "
            f"is no plan for them: the research data had {' × '.join(columns)} in {list(known)}. "
            f"Refit with research rows that show them, or pass unseen='keep' to leave such rows as "
            f"they are."
        )


class RowKeyError(FairmendError):
    """Rows cannot be told apart, so they cannot be given draws of their own."""

    @classmethod
    def a_role(cls, name: str) -> Self:
        """Build the refusal of a key that is a role: it is the same for a whole group."""
        return cls(
            f"key={name!r} is a protected or unprotected column, so a whole group would share one "
            f"draw, and then the protected attribute can be read off the repaired values. Name a "
            f"column that identifies the row."
        )

    @classmethod
    def too_few(cls, names: Sequence[str], keys: int, rows: int) -> Self:
        """Build the refusal of keys that many rows share."""
        return cls(
            f"key={list(names)} has {keys:,} distinct values in {rows:,} rows, and rows of one key "
            f"share one draw, so the protected attribute can be read off the repaired values. Name "
            f"columns that identify the row."
        )

    @classmethod
    def one_row(cls) -> Self:
        """Build the refusal of a single row with neither key nor row number."""
        return cls(
            "A one-row table was passed without key= or first_row=. Every such call would get the "
            "same draw, and then the protected attribute can be read off the repaired values. "
            "Pass key= with the column that identifies the row, or (in Plan.repair) first_row= "
            "with its number."
        )
