"""The barycentre ν: the law that is nearest to all groups' marginals at once (Equation baryt)."""

from collections.abc import Sequence

import numpy as np

from fairmend.transport.support import NOISE, Floats, split_onto


def cumulative(mass: Floats) -> Floats:
    """Sum a marginal up to each support point; the last sum is exactly 1.

    The sum is taken from left to right (``cumsum`` does; ``sum`` adds in pairs), so that a plan
    rebuilt on another machine has the same bits.
    """
    sums = np.cumsum(mass)
    upto: Floats = np.minimum(sums / sums[-1], 1.0)
    return upto


def barycentre(support: Floats, marginals: Sequence[Floats] | Floats, weights: Floats) -> Floats:
    """Compute the W₂ barycentre of marginals on a sorted support, in closed form.

    In one dimension the barycentre's quantile function is the weighted average of the groups'
    quantile functions. They are step functions: between two neighbouring jumps all are constant, so
    the average is too, and its mass is split linearly onto the two neighbouring support points.
    With two equal weights on a uniform support no better law exists on that support; elsewhere the
    split costs at most a quarter of the largest gap squared.

    Parameters
    ----------
    support : ndarray of shape (n,)
        Sorted, distinct points.
    marginals : ndarray of shape (groups, n)
        One probability mass a group.
    weights : ndarray of shape (groups,)
        Weight of each group; they need not sum to 1. ``(1 - t, t)`` gives ν_t.

    Returns
    -------
    ndarray of shape (n,)
        Non-negative masses that sum to 1.

    Examples
    --------
    >>> support = np.array([0.0, 1.0, 2.0])
    >>> barycentre(support, [np.array([1.0, 0, 0]), np.array([0, 0, 1.0])], np.array([0.5, 0.5]))
    array([0., 1., 0.])
    """
    sums = [cumulative(np.asarray(mass)) for mass in marginals]
    jumps = np.unique(np.concatenate(sums))
    starts = np.concatenate([[0.0], jumps[:-1]])
    kept = jumps - starts > NOISE
    jumps, starts = jumps[kept], starts[kept]
    share = weights / weights.sum()
    # Atoms of one row: the place where every group's quantile function is constant.
    places = np.zeros(jumps.size)
    for weight, cumulated in zip(share, sums, strict=True):
        at = np.minimum(np.searchsorted(cumulated, starts, side="right"), support.size - 1)
        places += weight * support[at]
    mass = split_onto(support, places, jumps - starts)
    share_of: Floats = mass / mass.sum()
    return share_of
