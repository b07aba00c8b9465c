"""The values of one group in one stratum, with their weights."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fairmend.measures.arrays import Floats


@dataclass(frozen=True)
class Sample:
    """Finite values of one group in one stratum.

    Attributes
    ----------
    values : ndarray of shape (n,)
        What was observed.
    weights : ndarray of shape (n,) or None
        Positive sample weights; None where every row counts once.
    """

    values: Floats
    weights: Floats | None = None

    @property
    def mass(self) -> float:
        """The sum of the weights."""
        return float(self.values.size if self.weights is None else self.weights.sum())

    @property
    def size(self) -> float:
        """Kish's effective number of rows: how many equal weights say as much."""
        if self.weights is None:
            return float(self.values.size)
        return float(self.weights.sum() ** 2 / (self.weights**2).sum())

    def shares(self, places: NDArray[np.int64], n: int) -> Floats:
        """Return the share of the weight in each of ``n`` places."""
        return np.bincount(places, weights=self.weights, minlength=n) / self.mass

    def where(self, rows: NDArray[np.bool_]) -> "Sample":
        """Return the marked rows only."""
        weights = None if self.weights is None else self.weights[rows]
        return Sample(self.values[rows], weights)

    def moments(self) -> tuple[float, float]:
        """Return the mean and the variance."""
        mean = float(np.average(self.values, weights=self.weights))
        return mean, float(np.average((self.values - mean) ** 2, weights=self.weights))
