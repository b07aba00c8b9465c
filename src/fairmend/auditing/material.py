"""What is audited: the archive before and after its repair, as columns of numbers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from fairmend.errors import AuditError
from fairmend.frames.levels import Codes
from fairmend.frames.roles import numbered_where_known
from fairmend.frames.table import Frame
from fairmend.measures import faults
from fairmend.plan.plan import Plan
from fairmend.report.pooling import FEWEST
from fairmend.transport.support import Floats

Places = NDArray[np.int64]
Drawn = Callable[[Places], tuple[Frame, Frame]]
"""Gives rows of the two tables with all of their columns."""


@dataclass(frozen=True)
class Material:
    """Two tables with the same rows in the same order, and the plan that made one of the other.

    Attributes
    ----------
    plan : Plan
        Names roles and features.
    before, after : Frame
        With the columns that are measured on all rows.
    group, stratum : ndarray of shape (n,)
        Of each row, by the archive; negative where it is missing or the plan does not know it.
    old, new : dict of str to ndarray of shape (n,)
        Each feature before and after, NaN where missing.
    drawn : callable
        Gives some rows with all of their columns, which are too many to be read for all rows.
    """

    plan: Plan
    before: Frame
    after: Frame
    group: Codes
    stratum: Codes
    old: dict[str, Floats]
    new: dict[str, Floats]
    drawn: Drawn

    @classmethod
    def of(cls, before: Any, after: Any, plan: Plan, drawn: Drawn | None = None) -> Self:
        """Read two tables, and refuse those that are no archive and its repair."""
        old, new = Frame(before, "archive"), Frame(after, "repaired archive")
        if len(old) != len(new):
            raise AuditError.other_rows(len(old), len(new))
        old.require(plan.protected, "protected")
        old.require(plan.unprotected, "unprotected")
        for frame in (old, new):
            frame.require(plan.feature_names, "features")
        group, stratum = (
            numbered_where_known(old, factor) for factor in (plan.groups, plan.strata)
        )
        _require_same_order(new, plan, group, stratum)
        x, y = (frame.finite_numbers(plan.codecs) for frame in (old, new))
        if plan.options.missing != "state":
            _require_same_gaps(x, y)
        rows = drawn or (lambda places: (old.rows(places), new.rows(places)))
        return cls(plan, old, new, group, stratum, x, y, rows)

    def __len__(self) -> int:
        return self.group.size

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of strata and groups."""
        return len(self.plan.strata), len(self.plan.groups)

    @cached_property
    def known(self) -> NDArray[np.bool_]:
        """Which rows have a group and a stratum of the plan."""
        both: NDArray[np.bool_] = (self.group >= 0) & (self.stratum >= 0)
        return both

    @cached_property
    def cell(self) -> Codes:
        """The number of each row's stratum and group together; −1 where it has none."""
        return np.where(self.known, self.stratum * self.shape[1] + self.group, -1)

    def counts(self, rows: NDArray[np.bool_] | None = None) -> Codes:
        """Count rows by stratum and group: shape (strata, groups)."""
        cells = self.cell if rows is None else self.cell[rows]
        n_cells = self.shape[0] * self.shape[1]
        return np.bincount(cells + 1, minlength=n_cells + 1)[1:].reshape(self.shape)

    def strata(self) -> list[str]:
        """Name the strata."""
        return [self.plan.strata.label(at) for at in range(self.shape[0])]

    def groups(self) -> list[str]:
        """Name the groups."""
        return [self.plan.groups.label(at) for at in range(self.shape[1])]

    def comparable(self, values: Floats) -> Floats:
        """Leave out the values of groups that have so few of them that a figure would tell one."""
        rows = self.counts(~np.isnan(values)).ravel()
        few = np.append(rows < FEWEST, True)  # −1 is the last
        return np.where(few[self.cell], np.nan, values)

    def draw(self, most: int, seed: int) -> Places:
        """Draw rows with a group and a stratum, in random order."""
        places = np.flatnonzero(self.known)
        rng = np.random.default_rng(seed)
        return rng.choice(places, min(most, places.size), replace=False)


def columns_measured(plan: Plan, others: Sequence[str | None] = ()) -> list[str]:
    """Name the columns that are read for all rows."""
    named = chain(plan.protected, plan.unprotected, plan.feature_names, others)
    return list(dict.fromkeys(name for name in named if name is not None))


def _require_same_order(frame: Frame, plan: Plan, group: Codes, stratum: Codes) -> None:
    """Refuse a repaired archive whose own roles say that its rows are in another order."""
    for factor, codes in ((plan.groups, group), (plan.strata, stratum)):
        if set(factor.columns) <= set(frame.columns):
            found = numbered_where_known(frame, factor)
            if (found != codes).any():
                raise AuditError.other_order(factor.columns, int((found != codes).sum()))


def _require_same_gaps(old: dict[str, Floats], new: dict[str, Floats]) -> None:
    """Refuse values that came or went, where the plan leaves missing values alone."""
    alone = {name: int((np.isnan(x) != np.isnan(new[name])).sum()) for name, x in old.items()}
    if any(alone.values()):
        raise faults.unpaired({name: count for name, count in alone.items() if count})
