"""Scales: where a value is in a panel, which values are written beside it, where bars are cut."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

MOST_CUT = 3
"""Bins that may be cut in a panel; more peaks than this are a shape and not exceptions."""

FEWEST_BARS = 6
"""Fewer bars than this are wide enough to be read at any height."""


@dataclass(frozen=True)
class Scale:
    """A straight map of an interval onto pixels, and what is outside onto the nearest end."""

    low: float
    high: float
    first: float
    last: float

    def __call__(self, value: float) -> float:
        """Return the pixel of a value."""
        inside = min(max(value, self.low), self.high)
        return self.first + (inside - self.low) / (self.high - self.low) * (self.last - self.first)


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Choose at most ``most`` round values in an interval, a step of 1, 2 or 5 apart.

    Examples
    --------
    >>> ticks(16.5, 90.5)
    [20.0, 40.0, 60.0, 80.0]
    >>> ticks(0, 0.115, 3)
    [0.0, 0.05, 0.1]
    """
    finest = math.floor(math.log10((high - low) / most))
    for exponent, step in product((finest, finest + 1), (1, 2, 5)):
        size = step * 10.0**exponent
        first, last = math.ceil(low / size), math.floor(high / size)
        if last - first < most:
            break
    # Through text, or 3 * 0.1 would be 0.30000000000000004.
    return [float(f"{k * step}e{exponent}") for k in range(first, last + 1)]


def cut_level(heights: Sequence[float]) -> float | None:
    """Find the height above which bars are cut, so that one peak does not flatten all others.

    To cut one bar, it must be twice as high as the next; to cut two, three times, and so on. More
    than one bar is rarely an exception.

    Parameters
    ----------
    heights : sequence of float
        The highest bar of each bin.

    Returns
    -------
    float or None
        The highest bar that stays whole; None where all of them do.

    Examples
    --------
    >>> cut_level([0.01, 0.02, 0.05, 0.46, 0.09, 0.05])
    0.09
    >>> cut_level([0.7, 0.3]) is None, cut_level([0.1, 0.2, 0.25, 0.2, 0.1, 0.1]) is None
    (True, True)
    """
    ordered = sorted((h for h in heights if h > 0), reverse=True)
    if len(ordered) < FEWEST_BARS:
        return None
    falls = [ordered[k - 1] / ordered[k] / (k + 1) for k in range(1, MOST_CUT + 1)]
    return ordered[1 + falls.index(max(falls))] if max(falls) >= 1 else None
