"""What was found: drift at which a run stops, repairs that cannot be compared."""

from collections.abc import Sequence
from typing import Self

from fairmend.errors.base import FairmendError


class DriftError(FairmendError):
    """The archive has left the research data, and the run was to stop at that."""

    @classmethod
    def alarm(cls, sentence: str, rate: float) -> Self:
        """Build the error for a monitor's alarm."""
        return cls(
            f"The archive has drifted from the research data, so the repair was stopped: "
            f"{sentence}. Without drift, at most {rate:.0%} of archives set off this alarm. "
            f"Design a plan from research data of this population, or leave out stop_on_drift= "
            f"(--stop-on-drift)."
        )


class AuditError(FairmendError):
    """Two tables are no archive and its repair."""

    @classmethod
    def other_rows(cls, before: int, after: int) -> Self:
        """Build the error for tables of different length."""
        return cls(
            f"The archive has {before:,} rows and the repaired archive {after:,}. Pass the archive "
            f"that was repaired, and all of it: rows are compared by their place."
        )

    @classmethod
    def other_order(cls, columns: Sequence[str], rows: int) -> Self:
        """Build the error for tables whose roles differ, which a repair does not change."""
        return cls(
            f"The archive and the repaired file differ in {list(columns)} in {rows:,} rows, and a "
            f"repair changes features only. Pass the same rows in the same order."
        )
