"""Binned points: values that differ in their last bits only are counted together."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from fairmend.transport.points import Points, added, interleaved
from fairmend.transport.support import Floats

MANTISSA = 52


@dataclass(frozen=True)
class Binned:
    """Values cut off after some bits of their mantissa, so that bins are a share of a value wide.

    That suits heavy tails and values far from zero alike, and the bins of fewer bits hold those of
    more: what they are in the end does not depend on the order in which rows came.

    Attributes
    ----------
    keys : ndarray of shape (n,)
        The end of each bin that is nearer to zero; sorted, distinct.
    rows, weights : ndarray of shape (n,)
        As in :class:`Points`.
    offsets : ndarray of shape (n,)
        Sum over rows of the value less the key, from which the bin's mean follows.
    squares : float
        Sum of the rows' squared weights.
    """

    keys: Floats
    rows: NDArray[np.int64]
    weights: Floats
    offsets: Floats
    squares: float

    @classmethod
    def of(cls, points: Points, bits: int) -> Self:
        """Bin points.

        Examples
        --------
        >>> Binned.of(Points.of(np.array([4.0, 4.5, 5.0, 5.5])), 2).means
        array([4.25, 5.25])
        """
        exact = cls(
            points.values,
            points.rows,
            points.weights,
            np.zeros(points.values.size),
            points.squares,
        )
        return exact.coarser(bits)

    @classmethod
    def together(cls, parts: Sequence[Self]) -> Self:
        """Add up parts of equally many bits."""
        if len(parts) == 1:
            return parts[0]
        keys, order, place = interleaved([part.keys for part in parts])
        rows, weights, offsets = (
            np.concatenate([getattr(part, name) for part in parts])[order]
            for name in ("rows", "weights", "offsets")
        )
        return cls(
            keys,
            *added(place, keys.size, rows, weights),
            np.bincount(place, offsets, keys.size).astype(np.float64),
            sum(part.squares for part in parts),
        )

    def coarser(self, bits: int) -> Self:
        """Cut off more bits."""
        if bits == MANTISSA or not self.keys.size:
            return self
        keys = cut_off(self.keys, bits)
        first = _firsts(keys)
        moved = self.offsets + self.rows * (self.keys - keys)
        return type(self)(
            keys[first],
            np.add.reduceat(self.rows, first),
            np.add.reduceat(self.weights, first),
            np.add.reduceat(moved, first),
            self.squares,
        )

    def size_at(self, bits: int) -> int:
        """Count the bins that would be left."""
        return int(_firsts(cut_off(self.keys, bits)).size)

    @property
    def means(self) -> Floats:
        """The mean of each bin's rows; a bin of one value has exactly that."""
        return self.keys + self.offsets / self.rows


def cut_off(values: Floats, bits: int) -> Floats:
    """Set all but the first bits of each mantissa to zero, which keeps the order."""
    mask = np.int64(-1 << (MANTISSA - bits))
    cut: Floats = (values.view(np.int64) & mask).view(np.float64)
    return cut


def _firsts(sorted_keys: Floats) -> NDArray[np.intp]:
    if not sorted_keys.size:
        return np.empty(0, dtype=np.intp)
    return np.concatenate([[0], 1 + np.flatnonzero(sorted_keys[1:] != sorted_keys[:-1])])
