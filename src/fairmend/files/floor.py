"""The floor of E: what it is where nothing depends on the group but by chance."""

import numpy as np

from fairmend.frames.levels import Codes
from fairmend.measures.dependence import dependence
from fairmend.transport.kinds import Kind
from fairmend.transport.support import Floats

DRAWS = 3
SEED = 2
"""Fixed, so that an audit says the same every time; it protects nothing."""


def floor(values: Floats, group: Codes, stratum: Codes, kind: Kind) -> float:
    """Measure E in nats with the groups shuffled within the strata, and average over 3 shuffles.

    Parameters
    ----------
    values : ndarray of shape (n,)
        A feature, without missing values.
    group, stratum : ndarray of shape (n,)
        Of each row; every group has at least 2 rows in each stratum.
    kind : str
        Of the feature, as for :func:`fairmend.dependence`.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> group = np.repeat([0, 1], 500)
    >>> f"{floor(rng.normal(group), group, np.zeros(1000, dtype=np.int64), 'continuous'):.3f}"
    '0.014'
    """
    rng = np.random.default_rng(SEED)
    drawn = [_shuffled(group, stratum, rng) for _ in range(DRAWS)]
    return float(np.mean([dependence(values, other, stratum, kind=kind) for other in drawn]))


def _shuffled(group: Codes, stratum: Codes, rng: np.random.Generator) -> Codes:
    shuffled = np.empty_like(group)
    in_order = np.argsort(stratum, kind="stable")
    shuffled[in_order] = group[np.lexsort((rng.random(group.size), stratum))]
    return shuffled
