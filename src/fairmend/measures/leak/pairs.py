"""What two columns tell of S together: an adversary that counts, for every pair of columns.

It learns each pair of bins' share of a group from two thirds of the rows and guesses the others by
it. It needs no training worth the name, so that all pairs can be tried, and it shows where a joint
adversary's AUC comes from; a boosted one, which sees all columns and no bins, finds more.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations_with_replacement
from typing import NamedTuple

import numpy as np

from fairmend.measures.arrays import Codes, Floats
from fairmend.measures.leak.adversary import membership
from fairmend.measures.leak.parts import NORMAL_95, Part
from fairmend.measures.leak.ranks import rank_auc

FOLDS = 3

PSEUDO_ROWS = 2.0
"""Rows of the stratum's make-up in each pair of bins."""

BINS, MOST_LEVELS = 10, 30


class PairAuc(NamedTuple):
    """AUC for S within U, with its 95 % interval."""

    auc: float
    low: float
    high: float


def pair_aucs(
    columns: Mapping[str, Codes], parts: Sequence[Part], seed: int
) -> dict[tuple[str, str], PairAuc]:
    """Test each column, named twice, and each pair of columns.

    Parameters
    ----------
    columns : mapping of str to ndarray of shape (n,)
        Bins from 0 on, see :func:`binned`.
    parts : sequence of Part
        The strata.
    seed : int
        Of the folds.

    Examples
    --------
    Neither coin tells which group it is; both together do.

    >>> rng = np.random.default_rng(0)
    >>> s, a = rng.integers(0, 2, 400), rng.integers(0, 2, 400)
    >>> one = Part("all rows", np.arange(400), s, ("0", "1"))
    >>> found = pair_aucs({"a": a, "b": a ^ s}, [one], 0)
    >>> {names: round(told.auc, 1) for names, told in found.items()}
    {('a', 'a'): 0.5, ('a', 'b'): 1.0, ('b', 'b'): 0.5}
    """
    rng = np.random.default_rng(seed)
    folds = [rng.permutation(part.rows.size) % FOLDS for part in parts]
    weights = np.array([part.rows.size for part in parts], dtype=np.float64)
    weights /= weights.sum()
    found = {}
    for a, b in combinations_with_replacement(columns, 2):
        told = np.array(
            [
                _told(columns[a][part.rows], columns[b][part.rows], part.s, fold)
                for part, fold in zip(parts, folds, strict=True)
            ]
        )
        auc = float(weights @ told[:, 0])
        half = NORMAL_95 * float(np.sqrt(weights**2 @ told[:, 1]))
        found[a, b] = PairAuc(auc, max(0.0, auc - half), min(1.0, auc + half))
    return found


def binned(before: Floats, after: Floats, levels: int) -> tuple[Codes, Codes]:
    """Put values before and after a repair into the same bins, with one for missing values.

    Parameters
    ----------
    before, after : ndarray of shape (n,)
        Values, or places of levels, negative where unseen.
    levels : int
        How many levels there are; 0 of numbers.
    """
    if levels:
        common = np.argsort(-np.bincount(_places(before, levels), minlength=levels + 1)[:-1])
        code = np.full(levels + 1, MOST_LEVELS)
        code[common[:MOST_LEVELS]] = np.arange(min(levels, MOST_LEVELS))
        code[levels] = MOST_LEVELS + 1
        one, other = (code[_places(x, levels)] for x in (before, after))
        return one, other
    known = before[~np.isnan(before)]
    ends = np.unique(known)
    if ends.size > BINS:
        ends = np.unique(np.quantile(known, np.arange(1, BINS) / BINS, method="inverted_cdf"))
    one, other = (np.where(np.isnan(x), 0, 1 + np.searchsorted(ends, x)) for x in (before, after))
    return one, other


def _places(x: Floats, levels: int) -> Codes:
    return np.where(x >= 0, x, levels).astype(np.int64)  # NaN is not at least 0


def _told(a: Codes, b: Codes, s: Codes, fold: Codes) -> tuple[float, float]:
    """Give the AUC of one stratum, the mean over its groups, and its variance."""
    _, code = np.unique(a * (int(b.max()) + 1) + b, return_inverse=True)
    member = membership(s)
    auc, influence = np.zeros(member.shape[1]), np.zeros(member.shape)
    for held in range(FOLDS):
        out = fold == held
        size = np.bincount(code[~out], minlength=int(code.max()) + 1)
        for g in range(member.shape[1]):
            its, test = member[:, g], member[out, g]
            if test.all() or not test.any():
                continue
            own = np.bincount(code[~out & its], minlength=size.size)
            share = (own + PSEUDO_ROWS * its[~out].mean()) / (size + PSEUDO_ROWS)
            of_fold = rank_auc(share[code[out]], test)
            weight = out.mean()
            auc[g] += weight * of_fold.auc
            influence[out, g] = weight * of_fold.influence
    return float(auc.mean()), 2.0 * float((influence.mean(axis=1) ** 2).sum())
