"""How far chance alone takes two samples of one law apart."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fairmend.transport.support import Floats


@dataclass(frozen=True)
class Chance:
    """Bounds for the distance between a research sample and an archive of the same law.

    The research sample is as much by chance as the archive is: n research and N archive rows say as
    much as ``m = nN / (n + N)`` rows would beside a law that is known. The bounds hold for every
    law, with atoms or without, and for every size; so a false alarm is no likelier than said, and
    mostly much rarer.

    Attributes
    ----------
    rows : int
        n.
    mass : ndarray of shape (places,)
        Expected shares.
    ordered : bool
        Whether the places have an order. Then the distance is Kolmogorov and Smirnov's, the largest
        difference of the two distribution functions, and the bound is that of Dvoretzky, Kiefer,
        Wolfowitz and Massart for two samples, ``e · exp(−2 m d²)`` (Wei and Dudley 2012). Without
        order it is total variation, and the bound McDiarmid's inequality about its mean.
    """

    rows: int
    mass: Floats
    ordered: bool

    def probability(self, distance: float, rows: float) -> float:
        """Bound the probability that two samples are as far apart as this, of N archive rows.

        Examples
        --------
        >>> uniform = Chance(1_000, np.full(10, 0.1), ordered=True)
        >>> f"{uniform.probability(0.05, 9_000):.3f}, {uniform.probability(0.1, 9_000):.1e}"
        '0.030, 4.1e-08'
        """
        m = self._together(rows)
        if m == 0:
            return 1.0
        beyond = max(0.0, distance - self._mean / np.sqrt(m))
        return float(min(1.0, self._factor * np.exp(-2.0 * m * beyond**2)))

    def reach(self, rows: float, probability: float) -> float:
        """Give the distance that chance alone exceeds with at most a probability."""
        m = self._together(rows)
        return float(min(1.0, self._further(probability) / np.sqrt(m))) if m else 1.0

    def research_rows(self, margin: float, rows: float, probability: float) -> int | None:
        """Count the research rows with which chance reaches no further than a margin.

        None where the archive has too few rows for any number of them.
        """
        if margin <= 0:
            return None
        m = (self._further(probability) / margin) ** 2
        return int(np.ceil(m * rows / (rows - m))) if m < rows else None

    def _further(self, probability: float) -> float:
        return float(self._mean + np.sqrt(0.5 * np.log(self._factor / probability)))

    def _together(self, rows: float) -> float:
        return self.rows * rows / (self.rows + rows) if rows else 0.0

    @property
    def _factor(self) -> float:
        return float(np.e) if self.ordered else 1.0

    @cached_property
    def _mean(self) -> float:
        """Bound the mean total variation, in units of 1/√m."""
        if self.ordered:
            return 0.0
        # One row more than research had, spread out, for what it has not shown by chance.
        p = (self.rows * self.mass + 1.0 / self.mass.size) / (self.rows + 1.0)
        return 0.5 * float(np.sqrt(p * (1.0 - p)).sum())
