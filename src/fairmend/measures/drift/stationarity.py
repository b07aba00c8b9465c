"""Stationarity: does the archive follow the research marginals? Cell by cell, and in one word."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from fairmend.measures.drift.distance import Gap, gap
from fairmend.measures.drift.laws import Law, Planned, laws_of
from fairmend.measures.drift.mix import Mix, mix_of
from fairmend.measures.drift.tally import Ints, Tally
from fairmend.measures.drift.words import in_words
from fairmend.measures.holm import holm
from fairmend.transport.support import Floats

TOLERANCE = 0.08
"""What a shift by a fifth of a standard deviation, a small effect by Cohen's word, does to a normal
law: 2Φ(0.1) − 1. Eight people in a hundred lie on another side of some value than research said."""

LEVEL = 0.05

FEWEST = 5
"""Archive rows below which nothing is said of a law: it would be said of these people."""

Verdict = Literal["within tolerance", "above tolerance", "insufficient evidence"]


@dataclass(frozen=True)
class Followed:
    """How well the archive follows one research law.

    Attributes
    ----------
    law : Law
        What is expected.
    gap : Gap or None
        How far the archive is; None where it has no such row.
    probability, adjusted : float
        Of such a distance by chance, at most: alone, and among all cells (Holm).
    chance : float
        Distance that chance alone exceeds in at most 1 of 20 cells like this one.
    interval : (float, float)
        Around the distance; all intervals of a report hold at once in at least 95 %.
    verdict : str
        Where the interval lies.
    rows_to_decide : int or None
        Research rows that would decide, where the evidence does not.
    unusual : dict of str to float
        Shares of the archive's rows here whose value is missing, of an unseen category, or out of
        the support's range.
    """

    law: Law
    gap: Gap | None
    probability: float
    adjusted: float
    chance: float
    interval: tuple[float, float]
    verdict: Verdict
    rows_to_decide: int | None
    unusual: dict[str, float]

    @property
    def is_tested(self) -> bool:
        """Whether there are rows to be compared with a law of the group's own."""
        return self.gap is not None and self.gap.rows >= FEWEST and not self.law.borrowed

    @property
    def detected(self) -> bool:
        """Whether chance alone hardly explains the distance."""
        return self.adjusted <= LEVEL

    def to_dict(self, plan: Planned) -> dict[str, Any]:
        """Return plain values; places in the law only as shares, so that no value is shown."""
        law, found = self.law, self.gap
        return {
            "feature": law.feature,
            "stratum": plan.strata.label(law.stratum),
            "group": plan.groups.label(law.group),
            "research_rows": law.chance.rows,
            "rows": 0 if found is None else found.rows,
            "borrowed": law.borrowed,
            "measure": "Kolmogorov-Smirnov" if law.chance.ordered else "total variation",
            "distance": None if found is None else found.distance,
            "chance": self.chance,
            "interval": list(self.interval),
            "p": self.probability,
            "p_adjusted": self.adjusted,
            "detected": self.detected,
            "verdict": self.verdict,
            "rows_to_decide": self.rows_to_decide,
            "shift": None if found is None else found.shift,
            "expected_share": None if found is None else found.expected,
            "found_share": None if found is None else found.found,
            **self.unusual,
        }


@dataclass(frozen=True)
class Period:
    """One file, month or other part of the archive: its rows, and how well it follows each law."""

    name: str
    rows: int
    cells: tuple[Followed, ...]


