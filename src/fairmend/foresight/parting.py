"""Parting counts: research rows that a plan is designed from, and rows held out from it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fairmend.measures.arrays import Floats
from fairmend.research.cells import Sample
from fairmend.transport.points import Points


class Parted(NamedTuple):
    """One feature's rows, parted.

    Attributes
    ----------
    taught, held : Sample
        Those that a plan is designed from, and the others.
    """

    taught: Sample
    held: Sample


def part(sample: Sample, share: float, rng: np.random.Generator) -> Parted:
    """Part the rows of each group in each stratum by chance.

    Parameters
    ----------
    sample : Sample
        One feature's counts.
    share : float
        Of the rows that a plan is designed from; at least one row stays on either side.
    """
    taught, held = [], []
    for row in sample.points:
        both = [_parted(points, share, rng) for points in row]
        taught.append([one for one, _ in both])
        held.append([other for _, other in both])
    return Parted(replace(sample, points=taught), replace(sample, points=held))


def drawn_again(sample: Sample, rng: np.random.Generator) -> Sample:
    """Draw as many rows as each group has from its own, with replacement."""
    return replace(
        sample,
        points=[
            [
                _some(points, rng.multinomial(points.size, points.rows / points.size))
                if points.size
                else points
                for points in row
            ]
            for row in sample.points
        ],
    )


def rows_of(sample: Sample) -> Floats:
    """Count the effective rows: an array of shape (strata, groups)."""
    return np.array([[points.effective for points in row] for row in sample.points])


def _parted(points: Points, share: float, rng: np.random.Generator) -> Sequence[Points]:
    if points.size < 2:
        return points, _some(points, np.zeros_like(points.rows))
    n = int(np.clip(round(share * points.size), 1, points.size - 1))
    taught = rng.multivariate_hypergeometric(points.rows, n, method="marginals")
    return _some(points, taught), _some(points, points.rows - taught)


def _some(points: Points, rows: NDArray[np.int64]) -> Points:
    """Keep some of each point's rows, and their share of its weight."""
    kept = rows > 0
    weights = (points.weights * rows / points.rows)[kept]
    share = float(weights.sum() / points.total) if points.total else 0.0
    return Points(points.values[kept], rows[kept], weights, points.squares * share)
