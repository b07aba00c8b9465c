"""Tallies: one feature counted by cell, in bounded memory, in parts that can be added up."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from fairmend.transport.binned import MANTISSA, Binned
from fairmend.transport.lattice import Lattice
from fairmend.transport.points import Points
from fairmend.transport.support import Floats

CAPACITY = 2**18
"""Points, distinct values counted in each cell, that a feature may have and be kept exactly."""

HEAVY_SHARE = 1e-3
"""Values of this share of what is binned at once stay exact: an atom has five times as many."""

MOST_HEAVY = 2**14


@dataclass(frozen=True)
class Parting:
    """Rows in the order of their cells, found once for all features."""

    order: NDArray[np.intp] | None
    cuts: NDArray[np.intp]

    @classmethod
    def of(cls, cell: NDArray[np.int64], n_cells: int) -> Self:
        """Part rows by their cell's number."""
        if n_cells == 1:
            return cls(None, np.empty(0, dtype=np.intp))
        if n_cells < 2**16:
            cell = cell.astype(np.uint16)  # which is sorted by counting
        sizes = np.bincount(cell, minlength=n_cells)
        return cls(np.argsort(cell, kind="stable"), np.cumsum(sizes)[:-1])

    def parts(self, values: Floats) -> list[Floats]:
        """Part a column, each part in the order of its rows."""
        return np.split(values if self.order is None else values[self.order], self.cuts)


