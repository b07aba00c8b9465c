"""The order of a joint repair: first what tells much of other features and little of S."""

from itertools import combinations

import numpy as np

from fairmend.frames.levels import Codes
from fairmend.research.joint.rows import Rows
from fairmend.transport.support import Floats


def in_order(codes: dict[str, Codes], rows: Rows) -> tuple[str, ...]:
    """Order features by what each tells of the others, within groups, for what it tells of S.

    A feature that hardly differs between groups is hardly changed, so that later ones, which are
    repaired in leaves of it, stay with the values that they belong to. Those that differ most come
    last, where most is known.

    Parameters
    ----------
    codes : dict of str to ndarray of shape (n,)
        Each feature's values in a few bins.
    rows : Rows
        The research rows.
    """
    everywhere = rows.stratum * (int(rows.group.max(initial=0)) + 1) + rows.group
    links = dict.fromkeys(codes, 0.0)
    for a, b in combinations(codes, 2):
        told = _told(codes[a], codes[b], everywhere, rows.weights)
        links[a] += told
        links[b] += told
    leaks = {
        name: _told(code, rows.group, rows.stratum, rows.weights) for name, code in codes.items()
    }
    least = 1.0 / max(len(rows), 1)
    return tuple(sorted(codes, key=lambda name: -(links[name] + least) / (leaks[name] + least)))


def _told(a: Codes, b: Codes, within: Codes, weights: Floats) -> float:
    """Estimate the mutual information of two codes within parts of the rows, in nats."""
    total = 0.0
    for part in np.unique(within):
        at = within == part
        x, y, w = a[at], b[at], weights[at]
        n = int(y.max()) + 1
        counts = np.bincount(x * n + y, w, (int(x.max()) + 1) * n).reshape(-1, n)
        counts = counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0]
        size = counts.sum()
        expected = counts.sum(axis=1, keepdims=True) * counts.sum(axis=0) / size
        known = counts > 0
        nats = float((counts[known] * np.log(counts[known] / expected[known])).sum())
        # What independent codes would seem to tell, by the chi-squared law.
        chance = (counts.shape[0] - 1) * (counts.shape[1] - 1) / 2
        total += nats - chance
    return max(total, 0.0) / float(weights.sum())
