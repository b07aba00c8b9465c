"""Normal laws and category shares of one stratum's groups, and their expectation-maximisation."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from fairmend.frames.levels import Codes
from fairmend.transport.support import Floats

MOST_STEPS, LEAST_GAIN = 200, 1e-6
RIDGE = 1e-6
"""Added to variances in units of the research data's, where all rows of a group are equal."""


@dataclass(frozen=True)
class Columns:
    """Rows as arrays.

    Attributes
    ----------
    x : ndarray of shape (n, numbers)
        Standardised, NaN where missing.
    places : ndarray of shape (n, categories)
        Places in the levels, −1 where missing or unseen.
    levels : sequence of int
        Number of levels of each category.
    """

    x: Floats
    places: Codes
    levels: Sequence[int]

    def rows(self, at: NDArray[np.intp] | NDArray[np.bool_]) -> "Columns":
        """Keep some of the rows."""
        return Columns(self.x[at], self.places[at], self.levels)

    @property
    def complete(self) -> NDArray[np.bool_]:
        """Rows whose numbers are all known."""
        known: NDArray[np.bool_] = np.logical_not(np.isnan(self.x).any(axis=1))
        return known


@dataclass(frozen=True)
class Shape:
    """What a mixture assumes.

    Attributes
    ----------
    own : bool
        Whether each group has a covariance of its own, leaning on the stratum's; or the stratum's.
    weight : float
        What a row without a group weighs against one with.
    """

    own: bool
    weight: float


@dataclass(frozen=True)
class Gaussians:
    """The groups' laws in one stratum.

    Attributes
    ----------
    prior : ndarray of shape (groups,)
        Pr[s | u].
    mean : ndarray of shape (groups, numbers)
        Means.
    covariance : ndarray of shape (groups, numbers, numbers)
        Covariances.
    shares : tuple of ndarray of shape (groups, levels)
        The categories' laws.
    """

    prior: Floats
    mean: Floats
    covariance: Floats
    shares: tuple[Floats, ...]

    @classmethod
    def fit(cls, known: Columns, group: Codes, groups: int, free: Columns, shape: Shape) -> Self:
        """Learn from rows with a group, and from rows without one that weigh ``shape.weight``.

        Rows that lack a number are left out. Without free rows this is one step; with them the
        steps go on until the likelihood rises no more.
        """
        own = np.zeros((groups, group.size))
        own[group, np.arange(group.size)] = 1.0
        at = known.complete
        known, own = known.rows(at), own[:, at]
        laws = cls._step(known, own, shape.own)
        free = free.rows(free.complete)
        if shape.weight == 0.0 or not len(free.x):
            return laws
        both = Columns(
            np.concatenate([known.x, free.x]),
            np.concatenate([known.places, free.places]),
            known.levels,
        )
        reached = -np.inf
        for _ in range(MOST_STEPS):
            log = np.log(laws.prior)[:, None] + laws.log_likelihood(free)
            top = log.max(axis=0)
            likelihood = np.exp(log - top)
            total = likelihood.sum(axis=0)
            gained = float((np.log(total) + top).mean())
            weights = np.concatenate([own, shape.weight * likelihood / total], axis=1)
            laws = cls._step(both, weights, shape.own)
            if gained - reached < LEAST_GAIN:
                break
            reached = gained
        return laws

    @classmethod
    def _step(cls, columns: Columns, weights: Floats, own: bool) -> Self:
        """Learn from rows that belong to groups by weights, of shape (groups, n)."""
        groups, d = len(weights), columns.x.shape[1]
        size = weights.sum(axis=1)
        everybody = weights.sum(axis=0)
        middle = everybody @ columns.x / max(size.sum(), 1e-9)
        # A hundredth of a row keeps a group without rows from having no place.
        mean = (weights @ columns.x + 0.01 * middle) / (size + 0.01)[:, None]
        scatter = np.zeros((groups, d, d))
        for g in range(groups):
            off = columns.x - mean[g]
            scatter[g] = (weights[g][:, None] * off).T @ off
        degrees = max(size.sum() - (size > 0).sum(), 1.0)
        tied = scatter.sum(axis=0) / degrees + RIDGE * np.eye(d)
        covariance = np.repeat(tied[None], groups, axis=0)
        if own:
            lean = d + 2.0
            covariance = (scatter + lean * tied) / (size + lean)[:, None, None]
        return cls(
            (size + 1.0 / groups) / (size.sum() + 1.0),
            mean,
            covariance,
            tuple(
                _shares(columns.places[:, k], weights, levels)
                for k, levels in enumerate(columns.levels)
            ),
        )

    def log_likelihood(self, columns: Columns) -> Floats:
        """Give the log density of what is known of each row, of shape (groups, n).

        Sums go column by column, not through a matrix product, whose rounding depends on the
        number of rows.
        """
        log = np.zeros((len(self.prior), len(columns.x)))
        gaps = np.isnan(columns.x)
        patterns = np.unique(gaps, axis=0) if gaps.any() else gaps[:1]
        for pattern in patterns:
            rows = np.flatnonzero((gaps == pattern).all(axis=1))
            at = np.flatnonzero(~pattern)
            for g in range(len(log)):
                log[g, rows] = _log_normal(
                    columns.x[rows][:, at], self.mean[g][at], self.covariance[g][np.ix_(at, at)]
                )
        for k, shares in enumerate(self.shares):
            place = columns.places[:, k]
            for g in range(len(log)):
                log[g] += np.where(place >= 0, np.log(shares[g])[place], 0.0)
        return log


def _log_normal(x: Floats, mean: Floats, covariance: Floats) -> Floats:
    if not mean.size:
        return np.zeros(len(x))
    root = np.linalg.cholesky(covariance)
    inverse = np.linalg.inv(root)
    log = np.full(len(x), -float(np.log(np.diag(root)).sum()) - 0.5 * mean.size * np.log(2 * np.pi))
    for row in range(mean.size):
        part = np.zeros(len(x))
        for column in range(row + 1):
            part = part + inverse[row, column] * (x[:, column] - mean[column])
        log = log - 0.5 * part**2
    return log


def _shares(place: Codes, weights: Floats, levels: int) -> Floats:
    """Count categories by group, with one pseudo-row spread as everybody is."""
    known = place >= 0
    counts = np.array([np.bincount(place[known], w[known], levels) for w in weights])
    everybody = (counts.sum(axis=0) + 1.0 / levels) / (counts.sum() + 1.0)
    shares: Floats = (counts + everybody) / (counts.sum(axis=1, keepdims=True) + 1.0)
    return shares
