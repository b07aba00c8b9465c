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
    """Draw the laws of the leaves, each mixed with another that more rows have shown.

    That is its group's law in the whole stratum; leaning on the node above instead, which is
    nearer, leaks more in small samples, for its law errs by the same rows. Where one continuous
    feature follows another, the stratum's law is that of no leaf: there it is the shape that all
    leaves share, moved to where the group lies in this one.

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
        Rows of the other law that each is mixed with.
    """
    if tree.leaves == 1:
        return (stratum,)
    seen = [visits.of(leaf, shares.size) for leaf in range(tree.leaves)]
    points = [[Points.of(*part) for part in leaf] for leaf in seen]
    own = [[layout.marginal(p) if p.size else None for p in leaf] for leaf in points]
    others = _references(stratum, layout, points, own)
    return tuple(
        _cell(stratum, leaf_seen, leaf_points, leaf_own, leaf_others, shares, pseudo_rows)
        for leaf_seen, leaf_points, leaf_own, leaf_others in zip(
            seen, points, own, others, strict=True
        )
    )


def is_smooth(layout: Layout) -> bool:
    """Tell whether a law may be moved: one with atoms would have them moved with it."""
    return bool(layout.grid.size) and not layout.atoms.size


def _references(
    stratum: Cell,
    layout: Layout,
    points: Sequence[Sequence[Points]],
    own: Sequence[Sequence[Floats | None]],
) -> list[list[Floats]]:
    """Say what law each group of each leaf leans on."""
    others = [list(stratum.marginals) for _ in points]
    if not is_smooth(layout):
        return others
    places = [(at, s) for at, leaf in enumerate(points) for s, p in enumerate(leaf) if p.size > 1]
    laws = [mass for at, s in places if (mass := own[at][s]) is not None]
    moved = layout.references([points[at][s] for at, s in places], laws)
    for (at, s), law in zip(places, moved, strict=True):
        others[at][s] = law
    return others


def _cell(
    whole: Cell,
    seen: Sequence[tuple[Floats, Floats]],
    points: Sequence[Points],
    own: Sequence[Floats | None],
    others: Sequence[Floats],
    shares: Floats,
    pseudo_rows: float,
) -> Cell:
    """Mix the laws of a leaf, and bring them together."""
    laws = np.array(others)
    gone = None if whole.missing is None else whole.missing[:-1].copy()
    for s, (x, weights) in enumerate(seen):
        mass = own[s]
        if mass is not None:
            n = min(points[s].total, points[s].effective)
            laws[s] = (n * mass + pseudo_rows * laws[s]) / (n + pseudo_rows)
        if gone is not None:
            lost, total = float(weights[np.isnan(x)].sum()), float(weights.sum())
            gone[s] = (lost + pseudo_rows * gone[s]) / (total + pseudo_rows)
    counts = np.array([round(p.total) for p in points], dtype=np.int64)
    missing = None if gone is None else np.append(gone, float(np.cumsum(shares * gone)[-1]))
    target = target_of(whole.kind, whole.support, laws, shares)
    return replace(whole, marginals=laws, target=target, counts=counts, missing=missing)
