"""Axes across the width of the page: places in per cent, so that text keeps its size on a phone."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from fairmend.report.scales import ticks

FIRST, LAST = 1.5, 98.0
"""Per cent of the width between which values lie, so that marks at the ends are whole."""

NEAREST = 11.0
"""Per cent between two labels below the axis, for which there is room on a phone."""

_ROOT_TICKS = tuple(step * 10.0**k for k in range(-4, 4) for step in (1, 2, 5))


@dataclass(frozen=True)
class Axis:
    """An axis of values, straight or of square roots.

    Attributes
    ----------
    low, high : float
        Its ends; what lies beyond is drawn at them.
    ticks : tuple of float
        Values that are named.
    root : bool
        Whether equal steps are equal steps of the square root.
    """

    low: float
    high: float
    ticks: tuple[float, ...]
    root: bool = False

    @classmethod
    def straight(cls, low: float, high: float, most: int = 6) -> Self:
        """Lay a straight axis."""
        high = high if high > low else low + 1.0
        return cls(low, high, tuple(ticks(low, high, most)))

    @classmethod
    def roots(cls, high: float) -> Self:
        """Lay an axis of square roots from 0.

        E of two equal bells goes with the square of their distance, so that equal steps on this
        axis are equal shifts, and 0.02 and 0.002 can be told apart where E was 1 before.
        """
        high = max(high, 0.01)
        named = [0.0]
        for value in _ROOT_TICKS:
            wide = (math.sqrt(value) - math.sqrt(named[-1])) / math.sqrt(high)
            if value <= high and wide * (LAST - FIRST) >= NEAREST:
                named.append(value)
        return cls(0.0, high, tuple(named), root=True)

    def at(self, value: float) -> float:
        """Return the place of a value, in per cent of the width."""
        inside = min(max(value, self.low), self.high)
        part = (inside - self.low) / (self.high - self.low)
        return FIRST + (LAST - FIRST) * (math.sqrt(part) if self.root else part)

    def percent(self, value: float) -> str:
        """Write the place of a value as SVG has it.

        Examples
        --------
        >>> Axis.straight(0, 1).percent(0.5)
        '49.75%'
        """
        return f"{self.at(value):.2f}%"


def highest(values: Sequence[float | None], least: float) -> float:
    """Find how far an axis must reach."""
    known = [value for value in values if value is not None and math.isfinite(value)]
    return 1.04 * max([*known, least])
