"""Dependence against damage over the amount of repair, on the plan's own laws."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from fairmend.errors import OptionError
from fairmend.plan.feature import Feature
from fairmend.transport.support import Floats, split_onto

if TYPE_CHECKING:
    from fairmend.plan.plan import Plan


@dataclass(frozen=True)
class TradeOff:
    """One point of the curve.

    Attributes
    ----------
    amount : float
        Share of the full repair.
    dependence : float
        E in nats, mean over features, as left between the plan's laws.
    damage : float
        Mean over features of the root mean squared change in standard deviations of the feature;
        for categories the share of rows changed.
    by_feature : dict
        ``(dependence, damage)`` of each feature.
    """

    amount: float
    dependence: float
    damage: float
    by_feature: dict[str, tuple[float, float]]


def tradeoff(plan: "Plan", amounts: Iterable[float]) -> list[TradeOff]:
    """Compute the curve; see :meth:`Plan.tradeoff`."""
    curve = []
    for amount in amounts:
        by_feature = {one.name: _at(plan, one, float(amount)) for one in plan.features}
        dependence, damage = np.mean(list(by_feature.values()), axis=0)
        curve.append(TradeOff(float(amount), float(dependence), float(damage), by_feature))
    return curve


def amount_for_damage(plan: "Plan", budget: float) -> float:
    """Find the largest amount within a damage budget, by bisection: damage rises with amount."""
    if not budget >= 0:
        message = f"budget={budget!r} is no damage. Pass a number from 0 on."
        raise OptionError(message)
    low, high = 0.0, 1.0
    if tradeoff(plan, [1.0])[0].damage <= budget:
        return 1.0
    for _ in range(30):
        middle = 0.5 * (low + high)
        within = tradeoff(plan, [middle])[0].damage <= budget
        low, high = (middle, high) if within else (low, middle)
    return low


def _at(plan: "Plan", feature: Feature, amount: float) -> tuple[float, float]:
    """Compute E and damage of one feature, averaged over strata by their rows."""
    rows = np.array([cell.counts.sum() for cell in feature.cells], dtype=np.float64)
    part = feature.goes_part_of_the_way and not plan.options.constrains(feature.name)
    strata = range(len(feature.cells))
    parts = np.array([_cell_at(feature, stratum, amount, part=part) for stratum in strata])
    dependence, moved, variance = rows @ parts / rows.sum()
    if feature.kind == "categorical":
        return float(dependence), float(moved)
    return float(dependence), float(np.sqrt(moved / variance)) if variance > 0 else 0.0


def _cell_at(
    feature: Feature, stratum: int, amount: float, *, part: bool
) -> tuple[float, float, float]:
    cell = feature.cells[stratum]
    share = cell.counts / cell.counts.sum()
    laws, moved = [], 0.0
    for group in range(cell.counts.size):
        coupling = feature.coupling(stratum, group)
        before, after = cell.support[coupling.source], cell.support[coupling.target]
        if part:
            places = (1 - amount) * before + amount * after
            laws.append(split_onto(cell.support, places, coupling.mass))
            cost = amount**2 * coupling.cost(cell.support)
        else:
            arrived = np.bincount(coupling.target, coupling.mass, cell.support.size)
            laws.append((1 - amount) * cell.marginals[group] + amount * arrived)
            changed = coupling.source != coupling.target
            whole = (
                coupling.mass @ changed
                if cell.kind == "categorical"
                else coupling.cost(cell.support)
            )
            cost = amount * float(whole)
        moved += float(share[group]) * cost
    pooled = share @ cell.marginals
    variance = float(pooled @ cell.support**2 - (pooled @ cell.support) ** 2)
    return _dependence(np.array(laws), cell.counts.astype(np.float64)), moved, variance


def _dependence(laws: Floats, counts: Floats) -> float:
    """Compute the mean symmetrised divergence of all pairs, as `dependence` does for counts."""
    pooled = counts @ laws / counts.sum()
    shrunk = (counts[:, None] * laws + pooled) / (counts[:, None] + 1.0)
    kept = pooled > 0
    logs = np.log(shrunk[:, kept])
    pairs = [
        0.5 * float((shrunk[a, kept] - shrunk[b, kept]) @ (logs[a] - logs[b]))
        for a, b in combinations(range(len(laws)), 2)
    ]
    return float(np.mean(pairs))
