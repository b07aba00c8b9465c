"""The cells of the leaves of one tree: each law mixed with that of the whole stratum."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from fairmend.frames.levels import Codes
from fairmend.plan.tree import Tree
from fairmend.research.joint.reference import raked
from fairmend.transport.cell import Cell, target_of
from fairmend.transport.layout import Layout
from fairmend.transport.points import Points
from fairmend.transport.shape import leaned, pooled_deviation
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
    expected : ndarray of shape (visits,), optional
        Of values whose law may be moved, where features repaired before expect them; NaN where the
        value is missing.
    """

    row: NDArray[np.intp]
    leaf: Codes
    values: Floats
    group: Codes
    weights: Floats
    expected: Floats | None = None

    def of(self, leaf: int, groups: int) -> list[tuple[Floats, Floats]]:
        """Give the values of each group that come to a leaf, and how much each counts."""
        rows, times = np.unique(self.row[self.leaf == leaf], return_counts=True)
        weights, group = times * self.weights[rows], self.group[rows]
        return [(self.values[rows[group == s]], weights[group == s]) for s in range(groups)]

    def place(self, expected: Floats, leaf: int, group: int) -> float:
        """Average where the values of a group are expected in a leaf."""
        here = (self.leaf == leaf) & (self.group[self.row] == group) & ~np.isnan(expected)
        return float(np.average(expected[here], weights=self.weights[self.row[here]]))


def cells_of_leaves(
    tree: Tree,
    stratum: Cell,
    layout: Layout,
    visits: Visits,
    shares: Floats,
    pseudo_rows: float,
) -> tuple[Cell, ...]:
    """Draw the laws of the leaves, each mixed with another that more rows have shown.

    That is what group and leaf let expect by themselves (:func:`raked`); leaning on the node above
    instead, which is nearer, leaks more in small samples, for its law errs by the same rows. Where
    one continuous feature follows another, the stratum's law is that of no leaf: there it is the
    shape that all leaves share, moved to where a regression expects the group in this one. Of
    ordered values, what the leaf's own rows say beside that is smoothed over ranks.

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
    if visits.expected is None:
        others = _raked(stratum, points, own, pseudo_rows)
    else:
        others = _moved(stratum, layout, visits, visits.expected, points)
    return tuple(
        _cell(stratum, leaf_seen, leaf_points, leaf_own, leaf_others, shares, pseudo_rows)
        for leaf_seen, leaf_points, leaf_own, leaf_others in zip(
            seen, points, own, others, strict=True
        )
    )


def is_smooth(layout: Layout | Cell) -> bool:
    """Tell whether a law may be moved: one with atoms would have them moved with it."""
    return bool(layout.grid.size) and not layout.atoms.size


Drawn = Sequence[Sequence[Floats | None]]
"""Laws by leaf and group; None where a group has no rows."""


def _raked(
    stratum: Cell, points: Sequence[Sequence[Points]], own: Drawn, pseudo_rows: float
) -> Floats:
    """Say what law each group of each leaf leans on, where values stay in their places."""
    counts = np.zeros((len(points), *stratum.marginals.shape))
    for leaf, (sizes, laws) in enumerate(zip(points, own, strict=True)):
        for s, mass in enumerate(laws):
            if mass is not None:
                counts[leaf, s] = sizes[s].total * mass
    return raked(counts, stratum.marginals, pseudo_rows)


def _moved(
    stratum: Cell,
    layout: Layout,
    visits: Visits,
    expected: Floats,
    points: Sequence[Sequence[Points]],
) -> Floats:
    """Say what law each group of each leaf leans on, where the law may be moved."""
    others = np.repeat(stratum.marginals[None], len(points), axis=0)
    parts = [(at, s) for at, leaf in enumerate(points) for s, p in enumerate(leaf) if p.size > 1]
    groups = [points[at][s] for at, s in parts]
    if pooled_deviation(groups) == 0.0:
        return others
    places = [visits.place(expected, at, s) for at, s in parts]
    for part, law in zip(parts, layout.moved(groups, places), strict=True):
        others[part] = law
    return others


def _cell(
    whole: Cell,
    seen: Sequence[tuple[Floats, Floats]],
    points: Sequence[Points],
    own: Sequence[Floats | None],
    others: Floats,
    shares: Floats,
    pseudo_rows: float,
) -> Cell:
    """Mix the laws of a leaf, and bring them together."""
    laws = others.copy()
    in_steps = whole.kind != "categorical" and not is_smooth(whole)
    gone = None if whole.missing is None else whole.missing[:-1].copy()
    for s, (x, weights) in enumerate(seen):
        mass = own[s]
        if mass is not None:
            n = min(points[s].total, points[s].effective)
            mixed = (n * mass + pseudo_rows * laws[s]) / (n + pseudo_rows)
            laws[s] = leaned(laws[s], mixed, n) if in_steps else mixed
        if gone is not None:
            lost, total = float(weights[np.isnan(x)].sum()), float(weights.sum())
            gone[s] = (lost + pseudo_rows * gone[s]) / (total + pseudo_rows)
    counts = np.array([round(p.total) for p in points], dtype=np.int64)
    missing = None if gone is None else np.append(gone, float(np.cumsum(shares * gone)[-1]))
    target = target_of(whole.kind, whole.support, laws, shares)
    return replace(whole, marginals=laws, target=target, counts=counts, missing=missing)
