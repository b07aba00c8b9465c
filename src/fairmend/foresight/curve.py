"""The learning curve of one cell: E = floor + Σ c/n over the two groups of a pair."""

from typing import NamedTuple

import numpy as np

from fairmend.measures.arrays import Floats


class Curve(NamedTuple):
    """E by the research rows of two groups.

    Attributes
    ----------
    floor : float
        What no number of rows removes.
    costs : tuple of float
        Of each group, to be divided by its rows.
    """

    floor: float
    costs: tuple[float, float]

    def at(self, rows: Floats) -> Floats:
        """Read the curve: an array of shape (..., 2) to one of shape (...)."""
        e: Floats = self.floor + (np.asarray(self.costs) / rows).sum(axis=-1)
        return e

    def times(self, factor: float) -> "Curve":
        """Stretch the curve."""
        return Curve(factor * self.floor, (factor * self.costs[0], factor * self.costs[1]))

    def not_below(self, other: "Curve", rows: Floats) -> "Curve":
        """Stretch the curve, where it has to be, to lie no lower than another at some rows."""
        here = float(self.at(rows))
        return self.times(max(1.0, float(other.at(rows)) / here)) if here > 0 else other


def fit(
    e: Floats,
    taught: Floats,
    held: Floats,
    by_row: tuple[float, float],
    *,
    floored: bool = True,
) -> Curve:
    """Fit a curve to trials, with floor and costs at least 0.

    How the costs of the two groups compare is known: as what a row of each leaves to chance. So
    only the floor and one factor are fitted.

    Parameters
    ----------
    e : ndarray of shape (trials,)
        Estimates.
    taught, held : ndarray of shape (trials, 2)
        Rows of both groups that each was designed from, and tried on.
    by_row : tuple of float
        What one row of each group leaves to chance.
    floored : bool
        Whether there may be a floor; where marginals are mere counts there is none.

    Examples
    --------
    >>> rows = np.array([[10.0, 40.0], [20.0, 80.0], [40.0, 160.0]])
    >>> curve = fit(0.01 + 2.0 / rows[:, 0] + 1.0 / rows[:, 1], rows, rows, (4.0, 2.0))
    >>> round(curve.floor, 6), [round(cost, 6) for cost in curve.costs]
    (0.01, [2.0, 1.0])
    """
    chance = (np.asarray(by_row) / taught).sum(axis=1)
    # The spread of an estimate goes with what both partings leave to chance.
    weight = 1 / (1 / taught + 1 / held).sum(axis=1)
    columns = np.column_stack([np.ones(e.size), chance]) * weight[:, None]
    wanted = e * weight
    floor, factor = np.linalg.lstsq(columns, wanted, rcond=None)[0]
    if floor < 0 or not floored:
        floor, factor = 0.0, (columns[:, 1] @ wanted) / (columns[:, 1] @ columns[:, 1])
    elif factor < 0:
        floor, factor = (columns[:, 0] @ wanted) / (columns[:, 0] @ columns[:, 0]), 0.0
    floor, factor = max(float(floor), 0.0), max(float(factor), 0.0)
    return Curve(floor, (factor * by_row[0], factor * by_row[1]))
