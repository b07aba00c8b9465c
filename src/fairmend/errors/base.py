"""The base of all errors, and what their sentences share."""

from collections.abc import Mapping

MOST_LISTED = 20
"""An error names this many cells or levels; a terminal is not a report."""

ESTIMATED = (
    "A repair and an audit can estimate groups that were not recorded: see fairmend.LabelModel, "
    "labels= and fairmend.audit_unlabelled (fairmend label-model and --labels)."
)


class FairmendError(ValueError):
    """Base of all errors of fairmend."""


def counted(counts: Mapping[str, int]) -> str:
    """List columns with the rows that each has."""
    return ", ".join(f"{name!r} ({count:,} rows)" for name, count in counts.items())
