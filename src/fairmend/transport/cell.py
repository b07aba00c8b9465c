"""A cell: the transport of one feature in one stratum, for every group (Algorithm 1)."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from fairmend.transport.barycentre import barycentre
from fairmend.transport.coupling import Coupling, quantile_index
from fairmend.transport.support import Floats


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
    missing : ndarray of shape (groups + 1,), optional
        Where missing is a state of its own: its share in each group and, last, in the target.
    couplings : tuple of Coupling, optional
        Entropic couplings of each group; the exact ones are rebuilt, not stored. A single one is a
        map that all groups share, with every point of the support.
    borrowed : tuple of str
        For each group what its marginal leans on beside its own rows; empty for most.
    """

    kind: str
    grid: Floats
    atoms: Floats
    marginals: Floats
    target: Floats
    counts: NDArray[np.int64]
    missing: Floats | None = None
    borrowed: tuple[str, ...] = ()
    couplings: tuple[Coupling, ...] | None = None

    @cached_property
    def support(self) -> Floats:
        """Grid and atoms together, sorted and distinct."""
        return np.union1d(self.grid, self.atoms)

    @property
    def is_blind(self) -> bool:
        """Whether one map serves all groups."""
        return self.couplings is not None and len(self.couplings) == 1

    def coupling(self, group: int) -> Coupling:
        """Rebuild π* of one group; it is a function of marginal and target and is not stored."""
        if self.is_blind and self.couplings is not None:
            return self.couplings[0].of_law(self.marginals[group])
        if self.couplings is not None and group < len(self.couplings):
            return self.couplings[group]
        couple = Coupling.keeping if self.kind == "categorical" else Coupling.monotone
        return couple(self.marginals[group], self.target)

    def with_pooled(self) -> Self:
        """Add a group of everybody, for rows whose own group research did not show."""
        share = self.counts / max(int(np.cumsum(self.counts)[-1]), 1)
        pooled = np.cumsum(share[:, None] * self.marginals, axis=0)[-1:]
        missing = self.missing
        if missing is not None:
            everybody = np.cumsum(share * missing[:-1])[-1:]
            missing = np.concatenate([missing[:-1], everybody, missing[-1:]])
        return replace(
            self,
            marginals=np.concatenate([self.marginals, pooled]),
            counts=np.append(self.counts, 0),
            missing=missing,
        )

    def every_row(self, group: int) -> Coupling:
        """Give every state a row: also points without mass in the group, and missing.

        A point without mass takes the target at its cumulative probability, so that a value which
        research did not show in this group still lands where the target has mass; a category, which
        has no order, stays. Where missing is a state, it is the last.
        """
        if self.is_blind and self.couplings is not None:
            return self.couplings[0]
        coupling, marginal = self.coupling(group), self.marginals[group]
        empty = np.setdiff1d(np.arange(marginal.size), coupling.source)
        to = empty
        if self.kind != "categorical" and empty.size:
            upto = np.cumsum(marginal)
            to = quantile_index(self.target, upto[empty] / upto[-1])
        full = Coupling(
            np.concatenate([coupling.source, empty]),
            np.concatenate([coupling.target, to]),
            np.concatenate([coupling.mass, np.ones(empty.size)]),
        )
        return _sorted(full if self.missing is None else self._with_missing(full, group))

    def _with_missing(self, coupling: Coupling, group: int) -> Coupling:
        """Let some values go missing, or some missing ones be filled, until the shares agree."""
        assert self.missing is not None
        share, wanted = float(self.missing[group]), float(self.missing[-1])
        n = self.support.size
        vanish = max(0.0, (wanted - share) / (1.0 - share)) if share < 1.0 else 0.0
        fill = max(0.0, (share - wanted) / share) if share > 0.0 else 0.0
        row_mass = np.bincount(coupling.source, coupling.mass, n)
        targets = np.flatnonzero(self.target > 0)
        return Coupling(
            np.concatenate([coupling.source, np.arange(n), np.full(targets.size + 1, n)]),
            np.concatenate([coupling.target, np.full(n, n), targets, [n]]),
            np.concatenate(
                [
                    coupling.mass * (1.0 - vanish),
                    row_mass * vanish,
                    self.target[targets] * fill,
                    [1.0 - fill],
                ]
            ),
        )


def _sorted(coupling: Coupling) -> Coupling:
    order = np.argsort(coupling.source, kind="stable")
    return Coupling(coupling.source[order], coupling.target[order], coupling.mass[order])


def target_of(kind: str, support: Floats, marginals: Floats, weights: Floats) -> Floats:
    """Compute the target: the barycentre, or for categories the weighted mixture.

    With the cost 0 or 1 every law between the groups' is a barycentre; the mixture is the one that
    treats categories alike.
    """
    if kind != "categorical":
        return barycentre(support, marginals, weights)
    share = weights / np.cumsum(weights)[-1]
    mixture: Floats = np.cumsum(share[:, None] * marginals, axis=0)[-1]
    return mixture
