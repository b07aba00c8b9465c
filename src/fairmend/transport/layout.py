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
from fairmend.transport.support import Floats, spelt_as, split_onto, uniform_support

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
class Warp:
    """A grid for heavy tails: uniform in ``asinh((x − centre) / scale)``.

    A uniform grid fine enough for most people's incomes would need a million points to reach the
    largest, and one of 2,000 would move most people to its first point.

    Attributes
    ----------
    centre, scale : float
        Median and half the interquartile range of the stratum.
    grid : ndarray
        Uniform points of the warped scale.
    places : ndarray
        The same points in the data's units, sorted and distinct.
    """

    centre: float
    scale: float
    grid: Floats
    places: Floats

    @classmethod
    def over(cls, rest: Points, column: Column, resolution: Resolution) -> Self:
        """Lay the grid over the values of all groups of a stratum."""
        centre = rest.quantile(0.5)
        scale = 0.5 * (rest.quantile(0.75) - rest.quantile(0.25)) or rest.deviation
        low, high = np.arcsinh((rest.values[[0, -1]] - centre) / scale)
        n = resolution.n_support or FEWEST_POINTS * 3
        beyond = resolution.margin * (high - low)
        grid = np.linspace(low - beyond, high + beyond, n)
        places = centre + scale * np.sinh(grid)
        # By rounding alone no research value may be out of range.
        places[0] = min(places[0], rest.values[0])
        places[-1] = max(places[-1], rest.values[-1])
        if rest.values[0] >= 0:
            places = np.maximum(places, 0.0)
        if rest.values[-1] <= 0:
            places = np.minimum(places, 0.0)
        if column.lattice:
            steps = np.rint((places - rest.values[0]) / column.lattice)
            places = rest.values[0] + steps * column.lattice
            places = spelt_as((rest.values[0], rest.values[-1]), places, column.lattice)
        return cls(centre, scale, grid, np.unique(places))

    def marginal(self, rest: Points, rule: str | float) -> Floats:
        """Draw a group's law on the places: a kernel density on the warped scale."""
        warped = np.arcsinh((rest.values - self.centre) / self.scale)
        points = Points(warped, rest.rows, rest.weights, rest.squares)
        # A width in the data's units means nothing on the warped scale.
        h = bandwidth_of(points, rule if isinstance(rule, str) else "silverman")
        mass = kde_marginal(points, self.grid, h)
        places = self.centre + self.scale * np.sinh(self.grid)
        return split_onto(self.places, places, mass)


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
    warp: Warp | None = None
    effects: Floats | None = None

    @classmethod
    def over(cls, column: Column, groups: Sequence[Points], resolution: Resolution) -> Self:
        """Lay the support over the values of all groups of a stratum."""
        if column.kind == "categorical":
            return cls(column, resolution, column.atoms, np.empty(0))
        held = [np.isin(points.values, column.atoms) for points in groups]
        atoms = _distinct([points.values[at] for points, at in zip(groups, held, strict=True)])
        rests = [points.only(~at) for points, at in zip(groups, held, strict=True)]
        if column.kind in ("discrete", "ordinal"):
            # Values left out for their rarity lend their mass to the atoms beside them.
            shown = atoms if atoms.size else _distinct([rest.values for rest in rests])
            return cls(column, resolution, shown, np.empty(0))
        # The groups' ends are those of everybody, whom it would cost more to sort than to draw.
        low = min((float(rest.values[0]) for rest in rests if rest.size), default=0.0)
        high = max((float(rest.values[-1]) for rest in rests if rest.size), default=0.0)
        if low == high:  # no range to lay a grid over: what is left is one more atom
            shown = _distinct([points.values for points in groups])
            return cls(column, resolution, shown, np.empty(0))
        n = _points_needed(rests, high - low, resolution)
        if n > MOST_POINTS:
            everybody = Points.together(groups)
            rest = everybody.only(~np.isin(everybody.values, column.atoms))
            return cls(column, resolution, atoms, np.empty(0), Warp.over(rest, column, resolution))
        n = resolution.n_support or max(n, FEWEST_POINTS)
        grid = uniform_support(low, high, n, resolution.margin, column.lattice)
        return cls(column, resolution, atoms, grid)

    @cached_property
    def support(self) -> Floats:
        """Grid and atoms together, sorted and distinct."""
        return np.union1d(self.grid, self.values)

    @cached_property
    def values(self) -> Floats:
        """Support points that are found by search: atoms, and the places of a warped grid."""
        return self.atoms if self.warp is None else np.union1d(self.atoms, self.warp.places)

    def marginal(self, points: Points) -> Floats:
        """Draw a group's law on the support: exact mass on atoms, a kernel density for the rest."""
        if self.grid.size and not self.values.size:
            return kde_marginal(points, self.grid, self._bandwidth(points))
        at_atom = np.isin(points.values, self.atoms)
        held, rest = points.only(at_atom), points.only(~at_atom)
        mass = np.zeros(self.support.size)
        if held.size:
            share = held.total / points.total
            mass[np.searchsorted(self.support, self.atoms)] += share * counts_marginal(
                held, self.atoms
            )
        share = rest.total / points.total
        if rest.size and self.warp is not None:
            mass[np.searchsorted(self.support, self.warp.places)] += share * self.warp.marginal(
                rest, self.resolution.bandwidth
            )
        elif rest.size and self.grid.size:
            h = self._bandwidth(rest)
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
        if not self.grid.size or self.atoms.size:
            sizes = [points.effective for points in groups]
            return [leaned(pooled, mass, n) for mass, n in zip(own, sizes, strict=True)]
        if pooled_deviation(groups) == 0.0:
            return [pooled] * len(groups)
        return self.moved(groups, [points.mean for points in groups])

    def moved(self, groups: Sequence[Points], places: Sequence[float]) -> list[Floats]:
        """Move the shape that groups share, some of which are spread out, to some places."""
        shape, scale = recentred(groups), pooled_deviation(groups)
        return [self._moved(shape, place, scale) for place in places]

    def _moved(self, shape: Points, place: float, scale: float) -> Floats:
        values = np.clip(place + scale * shape.values, self.grid[0], self.grid[-1])
        moved = shape.at(values)
        return kde_marginal(moved, self.grid, bandwidth_of(moved, self.resolution.bandwidth))

    def _bandwidth(self, rest: Points) -> float:
        """Choose a group's bandwidth; one that shows no spread takes a twentieth of the support."""
        own = bandwidth_of(rest, self.resolution.bandwidth)
        return own if own > 0 else float(self.grid[-1] - self.grid[0]) / 20


def _points_needed(rests: Sequence[Points], width: float, resolution: Resolution) -> int:
    """Count the points that a uniform grid needs: two a bandwidth draw a kernel to 1e-8."""
    widths = [bandwidth_of(points, resolution.bandwidth) for points in rests]
    narrowest = min((h for h in widths if h > 0), default=width)
    return int(np.ceil(min(2 * (1 + 2 * resolution.margin) * width / narrowest, 1e9)))


def _distinct(parts: Sequence[Floats]) -> Floats:
    distinct: Floats = np.unique(np.concatenate(parts))
    return distinct
