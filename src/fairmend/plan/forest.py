"""Trees compiled for many rows: a bit for every leaf."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from fairmend.plan.tree import Split, Tree
from fairmend.transport.support import Floats

Masks = NDArray[np.uint64]
Ints = NDArray[np.int64]
Seen = NDArray[np.uint16]
"""Each row's bin of a feature; two bytes, since it is read for every later feature."""

BLOCK = 16_384
"""Rows a block, so that what is between two steps stays in the processor's cache."""

_ONE = np.uint64(1)


@dataclass(frozen=True)
class Bins:
    """How finely one feature's values are told apart by all trees that ask of it.

    Attributes
    ----------
    cuts : ndarray or None
        Ends of the bins of an ordered feature, sorted, the last infinite; None where the bins are
        the levels of a category.
    levels : int
        Levels of a category, ordered or not; 0 for numbers and times.
    """

    cuts: Floats | None
    levels: int = 0

    @classmethod
    def asked(cls, name: str, trees: Sequence[Tree], *, levels: int, ordered: bool) -> Self:
        """Collect what some trees ask of a feature."""
        if not ordered:
            return cls(None, levels)
        splits = [split for tree in trees for split in tree.splits if split.feature == name]
        cuts = sorted({split.at_most for split in splits if split.at_most is not None})
        return cls(np.array([*cuts, np.inf]), levels)

    @property
    def size(self) -> int:
        """Number of bins; the last is of missing values and unseen levels."""
        return (self.levels if self.cuts is None else self.cuts.size) + 1

    def of(self, values: Floats) -> Seen:
        """Find each value's bin."""
        if self.cuts is None:
            return np.where(values >= 0.0, values, self.levels).astype(np.uint16)
        if self.levels:
            values = np.where(values >= 0.0, values, np.nan)
        # NaN is sorted behind infinity, which is the last bin's place.
        return np.searchsorted(self.cuts, values).astype(np.uint16)

    def going_left(self, split: Split) -> NDArray[np.bool_]:
        """Tell for each bin whether it goes left at a split."""
        left = np.zeros(self.size, dtype=bool)
        if self.cuts is None:
            left[list(split.among)] = True
        else:
            left[:-1] = self.cuts <= (np.nan if split.at_most is None else split.at_most)
        left[-1] = split.missing
        return left


@dataclass(frozen=True)
class Forest:
    """The trees of one feature, one a stratum.

    A bin of a feature rules out the leaves on the other side of every split that asks of it. What
    no feature rules out is the row's one leaf, however deep the tree: a step into a table for each
    feature that is asked of, and none for each level.

    Attributes
    ----------
    first : ndarray of shape (strata,)
        Number of each stratum's first leaf, counted over all trees.
    masks : dict of str to ndarray of shape (strata, bins)
        By feature, the leaves that a bin leaves possible.
    """

    first: Ints
    masks: dict[str, Masks]

    @classmethod
    def of(cls, trees: Sequence[Tree], bins: Mapping[str, Bins]) -> Self:
        """Compile the trees of all strata; a tree without splits for those that have none."""
        leaves = np.array([tree.leaves for tree in trees], dtype=np.int64)
        every = (_ONE << leaves.astype(np.uint64)) - _ONE
        asked = sorted({split.feature for tree in trees for split in tree.splits})
        masks = {name: np.repeat(every[:, None], bins[name].size, axis=1) for name in asked}
        for stratum, tree in enumerate(trees):
            for split, (left, right) in zip(tree.splits, tree.sides, strict=True):
                goes_left = bins[split.feature].going_left(split)
                gone = np.where(goes_left, np.uint64(right), np.uint64(left))
                masks[split.feature][stratum] &= ~gone
        return cls(np.cumsum(leaves) - leaves, masks)

    def leaf(self, stratum: Ints, seen: Mapping[str, Seen]) -> Ints:
        """Find each row's leaf, counted over all trees.

        Parameters
        ----------
        stratum : ndarray of shape (n,)
            Each row's stratum.
        seen : mapping of str to ndarray of shape (n,)
            Each row's bin of the features repaired before.
        """
        leaf = self.first[stratum]
        for start in range(0, leaf.size if self.masks else 0, BLOCK):
            block = slice(start, start + BLOCK)
            possible: Masks | np.uint64 = np.uint64(2**64 - 1)
            for name, masks in self.masks.items():
                place = stratum[block] * masks.shape[1]
                place += seen[name][block]
                possible = possible & masks.ravel()[place]
            # A power of two is exact as a float, and its exponent is the leaf.
            leaf[block] += np.frexp(possible.astype(np.float64))[1] - 1
        return leaf
