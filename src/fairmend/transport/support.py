"""Supports: the points that a cell's marginals, target and couplings live on (lines 4–5)."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def uniform_support(
    low: float, high: float, n: int, margin: float = 0.0, lattice: float = 0.0
) -> Floats:
    """Lay ``n`` equal steps over a range, widened by ``margin`` of its width on each side.

    ``margin=0`` is Algorithm 1, line 4, to the letter. A wider support catches archive values
    beyond the research range. It never crosses zero when the range does not: a repaired income or
    age must not turn negative because of where a grid begins.

    Parameters
    ----------
    low, high : float
        Smallest and largest research value, ``low < high``.
    n : int
        Number of points, at least 2.
    margin : float
        Share of the range to add at each end.
    lattice : float
        Where values only come in multiples of a step, the step: the points are then whole steps
        from ``low``, as many as ``n`` allows.

    Examples
    --------
    >>> uniform_support(1.0, 5.0, 5)
    array([1., 2., 3., 4., 5.])
    >>> uniform_support(1.0, 11.0, 3, margin=0.2)
    array([ 0. , 6.5, 13. ])
    """
    wide_low, wide_high = low - margin * (high - low), high + margin * (high - low)
    if low >= 0:
        wide_low = max(wide_low, 0.0)
    if high <= 0:
        wide_high = min(wide_high, 0.0)
    if lattice == 0.0:
        points: Floats = np.linspace(wide_low, wide_high, n)
        return points
    below, above = (int((low - wide_low) / lattice), int((wide_high - low) / lattice))
    stride = max(1, -(-(below + above) // (n - 1)))
    steps = np.arange(-(below // stride), above // stride + 1) * stride
    # The research range must stay inside, or its last values would be cut off.
    if steps[-1] * lattice < high - low:
        steps = np.append(steps, steps[-1] + stride)
    return low + steps * lattice


def split_onto(support: Floats, values: Floats, mass: Floats) -> Floats:
    """Split mass at any place linearly onto the two neighbouring support points.

    The split keeps the mean exactly. It is what Algorithm 2 does to an archive value by its
    Bernoulli trial, so it is also how a target between two points has to be written. Values outside
    the support go to its nearest end.

    Parameters
    ----------
    support : ndarray of shape (n,)
        Sorted, distinct points.
    values, mass : ndarray of shape (m,)
        Where the mass is, and how much.

    Returns
    -------
    ndarray of shape (n,)
        Mass on each support point; its sum is the sum of ``mass``.

    Examples
    --------
    >>> split_onto(np.array([0.0, 1.0, 2.0]), np.array([0.25, 2.0]), np.array([1.0, 3.0]))
    array([0.75, 0.25, 3.  ])
    """
    if support.size == 1:
        return np.array([mass.sum()])
    inside = np.clip(values, support[0], support[-1])
    below = np.clip(np.searchsorted(support, inside, side="right") - 1, 0, support.size - 2)
    tau = (inside - support[below]) / (support[below + 1] - support[below])
    split: Floats = np.bincount(below, mass * (1 - tau), support.size).astype(np.float64)
    split += np.bincount(below + 1, weights=mass * tau, minlength=support.size)
    return split
