"""Pushing: the law that a group has after repair, computed through its coupling without a draw."""

import numpy as np

from fairmend.foresight.places import Places
from fairmend.measures.arrays import Codes, Floats
from fairmend.plan.options import Options
from fairmend.transport.cell import Cell


class Pusher:
    """One group's way through a cell: from values to support points, to places after repair.

    Parameters
    ----------
    cell : Cell
        Designed from other rows.
    group : int
        Its number.
    places : Places
        Where repaired values are counted.
    options : Options
        With ``amount``.
    geodesic : bool
        Whether a partial repair goes part of the way.
    """

    def __init__(
        self, cell: Cell, group: int, places: Places, options: Options, *, geodesic: bool
    ) -> None:
        self.cell = cell
        support, amount = cell.support, options.amount
        coupling = cell.every_row(group)
        n_rows = support.size + (cell.missing is not None)
        mass = coupling.mass / np.bincount(coupling.source, coupling.mass, n_rows)[coupling.source]
        shown = coupling.target < support.size  # what goes missing is not seen
        source, mass = coupling.source[shown], mass[shown]
        to = support[coupling.target[shown]]
        start = np.append(support, np.nan)[source]
        known = source < support.size
        m = places.scores.size
        self.cost = np.bincount(source[known], (mass * (to - start) ** 2)[known], n_rows)
        if geodesic and amount < 1:
            to, amount = (1 - amount) * start + amount * to, 1.0
        at = places.find(to)
        whole = np.bincount(source * m + at, amount * mass, n_rows * m).astype(np.float64)
        self.matrix: Floats = whole.reshape(n_rows, m)
        if amount < 1:
            self.matrix[np.arange(support.size), places.find(support)] += 1 - amount
        self.missing = None if cell.missing is None else float(cell.missing[group])

    def rows(self, values: Floats, counts: Floats) -> Floats:
        """Share rows out over the support points, and over missing, as Algorithm 2 does.

        Parameters
        ----------
        values : ndarray of shape (n,)
            Sorted, distinct.
        counts : ndarray of shape (d, n)
            Rows or weights of each, in several draws.

        Returns
        -------
        ndarray of shape (d, rows)
        """
        below, above, tau = locate(self.cell, values)
        n = self.cell.support.size
        shared = np.stack(
            [
                np.bincount(below, one * (1 - tau), n) + np.bincount(above, one * tau, n)
                for one in counts
            ]
        )
        if self.missing is None:
            return shared
        gone = self.missing / max(1 - self.missing, 1e-9) * counts.sum(axis=1)
        return np.concatenate([shared, gone[:, None]], axis=1)


def locate(cell: Cell, values: Floats) -> tuple[Codes, Codes, Floats]:
    """Find the support points around each value, and its share of the way to the upper one.

    As the kernel does: an atom's value takes the atom; any other value belongs to the grid, or
    where there is none, lies between the atoms beside it.
    """
    support = cell.support
    line = cell.grid if cell.grid.size else support
    inside = np.clip(values, line[0], line[-1])
    low = np.clip(np.searchsorted(line, inside, side="right") - 1, 0, max(line.size - 2, 0))
    high = np.minimum(low + 1, line.size - 1)
    gap = line[high] - line[low]
    tau = np.where(gap > 0, (inside - line[low]) / np.where(gap > 0, gap, 1.0), 0.0)
    below, above = np.searchsorted(support, line[low]), np.searchsorted(support, line[high])
    exact = np.isin(values, cell.atoms)
    at = np.minimum(np.searchsorted(support, values), support.size - 1)
    below, above = np.where(exact, at, below), np.where(exact, at, above)
    return below, above, np.where(exact, 0.0, tau)
