"""Shrinkage: how far small groups' marginals lean on the shape that their stratum shares."""

from collections.abc import Sequence

import numpy as np

from fairmend.transport.layout import Layout
from fairmend.transport.points import Points
from fairmend.transport.support import Floats, split_onto

STRENGTHS = np.array([0.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1_000.0, 3_000.0, np.inf])
"""Candidate numbers of pseudo-rows."""

FOLDS, REPEATS = 10, 3
"""Three partings of the rows: with one, chance in the parting costs 5 % of what is gained."""

MOST_CELLS = 24
MOST_POINTS = 4_000


def shrunk(
    own: Sequence[Floats], references: Sequence[Floats], sizes: Floats, strength: float
) -> Floats:
    """Mix each group's own law with its reference, as if ``strength`` rows had been seen of that.

    Parameters
    ----------
    own, references : sequences of ndarray of shape (points,)
        Laws of each group.
    sizes : ndarray of shape (groups,)
        Effective rows of each group.
    strength : float
        Pseudo-rows; infinite takes the reference alone.

    Returns
    -------
    ndarray of shape (groups, points)
    """
    lean = (np.ones_like(sizes) if np.isinf(strength) else strength / (sizes + strength))[:, None]
    mixed: Floats = (1.0 - lean) * np.asarray(own) + lean * np.asarray(references)
    return mixed


def choose_strength(cells: Sequence[tuple[Layout, Sequence[Points]]]) -> float:
    """Choose the strength by cross-validation within the research data, once for many cells.

    Each group's rows are parted into ten folds, three times over; the law drawn from nine is scored
    on the tenth by its mean log likelihood. All groups of all cells count alike, since a leak is a
    difference between two groups however few people are in one of them. One cell alone is too noisy
    to choose by.

    Parameters
    ----------
    cells : sequence of (Layout, groups)
        All cells of features that share a shape in the same way; the 24 with the smallest groups
        are used, where the choice matters.
    """
    smallest = sorted(cells, key=lambda cell: min(points.size for points in cell[1]))
    scored = [
        score
        for layout, groups in smallest[:MOST_CELLS]
        if layout.support.size > 1 and min(points.size for points in groups) >= 2
        for score in _scores(layout, [_thinned(points) for points in groups])
    ]
    if not scored:
        return 0.0
    return float(STRENGTHS[int(np.argmax(np.mean(scored, axis=0)))])


def _thinned(points: Points) -> Points:
    """Take every m-th value of a huge group: it needs no shrinking, its shape is still shared."""
    stride = -(-points.values.size // MOST_POINTS)
    return points if stride == 1 else points.only(np.arange(points.values.size) % stride == 0)


def _scores(layout: Layout, groups: Sequence[Points]) -> list[Floats]:
    """Score every strength by the mean log likelihood of held-out rows, for each group."""
    # A fixed generator over sorted points: the choice is part of the design, not of chance.
    rng = np.random.default_rng(0)
    shares = np.full(FOLDS, 1.0 / FOLDS)
    rows = [
        np.hstack([rng.multinomial(points.rows, shares) for _ in range(REPEATS)])
        for points in groups
    ]
    total = np.zeros((len(groups), STRENGTHS.size))
    tested = np.zeros(len(groups))
    for fold in range(REPEATS * FOLDS):
        train = [_part(p, p.rows - held[:, fold]) for p, held in zip(groups, rows, strict=True)]
        if min(points.size for points in train) == 0:
            continue
        own = [layout.marginal(points) for points in train]
        references = layout.references(train, own)
        sizes = np.array([points.effective for points in train])
        laws = np.array([shrunk(own, references, sizes, k) for k in STRENGTHS])
        # A value that no law foresees must cost much, but not everything.
        logs = np.log(np.maximum(laws, 1e-6 / layout.support.size))
        for group, (points, held) in enumerate(zip(groups, rows, strict=True)):
            tests = np.flatnonzero(held[:, fold])
            mass = held[tests, fold].astype(np.float64)
            test = split_onto(layout.support, points.values[tests], mass)
            total[group] += logs[:, group] @ test
            tested[group] += held[:, fold].sum()
    return [score / n for score, n in zip(total, tested, strict=True) if n > 0]


def _part(points: Points, rows: np.ndarray) -> Points:
    """Keep some of each point's rows, and their share of its weight."""
    kept = rows > 0
    weights = (points.weights * rows / points.rows)[kept]
    share = float(weights.sum() / points.total) if points.total else 0.0
    return Points(points.values[kept], rows[kept], weights, points.squares * share)
