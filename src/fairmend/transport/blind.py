"""One randomised map for all groups: where nobody may know who is of which group.

No invertible map can bring two laws nearer: a divergence compares shares, and a map that is the
same for everybody and loses nothing moves both laws' shares alike. What a map without groups can do
is to make different values equal: to let a low value, more frequent in the one group, and a high
value, more frequent in the other, end at the same place so often that the place tells nothing. That
costs more than a map that knows the group, and this is how to do it at the least cost.
"""

from itertools import combinations

import numpy as np

from fairmend.transport.coupling import Coupling, Indices
from fairmend.transport.support import Floats

MOST_BINS = 60
"""Neighbouring points of a larger support share what happens to them."""

STEPS, GAIN, LEAST = 500, 1e-7, 3e-4
"""Steps of the descent; what a step must gain; probabilities below the last are left out."""


def shared_map(laws: Floats, mass: Floats, cost: Floats, price: float) -> Floats:
    """Find the map that minimises dependence plus ``price`` times cost.

    The dependence left is convex in the map, and its cost linear. Each row of the map is a law:
    mirror descent multiplies its entries by what they gain, so they stay positive and sum to 1.

    Parameters
    ----------
    laws : ndarray of shape (groups, n)
        Positive masses of each group.
    mass : ndarray of shape (n,)
        Share of everybody at each point.
    cost : ndarray of shape (n, n)
        Of moving from each point to each other.
    price : float
        Nats that a unit of cost is worth.

    Returns
    -------
    ndarray of shape (n, n)
        Where each point goes; rows sum to 1.
    """
    n = mass.size
    weight = np.maximum(mass, 1e-12)[:, None]
    ratio = (laws / weight.T).T  # (n, groups)
    priced, weighted = price * cost, weight * cost
    kernel = np.exp(np.where(np.eye(n) > 0, 0.0, -6.0))
    kernel /= kernel.sum(axis=1, keepdims=True)
    after = laws @ kernel + 1e-12
    logs = np.log(after)
    step, reached = 1.0, _dependence(after, logs) + price * float((weighted * kernel).sum())
    for at in range(STEPS):
        slope = ratio @ _slopes(after, logs) + priced
        slope -= slope.min(axis=1, keepdims=True)
        while True:
            # Nothing is ever quite impossible, or it could not come back.
            tried = np.minimum(step * slope, 300.0)
            np.exp(np.negative(tried, out=tried), out=tried)
            np.maximum(np.multiply(kernel, tried, out=tried), 1e-200, out=tried)
            tried /= tried.sum(axis=1, keepdims=True)
            after = laws @ tried + 1e-12
            logs = np.log(after)
            value = _dependence(after, logs) + price * float((weighted * tried).sum())
            if value <= reached or step < 1e-9:
                break
            step *= 0.5
        gained = reached - value
        kernel, reached, step = tried, min(value, reached), step * 1.3
        if gained < GAIN * max(reached, 1e-3) and at > 20:
            break
    kernel[kernel < LEAST] = 0.0
    kernel /= kernel.sum(axis=1, keepdims=True)
    return kernel


def dependence_of(laws: Floats) -> float:
    """Compute the mean symmetrised divergence of all pairs of positive laws."""
    return _dependence(laws, np.log(laws))


def _dependence(laws: Floats, logs: Floats) -> float:
    pairs = [
        0.5 * float(((laws[a] - laws[b]) * (logs[a] - logs[b])).sum())
        for a, b in combinations(range(len(laws)), 2)
    ]
    return sum(pairs) / len(pairs)


def _slopes(after: Floats, logs: Floats) -> Floats:
    """Differentiate the dependence by each group's law."""
    slopes = np.zeros_like(after)
    pairs = list(combinations(range(len(after)), 2))
    for a, b in pairs:
        between = logs[a] - logs[b]
        slopes[a] += 0.5 * (between + 1.0 - after[b] / after[a])
        slopes[b] += 0.5 * (-between + 1.0 - after[a] / after[b])
    return slopes / len(pairs)


def bins_of(mass: Floats) -> Indices:
    """Put neighbouring points into at most ``MOST_BINS`` bins of about equal mass."""
    if mass.size <= MOST_BINS:
        return np.arange(mass.size)
    middle = np.cumsum(mass) - 0.5 * mass
    found = np.unique((middle / mass.sum() * MOST_BINS).astype(np.int64), return_inverse=True)[1]
    return np.asarray(found, dtype=np.intp)


def spread(kernel: Floats, bins: Indices, mass: Floats) -> Coupling:
    """Write a map between bins as one between points.

    A point that stays in its bin stays where it is; one that leaves lands on the point of the other
    bin that has its rank there, so that a bin keeps its spread.

    Returns
    -------
    Coupling
        For everybody; points that nobody has stay, with as much mass as one that few have.
    """
    count = np.bincount(bins)
    first = np.cumsum(count) - count
    source, to_bin = np.nonzero(kernel[bins])
    rank = (source - first[bins[source]] + 0.5) / count[bins[source]]
    target = first[to_bin] + (rank * count[to_bin]).astype(np.intp)
    target = np.where(bins[source] == to_bin, source, target)
    share = kernel[bins[source], to_bin]
    weight = np.maximum(mass, 1e-12)
    return Coupling(source, target, share * weight[source] / weight.sum())
