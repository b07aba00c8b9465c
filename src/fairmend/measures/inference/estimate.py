"""One number with its floor, its test and its interval."""

from dataclasses import asdict, dataclass
from typing import NamedTuple

import numpy as np

from fairmend.measures.arrays import Floats
from fairmend.measures.inference.tables import NORMAL

LEVEL = 0.95

WIDER = 1.2
"""Resampled samples do not show the part of the tails that the sample did not: the spread of E over
them is up to a fifth too small. Measured on pairs of normals; with it the intervals cover."""


@dataclass(frozen=True)
class Estimate:
    """A distance between laws, estimated.

    Attributes
    ----------
    value : float
        The estimate with what chance adds taken off; at least 0.
    low, high : float
        95 % interval of the true value.
    raw : float
        What the sample shows, chance included. Compare it with ``floor``, and never with a
        tolerance.
    floor : float
        Mean of ``raw`` with S permuted within U: what chance alone gives.
    floor_95 : float
        95 % quantile of the same.
    p : float
        Share of the permutations with a ``raw`` at least as large, the sample itself included.
    """

    value: float
    low: float
    high: float
    raw: float
    floor: float
    floor_95: float
    p: float

    def to_dict(self) -> dict[str, float]:
        """Return the fields as a plain dict."""
        return asdict(self)


class Unbounded(NamedTuple):
    """An estimate before it is told that distances are not negative, with its null.

    Means over pairs and strata are taken of these: cut off at 0 first, they would be too large.

    Attributes
    ----------
    value, low, high : float
        May be below 0.
    raw : float
        What the sample shows.
    null : ndarray of shape (draws,)
        ``raw`` under permuted S.
    """

    value: float
    low: float
    high: float
    raw: float
    null: Floats

    def estimate(self, most: float = np.inf) -> Estimate:
        """Cut off at 0 and at the largest possible value, and sum up the null.

        Where the permutation test does not exclude 0 neither does the interval. The test is exact
        and the interval is not: drawn from many rare values, samples repeat the sample's chances.
        """
        p = p_value(self.raw, self.null)
        low = self.low if p <= (1 - LEVEL) / 2 else 0.0
        value, low, high = np.clip([self.value, low, self.high], 0, most).tolist()
        return Estimate(
            value=value,
            low=low,
            high=high,
            raw=self.raw,
            floor=float(self.null.mean()),
            floor_95=float(np.quantile(self.null, LEVEL)),
            p=p,
        )


def p_value(raw: float, null: Floats) -> float:
    """Count the share of draws at least as large, with the sample itself as one of them.

    So the test is exact: under permutation every rank of ``raw`` is as likely as any other. A
    margin of rounding keeps equal tables equal, in which sums were taken in another order.
    """
    as_large = null >= raw - 1e-9 * max(1.0, abs(raw))
    return float((1 + as_large.sum()) / (1 + null.size))


def corrected(raw: float, null: Floats, drawn: Floats, at_base: float) -> Unbounded:
    """Correct by the mean error of drawn samples, which is right for smooth measures such as E.

    Parameters
    ----------
    raw : float
        Of the sample.
    null : ndarray of shape (draws,)
        Under permuted S.
    drawn : ndarray of shape (draws,)
        Of samples drawn from laws near the sample's, whose own distance is ``at_base``.

    Notes
    -----
    A percentile interval, shifted with the estimate. The reflected ("basic") one leans the wrong
    way, since the law of E is skewed to the right: for E = 0.03 from 500 rows it covers 82 %.
    """
    value = raw - (float(drawn.mean()) - at_base)
    low, high = _reach(drawn)
    return Unbounded(value, value + low, value + high, raw, null)


def above_floor(raw: float, null: Floats, drawn: Floats) -> Unbounded:
    """Take the floor off in quadrature, which suits sums and maxima of absolute differences.

    A difference d seen through noise of size s has a mean absolute value near √(d² + s²): s where
    there is none, hardly more than d where d is large. Resampling cannot correct there, since near
    d = 0 it adds the noise twice.
    """
    floor = float(null.mean())

    def without(x: float) -> float:
        return float(np.sqrt(max(0.0, max(0.0, x) ** 2 - floor**2)))

    low, high = _reach(drawn)
    return Unbounded(without(raw), without(raw + low), without(raw + high), raw, null)


def mean_of(parts: list[Unbounded], weights: Floats, *, independent: bool) -> Unbounded:
    """Average estimates.

    Parameters
    ----------
    independent : bool
        Of disjoint rows, as strata are: half-widths then add up in quadrature, each side for itself
        (Zou and Donner's MOVER). Pairs share groups: half-widths are averaged, which is never too
        narrow.
    """
    share = weights / weights.sum()
    value, low, high, raw = (np.array([part[i] for part in parts]) @ share for i in range(4))
    null: Floats = share @ np.stack([part.null for part in parts])
    if independent:
        below = [part.value - part.low for part in parts]
        above = [part.high - part.value for part in parts]
        low = value - np.sqrt(((share * below) ** 2).sum())
        high = value + np.sqrt(((share * above) ** 2).sum())
    return Unbounded(float(value), float(low), float(high), float(raw), null)


def worst_of(parts: list[Unbounded], null: Floats) -> Unbounded:
    """Take the largest estimate, whose lower end must allow for having been chosen.

    The largest true value is at least every true value, so the largest of lower ends that hold all
    at once (Bonferroni's) bounds it; above, each pair's own end does.
    """
    further = NORMAL.inv_cdf(1 - (1 - LEVEL) / 2 / len(parts)) / NORMAL.inv_cdf((1 + LEVEL) / 2)
    return Unbounded(
        value=max(part.value for part in parts),
        low=max(part.value - further * (part.value - part.low) for part in parts),
        high=max(part.high for part in parts),
        raw=max(part.raw for part in parts),
        null=null,
    )


def _reach(drawn: Floats) -> tuple[float, float]:
    ends = np.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2]) - drawn.mean()
    return float(WIDER * ends[0]), float(WIDER * ends[1])
