"""The cells of the leaves of one tree: each law mixed with that of the whole stratum."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fairmend.frames.levels import Codes
from fairmend.plan.tree import Tree
from fairmend.transport.cell import Cell, target_of
from fairmend.transport.layout import Layout
from fairmend.transport.points import Points
from fairmend.transport.support import Floats


@dataclass(frozen=True)
class Visits:
    """Which research rows come to which leaf, in several runs.

    Attributes
    ----------
    row : ndarray of shape (visits,)
        The research row.
    leaf : ndarray of shape (visits,)
        Where a run led it to.
    values, group, weights : ndarray of shape (rows,)
        Of the research rows; a weight is that of one run.
    """

    row: NDArray[np.intp]
    leaf: Codes
    values: Floats
    group: Codes
    weights: Floats

    def of(self, leaf: int, groups: int) -> list[tuple[Floats, Floats]]:
        """Give the values of each group that come to a leaf, and how much each counts."""
        rows, times = np.unique(self.row[self.leaf == leaf], return_counts=True)
        weights, group = times * self.weights[rows], self.group[rows]
        return [(self.values[rows[group == s]], weights[group == s]) for s in range(groups)]


def cells_of_leaves(
    tree: Tree,
    stratum: Cell,
    layout: Layout,
    visits: Visits,
    shares: Floats,
    pseudo_rows: float,
) -> tuple[Cell, ...]:
    """Draw the laws of the leaves, each mixed with its group's law in the whole stratum.

    Leaning on the node above instead, which is nearer, leaks more in small samples: its law errs by
    the same rows.

    Parameters
    ----------
    tree : Tree
        Of one stratum.
    stratum : Cell
        The stratum without leaves, which is the root.
    layout : Layout
        Its support.
    visits : Visits
        Which research rows come to which leaf.
    shares : ndarray of shape (groups,)
        Weights of the groups in the target.
    pseudo_rows : float
        Rows of the stratum's law that each law is mixed with.
    """
    if tree.leaves == 1:
        return (stratum,)
    return tuple(
        _cell(stratum, layout, visits.of(leaf, shares.size), shares, pseudo_rows)
        for leaf in range(tree.leaves)
    )


def _cell(
    whole: Cell,
    layout: Layout,
    seen: Sequence[tuple[Floats, Floats]],
    shares: Floats,
    pseudo_rows: float,
) -> Cell:
    """Draw the laws of a leaf, and bring them together."""
    laws, counts = whole.marginals.copy(), np.zeros(len(seen), dtype=np.int64)
    gone = None if whole.missing is None else whole.missing[:-1].copy()
    for s, (x, weights) in enumerate(seen):
        points, total = Points.of(x, weights), float(weights.sum())
        counts[s] = round(points.total)
        if points.size:
            n = min(points.total, points.effective)
            laws[s] = (n * layout.marginal(points) + pseudo_rows * laws[s]) / (n + pseudo_rows)
        if gone is not None:
            lost = float(weights[np.isnan(x)].sum())
            gone[s] = (lost + pseudo_rows * gone[s]) / (total + pseudo_rows)
    missing = None if gone is None else np.append(gone, float(np.cumsum(shares * gone)[-1]))
    target = target_of(whole.kind, whole.support, laws, shares)
    return replace(whole, marginals=laws, target=target, counts=counts, missing=missing)
