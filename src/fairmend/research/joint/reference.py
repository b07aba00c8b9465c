"""What a leaf leans on where it has few rows of its own: what groups and leaves tell apart."""

from collections.abc import Sequence

import numpy as np

from fairmend.frames.levels import Codes
from fairmend.transport.support import Floats

STEPS = 20
"""Of raking; with two groups the laws move by less than 1e-3 from the tenth on."""

FEWEST = 1e-6
"""Rows that a group has in a leaf, so that one without any still has a law."""

FARTHEST = 3.0
"""Deviations beyond which a value counts as that far, so that none decides a slope alone."""

SLOPE_ROWS = 3.0
"""Rows without any slope that a regression is mixed with."""


def raked(counts: Floats, root: Floats, pseudo_rows: float) -> Floats:
    """Rake the groups' laws in a stratum to the law that all groups together have in a leaf.

    So a leaf leans on laws that differ from group to group as they do in the whole stratum, and
    from leaf to leaf as everybody's do: a log-linear law without the interaction of group, leaf and
    value. What everybody has in a leaf is known from the rows of all groups, and what it errs by
    moves all groups alike, which tells nobody's group. Leaning on the stratum's law itself costs
    an AUC of 0.01 on Adult, and of 0.02 where groups are small.

    Parameters
    ----------
    counts : ndarray of shape (leaves, groups, values)
        Rows in the leaves.
    root : ndarray of shape (groups, values)
        The groups' laws in the stratum.
    pseudo_rows : float
        Rows as in the stratum that everybody's law in a leaf is mixed with.

    Returns
    -------
    ndarray of shape (leaves, groups, values)

    Examples
    --------
    In the stratum every second row of one group, and every fifth of the other, has the first value.
    In a leaf where half of everybody has it, the odds are still four to one:

    >>> root = np.array([[0.5, 0.5], [0.2, 0.8]])
    >>> raked(np.array([[[50.0, 50.0], [50.0, 50.0]]]), root, 0.0).round(3)
    array([[[0.667, 0.333],
            [0.333, 0.667]]])
    """
    sizes = np.maximum(counts.sum(axis=2), FEWEST)
    total = sizes.sum(axis=1, keepdims=True)
    shares = sizes / total
    everybody = (counts.sum(axis=1) + pseudo_rows * (shares @ root)) / (total + pseudo_rows)
    laws = np.repeat(root[None], len(counts), axis=0)
    for _ in range(STEPS):
        mixed = np.einsum("lg,lgv->lv", shares, laws)
        ratio = np.divide(everybody, mixed, out=np.zeros_like(mixed), where=mixed > 0)
        laws *= ratio[:, None, :]
        laws /= laws.sum(axis=2, keepdims=True)
    return laws


def regressed(y: Floats, asked: Sequence[Floats], group: Codes, weights: Floats) -> Floats:
    """Say where a regression of its own for each group expects values, by features repaired before.

    Where one continuous feature follows another, a line through all leaves says far better where a
    group lies in one of them than the few rows there do.

    Parameters
    ----------
    y : ndarray of shape (n,)
        Known values.
    asked : sequence of ndarray of shape (n,)
        Ordered features, NaN where missing.
    group : ndarray of shape (n,)
        Codes.
    weights : ndarray of shape (n,)
        How much each row counts.
    """
    z = np.column_stack([np.ones(y.size), *(_standardised(one) for one in asked)])
    ridge = np.diag([0.0] + [SLOPE_ROWS] * len(asked))
    expected = np.empty_like(y)
    for s in np.unique(group):
        here = group == s
        weighted = z[here].T * weights[here]
        slopes = np.linalg.solve(weighted @ z[here] + ridge, weighted @ y[here])
        expected[here] = z[here] @ slopes
    return expected


def _standardised(x: Floats) -> Floats:
    known = x[~np.isnan(x)]
    deviation = float(known.std()) if known.size else 0.0
    if deviation == 0.0:
        return np.zeros_like(x)
    away = np.clip((x - known.mean()) / deviation, -FARTHEST, FARTHEST)
    return np.where(np.isnan(x), 0.0, away)
