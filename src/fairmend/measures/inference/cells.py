"""One feature in one stratum: every pair of groups, their mean and the worst."""

from itertools import combinations
from typing import NamedTuple

import numpy as np

from fairmend.measures.arrays import Floats
from fairmend.measures.inference.distances import Measured, Smoother
from fairmend.measures.inference.estimate import (
    Unbounded,
    above_floor,
    corrected,
    mean_of,
    worst_of,
)
from fairmend.measures.inference.resampling import measured, permuted, redrawn
from fairmend.measures.inference.tables import CountTable
from fairmend.measures.inference.tippett import least_p


class Three(NamedTuple):
    """E, total variation and Kolmogorov-Smirnov, not yet bounded."""

    e: Unbounded
    tv: Unbounded
    ks: Unbounded


class Cell(NamedTuple):
    """What one table says.

    Attributes
    ----------
    pairs : dict
        By the places of the two groups.
    mean : Three
        The mean over pairs; its null permutes all groups at once.
    worst : Three
        The largest over pairs, by measure; its null is that of the largest.
    p : float
        Of all pairs and measures at once.
    """

    pairs: dict[tuple[int, int], Three]
    mean: Three
    worst: Three
    p: float


SURE = 0.02
"""p-values up to this are told apart further, where many cells are corrected for each other."""


def measure_cell(
    table: CountTable,
    draws: int,
    rng: np.random.Generator,
    *,
    ordered: bool,
    further: int | None = None,
) -> Cell:
    """Estimate all pairs of groups of a stratum.

    Parameters
    ----------
    table : CountTable
        Of the stratum.
    draws : int
        Permutations, and as many drawn samples.
    rng : Generator
        Draws them.
    ordered : bool
        Whether values have an order.
    further : int, optional
        Permutations for the test of a cell that ``draws`` of them find sure. It stays exact: a
        p-value at or below a level of at most :data:`SURE` is one from all of these.

    Notes
    -----
    A pair is tested by permuting S among its own two groups, so that a third group which differs is
    nothing to it. The cell is tested by permuting S among all: by the mean E of the pairs, the
    largest one, and for ordered values the largest Kolmogorov-Smirnov, together. E sees what is
    local, KS a small shift over many values.
    """
    n_groups = table.sizes.size
    both = list(combinations(range(n_groups), 2))
    pairs = {pair: _pair(table.only(list(pair)), draws, rng) for pair in both}
    of_pairs = list(pairs.values())
    if len(both) == 1:
        nulls = Measured(*(one.null[:, None] for one in of_pairs[0]))
    else:
        nulls = _together(table, both, draws, rng)
    means = [
        mean_of([three[i] for three in of_pairs], np.ones(len(both)), independent=False)
        for i in range(3)
    ]
    mean = Three(*(m._replace(null=nulls[i].mean(axis=1)) for i, m in enumerate(means)))
    worst = Three(
        *(worst_of([three[i] for three in of_pairs], nulls[i].max(axis=1)) for i in range(3))
    )
    raws = [mean.e.raw, worst.e.raw, worst.ks.raw]
    p = _tested(raws, nulls, ordered=ordered)
    if further is not None and p <= SURE:
        p = _tested(raws, _together(table, both, further, rng), ordered=ordered)
    return Cell(pairs, mean, worst, p)


def _tested(raws: list[float], nulls: Measured, *, ordered: bool) -> float:
    """Test a cell by all of its pairs together."""
    under = [nulls.e.mean(axis=1), nulls.e.max(axis=1), nulls.ks.max(axis=1)]
    tests = 3 if ordered else 2
    return least_p(under[:tests], raws[:tests])


def _pair(table: CountTable, draws: int, rng: np.random.Generator) -> Three:
    smoother = Smoother(table)
    raw = [float(one[0]) for one in smoother.distances(table.counts[None].astype(np.float64))]
    null = Measured(*measured(permuted(table, draws, rng), smoother.distances))
    base = smoother.base(table)
    drawn = Measured(*measured(redrawn(table, base, draws, rng), smoother.distances))
    at_base = float(smoother.distances(base[None] * table.sizes[:, None]).e[0])
    return Three(
        corrected(raw[0], null.e, drawn.e, at_base),
        above_floor(raw[1], null.tv, drawn.tv),
        above_floor(raw[2], null.ks, drawn.ks),
    )


def _together(
    table: CountTable, both: list[tuple[int, int]], draws: int, rng: np.random.Generator
) -> Measured:
    """Measure all pairs under permutations of all groups at once: arrays (draws, pairs)."""
    smoothers = [Smoother(CountTable(table.counts[list(pair)], table.scores)) for pair in both]

    def of_tables(tables: Floats) -> tuple[Floats, ...]:
        found = [
            smoother.distances(tables[:, list(pair)])
            for pair, smoother in zip(both, smoothers, strict=True)
        ]
        return tuple(np.stack(columns, axis=1) for columns in zip(*found, strict=True))

    return Measured(*measured(permuted(table, draws, rng), of_tables))
