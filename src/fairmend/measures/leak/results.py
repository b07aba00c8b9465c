"""What the leak test found, as plain content."""

import math
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Estimate:
    """An area under the curve with its 95 % interval.

    Attributes
    ----------
    auc : float
        The chance that a member of the group is ranked above another row of its stratum. 0.5 is
        chance. A figure below 0.5 is an adversary that was misled by noise; it is reported as is,
        and is no leak turned round.
    low, high : float
        The interval, see :func:`fairmend.leak`; within 0 and 1.
    """

    auc: float
    low: float
    high: float


@dataclass(frozen=True)
class Auc(Estimate):
    """What one adversary reached.

    Attributes
    ----------
    null : float
        The same with S permuted within strata, averaged over permutations: what chance looks like.
        NaN without permutations.
    null_deviation : float
        How far chance alone takes a run from there: the standard error of the permuted runs.
    by_stratum : dict of str to Estimate
        In each stratum.
    by_group : dict of str to Estimate
        Each group against the rest, over the strata that have it.
    worst_group : str
        The group that is told best.
    """

    null: float
    null_deviation: float
    by_stratum: dict[str, Estimate]
    by_group: dict[str, Estimate]
    worst_group: str


@dataclass(frozen=True)
class Telltale:
    """How much one column gives away.

    Attributes
    ----------
    column : str
        Name.
    is_feature : bool
        Whether it is one of ``features``; else it is passed through as it is.
    alone : Auc or None
        What an adversary reaches that sees this column only.
    joint_drop, all_drop : float or None
        By how much the AUC of the adversary that sees all features, or all columns, falls when this
        column is shuffled within strata. Columns that say the same share the credit, so that each
        of them may show little.
    """

    column: str
    is_feature: bool
    alone: Auc | None
    joint_drop: float | None
    all_drop: float | None


@dataclass(frozen=True)
class Leak:
    """How well adversaries tell S.

    Attributes
    ----------
    joint : Auc
        From all features together.
    all_columns : Auc or None
        From every column that is handed on; None where that was not asked for.
    columns : tuple of Telltale
        The columns one by one, the most telling first.
    unseen : dict of str to str
        Columns that the adversaries did not see, and why.
    rows, rows_unlabelled, rows_used, rows_left_out : int
        Of the table; those of them without a group or stratum; those sampled from the others; and
        those of them in groups too small to be told.
    """

    joint: Auc
    all_columns: Auc | None
    columns: tuple[Telltale, ...]
    unseen: dict[str, str]
    rows: int
    rows_unlabelled: int
    rows_used: int
    rows_left_out: int

    @property
    def auc(self) -> float:
        """AUC from all features together."""
        return self.joint.auc

    @property
    def null(self) -> float:
        """The same with S permuted within strata."""
        return self.joint.null

    @property
    def null_deviation(self) -> float:
        """How far chance alone takes a run from the null."""
        return self.joint.null_deviation

    @property
    def by_stratum(self) -> dict[str, float]:
        """AUC of each stratum, from all features together."""
        return {name: one.auc for name, one in self.joint.by_stratum.items()}

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain types that JSON has; what was not measured is None."""
        content = _plain(asdict(self))
        assert isinstance(content, dict)
        return content


def _plain(content: Any) -> Any:
    if isinstance(content, dict):
        return {name: _plain(part) for name, part in content.items()}
    if isinstance(content, list | tuple):
        return [_plain(part) for part in content]
    if isinstance(content, float) and not math.isfinite(content):
        return None
    return content
