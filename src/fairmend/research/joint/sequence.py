"""A joint design: features one after the other, each in leaves of those repaired before."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from fairmend.frames.levels import Codes
from fairmend.kernel.draws import Bits, mix, row_numbers
from fairmend.kernel.move import Move
from fairmend.kernel.repair import repair_values
from fairmend.plan.feature import Feature
from fairmend.plan.forest import Forest
from fairmend.plan.guard import guard_of
from fairmend.plan.plan import Plan
from fairmend.plan.refined import Refined
from fairmend.plan.sequence import bins_of
from fairmend.plan.tree import MOST_LEAVES, Tree
from fairmend.research.joint.cells import Visits, cells_of_leaves, is_smooth
from fairmend.research.joint.grow import Asked, Labels, Places, ends_of, grow
from fairmend.research.joint.leaves import FOLDS, Scored, best, score
from fairmend.research.joint.reference import regressed
from fairmend.research.joint.rows import Rows
from fairmend.transport.layout import Layout
from fairmend.transport.support import Floats

DRAWN_ROWS = 30_000
FEWEST_DRAWS, MOST_DRAWS = 2, 8
"""Each research row is repaired a few times over: how often depends on how few they are."""

GROWN_ROWS = 200_000
"""A tree of so few leaves needs no more rows to grow on."""

VALUE_BINS = 8
"""Bins of an ordered feature's own values, by which its trees are grown."""

SEED = 0
"""Of the draws for the research rows. No repair uses them."""


