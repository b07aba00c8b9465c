"""The area under the curve by ranks, and how much each row has to do with it."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fairmend.measures.arrays import Floats


class RankAuc(NamedTuple):
    """An AUC, and each row's influence on it: the sum of their squares is its variance."""

    auc: float
    influence: Floats


def rank_auc(scores: Floats, member: NDArray[np.bool_]) -> RankAuc:
    """Compute the chance that a member's score is above another's, ties counting half.

    The influences are DeLong's: how far each member's share of others below it, and each other's
    share of members above it, is from the mean.

    Examples
    --------
    >>> found = rank_auc(np.array([1.0, 2.0, 2.0, 3.0]), np.array([False, False, True, True]))
    >>> found.auc
    0.875
    >>> print(round(float((found.influence**2).sum()), 4))
    0.0312
    """
    _, place = np.unique(scores, return_inverse=True)
    members = np.bincount(place[member], minlength=place.max() + 1)
    others = np.bincount(place[~member], minlength=members.size)
    others_below = (np.cumsum(others) - 0.5 * others) / others.sum()
    members_above = 1.0 - (np.cumsum(members) - 0.5 * members) / members.sum()
    share = np.where(member, others_below[place], members_above[place])
    auc = float(share[member].mean())
    n = np.where(member, members.sum(), others.sum())
    # Divided by sqrt(n (n − 1)), the squares add up to the unbiased variances of the two means.
    return RankAuc(auc, (share - auc) / np.sqrt(n * np.maximum(n - 1, 1)))
