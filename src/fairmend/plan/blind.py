"""Blind plans: a repair that needs no group at run time, for a budget of damage."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray

from fairmend.errors import OptionError
from fairmend.plan.feature import Feature
from fairmend.plan.options import number_in
from fairmend.transport.blind import bins_of, dependence_of, shared_map, spread
from fairmend.transport.cell import Cell
from fairmend.transport.support import Floats

if TYPE_CHECKING:
    from typing import TypeVar

    from fairmend.plan.plan import Plan

    P = TypeVar("P", bound=Plan)

Places = NDArray[np.intp]

HALVINGS, NEAR = 14, 0.01
"""Steps towards the budget, and the part of it that may be left."""

DEAREST, CHEAPEST = 100.0, 0.02
"""Prices of a feature's variance, in units of its dependence, between which one is looked for."""


def blind_plan(plan: "P", budget: float) -> "P":
    """Give every cell one map for all groups; see :meth:`fairmend.Plan.blind`."""
    number_in("budget", budget, 0.0, np.inf)
    if plan.options.output == "monge":
        message = (
            "A blind repair draws where a value goes, and output='monge' makes no draws. Design "
            "the plan with output='support' or output='dithered'."
        )
        raise OptionError(message)
    if plan.options.blind is not None:
        message = "The plan is blind already. Make another one from the plan with groups."
        raise OptionError(message)
    if plan.is_joint or plan.options.constraints:
        message = (
            "A blind repair has one map for all groups, and a joint plan follows each group "
            "through its leaves. Design the plan without joint=."
        )
        raise OptionError(message)
    options = replace(plan.options, blind=float(budget), missing="keep", amount=1.0, joint=None)
    features = tuple(_blind(feature, budget) for feature in plan.features)
    return replace(plan, features=features, options=options)


def _blind(feature: Feature, budget: float) -> Feature:
    """Find one price for all cells of a feature at which their mean cost is the budget."""
    cells = [_Open.of(cell) for cell in feature.cells]
    rows = np.array([cell.counts.sum() for cell in feature.cells], dtype=np.float64)
    share = rows / rows.sum()
    unit = 1.0
    allowed = budget
    if feature.kind != "categorical":
        unit = float(share @ [cell.variance for cell in cells])
        allowed = budget**2
    price, kernels = _priced(cells, share, unit, allowed)
    anywhere = _Open.of(feature.anywhere)
    kernels.append(anywhere.map_at(price / unit if unit > 0 else price))
    mapped = [cell.mapped(kernel) for cell, kernel in zip([*cells, anywhere], kernels, strict=True)]
    return replace(feature, cells=tuple(mapped[:-1]), anywhere=mapped[-1])


def _priced(
    cells: "list[_Open]", share: Floats, unit: float, allowed: float
) -> tuple[float, list[Floats]]:
    """Look for the price by halving its logarithm: the dearer, the less is moved."""
    if allowed == 0.0 or unit == 0.0:
        return np.inf, [np.eye(cell.bins.max() + 1) for cell in cells]
    scale = max(float(share @ [cell.dependence for cell in cells]), 1e-6)
    low, high = np.log(CHEAPEST * scale), np.log(DEAREST * scale)
    price, kernels = np.inf, [np.eye(cell.bins.max() + 1) for cell in cells]
    for at in range(HALVINGS):
        tried = low if at == 0 else 0.5 * (low + high)
        found = [cell.map_at(float(np.exp(tried)) / unit) for cell in cells]
        costs = [cell.cost_of(kernel) for cell, kernel in zip(cells, found, strict=True)]
        spent = float(share @ costs) / unit
        if spent > allowed:
            low = tried
            continue
        high, price, kernels = tried, float(np.exp(tried)), found
        if at == 0 or spent > (1.0 - NEAR) ** 2 * allowed:
            break
    return price, kernels


@dataclass(frozen=True)
class _Open:
    """A cell in bins, for which a map is looked for.

    Attributes
    ----------
    cell : Cell
        Its marginals are those of the plan with groups.
    bins : ndarray of shape (points,)
        The bin of each point.
    laws : ndarray of shape (groups, bins)
        The groups' masses, each mixed with one pseudo-row of everybody's.
    points, mass : ndarray of shape (points,), (bins,)
        Share of everybody.
    cost : ndarray of shape (bins, bins)
        Squared distance, or whether a category changes.
    variance : float
        Of everybody.
    """

    cell: Cell
    bins: Places
    laws: Floats
    points: Floats
    mass: Floats
    cost: Floats
    variance: float

    @classmethod
    def of(cls, cell: Cell) -> Self:
        """Put a cell's points into bins."""
        n = cell.counts.astype(np.float64)
        points = n @ cell.marginals / n.sum()
        bins = bins_of(points)
        size = int(bins.max()) + 1
        mass = np.bincount(bins, points, size).astype(np.float64)
        laws = np.array([np.bincount(bins, law, size) for law in cell.marginals])
        x = cell.support
        middle = np.bincount(bins, points * x, size) / np.maximum(mass, 1e-300)
        even = np.bincount(bins, x, size) / np.bincount(bins, minlength=size)
        middle = np.where(mass > 0, middle, even)
        cost: Floats = (middle[:, None] - middle) ** 2
        if cell.kind == "categorical":
            cost = 1.0 - np.eye(size)
        everybody = (mass + 1e-9 / size) / (1.0 + 1e-9)
        laws = (n[:, None] * laws + everybody) / (n[:, None] + 1.0)
        variance = float(points @ x**2 - (points @ x) ** 2)
        return cls(cell, bins, laws, points, mass, cost, max(variance, 0.0))

    @property
    def dependence(self) -> float:
        """What is there before the repair, in nats."""
        return dependence_of(self.laws)

    def map_at(self, price: float) -> Floats:
        """Find the map for a price of one unit of cost."""
        if not np.isfinite(price):
            return np.eye(self.mass.size)
        return shared_map(self.laws, self.mass, self.cost, price)

    def cost_of(self, kernel: Floats) -> float:
        """Compute what a map costs, point by point."""
        coupling = spread(kernel, self.bins, self.points)
        if self.cell.kind == "categorical":
            return float(coupling.mass @ (coupling.source != coupling.target))
        return coupling.cost(self.cell.support)

    def mapped(self, kernel: Floats) -> Cell:
        """Give the cell its map; the target is where everybody arrives."""
        coupling = spread(kernel, self.bins, self.points)
        target = np.bincount(coupling.target, coupling.mass, self.points.size).astype(np.float64)
        return replace(self.cell, target=target / target.sum(), missing=None, couplings=(coupling,))
