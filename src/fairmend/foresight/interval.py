"""What the archive's E may turn out to be: the chance in the research rows and in the audit."""

from typing import NamedTuple

import numpy as np

from fairmend.foresight.curve import Curve
from fairmend.foresight.places import Ruler
from fairmend.measures.arrays import Codes, Floats

LEVEL = 0.95

DRAWS = 400

AVERAGED = 0.5
"""Share of what is above the floor whose chance cancels between the partings, as measured."""


class Cell(NamedTuple):
    """One pair of groups in one stratum.

    Attributes
    ----------
    curve : Curve
        E by research rows, with the shrinkage that they gave.
    alone : Curve or None
        E without any shrinkage, which more rows would turn to once it is better.
    turns : ndarray of shape (trials,)
        By how much E differs with the research rows that happen to be drawn, about 0.
    ruler : Ruler
        Of an audit.
    rows, archive : ndarray of shape (2,)
        Rows of each group in the research data and in the archive.
    """

    curve: Curve
    alone: Curve | None
    turns: Floats
    ruler: Ruler
    rows: Floats
    archive: Floats

    def expect(self, rows: Floats) -> float:
        """Expect E of so many research rows of each group."""
        e = float(self.curve.at(rows))
        if self.alone is None or (rows <= self.rows).all():
            return e
        return min(e, float(self.alone.at(rows)))

    def draws(self, times: Floats, places: Codes, rng: np.random.Generator) -> Floats:
        """Draw what an audit may find, with ``times`` as many research rows of each group.

        Three things are left to chance. *How good the plan is* with other research rows: the turns,
        which shrink with the rows as E does. *How well E is known*: a difference d is seen through
        the research rows' noise, which on the scale of √E is normal with variance (1/n + 1/m)/2.
        *What the audit sees* through the archive's.

        Parameters
        ----------
        times : ndarray of shape (2,)
            By group.
        places : ndarray of shape (draws,)
            Which turns; the same for all numbers of rows.
        """
        expected = self.expect(self.rows * times)
        floor = min(self.curve.floor, expected)
        now = float(self.curve.at(self.rows))
        shrunk = (expected - floor) / max(now - floor, 1e-12) if times.max() != 1 else 1.0
        noise = 0.5 * float((1 / self.rows).sum())
        # What the plans' own rows do is averaged over the partings, and is known better.
        seen = (1 - AVERAGED) * expected + AVERAGED * floor
        root = np.sqrt(seen) + np.sqrt(noise) * rng.standard_normal(places.size)
        known = expected - seen + root**2 - noise
        found: Floats = known + min(shrunk, 4.0) * self.turns[places]
        return found + self._audit(expected, places, rng)

    def _audit(self, expected: float, places: Codes, rng: np.random.Generator) -> Floats:
        """Draw the error of an audit: E of samples from laws that are ``expected`` apart."""
        law = self.ruler.law
        spread = rng.standard_normal(law.size) * np.sqrt(law)
        spread -= law * spread.sum()
        held = law > 0
        size = float((spread[held] ** 2 / law[held]).sum())
        spread *= np.sqrt(2 * expected / size) if size > 0 else 0.0
        sides = np.maximum(law + 0.5 * np.array([1, -1])[:, None] * spread, 0.0)
        tables = np.stack(
            [
                rng.multinomial(max(int(n), 1), side / side.sum(), size=places.size)
                for n, side in zip(self.archive, sides, strict=True)
            ],
            axis=1,
        )
        e = self.ruler.smoother.distances(tables.astype(np.float64)).e
        error: Floats = e - e.mean()
        return error


def ends(draws: Floats, expected: float) -> tuple[float, float]:
    """Take the interval that holds 95 % of the draws and the expectation, at least 0."""
    low, high = np.quantile(np.maximum(draws, 0.0), [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return min(float(low), expected), max(float(high), expected)
