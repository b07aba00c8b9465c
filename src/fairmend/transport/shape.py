"""Shapes that the groups of a stratum share, fitted to one of them.

A group of 25 people says where it lies but hardly what shape it has. Its marginal is shrunk towards
the shape of everybody in its stratum, moved to where the group lies.
"""

from collections.abc import Sequence

import numpy as np

from fairmend.transport.points import Points
from fairmend.transport.support import Floats


def recentred(groups: Sequence[Points]) -> Points:
    """Pool the groups' values about their own means, in units of their own deviations.

    Returns
    -------
    Points
        The shared shape, with mean 0 and deviation 1.
    """
    spread_out = [points for points in groups if points.deviation > 0]
    return Points.together(
        [
            Points((p.values - p.mean) / p.deviation, p.rows, p.weights, p.squares)
            for p in spread_out
        ]
    )


def pooled_deviation(groups: Sequence[Points]) -> float:
    """Pool the groups' standard deviations, by their numbers of rows."""
    degrees = np.array([max(points.effective - 1, 0.0) for points in groups])
    variances = np.array([points.deviation**2 for points in groups])
    return float(np.sqrt(degrees @ variances / degrees.sum())) if degrees.sum() > 0 else 0.0


def effects(atoms: Floats, groups: Sequence[Points]) -> Floats:
    """Compute how much likelier each category is in each group than in everybody.

    One pseudo-row a group, spread as everybody is, keeps a category that a group never showed from
    having no chance at all.

    Returns
    -------
    ndarray of shape (groups, atoms)
    """
    counts = np.zeros((len(groups), atoms.size))
    for count, points in zip(counts, groups, strict=True):
        count[np.searchsorted(atoms, points.values)] = points.weights
    pooled = (counts.sum(axis=0) + 1.0 / atoms.size) / (counts.sum() + 1.0)
    laws = (counts + pooled) / (counts.sum(axis=1, keepdims=True) + 1.0)
    ratio: Floats = laws / pooled
    return ratio


def tilted(pooled: Floats, marginal: Floats) -> Floats:
    """Tilt the pooled law until a group's mean rank in it is the group's own.

    For columns with atoms, where moving the shape would move the atoms: ``p·exp(θ·F)`` with F the
    pooled law's middle rank keeps every atom in its place and only leans the weights. Ranks and not
    values, so that one huge income does not decide the lean and units do not matter.

    Parameters
    ----------
    pooled : ndarray of shape (points,)
        Law of the whole stratum.
    marginal : ndarray of shape (points,)
        Law of the group.

    Examples
    --------
    >>> tilted(np.array([0.25, 0.5, 0.25]), np.array([0.0, 0.5, 0.5])).round(2)
    array([0.06, 0.39, 0.55])
    """
    rank = np.cumsum(pooled) - 0.5 * pooled
    wanted = marginal @ rank
    low, high = -60.0, 60.0
    # The mean rank rises with θ: bisection to the last bit that matters.
    for _ in range(60):
        theta = 0.5 * (low + high)
        leaned = pooled * np.exp(theta * (rank - (1.0 if theta > 0 else 0.0)))
        leaned /= leaned.sum()
        low, high = (theta, high) if leaned @ rank < wanted else (low, theta)
    return leaned
