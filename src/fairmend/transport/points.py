"""Points: one group's research values, sorted and counted, which is all that design looks at."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from fairmend.transport.support import Floats


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
        values = np.unique(np.concatenate([part.values for part in parts]))
        rows, weights = np.zeros(values.size, dtype=np.int64), np.zeros(values.size)
        for part in parts:
            at = np.searchsorted(values, part.values)
            rows[at] += part.rows
            weights[at] += part.weights
        return cls(values, rows, weights, sum(part.squares for part in parts))

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
        middles = (np.cumsum(self.weights) - 0.5 * self.weights) / self.total
        return float(np.interp(probability, middles, self.values))

    def only(self, chosen: NDArray[np.bool_]) -> Self:
        """Keep some of the points; the squares are shared out by weight."""
        weights = self.weights[chosen]
        share = float(weights.sum()) / self.total if self.total > 0 else 0.0
        return type(self)(self.values[chosen], self.rows[chosen], weights, self.squares * share)
