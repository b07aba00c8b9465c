"""Small counts are not shown: they are evened out over rare values, or counted with a neighbour."""

import numpy as np
from numpy.typing import NDArray

from fairmend.transport.support import Floats

FEWEST = 5
"""A count below this may tell a person's value, so no picture or report shows it."""

Run = tuple[int, int]


def pool_small(counts: NDArray[np.int64], fewest: int = FEWEST) -> tuple[Floats, list[Run]]:
    """Hide counts from 1 to ``fewest - 1`` without moving or flattening a peak.

    Rare values lie together, in tails and between round numbers. A stretch of them is parted into
    runs that hold enough rows, and every bin of a run gets the run's mean. A stretch that holds too
    few rows in all is counted with the heavier bin beside it, which is hardly changed by that;
    evening it out with that bin would break the bar of a peak in two.

    Parameters
    ----------
    counts : ndarray of shape (bins,)
        Rows of one group in each bin, along the axis of the feature; in all ``fewest`` or more.
    fewest : int
        Rows that whatever is shown must hold.

    Returns
    -------
    pooled : ndarray of shape (bins,)
        Rows a bin, fractions within a run; the sum is unchanged.
    runs : list of (first, end)
        Bins first to end - 1 do not show their own count.

    Examples
    --------
    >>> pooled, runs = pool_small(np.array([90, 4, 2, 1, 12, 0, 3, 30]))
    >>> [round(float(n), 2) for n in pooled], runs
    ([90.0, 2.33, 2.33, 2.33, 12.0, 0.0, 0.0, 33.0], [(1, 4), (5, 7)])
    """
    pooled = counts.astype(np.float64)
    runs = []
    for first, end in _stretches(counts < fewest):
        held = counts[first:end].sum()
        if held == 0:
            continue
        if held >= fewest:
            parts = [(first + a, first + b) for a, b in _parts(counts[first:end], fewest)]
            for a, b in parts:
                pooled[a:b] = counts[a:b].mean()
            runs += parts
        else:
            beside = [at for at in (first - 1, end) if 0 <= at < counts.size]
            pooled[first:end] = 0.0
            pooled[max(beside, key=counts.__getitem__)] += held
            runs.append((first, end))
    return pooled, runs


def _stretches(small: NDArray[np.bool_]) -> list[Run]:
    """Find the longest stretches of true values."""
    edges = np.flatnonzero(np.diff(small.astype(np.int8), prepend=0, append=0))
    return [(int(first), int(end)) for first, end in edges.reshape(-1, 2)]


def _parts(counts: NDArray[np.int64], fewest: int) -> list[Run]:
    """Part a stretch into runs of enough rows, from its left; the rest joins the last run.

    A run begins and ends with a bin that holds somebody, or tails would seem longer than they are.
    """
    parts: list[Run] = []
    first, held = 0, 0
    for at in np.flatnonzero(counts).tolist():
        first = first if held else at
        held += int(counts[at])
        if held >= fewest:
            parts.append((first, at + 1))
            held = 0
    if held:
        parts[-1] = (parts[-1][0], at + 1)
    return parts
