"""Places: where repaired values are counted, so that E is what an audit will measure."""

from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np

from fairmend.measures.arrays import Codes, Floats
from fairmend.measures.inference.distances import WIDENING, Smoother
from fairmend.measures.inference.tables import MOST_BINS, NORMAL, CountTable
from fairmend.transport.cell import Cell
from fairmend.transport.layout import Column

OF_TARGET = 0.6
"""Share of the target in the mean law that squared differences are divided by: with none, E is too
small where values are rare, since the held-out rows are in it; with nothing else, too large."""

LEAST = 0.01
"""Below this E, in nats, its second-order form is right."""


class Apart(NamedTuple):
    """How far two groups are apart.

    Attributes
    ----------
    e : float
        E of their laws, what chance adds taken off; may be below 0.
    raw, tv, auc : float
        E, total variation and the best adversary's AUC of the samples themselves.
    one, other : float
        What chance in one row of each group adds to E; with n rows it is that divided by n.
    """

    e: float
    raw: float
    tv: float
    auc: float
    one: float
    other: float


class Pushed(NamedTuple):
    """A group's held-out rows after repair.

    Attributes
    ----------
    rows : ndarray of shape (k,)
        Shares of the support points before repair.
    matrix : ndarray of shape (k, m)
        Where each goes.
    n : float
        How many they are.
    all : ndarray of shape (m,)
        The law of all rows of the group after the same repair.
    """

    rows: Floats
    matrix: Floats
    n: float
    all: Floats

    def smoothed(self, kernel: Floats | None) -> tuple[Floats, Floats]:
        """Return the law at places, and the variance that chance gives it at each."""
        matrix = self.matrix if kernel is None else self.matrix @ kernel
        law = self.rows @ matrix
        chance = (self.rows @ matrix**2 - law**2) / max(self.n - 1, 1)
        shown = max(float(law.sum()), 1e-9)
        return law / shown, np.maximum(chance, 0) / shown**2


def rank(one: Floats, other: Floats) -> float:
    """Compute the AUC of the best adversary, who ranks places by the ratio of the two laws.

    Examples
    --------
    >>> print(rank(np.array([0.5, 0.5]), np.array([0.25, 0.75])))
    0.625
    """
    order = np.argsort(one / np.maximum(one + other, 1e-300), kind="stable")
    p, q = one[order], other[order]
    return float(p @ (np.cumsum(q) - 0.5 * q))


@dataclass(frozen=True)
class Places:
    """Atoms one by one, then bins for all other values of one cell.

    Attributes
    ----------
    atoms : ndarray of shape (k,)
        Values with mass of their own.
    edges : ndarray of shape (b - 1,)
        Between the bins.
    scores : ndarray of shape (k + b,)
        The normal score of each bin under the plan's target; NaN for atoms.
    """

    atoms: Floats
    edges: Floats
    scores: Floats

    @classmethod
    def of(cls, cell: Cell, column: Column) -> Self:
        """Lay the places over the support of the plan that all research rows give."""
        smooth = np.zeros(cell.support.size, dtype=bool)
        if column.kind in ("continuous", "mixed"):
            smooth = ~np.isin(cell.support, column.atoms)
        rest, mass = cell.support[smooth], cell.target[smooth]
        atoms = cell.support[~smooth]
        if not rest.size:
            return cls(atoms, np.empty(0), np.full(atoms.size, np.nan))
        upto = np.cumsum(mass) / max(float(mass.sum()), 1e-300)
        # Support points of equal probability each, and no more bins than an audit has.
        runs = np.unique(np.floor(upto * (MOST_BINS - 1)).astype(int), return_index=True)[1]
        runs = np.arange(rest.size) if rest.size <= MOST_BINS else runs
        edges = (rest[runs[1:]] + rest[runs[1:] - 1]) / 2
        binned = np.add.reduceat(mass, runs)
        middles = (np.cumsum(binned) - 0.5 * binned) / max(float(binned.sum()), 1e-300)
        scores = [NORMAL.inv_cdf(float(np.clip(q, 1e-9, 1 - 1e-9))) for q in middles]
        return cls(atoms, edges, np.concatenate([np.full(atoms.size, np.nan), scores]))

    def find(self, values: Floats) -> Codes:
        """Find the place of each value; one that has none takes the nearest atom."""
        found: Codes = self.atoms.size + np.searchsorted(self.edges, values, side="right")
        if not self.atoms.size:
            return found
        above = np.minimum(np.searchsorted(self.atoms, values), self.atoms.size - 1)
        below = np.maximum(above - 1, 0)
        nearer = self.atoms[above] - values > values - self.atoms[below]
        near = np.where(nearer, below, above)
        at_atom = np.isin(values, self.atoms)
        if self.scores.size == self.atoms.size:
            at_atom[:] = True
        return np.where(at_atom, near, found)

    def ruler(self, rows: Floats, law: Floats) -> "Ruler":
        """Fix for two groups how an archive of theirs would be smoothed.

        Parameters
        ----------
        rows : ndarray of shape (2,)
            Rows of each group in the archive.
        law : ndarray of shape (m,)
            About what both will be like.
        """
        counts = np.rint(rows[:, None] * law).astype(np.int64)
        return Ruler(Smoother(CountTable(counts, self.scores)), law)


@dataclass(frozen=True)
class Ruler:
    """Measures two groups of one stratum.

    Attributes
    ----------
    smoother : Smoother
        As the audit of an archive would have it.
    law : ndarray of shape (m,)
        What both groups will be about like: the target.
    """

    smoother: Smoother
    law: Floats

    def apart(self, one: "Pushed", other: "Pushed") -> Apart:
        """Estimate E of the laws that two samples are from, and measure that of the samples.

        Notes
        -----
        Near 0, E is half the sum of (p - q)²/m, with m about the mean of p and q. What chance adds
        to (p - q)² is known exactly, and is taken off; m is in part the target and in part what all
        rows show. Against archives of known E that is half as noisy as the logarithms of an audit
        are from so few rows. As there, the kernels' own effect is extrapolated to none.
        """
        found = []
        for kernel in self.smoother.kernels:
            laws, chance = zip(*(side.smoothed(kernel) for side in (one, other)), strict=True)
            middle = (1 - OF_TARGET) * 0.5 * (one.all + other.all) + OF_TARGET * self.law
            if kernel is not None:
                middle = middle @ kernel
            known = middle > 0
            squared = (laws[0] - laws[1]) ** 2
            shown, *added = (
                0.5 * float((part[known] / middle[known]).sum()) for part in (squared, *chance)
            )
            tv = 0.5 * float(np.abs(laws[0] - laws[1]).sum())
            of_row = [a * side.n for a, side in zip(added, (one, other), strict=True)]
            found.append((shown - sum(added), shown, tv, rank(*laws), *of_row))
        first, second = np.array(found[0]), np.array(found[-1])
        return Apart(*(first + (first - second) / (WIDENING - 1)).tolist())

    def straightened(self, one: "Pushed", other: "Pushed") -> float:
        """Say by how much E exceeds its second-order form, for two samples that are far apart."""
        tables = np.array([[side.n * (side.rows @ side.matrix) for side in (one, other)]])
        exact = float(self.smoother.distances(tables).e[0])
        return max(exact + LEAST, LEAST) / (self.apart(one, other).raw + LEAST)
