"""Growing a tree: leaves in which a feature's law, group by group, is about the same."""

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fairmend.frames.levels import Codes
from fairmend.plan.tree import Split, Tree
from fairmend.transport.support import Floats

Flags = NDArray[np.bool_]

FEWEST_ROWS = 20
"""Rows in a leaf."""

FEWEST_OF_GROUP = 5
"""Rows that at least two groups have in a leaf: of one group alone there is nothing to learn."""

MOST_BINS, MOST_OF_CONTINUOUS = 32, 64
"""Bins of an ordered feature that is asked of."""


@dataclass(frozen=True)
class Asked:
    """Repaired values of an earlier feature, in bins that a split may part.

    Attributes
    ----------
    name : str
        The feature.
    bins : ndarray of shape (n,)
        0 is missing; the others are in the order of their values, or places of levels plus 1.
    ends : ndarray or None
        The largest value of each bin but the first and the last; None for categories.
    size : int
        Number of bins.
    """

    name: str
    bins: Codes
    ends: Floats | None
    size: int

    @classmethod
    def of(cls, name: str, values: Floats, *, levels: int, kind: str) -> "Asked":
        """Lay bins over values, which are about as many in each."""
        missing = np.isnan(values) | ((values < 0.0) if levels else False)
        if kind == "categorical":
            bins = np.where(missing, 0.0, values + 1.0).astype(np.int64)
            return cls(name, bins, None, levels + 1)
        known = values[~missing]
        ends = ends_of(known, MOST_OF_CONTINUOUS if kind == "continuous" else MOST_BINS)
        bins = np.where(missing, 0, 1 + np.searchsorted(ends, values))
        return cls(name, bins, ends, ends.size + 2)

    def only(self, rows: NDArray[np.intp]) -> "Asked":
        """Keep some of the rows."""
        return Asked(self.name, self.bins[rows], self.ends, self.size)

    def split(self, left: Flags, to: tuple[int, int]) -> Split:
        """Write a parting of the bins as a split."""
        missing = bool(left[0])
        if self.ends is None:
            among = tuple(int(at) for at in np.flatnonzero(left[1:]))
            return Split(self.name, None, among, missing, *to)
        last = int(np.flatnonzero(left)[-1])  # bins up to it go left
        at_most = float(self.ends[last - 1]) if last else None  # missing values alone
        return Split(self.name, at_most, (), missing, *to)


def counted(codes: Codes, weights: Floats, *shape: int) -> Floats:
    """Add up weights by code, in a table."""
    table: Floats = np.bincount(codes, weights, int(np.prod(shape))).astype(np.float64)
    return table.reshape(shape)


def ends_of(known: Floats, most: int) -> Floats:
    """Find values that part others into about equal bins, none of them the largest."""
    if not known.size:
        return np.empty(0)
    distinct = np.unique(known)
    if distinct.size > most:
        shares = np.arange(1, most) / most
        distinct = np.append(
            np.unique(np.quantile(known, shares, method="inverted_cdf")), distinct[-1]
        )
    return np.unique(distinct)[:-1]


class Places(NamedTuple):
    """Where values lie, and where a regression on features repaired before expects them."""

    own: Floats
    expected: Floats


@dataclass(frozen=True)
class Labels:
    """What leaves are to be pure in: group and value together.

    Attributes
    ----------
    codes : ndarray of shape (n,)
        ``group * values + value``.
    groups, values : int
        How many there are.
    weights : ndarray of shape (n,)
        How much each row counts.
    places : Places, optional
        Of values whose law may be moved.
    """

    codes: Codes
    groups: int
    values: int
    weights: Floats
    places: Places | None = None

    def only(self, rows: NDArray[np.intp]) -> "Labels":
        """Keep some of the rows."""
        return Labels(self.codes[rows], self.groups, self.values, self.weights[rows])


@dataclass(order=True)
class _Best:
    """The best split of a node; the one that gains most comes first in a heap."""

    loss: float
    node: int
    asked: int
    left: Flags


