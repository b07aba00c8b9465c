"""Alias tables: draw from any row of a coupling in one step, whatever its length."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fairmend.transport.coupling import Indices
from fairmend.transport.support import Floats

ONE = 2.0**32
"""A probability of 1 in the 32-bit integers that a draw is compared with."""


@dataclass(frozen=True)
class AliasTable:
    """Rows of 2^k slots; a slot keeps its own target or passes on to its alias.

    A draw of 32 bits picks the slot by its leading k bits and compares the rest with the slot's
    threshold. All of it is integer arithmetic, so every implementation agrees to the bit.

    Attributes
    ----------
    start : ndarray of shape (rows,)
        First slot of each row.
    size_log2 : ndarray of shape (rows,)
        k of each row.
    threshold : ndarray of shape (slots,)
        Keep below it, of 2^32.
    own, alias : ndarray of shape (slots,)
        Target indices.
    """

    start: NDArray[np.int64]
    size_log2: NDArray[np.uint64]
    threshold: NDArray[np.uint64]
    own: Indices
    alias: Indices

    @property
    def own_and_alias(self) -> Indices:
        """Lay side by side what a slot holds and what it passes on to."""
        return np.stack([self.own, self.alias], axis=1).reshape(-1)


def alias_table(row: Indices, target: Indices, mass: Floats, n_rows: int) -> AliasTable:
    """Build the table from the entries of a coupling, sorted by row; every row has an entry.

    Rows are padded with massless slots to a power of two and those of one size are built together:
    the smallest open slot is filled up by the largest until all are full (Walker's method).
    Probabilities are whole numbers of 2^-32 from the start: so ties are ties in any units and on
    any machine, and what is drawn is what the table says.
    """
    entries = np.bincount(row, minlength=n_rows)
    size_log2 = np.ceil(np.log2(entries)).astype(np.int64)
    size = 1 << size_log2
    start = np.concatenate([[0], np.cumsum(size)[:-1]])
    first_entry = np.concatenate([[0], np.cumsum(entries)[:-1]])
    slot = start[row] + (np.arange(row.size) - first_entry[row])
    total = np.bincount(row, weights=mass, minlength=n_rows)
    share = np.zeros(int(size.sum()))
    share[slot] = mass / total[row]
    own = np.repeat(target[first_entry], size)  # a padded slot must hold some valid target
    own[slot] = target
    threshold, alias = np.full(share.size, ONE), own.copy()
    for log2 in np.unique(size_log2[size_log2 > 0]):
        slots = start[size_log2 == log2][:, None] + np.arange(1 << log2)
        threshold[slots], other = _fill(share[slots])
        alias[slots] = np.take_along_axis(own[slots], other, axis=1)
    return AliasTable(
        start=start,
        size_log2=size_log2.astype(np.uint64),
        threshold=threshold.astype(np.uint64),
        own=own,
        alias=alias,
    )


def _fill(share: Floats) -> tuple[Floats, Indices]:
    """Level rows of shares that sum to 1: thresholds and, for each slot, whom it passes on to."""
    n_rows, size = share.shape
    rows = np.arange(n_rows)
    # Rounding the sums, not the shares, keeps each row's total; the mean slot then holds ONE.
    upto = np.rint(np.cumsum(share, axis=1) * ONE)
    share = np.diff(upto, axis=1, prepend=0.0) * size
    threshold = np.full_like(share, ONE)
    alias = np.tile(np.arange(size), (n_rows, 1))
    closed = np.zeros(share.shape, dtype=bool)
    for _ in range(size - 1):
        small = np.argmin(np.where(closed, np.inf, share), axis=1)
        large = np.argmax(np.where(closed, -np.inf, share), axis=1)
        filled = np.minimum(share[rows, small], ONE)
        threshold[rows, small] = filled
        alias[rows, small] = large
        closed[rows, small] = True
        share[rows, large] -= ONE - filled
    return threshold, alias
