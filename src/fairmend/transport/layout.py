"""The layout of a cell: where its support lies, and each group's law on it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from fairmend.transport.bandwidth import bandwidth_of
from fairmend.transport.kinds import Kind
from fairmend.transport.marginal import counts_marginal, kde_marginal
from fairmend.transport.points import Points
from fairmend.transport.shape import leaned, pooled_deviation, recentred
from fairmend.transport.support import Floats, split_onto, uniform_support

FEWEST_POINTS, MOST_POINTS = 100, 2_000


@dataclass(frozen=True)
class Resolution:
    """How finely marginals are drawn: ``n_support``, ``margin`` and ``bandwidth`` of ``design``."""

    n_support: int | None = None
    margin: float = 0.1
    bandwidth: str | float = "silverman"


@dataclass(frozen=True)
class Column:
    """What is found once for a feature, from all of its research values.

    Attributes
    ----------
    kind, reason : str
        How it is repaired, and why.
    atoms : ndarray
        Values with exact mass.
    lattice : float
        The step that all values are multiples of, or 0.
    """

    kind: Kind
    reason: str
    atoms: Floats
    lattice: float


@dataclass(frozen=True)
class Layout:
    """Atoms and grid of one cell.

    ``effects`` says for categories how much likelier each is in each group than in everybody, in
    the other strata.
    """

    column: Column
    resolution: Resolution
    atoms: Floats
    grid: Floats
    effects: Floats | None = None

    @classmethod
    def over(cls, column: Column, groups: Sequence[Points], resolution: Resolution) -> Self:
        """Lay the support over the values of all groups of a stratum."""
        everybody = Points.together(groups)
        if column.kind == "categorical":
            return cls(column, resolution, column.atoms, np.empty(0))
        known = np.isin(everybody.values, column.atoms)
        atoms, rest = everybody.values[known], everybody.only(~known)
        if column.kind in ("discrete", "ordinal"):
            # Values left out for their rarity lend their mass to the atoms beside them.
            return cls(column, resolution, atoms if atoms.size else rest.values, np.empty(0))
        if rest.values.size < 2:  # no range to lay a grid over: what is left is one more atom
            return cls(column, resolution, everybody.values, np.empty(0))
        return cls(column, resolution, atoms, _grid(column, groups, rest, resolution))

    @cached_property
    def support(self) -> Floats:
        """Grid and atoms together, sorted and distinct."""
        return np.union1d(self.grid, self.atoms)

    def marginal(self, points: Points) -> Floats:
        """Draw a group's law on the support: exact mass on atoms, a kernel density for the rest."""
        at_atom = np.isin(points.values, self.atoms)
        held, rest = points.only(at_atom), points.only(~at_atom)
        mass = np.zeros(self.support.size)
        if held.size:
            share = held.total / points.total
            mass[np.searchsorted(self.support, self.atoms)] += share * counts_marginal(
                held, self.atoms
            )
        if rest.size and self.grid.size:
            h = self._bandwidth(rest)
            share = rest.total / points.total
            mass[np.searchsorted(self.support, self.grid)] += share * kde_marginal(
                rest, self.grid, h
            )
        elif rest.size:
            mass += split_onto(self.support, rest.values, rest.weights / points.total)
        return mass

    def references(self, groups: Sequence[Points], own: Sequence[Floats]) -> list[Floats]:
        """Fit the stratum's shared shape to each group (see :mod:`fairmend.transport.shape`).

        Categories have no place to move the shape to. They lean on the group's effect in the other
        strata; where there is no other stratum, on nothing.
        """
        weight = np.array([points.total for points in groups])
        pooled: Floats = (weight[:, None] * np.asarray(own)).sum(axis=0) / weight.sum()
        if self.column.kind == "categorical":
            if self.effects is None:
                return list(own)
            fitted = pooled * self.effects
            return list(fitted / fitted.sum(axis=1, keepdims=True))
        if self.atoms.size:
            sizes = [points.effective for points in groups]
            return [leaned(pooled, mass, n) for mass, n in zip(own, sizes, strict=True)]
        shape, scale = recentred(groups), pooled_deviation(groups)
        if scale == 0.0:
            return [pooled] * len(groups)
        return [self._moved(shape, points.mean, scale) for points in groups]

    def _moved(self, shape: Points, mean: float, scale: float) -> Floats:
        values = np.clip(mean + scale * shape.values, self.grid[0], self.grid[-1])
        moved = Points(values, shape.rows, shape.weights, shape.squares)
        return kde_marginal(moved, self.grid, bandwidth_of(moved, self.resolution.bandwidth))

    def _bandwidth(self, rest: Points) -> float:
        """Choose a group's bandwidth; one that shows no spread takes a twentieth of the support."""
        own = bandwidth_of(rest, self.resolution.bandwidth)
        return own if own > 0 else float(self.grid[-1] - self.grid[0]) / 20


def _grid(column: Column, groups: Sequence[Points], rest: Points, resolution: Resolution) -> Floats:
    low, high = float(rest.values[0]), float(rest.values[-1])
    n = resolution.n_support
    if n is None:
        rests = [points.only(~np.isin(points.values, column.atoms)) for points in groups]
        widths = [bandwidth_of(points, resolution.bandwidth) for points in rests]
        narrowest = min((h for h in widths if h > 0), default=high - low)
        # Two points a bandwidth draw a kernel to 1e-8; more would only make the plan longer.
        wanted = 2 * (1 + 2 * resolution.margin) * (high - low) / narrowest
        n = int(np.clip(np.ceil(wanted), FEWEST_POINTS, MOST_POINTS))
    return uniform_support(low, high, n, resolution.margin, column.lattice)
