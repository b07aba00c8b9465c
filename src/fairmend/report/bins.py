"""Bins: the places on a feature's axis at which a picture tells values apart."""

import numpy as np
from numpy.typing import NDArray

from fairmend.transport.cell import Cell
from fairmend.transport.kinds import lattice_step
from fairmend.transport.support import Floats

MOST_BINS = 120
"""More bins than this are thinner than two pixels in a panel."""


def bin_edges(cell: Cell) -> Floats:
    """Lay equal bins around the support of a cell.

    Each value of a lattice, and each point of a grid, is in the middle of a bin of its own, or of a
    bin with equally many others where there are more than 120. The edges follow from the plan
    alone, so the archive's largest and smallest value cannot be read from them.

    Parameters
    ----------
    cell : Cell
        One stratum of a feature.

    Returns
    -------
    ndarray of shape (bins + 1,)

    Examples
    --------
    >>> law, values = np.full(3, 1 / 3), np.array([1.0, 2.0, 4.0])
    >>> cell = Cell("discrete", np.empty(0), values, law[None], law, np.array([3]))
    >>> bin_edges(cell)
    array([0.5, 1.5, 2.5, 3.5, 4.5])
    """
    low, high = float(cell.support[0]), float(cell.support[-1])
    if low == high:
        return np.array([low - 0.5, low + 0.5])
    step = _step(cell)
    steps = round((high - low) / step) + 1
    wide = -(-steps // MOST_BINS)
    return low - step / 2 + np.arange(-(-steps // wide) + 1, dtype=np.float64) * (wide * step)


def holds_one_value(cell: Cell, edges: Floats) -> bool:
    """Tell whether each bin stands for a single value, so that it can be named by it."""
    if cell.kind != "discrete":
        return False
    width = edges[1] - edges[0]
    return cell.support.size == 1 or bool(np.isclose(width, lattice_step(cell.support)))


def bin_counts(values: Floats, edges: Floats) -> NDArray[np.int64]:
    """Count values into bins; values beyond the edges count in the first and last bin.

    Examples
    --------
    >>> bin_counts(np.array([1.0, 2.0, 2.0, 99.0]), np.array([0.5, 1.5, 2.5, 3.5]))
    array([1, 2, 1])
    """
    width = (edges[-1] - edges[0]) / (edges.size - 1)
    place = np.floor(np.clip((values - edges[0]) / width, 0, edges.size - 2))
    return np.bincount(place.astype(np.intp), minlength=edges.size - 1)


def _step(cell: Cell) -> float:
    span = float(cell.support[-1] - cell.support[0])
    if cell.grid.size > 1:
        return float(cell.grid[-1] - cell.grid[0]) / (cell.grid.size - 1)
    return lattice_step(cell.support) or span / (MOST_BINS - 1)
