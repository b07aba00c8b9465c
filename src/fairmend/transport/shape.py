"""Shapes that the groups of a stratum share, fitted to one of them.

A group of 25 people says where it lies but hardly what shape it has. Its marginal is shrunk towards
the shape of everybody in its stratum, moved to where the group lies.
"""

from collections.abc import Sequence

import numpy as np

from fairmend.transport.points import Points
from fairmend.transport.support import Floats

BINS = 256
RANK_WIDTH = 0.3
"""Kernel width over ranks is this times n^(-1/5): Silverman's rule for a flat density."""


TILT_STEPS, MOST_TILT = 8, 60.0


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


def leaned(pooled: Floats, marginal: Floats, n: float) -> Floats:
    """Lean the pooled law towards a group, smoothly over ranks.

    For columns with atoms, where moving the shape would move the atoms: every atom keeps its place
    and the share that all groups together give it, times a smooth ratio of the group's density to
    everybody's. So heaps are shared and trends are the group's own. Over ranks and not values, so
    that one huge income does not decide the lean and units do not matter.

    Parameters
    ----------
    pooled : ndarray of shape (points,)
        Law of the whole stratum.
    marginal : ndarray of shape (points,)
        Law of the group.
    n : float
        Effective rows of the group.

    Examples
    --------
    >>> leaned(np.array([0.25, 0.5, 0.25]), np.array([0.0, 0.5, 0.5]), 1_000.0).round(2)
    array([0.01, 0.48, 0.51])
    """
    rank = np.cumsum(pooled) - 0.5 * pooled
    edges, centres = np.arange(BINS + 1) / BINS, (np.arange(BINS) + 0.5) / BINS
    width = RANK_WIDTH * max(n, 2.0) ** -0.2
    kernel = np.exp(-0.5 * ((centres[:, None] - centres) / width) ** 2)
    places = np.concatenate([[0.0], np.cumsum(pooled)])
    upto = np.interp(edges, places, np.concatenate([[0.0], np.cumsum(marginal)]))
    # Everybody's density over their own ranks is flat; its kernel sum corrects the ends.
    ratio = (kernel @ np.diff(upto)) / (kernel.sum(axis=1) / BINS)
    law = pooled * np.interp(rank, centres, ratio)
    return _with_mean_rank(law / law.sum(), rank, float(marginal @ rank))


def _with_mean_rank(law: Floats, rank: Floats, wanted: float) -> Floats:
    """Tilt a law until its mean rank is the group's own, which smoothing has drawn to the middle.

    Left out, a fifth of the groups' difference in means survives the repair. The mean rank rises
    with the tilt, and Newton's steps find it in a few, held to what can be told from chance.
    """
    tilt = 0.0
    for _ in range(TILT_STEPS):
        weights = law * np.exp(tilt * (rank - wanted))
        weights /= weights.sum()
        mean = float(weights @ rank)
        variance = float(weights @ (rank - mean) ** 2)
        if variance < 1e-12:
            break
        tilt = float(np.clip(tilt + (wanted - mean) / variance, -MOST_TILT, MOST_TILT))
    tilted = law * np.exp(tilt * (rank - wanted))
    shares: Floats = tilted / tilted.sum()
    return shares