@dataclass(frozen=True)
class Stationarity:
    """What :func:`stationarity` found.

    Attributes
    ----------
    plan : Plan
        Whose laws they are.
    tolerance : float
        Distance that the verdicts are about.
    cells : tuple of Followed
        By feature, stratum and group.
    mix : Mix
        Of groups and strata.
    periods : tuple of Period
        The same for each part of the archive, where it was parted.
    """

    plan: Planned = field(repr=False)
    tolerance: float
    rows: int
    cells: tuple[Followed, ...]
    mix: Mix
    periods: tuple[Period, ...] = ()

    @property
    def detected(self) -> bool:
        """Whether any distance, in the whole or in a part, is more than chance explains."""
        return any(one.detected for one in self._all())

    @property
    def verdict(self) -> Verdict:
        """The worst of all cells and periods; no evidence counts as worse than good evidence."""
        found = {one.verdict for one in self._all()}
        order: tuple[Verdict, ...] = ("above tolerance", "insufficient evidence")
        return next((one for one in order if one in found), "within tolerance")

    def words(self) -> str:
        """Say it in a few sentences."""
        return in_words(self)

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain values that JSON has."""
        return {
            "verdict": self.verdict,
            "words": self.words(),
            "detected": self.detected,
            "tolerance": self.tolerance,
            "level": LEVEL,
            "rows": self.rows,
            "cells": [one.to_dict(self.plan) for one in self.cells],
            "mix": self.mix.to_dict(self.plan),
            "periods": [
                {
                    "name": period.name,
                    "rows": period.rows,
                    "detected": any(one.detected for one in period.cells),
                    "cells": [one.to_dict(self.plan) for one in period.cells],
                }
                for period in self.periods
            ],
        }

    def _all(self) -> list[Followed]:
        return [one for _, one in self.placed()]

    def placed(self) -> list[tuple[str | None, Followed]]:
        """List all comparisons, each with the name of its period."""
        parts = [(period.name, one) for period in self.periods for one in period.cells]
        return [*((None, one) for one in self.cells), *parts]


def stationarity(
    plan: Planned,
    values: Mapping[str, Floats],
    cells: Ints,
    *,
    periods: Ints | None = None,
    names: Sequence[str] = (),
    tolerance: float = TOLERANCE,
) -> Stationarity:
    """Compare an archive with the research marginals of a plan.

    Parameters
    ----------
    plan : Plan
        Its cells hold each group's marginal on a support, and the research rows behind it.
    values : mapping of str to ndarray of shape (n,)
        Each feature of the archive before repair, NaN where missing.
    cells : ndarray of shape (n,)
        ``stratum * (groups + 1) + group``, negative for rows that have neither, as
        :func:`fairmend.plan.apply.cells_of` gives them.
    periods : ndarray of shape (n,), optional
        Number of the month, file or other part of the archive that each row belongs to, from 0.
    names : sequence of str
        Of the periods.
    tolerance : float
        Distance up to which an archive counts as following.

    Returns
    -------
    Stationarity
        Cell by cell, and its ``verdict`` against the tolerance; beside it ``detected``, whether any
        departure is more than chance explains (Holm over all cells and periods, 5 %).

    Notes
    -----
    What a repair promises rests on this: it moves the archive by laws learnt from research. Each
    law is compared by itself, so a change in the mix of groups and strata is no drift here; it is
    reported beside, see :class:`fairmend.measures.drift.mix.Mix`.

    The bounds account for chance in the research sample and in the archive
    (:class:`fairmend.measures.drift.chance.Chance`). They take rows to be independent, and research
    rows to count alike: research with sample weights, or people who come in clusters, say less than
    their number of rows, and then alarms are likelier than stated. A marginal that leans on other
    groups because its own rows were too few is no law of theirs; such cells are measured but never
    called drift. Nor is a law called drift that only lies closer together than research, since the
    kernel spreads research out (see :func:`fairmend.measures.drift.distance.gap`).

    Examples
    --------
    >>> import fairmend
    >>> table = fairmend.datasets.simulate(40_000, rng=1)
    >>> plan = fairmend.design(table.slice(0, 8_000), protected="s", unprotected="u")
    >>> cells = 3 * table["u"].to_numpy() + table["s"].to_numpy()
    >>> values = {name: table[name].to_numpy() for name in ("x1", "x2")}
    >>> found = stationarity(plan, values, cells)
    >>> found.detected
    False
    >>> values["x2"] = values["x2"] + 0.5
    >>> found = stationarity(plan, values, cells)
    >>> found.detected, found.verdict
    (True, 'above tolerance')
    >>> print(found.words())
    The archive does not look like the research data: 4 of 8 comparisons differ by more than chance
    explains, and by more than the tolerance of 0.08. Surest: 'x2' where u=1 and s=1: the archive
    lies higher: 42% of its rows are at or below a value that 63% of the research rows are at or
    below (distance 0.21, between 0.18 and 0.24).
    """
    whole = Tally.of(plan, values, cells)
    parts = [
        Tally.of(plan, {k: x[periods == at] for k, x in values.items()}, cells[periods == at])
        for at in range(len(names))
    ]
    return judged(plan, whole, parts, names, tolerance)


def judged(
    plan: Planned,
    whole: Tally,
    parts: Sequence[Tally] = (),
    names: Sequence[str] = (),
    tolerance: float = TOLERANCE,
) -> Stationarity:
    """Judge tallies; see :func:`stationarity`, which makes them from an archive."""
    laws, n_groups = laws_of(plan), len(plan.groups)
    pairs = [(law, tally) for tally in (whole, *parts) for law in laws]
    gaps = [gap(law, tally.features[law.feature], n_groups) for law, tally in pairs]
    tested = [
        one is not None and one.rows >= FEWEST and not law.borrowed
        for one, (law, _) in zip(gaps, pairs, strict=True)
    ]
    probability = np.array(
        [
            law.chance.probability(one.distance, one.rows) if yes and one is not None else 1.0
            for yes, one, (law, _) in zip(tested, gaps, pairs, strict=True)
        ]
    )
    adjusted = np.ones_like(probability)
    adjusted[tested] = holm(probability[tested])
    level = LEVEL / max(sum(tested), 1)
    followed = [
        Followed(
            law,
            one,
            float(p),
            float(p_adjusted),
            law.chance.reach(one.rows, LEVEL) if one is not None else 1.0,
            *_verdict(law, one if yes else None, level, tolerance),
            _unusual(law, tally, n_groups),
        )
        for (law, tally), one, yes, p, p_adjusted in zip(
            pairs, gaps, tested, probability, adjusted, strict=True
        )
    ]
    n = len(laws)
    periods = [
        Period(name, part.rows, tuple(followed[n * (at + 1) : n * (at + 2)]))
        for at, (name, part) in enumerate(zip(names, parts, strict=True))
    ]
    mix = mix_of(plan, whole)
    return Stationarity(plan, tolerance, whole.rows, tuple(followed[:n]), mix, tuple(periods))


def _verdict(
    law: Law, found: Gap | None, level: float, tolerance: float
) -> tuple[tuple[float, float], Verdict, int | None]:
    """Say where the interval of a distance lies, and how many research rows would say more."""
    if found is None:
        return (0.0, 1.0), "insufficient evidence", None
    reach = law.chance.reach(found.rows, level)
    interval = max(0.0, found.distance - reach), min(1.0, found.distance + reach)
    if interval[1] <= tolerance:
        return interval, "within tolerance", None
    if interval[0] > tolerance:
        return interval, "above tolerance", None
    margin = abs(found.distance - tolerance)
    return interval, "insufficient evidence", law.chance.research_rows(margin, found.rows, level)


def _unusual(law: Law, tally: Tally, n_groups: int) -> dict[str, float]:
    counts = tally.features[law.feature]
    at = law.stratum * (n_groups + 1) + law.group
    rows = max(int(tally.cells[at]), 1)
    named = {"missing": counts.missing, "unseen": counts.unseen, "out_of_range": counts.beyond}
    return {name: float(count[at] / rows) for name, count in named.items()}
