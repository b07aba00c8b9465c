"""Supports: the points that a cell's marginals, target and couplings live on (lines 4–5)."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

NOISE = 1e-13
"""Mass that is only there by rounding. Were it kept, equal sums that differ in their last bit would
send it to places where the law has nothing, and other units would give other couplings."""

MOST_DIGITS = 6
"""Decimals that a lattice is looked for in."""

SNAP = 1e-9
"""Share of a gap within which a place is the support point itself."""


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
    if high <= 0:  # whole strides from ``low`` could end above zero, so they start from ``high``
        mirrored = uniform_support(-high, -low, n, margin, lattice)
        return even_points(0.0 - mirrored[-1], 0.0 - mirrored[0], mirrored.size, lattice)
    # Rounding must not decide about a step: 0.3 is three steps of 0.1, as 3 is of 1.
    below, above, inside = (
        int(np.floor(width / lattice + 1e-6))
        for width in (low - wide_low, wide_high - low, high - low)
    )
    stride = max(1, -(-(below + above) // (n - 1)))
    # The research range must stay inside, or its last values would be cut off.
    first, last = -(below // stride), max(above // stride, -(-inside // stride))
    start, end = low + first * stride * lattice, low + last * stride * lattice
    if low >= 0 and start < 1e-6 * lattice:
        start = 0.0
    end = high if last * stride == inside else end
    start, end = spelt_as((low, high), np.array([start, end]), lattice)
    # From its ends, its size and the lattice a plan file must rebuild the same bits.
    return even_points(start, end, last - first + 1, lattice)


def even_points(start: float, end: float, n: int, lattice: float = 0.0) -> Floats:
    """Lay ``n`` points evenly, spelt as the data are where these are decimals.

    Sums of 0.01 end in ``…0000001``. Beside 16.84 itself, which a partial repair keeps, that would
    tell who was moved.

    Examples
    --------
    >>> even_points(0.1, 0.5, 5, lattice=0.1).tolist()
    [0.1, 0.2, 0.3, 0.4, 0.5]
    """
    return spelt_as((start, end), np.linspace(start, end, n), lattice)


def spelt_as(ends: tuple[float, float], points: Floats, lattice: float) -> Floats:
    """Round points of a lattice to the decimals of its ends; without any they stay as they are."""
    digits = _decimals(ends, lattice)
    rounded: Floats = points if digits == 0 else np.round(points, digits)
    return rounded


def _decimals(ends: tuple[float, float], lattice: float) -> int:
    """Count the decimals of a lattice and two of its values; 0 where they have none to keep."""
    for digits in range(MOST_DIGITS + 1):
        steps = lattice * 10.0**digits
        is_whole = steps > 0.5 and abs(steps - round(steps)) < 1e-6
        if is_whole and all(end == np.round(end, digits) for end in ends):
            return digits
    return 0


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
    tau = np.where(tau < SNAP, 0.0, np.where(tau > 1 - SNAP, 1.0, tau))
    split: Floats = np.bincount(below, mass * (1 - tau), support.size).astype(np.float64)
    split += np.bincount(below + 1, weights=mass * tau, minlength=support.size)
    return split
