"""How many support points are enough: E and the change to the data over n_support."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from fairmend.foresight.outlook import Outlook, rulers_of
from fairmend.foresight.places import Places
from fairmend.foresight.trials import Design, cross_fit
from fairmend.transport.cell import Cell

SIZES = (10, 20, 50, 100, 200, 500, 1_000)

TRIALS = 10

MORE_E = 0.05
"""Share by which E may exceed that of the finest support, and the points be enough."""

MORE_DAMAGE = 0.02
"""Likewise the change to the data, in standard deviations of the feature."""

SLACK = 0.001
"""In nats: less than this in E is nothing."""


class Size(NamedTuple):
    """One number of support points.

    Attributes
    ----------
    n : int
        Points.
    e : float
        E to expect.
    damage : float
        Root mean squared change, in standard deviations of the feature.
    """

    n: int
    e: float
    damage: float


class Supports(NamedTuple):
    """The curve over n_support.

    Attributes
    ----------
    sizes : tuple of Size
        From few points to many.
    enough : int
        The fewest that are as good as the most.
    used : int
        Those of the plan, in its largest cell.
    """

    sizes: tuple[Size, ...]
    enough: int
    used: int


def supports(
    design: Design, plan_cells: Sequence[Cell], outlook: Outlook, growth: float
) -> Supports | None:
    """Compute the curve; None where a feature's values are its support."""
    used = max(cell.grid.size for cell in plan_cells)
    if not used or not outlook.strata:
        return None
    tried = [(n, *_tried(design, n, outlook, growth)) for n in SIZES]
    finest, least = tried[-1][1], tried[-1][2]
    scale = outlook.total() / finest if finest > SLACK else 1.0
    sizes = tuple(Size(n, max(scale * e, 0.0), damage) for n, e, damage in tried)
    most = (1 + MORE_E) * sizes[-1].e + SLACK
    enough = [s.n for s in sizes if s.e <= most and s.damage <= least + MORE_DAMAGE]
    return Supports(sizes, min(enough), used)


def _tried(design: Design, n: int, outlook: Outlook, growth: float) -> tuple[float, float]:
    """Try one number of points; all numbers see the same partings."""
    resolution = replace(design.options.resolution, n_support=n)
    design = replace(design, options=replace(design.options, resolution=resolution))
    cells = design.cells(design.sample)
    places = [Places.of(cell, design.column) for cell in cells]
    rulers = rulers_of(design, cells, places, growth)
    rng = np.random.default_rng(outlook.seed)
    e = cross_fit(design, places, rulers, TRIALS, rng).e.mean(axis=0)
    by_stratum = [np.mean([e[u, p] for v, p in outlook.cells if v == u]) for u in outlook.strata]
    weights = outlook.shares[outlook.strata]
    return float(np.average(by_stratum, weights=weights)), _damage(design, cells, places)


def _damage(design: Design, cells: Sequence[Cell], places: Sequence[Places]) -> float:
    moved, total = 0.0, 0.0
    values, weights = [], []
    for u, cell in enumerate(cells):
        for s, points in enumerate(design.sample.points[u]):
            pusher = design.pusher(cell, s, places[u])
            rows = pusher.rows(points.values, points.weights[None])[0]
            moved += float(rows[: pusher.cost.size] @ pusher.cost)
            total += points.total
            values.append(points.values)
            weights.append(points.weights)
    together, weight = np.concatenate(values), np.concatenate(weights)
    mean = np.average(together, weights=weight)
    variance = float(np.average((together - mean) ** 2, weights=weight))
    return float(np.sqrt(moved / total / variance)) if variance > 0 else 0.0
