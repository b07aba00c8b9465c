"""Words for an estimate, against a stated tolerance."""

import math
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from fairmend.errors import OptionError
from fairmend.measures.inference.tables import NORMAL

Words = Literal["within tolerance", "above tolerance", "insufficient evidence"]
Measure = Literal["e", "tv", "ks", "auc"]

SMALL_SHIFT = 0.2
"""In standard deviations: what Cohen calls a small effect, hardly visible in two histograms."""

TOLERANCES: dict[Measure, float] = {
    "e": 0.02,
    "tv": 0.08,
    "ks": 0.08,
    "auc": 0.56,
}
"""Two normal laws that are :data:`SMALL_SHIFT` apart have E = 0.2²/2 = 0.02 nats, a total variation
and a Kolmogorov-Smirnov distance of 2Φ(0.1) - 1 = 0.08, and an adversary tells them with AUC
Φ(0.2/√2) = 0.556. So the defaults are one tolerance, said on four scales."""

POWER = 0.8
"""Chance that the rows said to decide do, if the estimate is right; less would be tossing a coin,
since an interval that just reaches the tolerance falls on either side of it the next time."""

MOST_TIMES = 100
"""Beyond so many times the rows, no number is given: the estimate lies on the tolerance, and "about
7,100,000 rows" would say more than it knows."""


@dataclass(frozen=True)
class Verdict:
    """What an interval says about a tolerance.

    Attributes
    ----------
    measure : {"e", "tv", "ks", "auc"}
        What was estimated.
    words : {"within tolerance", "above tolerance", "insufficient evidence"}
        The interval lies below the tolerance, above it, or holds it.
    tolerance : float
        What was stated.
    reason : str
        Why this one.
    value, low, high : float
        The estimate and its interval.
    rows : int
        Rows it is from.
    rows_to_decide : int or None
        About how many rows of the same make-up would decide with a chance of 80 %, if the estimate
        is right; None where it is decided, or where the estimate is so near the tolerance that no
        number of rows can be named.
    """

    measure: Measure
    words: Words
    tolerance: float
    reason: str
    value: float
    low: float
    high: float
    rows: int
    rows_to_decide: int | None

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as a plain dict."""
        return asdict(self)


def judge(
    measure: Measure,
    value: float,
    interval: tuple[float, float],
    rows: int,
    tolerance: float | None = None,
) -> Verdict:
    """Say whether an estimate is within a tolerance.

    Not whether there is any dependence: with enough rows every real repair is detectably imperfect,
    so a test says how many rows there are as much as how good the repair is.

    Parameters
    ----------
    measure : {"e", "tv", "ks", "auc"}
        What was estimated.
    value : float
        The estimate, corrected for chance.
    interval : tuple of float
        Its lower and upper end.
    rows : int
        Rows it is from.
    tolerance : float, optional
        What can be tolerated; by default the one in :data:`TOLERANCES`.

    Notes
    -----
    Intervals shrink like 1/√rows: those of E on the scale of its root, since E goes with the square
    of a difference and its interval shrinks like 1/rows near 0.

    Examples
    --------
    >>> judge("e", 0.004, (0.0, 0.011), rows=5_000).words
    'within tolerance'
    >>> small = judge("e", 0.004, (0.0, 0.031), rows=1_000)
    >>> small.words, small.rows_to_decide
    ('insufficient evidence', 4300)
    >>> judge("e", 0.004, (0.0, 0.031), rows=1_000, tolerance=-1)
    Traceback (most recent call last):
    fairmend.errors.OptionError: tolerance=-1 is not possible. Pass a number from 0 to inf.
    """
    name = "measure"
    if measure not in TOLERANCES:
        raise OptionError.not_one_of(name, measure, list(TOLERANCES))
    if tolerance is not None and not 0 <= tolerance < math.inf:
        name = "tolerance"
        raise OptionError.not_in_range(name, tolerance, 0, math.inf)
    stated = TOLERANCES[measure] if tolerance is None else float(tolerance)
    low, high = interval
    words: Words = "insufficient evidence"
    if high <= stated:
        words = "within tolerance"
    elif low > stated:
        words = "above tolerance"
    more = None
    if words == "insufficient evidence":
        more = _rows_to_decide(measure, value, interval, rows, stated)
    why = "as stated" if tolerance is not None else _reason(measure)
    return Verdict(measure, words, stated, why, value, low, high, rows, more)


def among(n: int, value: float, interval: tuple[float, float]) -> tuple[float, float]:
    """Lower a 95 % interval's lower end so far that those of n such intervals hold all at once.

    Of many small cells without any dependence, some interval lies above a tolerance by chance. The
    upper end stays: "all are within" is claimed only where each one says so by itself.

    Examples
    --------
    >>> low, high = among(240, 0.05, (0.03, 0.07))
    >>> round(low, 3), high
    (0.012, 0.07)
    """
    tail = (1 - 0.95) / 2
    further = NORMAL.inv_cdf(1 - tail / max(1, n)) / NORMAL.inv_cdf(1 - tail)
    return value - further * (value - interval[0]), interval[1]


def _rows_to_decide(
    measure: Measure, value: float, interval: tuple[float, float], rows: int, tolerance: float
) -> int | None:
    ends = np.maximum(0.0, [value, *interval, tolerance])
    value, low, high, tolerance = (np.sqrt(ends) if measure == "e" else ends).tolist()
    reach = high - value if value <= tolerance else value - low
    distance = abs(value - tolerance)
    if distance == 0 or (reach / distance) ** 2 > MOST_TIMES:
        return None
    half = NORMAL.inv_cdf(0.975)
    found = float(rows * (reach / distance * (1 + NORMAL.inv_cdf(POWER) / half)) ** 2)
    digits = max(0, math.floor(math.log10(max(found, 1.0))) - 1)
    step = int(10**digits)
    return math.ceil(found / step) * step


def _reason(measure: Measure) -> str:
    exact = {
        "e": SMALL_SHIFT**2 / 2,
        "tv": 2 * NORMAL.cdf(SMALL_SHIFT / 2) - 1,
        "ks": 2 * NORMAL.cdf(SMALL_SHIFT / 2) - 1,
        "auc": NORMAL.cdf(SMALL_SHIFT / math.sqrt(2)),
    }[measure]
    return (
        f"two normal laws {SMALL_SHIFT} standard deviations apart, conventionally a small effect, "
        f"give {exact:.3f}"
    )
