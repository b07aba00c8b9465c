"""Couplings π*: which share of a group's mass at one point goes to which other point."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from fairmend.transport.barycentre import cumulative
from fairmend.transport.support import NOISE, Floats

Indices = NDArray[np.intp]


@dataclass(frozen=True)
class Coupling:
    """A sparse joint law of a source point and a target point.

    Attributes
    ----------
    source, target : ndarray of shape (entries,)
        Indices into the support, sorted by source.
    mass : ndarray of shape (entries,)
        Positive masses; they sum to 1.
    """

    source: Indices
    target: Indices
    mass: Floats

    @classmethod
    def monotone(cls, marginal: Floats, barycentre: Floats) -> Self:
        """Couple two laws on one sorted support in the order of their values.

        In one dimension this is the optimal plan of Equation kantorovich_trans for every convex
        cost |x − y|^p, so no solver is needed: it has at most 2n − 1 entries and costs O(n).

        Examples
        --------
        >>> coupling = Coupling.monotone(np.array([0.75, 0.25]), np.array([0.5, 0.5]))
        >>> coupling.source, coupling.target, coupling.mass
        (array([0, 0, 1]), array([0, 1, 1]), array([0.5 , 0.25, 0.25]))
        """
        upto_source, upto_target = cumulative(marginal), cumulative(barycentre)
        jumps = np.unique(np.concatenate([upto_source, upto_target]))
        starts = np.concatenate([[0.0], jumps[:-1]])
        mass = jumps - starts
        kept = mass > NOISE
        return cls(
            source=np.searchsorted(upto_source, starts[kept], side="right"),
            target=np.searchsorted(upto_target, starts[kept], side="right"),
            mass=mass[kept],
        )

    @classmethod
    def keeping(cls, marginal: Floats, barycentre: Floats) -> Self:
        """Couple two laws of categories so that as much as possible stays.

        Every plan that keeps ``min(μ, ν)`` is optimal for the cost 0 or 1. This one spreads each
        category's excess in proportion to the others' deficits, so that what moves says nothing
        about where it came from.

        Examples
        --------
        >>> coupling = Coupling.keeping(np.array([0.75, 0.25]), np.array([0.5, 0.5]))
        >>> coupling.source, coupling.target, coupling.mass
        (array([0, 0, 1]), array([0, 1, 1]), array([0.5 , 0.25, 0.25]))
        """
        kept = np.minimum(marginal, barycentre)
        excess, deficit = marginal - kept, barycentre - kept
        lacking = np.cumsum(deficit)[-1]
        moved = np.outer(excess, deficit / lacking) if lacking > 0 else np.zeros((kept.size,) * 2)
        moved[np.diag_indices_from(moved)] += kept
        source, target = np.nonzero(moved)
        return cls(source, target, moved[source, target])

    def of_law(self, marginal: Floats) -> Self:
        """Apply the same map to another law: each point goes where it goes here.

        Examples
        --------
        >>> even = Coupling(np.array([0, 0, 1]), np.array([0, 1, 1]), np.array([0.25, 0.25, 0.5]))
        >>> even.of_law(np.array([1.0, 0.0])).mass
        array([0.5, 0.5])
        """
        share = self.mass / np.bincount(self.source, self.mass)[self.source]
        mass = share * marginal[self.source]
        kept = mass > 0
        return type(self)(self.source[kept], self.target[kept], mass[kept])

    def cost(self, support: Floats, p: float = 2.0) -> float:
        """Compute the expected cost E|x − y|^p; for p = 2 its square root is W₂."""
        distance = np.abs(support[self.source] - support[self.target])
        return float(np.sum(self.mass * distance**p))


def quantile_index(marginal: Floats, probability: Floats) -> Indices:
    """Find the support point at which a law's cumulative probability passes ``probability``.

    Only points with mass are found: a source point without mass in its group is sent here, and must
    not land where the target has none.
    """
    upto = cumulative(marginal)
    last = int(np.flatnonzero(marginal > 0)[-1])
    return np.minimum(np.searchsorted(upto, probability + NOISE, side="right"), last)
