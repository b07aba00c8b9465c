"""The outlook of one feature: its cells' curves brought together over strata."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from fairmend.foresight.curve import Curve, fit
from fairmend.foresight.interval import DRAWS, Cell, ends
from fairmend.foresight.places import Places, Pushed, Ruler
from fairmend.foresight.trials import Design, Tried, cross_fit, pairs_of, pushed, redesign
from fairmend.measures.arrays import Floats
from fairmend.measures.inference.tables import NORMAL
from fairmend.transport.cell import Cell as PlanCell

FEWEST = 20
"""Fewer rows in a group: a third of them say neither how good a plan is nor what it was made of."""

TRIALS = 40


class Expected(NamedTuple):
    """A figure to expect.

    Attributes
    ----------
    value : float
        Its expectation.
    low, high : float
        The interval that holds 95 % of what may turn out.
    """

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Outlook:
    """Curves of one feature.

    Attributes
    ----------
    cells : dict of (int, int) to Cell
        By stratum and pair; those of groups that are large enough.
    shares : ndarray of shape (strata,)
        Of the rows.
    n_groups : int
        Groups.
    scales : tuple of float
        Total variation and AUC on the scale of E: see :meth:`Outlook.on_scale`.
    growth : float
        Archive rows for each research row.
    seed : int
        For draws.
    """

    cells: Mapping[tuple[int, int], Cell]
    shares: Floats
    n_groups: int
    scales: tuple[float, float]
    growth: float
    seed: int

    @classmethod
    def of(
        cls,
        design: Design,
        plan_cells: Sequence[PlanCell],
        shares: Floats,
        growth: float,
        seed: int,
    ) -> "Outlook":
        """Try plans on held-out rows and fit the curves.

        Parameters
        ----------
        design : Design
            The feature.
        plan_cells : sequence
            Its cells in the plan that all rows give.
        growth : float
            Archive rows for each research row.
        """
        rng = np.random.default_rng(seed)
        places = [Places.of(cell, design.column) for cell in plan_cells]
        rulers = rulers_of(design, plan_cells, places, growth)
        partly = design.options.amount < 1
        tried = cross_fit(design, places, rulers, TRIALS, rng)
        again = redesign(design, places, rulers, TRIALS, rng)
        alone, floored = None, partly or design.column.kind in ("continuous", "mixed")
        if design.options.small.shrinkage == "auto" and design.strength > 0:
            alone = cross_fit(replace(design, strength=0.0), places, rulers, TRIALS, rng)
        rows = np.array(
            [[points.effective for points in groups] for groups in design.sample.points]
        )
        cells = {}
        for u in range(rows.shape[0]):
            sides = sides_of(design, plan_cells[u], places[u], u)
            for p, (a, b) in enumerate(pairs_of(rows.shape[1])):
                of, one, other = [a, b], sides[a], sides[b]
                if one is None or other is None or rows[u, of].min() < FEWEST:
                    continue
                # After a full repair both laws are the target, but for chance.
                k = rulers[u][p].straightened(one, other) if partly else 1.0
                curve = _curve(tried, u, p, of, floored=True).times(k)
                level = k * float(again.e[:, u, p].mean())
                turns = k * again.e[:, u, p] - level
                # Seen through the noise of the rows, which the curve is free of, they are wider.
                turns *= min(1.0, (float(curve.at(rows[u, of])) / max(level, 1e-12)) ** 0.5)
                cells[u, p] = Cell(
                    curve,
                    alone
                    and _curve(alone, u, p, of, floored=floored).not_below(curve, rows[u, of]),
                    turns,
                    rulers[u][p],
                    rows[u, of],
                    growth * rows[u, of],
                )
        return cls(cells, shares, rows.shape[1], _scales(tried), growth, seed)

    @cached_property
    def strata(self) -> list[int]:
        """Strata with at least one pair of groups that are large enough."""
        return sorted({u for u, _ in self.cells})

    def pair(self, p: int) -> tuple[int, int]:
        """Name the groups of a pair."""
        return pairs_of(self.n_groups)[p]

    def total(self, more: Mapping[tuple[int, int], float] | None = None) -> float:
        """Expect E over strata, with more rows of a group in a stratum, or None."""
        weights = self.shares[self.strata] / self.shares[self.strata].sum()
        return float(weights @ [self.stratum(u, more) for u in self.strata])

    def stratum(self, u: int, more: Mapping[tuple[int, int], float] | None = None) -> float:
        """Expect E of a stratum: the mean over its pairs of groups."""
        found = [
            cell.expect(cell.rows + [(more or {}).get((u, s), 0.0) for s in self.pair(p)])
            for (v, p), cell in self.cells.items()
            if v == u
        ]
        return float(np.mean(found))

    def on_scale(self, e: Expected) -> tuple[Expected, Expected]:
        """Say E as total variation and as the AUC of the best adversary who sees this column.

        For two normal laws with a distance between them, total variation is 2Φ(√(E/2)) - 1 and the
        AUC is Φ(√E). Other laws differ from these by a factor on E, which the trials show.
        """
        of_tv, of_auc = self.scales
        tv = (2 * NORMAL.cdf((of_tv * x / 2) ** 0.5) - 1 for x in e)
        auc = (NORMAL.cdf((of_auc * x) ** 0.5) for x in e)
        return Expected(*tv), Expected(*auc)

    def level(self, times: float) -> float:
        """Expect E over strata, with ``times`` as many rows of the same make-up."""
        more = {
            (u, s): (times - 1) * n
            for (u, p), cell in self.cells.items()
            for s, n in zip(self.pair(p), cell.rows, strict=True)
        }
        return self.total(more)

    def expected(self, times: float = 1.0, strata: Sequence[int] | None = None) -> Expected:
        """Expect E with its interval, with ``times`` as many research rows of the same make-up."""
        strata = self.strata if strata is None else strata
        rng = np.random.default_rng([self.seed, 1])
        weights = self.shares[strata] / self.shares[strata].sum()
        value, drawn = 0.0, np.zeros(DRAWS)
        for weight, u in zip(weights, strata, strict=True):
            places = rng.integers(TRIALS, size=DRAWS)
            cells = [cell for (v, _), cell in self.cells.items() if v == u]
            for cell in cells:
                scaled = np.full(2, times)
                value += weight * cell.expect(cell.rows * times) / len(cells)
                drawn += weight * cell.draws(scaled, places, rng) / len(cells)
        return Expected(float(value), *ends(drawn, float(value)))


def rulers_of(
    design: Design, plan_cells: Sequence[PlanCell], places: Sequence[Places], growth: float
) -> list[list[Ruler]]:
    """Lay a ruler to each pair of groups in each stratum."""
    rulers = []
    for u, cell in enumerate(plan_cells):
        sides = sides_of(design, cell, places[u], u)
        m = places[u].scores.size
        laws = [np.full(m, 1.0 / m) if side is None else side.all for side in sides]
        rows = np.array([points.effective for points in design.sample.points[u]])
        rulers.append(
            [
                places[u].ruler(growth * rows[[a, b]], (laws[a] + laws[b]) / 2)
                for a, b in pairs_of(rows.size)
            ]
        )
    return rulers


def sides_of(design: Design, cell: PlanCell, places: Places, u: int) -> list[Pushed | None]:
    """Push all rows of each group in a stratum."""
    return [
        pushed(design.pusher(cell, s, places), points, points)
        for s, points in enumerate(design.sample.points[u])
    ]


def dependence_before(design: Design, plan_cells: Sequence[PlanCell], shares: Floats) -> float:
    """Estimate E of the research rows as they are, over strata."""
    design = replace(design, options=replace(design.options, amount=0.0))
    places = [Places.of(cell, design.column) for cell in plan_cells]
    rulers = rulers_of(design, plan_cells, places, 1.0)
    found, weights = [], []
    for u, cell in enumerate(plan_cells):
        sides = sides_of(design, cell, places[u], u)
        e = [
            ruler.straightened(one, other) * ruler.apart(one, other).e
            for ruler, (a, b) in zip(rulers[u], pairs_of(len(sides)), strict=True)
            if (one := sides[a]) is not None
            and (other := sides[b]) is not None
            and min(one.n, other.n) >= FEWEST
        ]
        if e:
            found.append(float(np.mean(e)))
            weights.append(shares[u])
    return max(float(np.average(found, weights=weights)), 0.0) if found else 0.0


def _curve(tried: Tried, u: int, p: int, groups: list[int], *, floored: bool) -> Curve:
    by_row = (float(tried.one[:, u, p].mean()), float(tried.other[:, u, p].mean()))
    taught, held = tried.taught[:, u, groups], tried.held[:, u, groups]
    return fit(tried.e[:, u, p], taught, held, by_row, floored=floored)


def _scales(tried: Tried) -> tuple[float, float]:
    """Compare total variation and AUC of the trials with E, see :meth:`Outlook.on_scale`."""
    known = np.isfinite(tried.raw)
    raw = tried.raw[known]
    if not raw.size or raw.sum() <= 0:
        return 1.0, 1.0
    of_tv = [2 * NORMAL.inv_cdf((1 + _inside(x)) / 2) ** 2 for x in tried.tv[known]]
    of_auc = [NORMAL.inv_cdf(_inside(x)) ** 2 for x in tried.auc[known]]
    return float(np.sum(of_tv) / raw.sum()), float(np.sum(of_auc) / raw.sum())


def _inside(probability: float) -> float:
    return min(max(float(probability), 1e-9), 1 - 1e-9)
