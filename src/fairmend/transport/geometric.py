"""Geometric repair of two samples: the point-by-point baseline that the paper compares with.

It moves the points that it is given and says nothing about any other, so there is no plan to keep.
The coupling is between ranks, so it is found by merging two rulers and never as an n0 x n1 matrix.
"""

from math import gcd

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fairmend.errors import DataError, OptionError

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def geometric_repair(x0: ArrayLike, x1: ArrayLike, t: float = 0.5) -> tuple[Floats, Floats]:
    """Move the points of two groups onto their barycentre, each to its conditional mean.

    These are the two repair equations of the paper's section on geometric repair, the on-sample
    repair of Gordaliza et al. (2019): a point moves towards the mean of the points that the
    optimal plan between the two empirical measures couples it with.

    Parameters
    ----------
    x0, x1 : array-like of shape (n0,) and (n1,)
        One feature of the two groups of one stratum, in any order. Neither is modified.
    t : float, default=0.5
        Where the target lies between the groups, from 0 (``x0`` stays) to 1 (``x1`` stays).

    Returns
    -------
    tuple of two arrays of shape (n0,) and (n1,)
        The repaired points, each at the place of the point it comes from.

    Raises
    ------
    OptionError
        If `t` is outside [0, 1].
    DataError
        If a sample is empty, is not one-dimensional, or has missing or infinite values.

    See Also
    --------
    rank_coupling : The optimal plan that is applied here.

    Notes
    -----
    Both results have the mean ``(1 - t) * mean(x0) + t * mean(x1)``. Of two samples of one size
    they are the same values, so the groups cannot be told apart at all. Of two sizes they need
    not be: a point that is coupled with several others moves to one point, their mean, where the
    barycentre would have it split. No result is wider than the barycentre, and the smaller the
    samples, the more the two still differ.

    Points of one value are coupled one after the other, in the order in which they are passed.
    They may end at different places, and which goes where depends on the order of the rows; the
    values in the result, as a whole, do not.

    A point whose partners all have its own value keeps it to the last bit, so that rounding makes
    no new values out of ties.

    Time is O(n log n) for n = n0 + n1, and memory O(n).

    Examples
    --------
    Two samples of one size become the same values, the smallest at the place of the smallest:

    >>> from fairmend.transport.geometric import geometric_repair
    >>> geometric_repair([3.0, 1.0, 2.0], [5.0, 7.0, 6.0])
    (array([5., 3., 4.]), array([3., 5., 4.]))

    Of two sizes, the one point goes halfway to the mean of the other two, and each of these goes
    halfway to it:

    >>> geometric_repair([0.0], [1.0, 3.0])
    (array([1.]), array([0.5, 1.5]))

    At either end one group stays where it is:

    >>> geometric_repair([0.0], [1.0, 3.0], t=1)
    (array([2.]), array([1., 3.]))
    """
    if not 0 <= t <= 1:  # also true of NaN
        message = f"t={t!r} is not between the groups. Pass a number from 0 to 1."
        raise OptionError(message)
    sample0, sample1 = _sample("x0", x0), _sample("x1", x1)
    order0, order1 = (np.argsort(x, kind="stable") for x in (sample0, sample1))
    sorted0, sorted1 = sample0[order0], sample1[order1]
    row, column, mass = rank_coupling(sorted0.size, sorted1.size)

    repaired0, repaired1 = np.empty_like(sorted0), np.empty_like(sorted1)
    repaired0[order0] = _between(sorted0, _partner_mean(row, sorted1[column], mass), t)
    repaired1[order1] = _between(_partner_mean(column, sorted0[row], mass), sorted1, t)
    return repaired0, repaired1


def rank_coupling(n0: int, n1: int) -> tuple[Integers, Integers, Integers]:
    """Return the optimal plan between two sorted samples, which their sizes alone determine.

    For every convex cost it is the monotone plan: it couples ranks at equal cumulative mass. The
    cumulative masses i / n0 and j / n1 are compared as integers, in units of one over the least
    common multiple of n0 and n1. In floating point those that are equal would differ by rounding,
    and leave entries that carry almost no mass but count as a pair.

    Parameters
    ----------
    n0, n1 : int
        The sizes of the two samples, at least 1 each.

    Returns
    -------
    row, column : arrays of shape (n0 + n1 - gcd(n0, n1),)
        The ranks, from 0, that each entry of the plan couples. Both are sorted.
    mass : array of shape (n0 + n1 - gcd(n0, n1),)
        The mass of each entry, in units of 1 / lcm(n0, n1) and at least 1.

    Examples
    --------
    The points of two weigh 3/6 each and those of three 2/6:

    >>> from fairmend.transport.geometric import rank_coupling
    >>> rank_coupling(2, 3)
    (array([0, 0, 1, 1]), array([0, 1, 1, 2]), array([2, 1, 1, 2]))
    """
    common = gcd(n0, n1)
    weight0, weight1 = n1 // common, n0 // common  # of one point, in units of the lcm
    ends0 = np.arange(1, n0 + 1, dtype=np.int64) * weight0
    ends1 = np.arange(1, n1 + 1, dtype=np.int64) * weight1
    ends = np.union1d(ends0, ends1)
    mass = np.diff(ends, prepend=0)
    return (ends - 1) // weight0, (ends - 1) // weight1, mass


def _partner_mean(point: Integers, partner: Floats, mass: Integers) -> Floats:
    """Return each point's mean partner; `point` is sorted and names every point."""
    first = np.flatnonzero(np.diff(point, prepend=-1))
    # Means are taken from the lowest partner up: the plain weighted mean of equal values can miss
    # them by a rounding error, and a tie that splits in two is a mark of the group.
    lowest = partner[first]
    excess = np.bincount(point, weights=mass * (partner - lowest[point]))
    mean: Floats = lowest + excess / np.bincount(point, weights=mass)
    return mean


def _between(start: Floats, end: Floats, t: float) -> Floats:
    """Return (1 - t) * start + t * end, exact at both ends and where they meet."""
    return start + t * (end - start) if t < 0.5 else end - (1 - t) * (end - start)


def _sample(name: str, values: ArrayLike) -> Floats:
    sample = np.asarray(values, dtype=np.float64)
    if sample.ndim != 1 or sample.size == 0:
        message = (
            f"{name} has shape {sample.shape}. Geometric repair couples two samples of one "
            f"feature: pass a one-dimensional array of at least 1 value for each group."
        )
        raise DataError(message)
    faulty = sample.size - np.count_nonzero(np.isfinite(sample))
    if faulty:
        message = (
            f"{name} has {faulty:,} missing or infinite values, which have no rank. Leave those "
            f"rows out and keep them as they are."
        )
        raise DataError(message)
    return sample
