"""Points: one group's research values, sorted and counted, which is all that design looks at."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from fairmend.transport.support import Floats

RUN = 512


@dataclass(frozen=True)
class Points:
    """Distinct values with their rows and weight.

    A design that sees points and not rows gives the same plan whatever the order of the rows, and
    can be made from counts that several sites add up.

    Attributes
    ----------
    values : ndarray of shape (n,)
        Sorted, distinct.
    rows : ndarray of shape (n,)
        Rows that have each value.
    weights : ndarray of shape (n,)
        Their summed sample weights; the number of rows where there are none.
    squares : float
        Sum of the rows' squared weights.
    """

    values: Floats
    rows: NDArray[np.int64]
    weights: Floats
    squares: float

    @classmethod
    def of(cls, values: Floats, weights: Floats | None = None) -> Self:
        """Count values; those that are NaN are left out.

        Examples
        --------
        >>> Points.of(np.array([3.0, 1.0, np.nan, 3.0])).rows
        array([1, 2])
        """
        known = ~np.isnan(values)
        values = values[known]
        values += 0.0  # a minus zero is a zero, whichever comes first
        if weights is None:
            distinct, rows = np.unique(values, return_counts=True)
            return cls(distinct, rows, rows.astype(np.float64), float(values.size))
        weights = weights[known]
        distinct, place, rows = np.unique(values, return_inverse=True, return_counts=True)
        summed = np.bincount(place, weights, distinct.size).astype(np.float64)
        return cls(distinct, rows, summed, float((weights**2).sum()))

    @classmethod
    def together(cls, parts: Sequence[Self]) -> Self:
        """Add up the points of several groups or strata."""
        if all(part.are_single for part in parts):  # with nothing to carry along, in half the time
            return cls._of_sorted(np.sort(np.concatenate([p.values for p in parts]), kind="stable"))
        values, order, place = interleaved([part.values for part in parts])
        rows = np.concatenate([part.rows for part in parts])[order]
        weights = np.concatenate([part.weights for part in parts])[order]
        squares = sum(part.squares for part in parts)
        return cls(values, *added(place, values.size, rows, weights), squares)

    @classmethod
    def _of_sorted(cls, values: Floats) -> Self:
        """Count sorted values, each of which is a row."""
        first = np.ones(values.size, dtype=bool)
        np.not_equal(values[1:], values[:-1], out=first[1:])
        rows = np.diff(np.flatnonzero(first), append=values.size)
        return cls(values[first], rows, rows.astype(np.float64), float(values.size))

    @cached_property
    def are_single(self) -> bool:
        """Whether each point is one row without a weight."""
        return bool((self.rows == 1).all() and (self.weights == 1.0).all())

    @classmethod
    def gathered(
        cls, values: Floats, rows: NDArray[np.int64], weights: Floats, squares: float
    ) -> Self:
        """Bring points in any order together, equal values as one."""
        distinct, order, place = interleaved([values])
        return cls(distinct, *added(place, distinct.size, rows[order], weights[order]), squares)

    @cached_property
    def size(self) -> int:
        """Number of rows."""
        return int(self.rows.sum())

    @cached_property
    def total(self) -> float:
        """Summed weight."""
        return float(self.weights.sum())

    @cached_property
    def effective(self) -> float:
        """Kish's effective number of rows; the number of rows where none has a weight."""
        return self.total**2 / self.squares if self.squares > 0 else 0.0

    @cached_property
    def mean(self) -> float:
        """Weighted mean."""
        return float(self.weights @ self.values / self.total)

    @cached_property
    def deviation(self) -> float:
        """Weighted standard deviation, unbiased in the effective number of rows."""
        if self.effective <= 1 or self.values.size == 1:
            return 0.0
        variance = self.weights @ (self.values - self.mean) ** 2 / self.total
        return float(np.sqrt(variance * self.effective / (self.effective - 1)))

    def quantile(self, probability: float) -> float:
        """Interpolate a quantile between the middles of the points' shares."""
        wanted = probability * self.total
        run = max(int(np.searchsorted(self.before, wanted)) - 1, 0)
        # With a point of the runs beside it, since the nearest middle may be theirs.
        first = max(run * RUN - 1, 0)
        weights = self.weights[first : (run + 1) * RUN + 1]
        upto = self.before[run] + np.cumsum(weights) - weights[: run * RUN - first].sum()
        middles = (upto - 0.5 * weights) / self.total
        return float(np.interp(probability, middles, self.values[first : first + weights.size]))

    @cached_property
    def before(self) -> Floats:
        """Weight before each run of points: adding up one by one takes twenty times as long."""
        sums = np.add.reduceat(self.weights, np.arange(0, self.weights.size, RUN))
        before: Floats = np.cumsum(sums) - sums
        return before

    def only(self, chosen: NDArray[np.bool_]) -> Self:
        """Keep some of the points; the squares are shared out by weight."""
        if chosen.all():  # a copy would forget what is known of the points
            return self
        weights = self.weights[chosen]
        share = float(weights.sum()) / self.total if self.total > 0 else 0.0
        return type(self)(self.values[chosen], self.rows[chosen], weights, self.squares * share)

    def at(self, values: Floats) -> Self:
        """Put the points at other places, which are in the same order."""
        moved = type(self)(values, self.rows, self.weights, self.squares)
        vars(moved)["before"] = self.before  # of the same weights
        return moved


def interleaved(parts: Sequence[Floats]) -> tuple[Floats, NDArray[np.intp], NDArray[np.intp]]:
    """Merge sorted arrays.

    Returns
    -------
    values : ndarray of shape (n,)
        Sorted, distinct.
    order : ndarray of shape (m,)
        Sorts all parts in a row; a stable sort finds the parts sorted already and merges them.
    place : ndarray of shape (m,)
        Where each is in ``values``, after sorting.
    """
    together = np.concatenate(parts)
    order = np.argsort(together, kind="stable")
    together = together[order]
    first = np.ones(together.size, dtype=bool)
    np.not_equal(together[1:], together[:-1], out=first[1:])
    if first.all():
        return together, order, np.arange(together.size)
    return together[first], order, np.cumsum(first) - 1


def added(
    place: NDArray[np.intp], n: int, rows: NDArray[np.int64], weights: Floats
) -> tuple[NDArray[np.int64], Floats]:
    """Add up rows and weights by their sorted places, from left to right."""
    if n == place.size:  # each has a place of its own
        return rows, weights
    counted = np.bincount(place, rows, n).astype(np.int64)
    summed = np.bincount(place, weights, n).astype(np.float64)
    return counted, summed
