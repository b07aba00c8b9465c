"""What each value gives away, whatever its size: the groups' shares among the rows that have it."""

import numpy as np
from numpy.typing import NDArray

from fairmend.measures.arrays import Codes, Floats

INNER_FOLDS = 5
PSEUDO_ROWS = 2.0


def shares_by_value(
    values: Floats, member: NDArray[np.bool_], train: Codes, rng: np.random.Generator
) -> Floats:
    """Give each row the shares of the groups among the training rows of the same value.

    A training row must not be among those that its own share is taken from, or the adversary would
    learn to trust shares that tell its row and nobody else's: they are taken from the other inner
    folds.

    Parameters
    ----------
    values : ndarray of shape (n,)
        NaN for missing, which is a value here.
    member : ndarray of shape (n, groups)
        Whose row it is.
    train : ndarray of shape (m,)
        Training rows.
    rng : numpy.random.Generator
        For the inner folds.

    Returns
    -------
    ndarray of shape (n, groups)
        Mixed with two pseudo-rows of the shares of all training rows.
    """
    distinct, place = np.unique(values, return_inverse=True)
    overall = member[train].mean(axis=0)
    by_fold = np.zeros((INNER_FOLDS, distinct.size, member.shape[1] + 1))
    fold = rng.permutation(train.size) % INNER_FOLDS
    np.add.at(by_fold[:, :, 0], (fold, place[train]), 1.0)
    for g in range(member.shape[1]):
        np.add.at(by_fold[:, :, g + 1], (fold, place[train]), member[train, g])
    total = by_fold.sum(axis=0)
    counts = total[place]  # (n, 1 + groups)
    counts[train] -= by_fold[fold, place[train]]
    shares: Floats = (counts[:, 1:] + PSEUDO_ROWS * overall) / (counts[:, :1] + PSEUDO_ROWS)
    return shares
