"""How far an archive's counts are from a research law."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Self

import numpy as np
from numpy.typing import NDArray

from fairmend.measures.drift.laws import Law
from fairmend.measures.drift.tally import Counts
from fairmend.transport.support import Floats


@dataclass(frozen=True)
class Gap:
    """Distance between a law and an archive's counts.

    Attributes
    ----------
    distance : float
        Kolmogorov and Smirnov's; for categories total variation.
    place : int
        Where the difference is largest.
    expected, found : float
        Shares of the research rows and of the archive's up to that place; for categories, at it.
    shift : float or None
        How much higher the archive's mean is, in the law's standard deviations; None for
        categories, constants, and a distance that was small enough not to be searched further.
    rows : int
        Archive rows.
    """

    distance: float
    place: int
    expected: float
    found: float
    shift: float | None
    rows: int

    def words(self, law: Law) -> str:
        """Say how the archive differs, without a value."""
        if not law.chance.ordered:
            return (
                f"a category of {self.expected:.0%} of the research rows has {self.found:.0%} of "
                f"the archive's"
            )
        way = "higher" if self.found < self.expected else "lower"
        return (
            f"the archive lies {way}: {self.found:.0%} of its rows are at or below a value that "
            f"{self.expected:.0%} of the research rows are at or below"
        )


def gap(law: Law, counts: Counts, n_groups: int, enough: float = 0.0) -> Gap | None:
    """Measure the distance between a law and the rows of its stratum and group; None without rows.

    Research marginals are drawn with a kernel, which widens them, and the archive is not. So the
    archive is smoothed too, by each width that the kernel may have had, and the smallest distance
    counts; the search ends early at one that is small ``enough``. Smoothing never increases the
    largest difference of two distribution functions, so the bounds of
    :class:`fairmend.measures.drift.chance.Chance` hold for it too. What a smaller kernel would
    explain is thus no drift: a law that has only become a little narrower is not seen.
    """
    held = _Held.of(law, counts, n_groups)
    rows = held.fixed.sum() + held.free.sum()
    if rows == 0:
        return None
    raw, n = held.shares(law, 0.0), round(rows)
    if not law.chance.ordered:
        difference = np.abs(raw - law.chance.mass)
        at, total = int(difference.argmax()), 0.5 * float(difference.sum())
        return Gap(total, at, float(law.chance.mass[at]), float(raw[at]), None, n)
    nearest, least = raw, np.inf
    for width in (0.0, *law.widths.tolist()):
        upto = np.cumsum(held.shares(law, width) if width else raw)
        distance = float(np.abs(upto - law.upto).max())
        if distance < least:
            nearest, least = upto, distance
        if least <= enough:
            break
    at = int(np.abs(nearest - law.upto).argmax())
    shift = _shift(law, raw) if least > enough else None
    return Gap(least, at, float(law.upto[at]), float(nearest[at]), shift, n)


@dataclass(frozen=True)
class _Held:
    """The rows of one law: at the kernel's rows and, last, of unseen categories.

    ``free`` holds those that research would have smoothed, ``fixed`` the others.
    """

    fixed: Floats
    free: Floats

    @classmethod
    def of(cls, law: Law, counts: Counts, n_groups: int) -> Self:
        rows = slice(law.first, law.first + law.place.size - 1)
        exact, free = counts.exact[rows].copy(), counts.between[rows].copy()
        if not law.warped:  # every value beside an atom belongs to the grid, also one on its points
            free[law.smooth] += exact[law.smooth]
            exact[law.smooth] = 0.0
        unseen = counts.unseen[law.stratum * (n_groups + 1) + law.group]
        return cls(np.append(exact, unseen), np.append(free, 0.0))

    def shares(self, law: Law, width: float) -> Floats:
        """Smooth what is free, and share all out over the law's places."""
        held = self.fixed + self.free
        part = self.free[law.smooth]
        if width > 0.0 and part.any():
            held[law.smooth] = self.fixed[law.smooth] + _smoothed(part, width, ends=law.warped)
        shares = np.bincount(law.place, held / held.sum(), law.chance.mass.size)
        return shares.astype(np.float64)


def _shift(law: Law, shares: Floats) -> float | None:
    x = law.points
    wanted, found = law.chance.mass[: x.size], shares[: x.size]
    if not found.any() or not wanted.any():
        return None
    mean = float(wanted @ x / wanted.sum())
    deviation = float(np.sqrt(wanted @ (x - mean) ** 2 / wanted.sum()))
    if deviation <= 1e-12 * float(np.abs(x).max()):
        return None
    return (float(found @ x / found.sum()) - mean) / deviation


def _smoothed(held: Floats, width: float, *, ends: bool) -> Floats:
    """Smooth as research was: what leaves the grid is lost or, where told so, stays at its ends."""
    m = held.size
    n = 2 ** int(np.ceil(np.log2(2 * m + 8 * width)))
    wide = np.maximum(np.fft.irfft(np.fft.rfft(held, n) * _kernel(n, width), n), 0.0)
    inside = wide[:m].copy()
    if ends:  # beyond the far end the circle goes on before the near one
        middle = (n + m) // 2
        inside[-1] += wide[m:middle].sum()
        inside[0] += wide[middle:].sum()
    scale = float(held.sum() / inside.sum())
    return np.asarray(inside * scale)


@lru_cache(maxsize=256)
def _kernel(n: int, width: float) -> NDArray[np.complex128]:
    """Transform a Gaussian around 0 on a circle of n steps."""
    lag = np.minimum(np.arange(n), n - np.arange(n))
    return np.asarray(np.fft.rfft(np.exp(-0.5 * (lag / width) ** 2)))
