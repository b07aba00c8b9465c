"""A cell: the transport of one feature in one stratum, for every group (Algorithm 1)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fairmend.transport.barycentre import barycentre
from fairmend.transport.coupling import Coupling, quantile_index
from fairmend.transport.kinds import Kind
from fairmend.transport.marginal import bandwidth_of, counts_marginal, kde_marginal
from fairmend.transport.support import Floats, uniform_support

FEWEST_POINTS, MOST_POINTS = 100, 2_000


@dataclass(frozen=True)
class Cell:
    """Supports, marginals and target of one (stratum, feature).

    Attributes
    ----------
    kind : str
        The feature's kind.
    grid : ndarray
        Uniform support points of the continuous part, maybe none.
    atoms : ndarray
        Values that carry exact mass, sorted, maybe none.
    marginals : ndarray of shape (groups, points)
        μ of each group on ``support``.
    target : ndarray of shape (points,)
        The barycentre ν.
    counts : ndarray of shape (groups,)
        Research rows that each marginal was learnt from.
    """

    kind: str
    grid: Floats
    atoms: Floats
    marginals: Floats
    target: Floats
    counts: NDArray[np.int64]

    @cached_property
    def support(self) -> Floats:
        """Grid and atoms together, sorted and distinct."""
        return np.union1d(self.grid, self.atoms)

    def coupling(self, group: int) -> Coupling:
        """Rebuild π* of one group; it is a function of marginal and target and is not stored."""
        return Coupling.monotone(self.marginals[group], self.target)

    def every_row(self, group: int) -> Coupling:
        """Give support points without mass in the group a row of their own.

        They take the target at their cumulative probability, so that a value which research did not
        show in this group still lands where the target has mass.
        """
        coupling, marginal = self.coupling(group), self.marginals[group]
        empty = np.setdiff1d(np.arange(marginal.size), coupling.source, assume_unique=False)
        upto = np.cumsum(marginal)
        source = np.concatenate([coupling.source, empty])
        target = np.concatenate(
            [coupling.target, quantile_index(self.target, upto[empty] / upto[-1])]
        )
        mass = np.concatenate([coupling.mass, np.ones(empty.size)])
        order = np.argsort(source, kind="stable")
        return Coupling(source[order], target[order], mass[order])


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
class Resolution:
    """How finely marginals are drawn: ``n_support``, ``margin`` and ``bandwidth`` of ``design``."""

    n_support: int | None = None
    margin: float = 0.1
    bandwidth: str | float = "silverman"


def design_cell(
    column: Column, groups: Sequence[Floats], weights: Floats, resolution: Resolution
) -> Cell:
    """Design one cell from the research values of each group (Algorithm 1, lines 3–11).

    Parameters
    ----------
    column : Column
        Kind, atoms and lattice of the feature.
    groups : sequence of ndarray
        Finite values of each group in this stratum, at least 2 each.
    weights : ndarray of shape (groups,)
        Barycentre weights.
    resolution : Resolution
        Support and bandwidth.
    """
    everybody = np.concatenate(groups)
    atoms = np.intersect1d(column.atoms, everybody)
    rests = [values[~np.isin(values, atoms)] for values in groups]
    rest = np.concatenate(rests)
    if np.unique(rest).size < 2:  # no range to lay a grid over: what is left is one more atom
        atoms, rests = np.union1d(atoms, rest), [rest[:0]] * len(groups)
        rest = rest[:0]
    bandwidths = [_bandwidth(values, rest, resolution) for values in rests]
    grid = _grid(rest, bandwidths, column.lattice, resolution)
    support = np.union1d(grid, atoms)
    marginals = np.zeros((len(groups), support.size))
    for marginal, values, continuous, h in zip(marginals, groups, rests, bandwidths, strict=True):
        share = continuous.size / values.size
        if share > 0:
            marginal[np.searchsorted(support, grid)] += share * kde_marginal(continuous, grid, h)
        if share < 1:
            held = values[np.isin(values, atoms)]
            places = np.searchsorted(support, atoms)
            marginal[places] += (1 - share) * counts_marginal(held, atoms)
    return Cell(
        kind=column.kind,
        grid=grid,
        atoms=atoms,
        marginals=marginals,
        target=barycentre(support, marginals, weights),
        counts=np.array([values.size for values in groups]),
    )


def _bandwidth(values: Floats, rest: Floats, resolution: Resolution) -> float:
    """Choose a group's bandwidth; one that shows no spread takes the stratum's."""
    if not rest.size:
        return 0.0
    own = bandwidth_of(values, resolution.bandwidth) if values.size > 1 else 0.0
    return own if own > 0 else bandwidth_of(rest, resolution.bandwidth)


def _grid(
    rest: Floats, bandwidths: Sequence[float], lattice: float, resolution: Resolution
) -> Floats:
    if not rest.size:
        return rest
    low, high = float(rest.min()), float(rest.max())
    n = resolution.n_support
    if n is None:
        # Two points a bandwidth draw a kernel to 1e-8; more would only make the plan longer.
        wanted = 2 * (1 + 2 * resolution.margin) * (high - low) / max(min(bandwidths), 1e-300)
        n = int(np.clip(np.ceil(wanted), FEWEST_POINTS, MOST_POINTS))
    return uniform_support(low, high, n, resolution.margin, lattice)
