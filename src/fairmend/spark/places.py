"""Places: where values are counted, known from the plan before the first row is read."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from fairmend.measures.inference.tables import MOST_ATOMS, MOST_BINS, NORMAL, CountTable
from fairmend.transport.cell import Cell
from fairmend.transport.support import Floats

Ints = NDArray[np.int64]

REACH = 4.5
"""Bins reach so many normal scores out: the tails of a million rows."""


@dataclass(frozen=True)
class Places:
    """Bins and atoms of one feature in one stratum: bin, atom, bin, atom, …, bin.

    As in :func:`fairmend.measures.inference.tables.count`, but laid on the plan's marginals and not
    on the rows, so that one pass is enough and all parts of an archive agree. Dependence does not
    change under a monotone map, so the bins are even in normal scores of the stratum's law.

    Attributes
    ----------
    cuts : ndarray of shape (m,)
        Sorted; a value at a cut that is no atom belongs to the bin below it.
    is_atom : ndarray of shape (m,)
        Which of them are places of their own.
    """

    cuts: Floats
    is_atom: NDArray[np.bool_]

    @classmethod
    def of(cls, cell: Cell) -> Self:
        """Lay the places of a stratum."""
        smooth = cell.grid
        warped = not smooth.size and cell.kind in ("continuous", "mixed")
        if cell.atoms.size > MOST_ATOMS or warped:
            smooth = cell.support
        atoms = np.setdiff1d(cell.atoms, smooth)
        cuts = np.union1d(_edges(smooth, cell), atoms)
        return cls(cuts, np.isin(cuts, atoms))

    @property
    def size(self) -> int:
        """How many places there are."""
        return 2 * self.cuts.size + 1

    def counted(self, values: Floats, group: Ints, n_groups: int) -> Ints:
        """Count values by group and place; NaN nowhere."""
        known = ~np.isnan(values)
        values, group = values[known], group[known]
        below = np.searchsorted(self.cuts, values, side="left")
        place = 2 * below
        if self.is_atom.any():
            at = np.minimum(below, self.cuts.size - 1)
            place += self.is_atom[at] & (self.cuts[at] == values)
        counts = np.bincount(group * self.size + place, minlength=n_groups * self.size)
        return counts.reshape(n_groups, self.size)

    def table(self, counts: Ints) -> CountTable:
        """Make of counts what dependence is measured on."""
        used = counts.any(axis=0)
        of_bins = np.arange(self.size)[used] % 2 == 0
        table = counts[:, used]
        scores = np.full(table.shape[1], np.nan)
        rows = table.sum(axis=0)[of_bins]
        middles = (np.cumsum(rows) - 0.5 * rows) / max(1, int(rows.sum()))
        scores[of_bins] = [NORMAL.inv_cdf(level) for level in middles]
        return CountTable(table, scores)


def _edges(smooth: Floats, cell: Cell) -> Floats:
    """Lay edges between the points of a smooth part, at even steps of its normal scores."""
    if smooth.size < 2:
        return np.empty(0)
    middles: Floats = (smooth[1:] + smooth[:-1]) / 2
    if smooth.size <= MOST_BINS:
        return middles
    weights = np.maximum(cell.counts[: cell.marginals.shape[0]], 0).astype(np.float64)
    share = weights / max(weights.sum(), 1.0) if weights.any() else np.full(weights.size, 1.0)
    mass = (share @ cell.marginals)[np.searchsorted(cell.support, smooth)]
    upto = np.cumsum(mass)[:-1] / max(float(mass.sum()), 1e-300)
    wanted = [NORMAL.cdf(z) for z in np.linspace(-REACH, REACH, MOST_BINS + 1)[1:-1]]
    at = np.minimum(np.searchsorted(upto, wanted), middles.size - 1)
    edges: Floats = middles[np.unique(at)]
    return edges