@dataclass(frozen=True)
class Tally:
    """Values of one feature, counted by cell.

    While all cells together have no more than :data:`CAPACITY` points, these are exact. Beyond it,
    light values are binned as finely as the capacity allows. Heavy ones stay exact, since a blurred
    atom would be sent to a place of its own in each group: a value may lose to its bin at most one
    row in a thousand of those that were binned at a time.

    Attributes
    ----------
    exact : list of Points
        By cell.
    binned : list of Binned
        By cell; empty where all points are exact.
    bits : int
        Bits of mantissa that the bins have.
    lattice : Lattice
        The step that all values are multiples of.
    missing : ndarray of shape (cells,)
        Rows without a value.
    missing_weights : ndarray of shape (cells,)
        Their summed weights.
    """

    exact: list[Points]
    binned: list[Binned]
    bits: int
    lattice: Lattice
    missing: NDArray[np.int64]
    missing_weights: Floats

    @classmethod
    def of(cls, values: Floats, weights: Floats | None, parting: Parting) -> Self:
        """Count the values of some rows; NaN is missing."""
        parts = parting.parts(values)
        shares = [None] * len(parts) if weights is None else parting.parts(weights)
        exact = [Points.of(part, share) for part, share in zip(parts, shares, strict=True)]
        missing = [part.size - points.size for part, points in zip(parts, exact, strict=True)]
        gone = [
            float(n if share is None else share[np.isnan(part)].sum())
            for part, share, n in zip(parts, shares, missing, strict=True)
        ]
        lattice = Lattice.together([Lattice.of(points.values) for points in exact])
        return cls(exact, [], MANTISSA, lattice, np.array(missing), np.array(gone))

    @classmethod
    def together(cls, parts: Sequence[Self], *, categories: bool = False) -> Self:
        """Add up tallies of the same cells; the order does not matter while all is exact.

        Categories are never binned: beside each other they are not alike.
        """
        before = [part for part in parts if part.binned]
        if len(parts) == 1:
            return parts[0] if before or categories else parts[0]._within_capacity([])
        added = cls(
            [Points.together(points) for points in zip(*(p.exact for p in parts), strict=True)],
            _added(before),
            min(part.bits for part in parts),
            Lattice.together([part.lattice for part in parts]),
            np.sum([part.missing for part in parts], axis=0),
            np.sum([part.missing_weights for part in parts], axis=0),
        )
        return added if categories else added._within_capacity(before)

    @cached_property
    def size(self) -> int:
        """Number of points and bins, which is what memory it takes."""
        return sum(points.values.size for points in self.exact) + sum(
            binned.keys.size for binned in self.binned
        )

    def spread(self, places: NDArray[np.int64], n_cells: int) -> Self:
        """Give each cell a new number among more cells."""
        nobody = Points.of(np.empty(0))
        exact, binned = [nobody] * n_cells, [Binned.of(nobody, MANTISSA)] * n_cells
        missing, gone = np.zeros(n_cells, dtype=np.int64), np.zeros(n_cells)
        for old, new in enumerate(places):
            exact[new], missing[new] = self.exact[old], self.missing[old]
            gone[new] = self.missing_weights[old]
            if self.binned:
                binned[new] = self.binned[old]
        return type(self)(
            exact, binned if self.binned else [], self.bits, self.lattice, missing, gone
        )

    def recoded(self, to: Floats) -> Self:
        """Give other numbers to categories, in the same order; the codes below 0 stay."""
        exact = [
            Points(
                np.where(p.values < 0, p.values, to[np.maximum(p.values, 0).astype(np.intp)]),
                p.rows,
                p.weights,
                p.squares,
            )
            for p in self.exact
        ]
        lattice = Lattice.together([Lattice.of(points.values) for points in exact])
        return type(self)(exact, [], MANTISSA, lattice, self.missing, self.missing_weights)

    def points(self) -> list[Points]:
        """Return each cell's values, a bin's by its mean, on the lattice if there is one."""
        if not self.binned:
            return self.exact
        return [
            Points.gathered(
                np.concatenate([exact.values, self.lattice.nearest(binned.means)]),
                np.concatenate([exact.rows, binned.rows]),
                np.concatenate([exact.weights, binned.weights]),
                exact.squares + binned.squares,
            )
            for exact, binned in zip(self.exact, self.binned, strict=True)
        ]

    def _within_capacity(self, before: Sequence[Self]) -> Self:
        """Bin light values, where there are too many points or some were binned before."""
        if not self.binned and self.size <= CAPACITY:
            return self
        heavy = self._heavy(before)
        exact, binned = [], []
        for cell, points in enumerate(self.exact):
            stays = _is_among(points.values, heavy)
            exact.append(points.only(stays))
            light = Binned.of(points.only(~stays), self.bits)
            binned.append(Binned.together([*self.binned[cell : cell + 1], light]))
        bits = _bits_that_fit(binned, self.bits)
        binned = [one.coarser(bits) for one in binned]
        return type(self)(exact, binned, bits, self.lattice, self.missing, self.missing_weights)

    def _heavy(self, before: Sequence[Self]) -> Floats:
        """List the values that stay exact: those that were so before, and those heavy by now."""
        kept = [points.values for part in before for points in part.exact]
        old = np.unique(np.concatenate(kept)) if kept else np.empty(0)
        held = sum(points.size for part in before for points in part.exact)
        fresh = sum(points.size for points in self.exact) - held
        least = HEAVY_SHARE * max(fresh, CAPACITY)
        # Who is heavy in all cells together is heavy enough in one of them.
        near = [p.values[p.rows >= least / len(self.exact)] for p in self.exact]
        candidates = np.unique(np.concatenate([old, *near]))
        rows = np.zeros(candidates.size, dtype=np.int64)
        for points in self.exact:
            at = np.flatnonzero(_is_among(candidates, points.values))
            rows[at] += points.rows[np.searchsorted(points.values, candidates[at])]
        stays = (rows >= least) | _is_among(candidates, old)
        candidates, rows = candidates[stays], rows[stays]
        heaviest = np.argsort(-rows, kind="stable")[:MOST_HEAVY]
        return np.sort(candidates[heaviest])


def _added(parts: Sequence[Tally]) -> list[Binned]:
    """Add up bins, all as coarse as the coarsest."""
    if not parts:
        return []
    bits = min(part.bits for part in parts)
    cells = zip(*(part.binned for part in parts), strict=True)
    return [Binned.together([one.coarser(bits) for one in cell]) for cell in cells]


def _bits_that_fit(binned: Sequence[Binned], bits: int) -> int:
    """Find the most bits at which all bins are within the capacity."""

    def fits(at: int) -> bool:
        return sum(one.size_at(at) for one in binned) <= CAPACITY

    if fits(bits):
        return bits
    low, high = 0, bits
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def _is_among(values: Floats, known: Floats) -> NDArray[np.bool_]:
    """Tell which sorted values are among some others, also sorted: by search in the longer."""
    found = np.zeros(values.size, dtype=bool)
    if not values.size or not known.size:
        return found
    if values.size < known.size:
        at = np.minimum(np.searchsorted(known, values), known.size - 1)
        same: NDArray[np.bool_] = known[at] == values
        return same
    at = np.minimum(np.searchsorted(values, known), values.size - 1)
    found[at[values[at] == known]] = True
    return found