@dataclass(frozen=True)
class Runs:
    """Several runs of a repair over the research rows, one behind the other.

    Attributes
    ----------
    rows : Rows
        The research rows.
    row : ndarray of shape (n,)
        The row that is repaired.
    keys : ndarray of shape (n,)
        Addresses of its draws.
    repaired : dict of str to ndarray of shape (n,)
        Features repaired so far.
    """

    rows: Rows
    row: NDArray[np.intp]
    keys: Bits
    repaired: dict[str, Floats]

    @classmethod
    def over(cls, rows: Rows) -> "Runs":
        """Begin as many runs as rows are few."""
        n = len(rows)
        runs = int(np.clip(DRAWN_ROWS // max(n, 1), FEWEST_DRAWS, MOST_DRAWS))
        return cls(rows, np.tile(np.arange(n), runs), mix(row_numbers(0, n * runs)), {})

    @property
    def number(self) -> int:
        """How many runs there are."""
        return self.row.size // max(len(self.rows), 1)


def refined(
    plan: Plan,
    layouts: Mapping[str, Sequence[Layout]],
    shares: Floats,
    rows: Rows,
    order: Sequence[str],
) -> Plan:
    """Refine the strata of a plan, feature by feature.

    The research rows are repaired on the way, for later features are repaired in leaves of what
    these have become. A row's weight in a leaf is the share of its runs which lead there.
    """
    features = {feature.name: feature for feature in plan.features}
    runs = Runs.over(rows)
    done: list[Feature] = []
    for name in order:
        one, leaf = features[name], rows.stratum[runs.row]
        if done:
            smooth = one.cells[0].missing is None and all(map(is_smooth, layouts[name]))
            growths = [
                _growth(one, u, done, runs, len(plan.groups), smooth=smooth)
                for u in range(len(plan.strata))
            ]
            leaves, pseudo_rows = best([growth.score() for growth in growths], moved=smooth)
            trees = [growth.tree.pruned(leaves) for growth in growths]
            leaf, first = _leaf(trees, done, runs.repaired, leaf)
            cells = tuple(
                cells_of_leaves(
                    tree,
                    one.cells[u],
                    layouts[name][u],
                    _visits(runs, one, leaf - first[u], tree.leaves, done if smooth else None),
                    shares,
                    pseudo_rows,
                )
                for u, tree in enumerate(trees)
            )
            one = replace(one, refined=Refined(tuple(trees), cells, pseudo_rows))
        table = one.table if one.refined is None else one.refined.table(one.anywhere, one.lattice)
        at = leaf * (len(plan.groups) + 1) + rows.group[runs.row]
        move = Move.of(SEED, name, plan.options.output)
        x = rows.values[name][runs.row]
        drawn = repair_values(table, x, at, runs.keys, move)
        guard = guard_of(one, [*runs.repaired], plan.features, plan.options.constraints)
        if guard is not None:
            known = np.ones(x.size, dtype=bool)
            marks = guard.marks_of(runs.repaired)
            drawn = guard.kept_out(drawn, leaf, marks, runs.keys, SEED, known)
        runs.repaired[name] = drawn
        done.append(one)
    return replace(plan, features=tuple(done))


def _leaf(
    trees: Sequence[Tree], done: Sequence[Feature], repaired: dict[str, Floats], stratum: Codes
) -> tuple[Codes, Codes]:
    """Find leaves by trees as a plan will."""
    bins = {one.name: bins_of(one, trees) for one in done}
    forest = Forest.of((*trees, Tree()), bins)
    seen = {name: bins[name].of(repaired[name]) for name in forest.masks}
    return forest.leaf(stratum, seen), forest.first


@dataclass(frozen=True)
class Growth:
    """What the tree of one feature in one stratum is grown on.

    Attributes
    ----------
    done : sequence of Feature
        Those to ask of.
    repaired : dict of str to ndarray of shape (n,)
        Their values.
    row : ndarray of shape (n,)
        The research row that is repaired.
    labels : Labels
        What is to be told.
    """

    done: Sequence[Feature]
    repaired: dict[str, Floats]
    row: NDArray[np.intp]
    labels: Labels

    @cached_property
    def asked(self) -> list[Asked]:
        """Bin what may be asked of."""
        return [_asked(one, self.repaired[one.name]) for one in self.done]

    @cached_property
    def tree(self) -> Tree:
        """The largest tree."""
        return grow(self.asked, self.labels, MOST_LEAVES)

    def score(self) -> Scored:
        """Score all sizes of tree and all strengths by cross-validation."""
        # The rows are sorted, and those in the middle of a fold are no random ones.
        fold = (mix(self.row.astype(np.uint64)) % np.uint64(FOLDS)).astype(np.int64)
        return score(self.labels, fold, self._grown_on)

    def _grown_on(self, at: NDArray[np.bool_]) -> tuple[Tree, Codes]:
        where = np.flatnonzero(at)
        tree = grow([one.only(where) for one in self.asked], self.labels.only(where), MOST_LEAVES)
        leaf, _ = _leaf([tree], self.done, self.repaired, np.zeros(self.row.size, dtype=np.int64))
        return tree, leaf


def _growth(
    feature: Feature,
    stratum: int,
    done: Sequence[Feature],
    runs: Runs,
    n_groups: int,
    *,
    smooth: bool,
) -> Growth:
    rows, x = runs.rows, runs.rows.values[feature.name]
    here = rows.stratum == stratum
    if feature.cells[0].missing is None:  # else missing is a state to be told like others
        here &= ~np.isnan(x)
    at = np.flatnonzero(here[runs.row])
    at = at[:: max(1, -(-at.size // GROWN_ROWS))]
    row = runs.row[at]
    values = labels_of(feature, x[row])
    n = int(values.max(initial=0)) + 1
    weights = rows.weights[row] / runs.number
    places = None
    if smooth:
        scores = _scores(x[row])
        expected = regressed(scores, _ordered(done, runs, at), rows.group[row], weights)
        places = Places(scores, expected)
    labels = Labels(rows.group[row] * n + values, n_groups, n, weights, places)
    return Growth(done, {one.name: runs.repaired[one.name][at] for one in done}, row, labels)


def _ordered(done: Sequence[Feature], runs: Runs, at: NDArray[np.intp]) -> list[Floats]:
    return [runs.repaired[one.name][at] for one in done if one.kind != "categorical"]


def _scores(x: Floats) -> Floats:
    """Give values scores by rank, which lie as a logistic law does whatever their tails."""
    rank = np.empty(x.size)
    rank[np.argsort(x, kind="stable")] = (np.arange(x.size) + 0.5) / x.size
    return np.where(np.isnan(x), 0.0, np.log(rank / (1.0 - rank)))


def _asked(feature: Feature, values: Floats) -> Asked:
    return Asked.of(feature.name, values, levels=len(feature.codec.levels), kind=feature.kind)


def labels_of(feature: Feature, x: Floats) -> Codes:
    """Give values numbers for a tree to tell: to categories as they are, to all others by bins."""
    if feature.kind == "categorical":
        return np.where(np.isnan(x), 0.0, x + 1.0).astype(np.int64)
    ends = ends_of(x[~np.isnan(x)], VALUE_BINS)
    return np.where(np.isnan(x), 0, 1 + np.searchsorted(ends, x))


def _visits(
    runs: Runs, feature: Feature, leaf: Codes, leaves: int, asked: Sequence[Feature] | None
) -> Visits:
    """Say which research rows come to the leaves of one stratum, and where they are expected."""
    at = np.flatnonzero((leaf >= 0) & (leaf < leaves))
    x, group = runs.rows.values[feature.name], runs.rows.group
    weights = runs.rows.weights / runs.number
    expected = None
    if asked is not None:
        expected = np.full(at.size, np.nan)
        known = ~np.isnan(x[runs.row[at]])
        seen = at[known]
        row = runs.row[seen]
        others = _ordered(asked, runs, seen)
        expected[known] = regressed(x[row], others, group[row], weights[row])
    return Visits(runs.row[at], leaf[at], x, group, weights, expected)