def grow(asked: Sequence[Asked], labels: Labels, most_leaves: int) -> Tree:
    """Grow a tree that tells most of group and value, best split first.

    Parameters
    ----------
    asked : sequence of Asked
        Features to ask of.
    labels : Labels
        What to tell.
    most_leaves : int
        When to stop.

    """
    rows = [np.arange(labels.codes.size)]
    kids: dict[int, tuple[int, Flags, int, int]] = {}
    heap: list[_Best] = []

    def consider(node: int) -> None:
        best = _best(node, rows[node], asked, labels)
        if best is not None:
            heapq.heappush(heap, best)

    consider(0)
    while heap and len(kids) + 1 < most_leaves:
        best = heapq.heappop(heap)
        here = rows[best.node]
        goes_left = best.left[asked[best.asked].bins[here]]
        kids[best.node] = (best.asked, best.left, len(rows), len(rows) + 1)
        rows += [here[goes_left], here[~goes_left]]
        consider(len(rows) - 2)
        consider(len(rows) - 1)
    # Splits in the order of what they tell: the first few of them are the smaller tree.
    leaves = [node for node in range(len(rows)) if node not in kids]
    number = {node: at for at, node in enumerate(kids)}
    number |= {node: ~at for at, node in enumerate(leaves)}
    splits = [
        asked[which].split(left, (number[a], number[b])) for which, left, a, b in kids.values()
    ]
    return Tree(tuple(splits))


def _best(
    node: int, rows: NDArray[np.intp], asked: Sequence[Asked], labels: Labels
) -> _Best | None:
    """Find the parting of one feature's bins that tells most."""
    weights = labels.weights[rows]
    if weights.sum() < 2 * FEWEST_ROWS:
        return None
    codes, n = labels.codes[rows], labels.groups * labels.values
    best: _Best | None = None
    for which, one in enumerate(asked):
        counts = counted(one.bins[rows] * n + codes, weights, one.size, n)
        used = np.flatnonzero(counts.sum(axis=1))
        if used.size < 2:
            continue
        sides, lefts = _partings(counts[used], ordered=one.ends is not None)
        gain = _gains(sides, counts, labels)
        at = int(np.argmax(gain))
        if gain[at] > 0 and (best is None or -gain[at] < best.loss):
            left = np.zeros(one.size, dtype=bool)
            left[used[lefts[at]]] = True
            best = _Best(-float(gain[at]), node, which, left)
    return best


def _partings(counts: Floats, *, ordered: bool) -> tuple[Floats, list[NDArray[np.intp]]]:
    """List partings in two of bins, by the counts of those on the left.

    Categories are parted along the direction in which their laws differ most, and each from all
    others.
    """
    n = len(counts)
    order = np.arange(n)
    if not ordered:
        sizes = counts.sum(axis=1, keepdims=True)
        away = counts / sizes - counts.sum(axis=0) / sizes.sum()
        direction = np.linalg.svd(away * np.sqrt(sizes), full_matrices=False)[2][0]
        order = np.argsort(away @ direction, kind="stable")
    lefts = [order[:at] for at in range(1, n)]
    left = np.cumsum(counts[order], axis=0)[:-1]
    if not ordered and n > 2:
        lefts += [np.array([at]) for at in range(n)]
        left = np.concatenate([left, counts])
    return left, lefts


def _gains(left: Floats, counts: Floats, labels: Labels) -> Floats:
    """Compute how many nats each parting tells, over all rows; −1 where a side is too small."""
    whole = counts.sum(axis=0)
    right = whole - left
    gain = _uncertainty(whole) - _uncertainty(left) - _uncertainty(right)
    for side in (left, right):
        groups = side.reshape(len(side), labels.groups, labels.values).sum(axis=2)
        second = np.sort(groups, axis=1)[:, -2]
        gain[(side.sum(axis=1) < FEWEST_ROWS) | (second < FEWEST_OF_GROUP)] = -1.0
    return gain


def _uncertainty(counts: Floats) -> Floats:
    """Compute rows times entropy."""
    total = counts.sum(axis=-1)
    rows_times_entropy: Floats = _n_log_n(total) - _n_log_n(counts).sum(axis=-1)
    return rows_times_entropy


def _n_log_n(n: Floats) -> Floats:
    product: Floats = n * np.log(np.maximum(n, 1e-300))
    return product
