"""What is wrong with plans and summaries, and with their files."""

from collections.abc import Sequence
from typing import Self

from fairmend.errors.base import FairmendError


class PlanFileError(FairmendError):
    """A plan file is damaged, of another version, or no plan at all."""


class SummaryError(FairmendError):
    """Parts of the research data, or summaries of them, cannot be added up."""

    @classmethod
    def no_rows(cls, what: str) -> Self:
        """Build the error for research data of which a joint design cannot see the rows."""
        return cls(
            f"joint= looks at the values of a row together, again and again, which {what} cannot "
            f"show. Pass the research data as one table, a sample of it if it is large."
        )

    @classmethod
    def differ(cls, what: str, one: object, other: object) -> Self:
        """Build the error for parts that were not summarised alike."""
        return cls(
            f"Parts of the research data differ in {what}: {one} in one, {other} in another, so "
            f"their counts cannot be added up. Summarise all parts in the same way."
        )

    @classmethod
    def twice(cls, one: object, other: object) -> Self:
        """Build the error for a summary that would be counted twice."""
        return cls(
            f"{one} and {other} are the same summary, so its rows would count twice. Name the "
            f"summary of each site once."
        )

    @classmethod
    def other_orders(cls, name: str) -> Self:
        """Build the error for ordered categories whose orders do not follow from each other."""
        return cls(
            f"Parts of the research data have the categories of {name!r} in orders of which none "
            f"holds the other. Give all levels in order: kinds={{{name!r}: [...]}} (--levels)."
        )

    @classmethod
    def too_many_levels(cls, name: str, levels: int, most: int) -> Self:
        """Build the error for a text column with more levels than can be counted."""
        return cls(
            f"Feature {name!r} has more than {most:,} levels ({levels:,} so far). Is it an "
            f"identifier? Leave it out with exclude=."
        )

    @classmethod
    def quantiles(cls, name: str) -> Self:
        """Build the error for quantile bins where not all rows are seen at once."""
        return cls(
            f"unprotected_bins[{name!r}] asks for quantile bins, which need all research rows at "
            f"once, and these come in parts. Pass the cut points, like [30, 50], or names with "
            f"bounds."
        )

    @classmethod
    def decided(cls, parameters: Sequence[str]) -> Self:
        """Build the error for roles that are given to a design from summaries."""
        named = ", ".join(f"{name}=" for name in parameters)
        return cls(
            f"{named} cannot be given to a design from summaries: roles and types were decided "
            f"when the research data was summarised. Leave them out, or summarise it again."
        )

    @classmethod
    def mixed(cls) -> Self:
        """Build the error for summaries and tables in one list."""
        return cls(
            "A design is made from research data or from summaries of it, and both were given. "
            "Summarise the research data first."
        )

    @classmethod
    def several(cls, paths: Sequence[object]) -> Self:
        """Build the error for several paths that are no summaries."""
        return cls(
            f"{len(paths)} paths were given, and only summaries can be several. Name one file of "
            f"research data, its folder, or a quoted pattern, or summarise each first."
        )

    @classmethod
    def none(cls) -> Self:
        """Build the error for an empty list of summaries or tables."""
        return cls("There is no research data: no table and no summary was given.")


class SummaryFileError(FairmendError):
    """A summary file is damaged, of another version, or no summary at all."""
