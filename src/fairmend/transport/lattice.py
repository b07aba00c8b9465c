"""Lattices: the step that all values of a column are multiples of, in parts that can be added up.

A coarser statistic no longer shows that incomes come in whole dollars, so this is kept beside it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd, inf
from typing import Self

import numpy as np

from fairmend.transport.support import MOST_DIGITS, Floats

FIRST_LOOK = 64
"""Values that are looked at first: of real numbers hardly one is a decimal."""


@dataclass(frozen=True)
class Lattice:
    """Decimals that values are written in, and the greatest common divisor of their differences.

    Attributes
    ----------
    low, high : float
        Range of the values; ``inf`` and ``-inf`` where there are none.
    digits : int or None
        Decimals in which all values are whole numbers; None where they are not.
    divisor : int
        Greatest common divisor of all differences, in units of the last decimal.
    """

    low: float = inf
    high: float = -inf
    digits: int | None = 0
    divisor: int = 0

    @classmethod
    def of(cls, values: Floats) -> Self:
        """Look at sorted, distinct values.

        Examples
        --------
        >>> Lattice.of(np.array([0.25, 1.0, 1.75])).step
        0.75
        """
        if not values.size:
            return cls()
        low, high = float(values[0]), float(values[-1])
        for digits in range(MOST_DIGITS + 1):
            if not _fits(low, high, digits):
                break
            if _are_whole(values[:FIRST_LOOK], digits) and _are_whole(values, digits):
                gaps = np.diff(np.rint(values * 10.0**digits).astype(np.int64))
                least = int(gaps.min()) if gaps.size else 0
                divisor = least if least < 2 else int(np.gcd.reduce(gaps))
                return cls(low, high, digits, divisor)
        return cls(low, high, None)

    @classmethod
    def together(cls, parts: Sequence[Self]) -> Self:
        """Add up the lattices of several parts: the same as of all their values.

        Examples
        --------
        >>> parts = Lattice.of(np.array([2.0, 8.0])), Lattice.of(np.array([2.5]))
        >>> Lattice.together(parts).step
        0.5
        """
        parts = [part for part in parts if part.low <= part.high]
        if not parts:
            return cls()
        low, high = min(part.low for part in parts), max(part.high for part in parts)
        found = [part.digits for part in parts if part.digits is not None]
        if len(found) < len(parts) or not _fits(low, high, max(found)):
            return cls(low, high, None)
        digits = max(found)
        divisor = gcd(
            *(
                part.divisor * 10 ** (digits - known)
                for part, known in zip(parts, found, strict=True)
            ),
            *(round(part.low * 10.0**digits) - round(low * 10.0**digits) for part in parts),
        )
        return cls(low, high, digits, divisor)

    @property
    def step(self) -> float:
        """The step in the values' own units; 0 where there is none."""
        if self.digits is None or not self.divisor:
            return 0.0
        if self.digits == 0:
            return float(self.divisor)
        span = self.high - self.low
        return float(span / np.rint(span * 10.0**self.digits / self.divisor))

    def nearest(self, values: Floats) -> Floats:
        """Move values to the lattice, spelt as its own values are; without one they stay."""
        if self.digits is None or not self.divisor:
            return values
        steps = np.rint((values - self.low) / self.step)
        near: Floats = np.round(self.low + steps * self.step, self.digits)
        return near


def _fits(low: float, high: float, digits: int) -> bool:
    """Tell whether decimals are more than a float's last bits."""
    top = max(abs(low), abs(high))
    return top < 2.0**53 if digits == 0 else top * 10.0**digits < 2.0**40


def _are_whole(values: Floats, digits: int) -> bool:
    return bool(np.array_equal(values, np.round(values, digits)))
