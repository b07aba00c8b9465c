"""E, total variation and Kolmogorov-Smirnov of two groups, from tables of counts."""

from typing import NamedTuple

import numpy as np

from fairmend.measures.arrays import Floats
from fairmend.measures.inference.tables import CountTable

NARROWING = 0.7
"""The narrower bandwidth as a share of Silverman's."""

WIDENING = 2.0
"""The wider kernel's variance over the narrower one's; the bias in it is extrapolated to 0."""

PSEUDO_ROWS = 0.5
"""Rows of the pooled law that are added to each group, so that no value is infinitely telling."""


class Measured(NamedTuple):
    """One value for each table."""

    e: Floats
    tv: Floats
    ks: Floats


class Smoother:
    """Turn counts into masses: atoms keep theirs, all else is smoothed with one common kernel.

    Both groups get the same bandwidth, whatever their sizes: with one each, the larger group is
    smoothed less and the laws differ where the data do not. It depends on nothing but the groups'
    sizes and their pooled spread, so it is the same for all permutations.

    Parameters
    ----------
    table : CountTable
        Two groups.
    """

    def __init__(self, table: CountTable) -> None:
        self.kernels = _kernels(table)

    def distances(self, tables: Floats) -> Measured:
        """Measure many tables of the same places at once.

        Parameters
        ----------
        tables : ndarray of shape (b, 2, m)
            Counts.

        Notes
        -----
        A kernel of variance h² lowers E and total variation by about c·h². Both are measured with
        h² and with 2·h², and ``2·first - second`` has no such term left.
        """
        sizes = tables.sum(axis=-1, keepdims=True)
        pooled = tables.sum(axis=1, keepdims=True) / sizes.sum(axis=1, keepdims=True)
        found = [_of_masses(*self._masses(tables, pooled, sizes, k)) for k in self.kernels]
        e, tv = (
            WIDENING / (WIDENING - 1) * first - second / (WIDENING - 1)
            for first, second in zip(found[0], found[-1], strict=True)
        )
        upto = np.cumsum(tables / sizes, axis=-1)
        return Measured(e, tv, np.abs(upto[:, 0] - upto[:, 1]).max(axis=-1))

    def base(self, table: CountTable) -> Floats:
        """Return the law of each group to draw samples from: smoothed, with its pseudo-row.

        Drawn from the counts alone, samples would never show the tails that the data did not.
        """
        counts = table.counts[None].astype(np.float64)
        sizes = counts.sum(axis=-1, keepdims=True)
        pooled = counts.sum(axis=1, keepdims=True) / sizes.sum(axis=1, keepdims=True)
        masses: Floats = self._masses(counts, pooled, sizes, self.kernels[0])[1][0]
        masses /= masses.sum(axis=1, keepdims=True)
        return masses

    def _masses(
        self, tables: Floats, pooled: Floats, sizes: Floats, kernel: Floats | None
    ) -> tuple[Floats, Floats]:
        smooth = tables if kernel is None else tables @ kernel
        prior = pooled if kernel is None else pooled @ kernel
        return smooth / sizes, (smooth + PSEUDO_ROWS * prior) / (sizes + PSEUDO_ROWS)


def _of_masses(plain: Floats, positive: Floats) -> tuple[Floats, Floats]:
    # A place that neither group has in a resampled table has no mass, and no part in E.
    logs = np.log(np.maximum(positive, np.finfo(np.float64).tiny))
    apart = positive[:, 0] - positive[:, 1]
    e = 0.5 * np.einsum("bm,bm->b", apart, logs[:, 0] - logs[:, 1])
    return e, 0.5 * np.abs(plain[:, 0] - plain[:, 1]).sum(axis=-1)


def _kernels(table: CountTable) -> tuple[Floats | None, Floats | None]:
    smooth = ~np.isnan(table.scores)
    rows = table.counts[:, smooth]
    if (rows.sum(axis=1) == 0).any() or smooth.sum() < 2:
        return None, None
    scores, pooled = table.scores[smooth], rows.sum(axis=0)
    mean = np.average(scores, weights=pooled)
    spread = np.sqrt(np.average((scores - mean) ** 2, weights=pooled))
    effective = rows.shape[0] / (1 / rows.sum(axis=1)).sum()  # the small group decides
    h = NARROWING * (4 / 3) ** 0.2 * spread * effective**-0.2
    if h <= 0:
        return None, None
    return _kernel(scores, smooth, h), _kernel(scores, smooth, h * np.sqrt(WIDENING))


def _kernel(
    scores: Floats, smooth: "np.ndarray[tuple[int], np.dtype[np.bool_]]", h: float
) -> Floats:
    of_scores = np.exp(-0.5 * ((scores[:, None] - scores[None, :]) / h) ** 2)
    kernel = np.eye(smooth.size)
    kernel[np.ix_(smooth, smooth)] = of_scores / of_scores.sum(axis=1, keepdims=True)
    return kernel
