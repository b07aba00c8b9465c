"""The posterior-weighted map: for rows whose group is a probability, and values that have a mean.

It is a function of what is known of a row, the same for all groups, so it can tell no more of S
than the row did. But it is only for values of which a mean is one: 0.3 of the way from 40 hours to
43 is a value that nobody has, and would show the row's posterior to everyone. Columns with atoms, a
lattice or categories are repaired by a drawn group instead: a draw from the groups' coupling rows,
weighted by the posterior, has the same law.
"""

import numpy as np

from fairmend.frames.levels import Codes
from fairmend.kernel.draws import HALF, Bits, mix
from fairmend.kernel.move import Move
from fairmend.kernel.repair import repair_values
from fairmend.plan.feature import Feature
from fairmend.transport.support import SNAP, Floats


def expected_values(
    feature: Feature, x: Floats, stratum: Codes, weights: Floats, keys: Bits, move: Move
) -> Floats:
    """Move values by the mean of the groups' monotone maps.

    Parameters
    ----------
    feature : Feature
        Continuous, without atoms.
    x : ndarray of shape (n,)
        Values, NaN where missing.
    stratum : ndarray of shape (n,)
        Codes of the strata, the last of which stands for everywhere.
    weights : ndarray of shape (groups, n)
        Posterior of the groups.
    keys : ndarray of shape (n,)
        ``mix(row key)``.
    move : Move
        How the feature is moved. Where values go to support points, so does the mean: to one of its
        two neighbours, by the Bernoulli trial of Algorithm 2. A value elsewhere would tell who had
        no group.
    """
    map_of = Move("monge", 1.0, True, move.repair, move.dither, move.keep)
    mean = np.zeros_like(x)
    for group, weight in enumerate(weights):
        cells = stratum * feature.table.n_groups + group
        mean = mean + weight * repair_values(feature.table, x, cells, keys, map_of)
    if move.output == "support":
        bits = (mix(keys ^ move.repair) >> HALF).astype(np.float64) / 2.0**32
        mean = _on_support(feature, mean, stratum, bits)
    return mean if move.amount == 1.0 else (1.0 - move.amount) * x + move.amount * mean


def _on_support(feature: Feature, values: Floats, stratum: Codes, bits: Floats) -> Floats:
    placed = values.copy()
    for code, cell in enumerate((*feature.cells, feature.anywhere)):
        rows = np.flatnonzero((stratum == code) & ~np.isnan(values))
        support = cell.support
        if not rows.size or support.size == 1:
            continue
        y = values[rows]
        below = np.clip(np.searchsorted(support, y, side="right") - 1, 0, support.size - 2)
        tau = (y - support[below]) / (support[below + 1] - support[below])
        placed[rows] = support[below + (bits[rows] < np.where(tau < SNAP, 0.0, tau))]
    return placed
