"""A tally: how many archive rows fell where, small, mergeable and the same for any batches."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from fairmend.frames.codec import UNSEEN_LEVEL
from fairmend.kernel.numpy_kernel import locate
from fairmend.measures.drift.laws import Planned, PlannedFeature
from fairmend.transport.support import Floats

Ints = NDArray[np.int64]

BLOCK = 2**17
"""Rows counted at a time, so that the working memory does not grow with the archive."""

FRACTIONS = 2.0**20
"""A value between two points counts for both, in these parts of a row: sums are then exact, and the
same in any order."""


@dataclass(frozen=True)
class Counts:
    """Where the values of one feature fell.

    Attributes
    ----------
    exact, between : ndarray of shape (kernel rows,)
        Values at each of the kernel's rows, which are the support points of all cells and groups:
        of those that are a point, and of all others. A value between two points counts in part for
        both, as Algorithm 2 splits it.
    missing, unseen, beyond : ndarray of shape (cells,)
        Rows without a value, of a category that research did not show, outside the support.
    """

    exact: Floats
    between: Floats
    missing: Ints
    unseen: Ints
    beyond: Ints

    def __add__(self, other: "Counts") -> "Counts":
        """Add up."""
        return Counts(
            self.exact + other.exact,
            self.between + other.between,
            self.missing + other.missing,
            self.unseen + other.unseen,
            self.beyond + other.beyond,
        )


@dataclass(frozen=True)
class Tally:
    """Counts of all features over some rows of an archive.

    Attributes
    ----------
    cells : ndarray of shape (cells + 1,)
        Rows of each stratum and group, ``stratum * (groups + 1) + group``; the last counts those of
        a stratum or group that research did not show and a policy left alone.
    features : dict of str to Counts
        By column.
    """

    cells: Ints
    features: dict[str, Counts]

    @classmethod
    def empty(cls, plan: Planned) -> Self:
        """Count no rows."""
        n_cells = plan.features[0].table.first_row.size
        none = np.zeros(n_cells, dtype=np.int64)
        zeros = {one.name: np.zeros(one.table.slot_start.size) for one in plan.features}
        counts = {name: Counts(zero, zero, none, none, none) for name, zero in zeros.items()}
        return cls(np.zeros(n_cells + 1, dtype=np.int64), counts)

    @classmethod
    def of(cls, plan: Planned, values: Mapping[str, Floats], cells: Ints) -> Self:
        """Count the rows of a batch.

        Parameters
        ----------
        plan : Plan
            Whose cells they are.
        values : mapping of str to ndarray of shape (n,)
            Each feature, NaN where missing.
        cells : ndarray of shape (n,)
            As for :func:`fairmend.plan.apply.repair_arrays`; negative for rows without a cell.
        """
        tally = cls.empty(plan)
        for start in range(0, cells.size, BLOCK):
            block = slice(start, start + BLOCK)
            tally += cls._block(plan, {k: x[block] for k, x in values.items()}, cells[block])
        return tally

    @classmethod
    def _block(cls, plan: Planned, values: Mapping[str, Floats], cells: Ints) -> Self:
        n_cells = plan.features[0].table.first_row.size
        within = np.where(cells < 0, n_cells, cells)
        known = cells >= 0
        cells = cells[known]
        counts = {one.name: _counts(one, values[one.name][known], cells) for one in plan.features}
        return cls(np.bincount(within, minlength=n_cells + 1), counts)

    def __add__(self, other: Self) -> Self:
        """Count the rows of both."""
        both = {name: counts + other.features[name] for name, counts in self.features.items()}
        return type(self)(self.cells + other.cells, both)

    @property
    def rows(self) -> int:
        """Number of rows."""
        return int(self.cells.sum())


def _counts(feature: PlannedFeature, x: Floats, cells: Ints) -> Counts:
    table = feature.table
    n_cells = table.first_row.size
    gone = np.isnan(x)
    new = x == UNSEEN_LEVEL if feature.codec.type == "category" else np.zeros_like(gone)
    ends = np.array([c.support[[0, -1]] for c in (*feature.cells, feature.anywhere)])
    low, high = ends[cells // table.n_groups].T
    beyond = ((x < low) | (x > high)) & ~new
    there = ~(gone | new)
    row, tau = locate(table, x[there], cells[there])
    n = table.slot_start.size
    upper = np.rint(tau * FRACTIONS) / FRACTIONS
    exact = np.bincount(row[upper == 0.0], minlength=n).astype(np.float64)
    if table.missing_row is not None:
        exact += np.bincount(table.missing_row[cells[gone]], minlength=n)
    apart = upper > 0.0
    unusual = (np.bincount(cells[one], minlength=n_cells) for one in (gone, new, beyond))
    return Counts(exact, _split(row[apart], upper[apart], n), *unusual)


def _split(row: Ints, upper: Floats, n: int) -> Floats:
    """Count a value between two points for both of them."""
    moved = np.bincount(row, upper, n).astype(np.float64)
    held = np.bincount(row, minlength=n) - moved
    held[1:] += moved[:-1]
    return held
