"""How many leaves, and how much they lean on their stratum: chosen by cross-validation."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fairmend.frames.levels import Codes
from fairmend.plan.tree import MOST_LEAVES, Tree
from fairmend.research.joint.grow import Labels, Places, counted
from fairmend.research.joint.reference import raked
from fairmend.transport.support import Floats

PSEUDO_ROWS = (3.0, 10.0, 30.0, 100.0, 300.0)

FOLDS = 4


@dataclass(frozen=True)
class Scored:
    """What one stratum says of the candidates.

    Attributes
    ----------
    loglik : ndarray of shape (FOLDS, MOST_LEAVES, pseudo_rows, groups)
        Summed log likelihood of held-out rows, for trees of one leaf and more.
    rows : ndarray of shape (groups,)
        Summed weight of these.
    """

    loglik: Floats
    rows: Floats


def score(
    labels: Labels,
    fold: Codes,
    grown: Callable[[NDArray[np.bool_]], tuple[Tree, Codes]],
) -> Scored:
    """Score every size of tree and every strength by the rows that a fold holds out.

    Parameters
    ----------
    labels : Labels
        Group and value of each row.
    fold : ndarray of shape (n,)
        In which fold each row is held out.
    grown : callable
        Grows a tree on some of the rows, and finds the leaves of all.
    """
    total = np.zeros((FOLDS, MOST_LEAVES, len(PSEUDO_ROWS), labels.groups))
    rows = np.zeros(labels.groups)
    for held in range(FOLDS):
        out = fold == held
        if not out.any() or out.all():
            continue
        tree, leaf = grown(~out)
        train, test = (_counts(labels, leaf, tree, at) for at in (~out, out))
        rows += test[0].sum(axis=1)
        places = None
        if labels.places is not None:
            places = [_moments(labels, labels.places, leaf, tree, at) for at in (~out, out)]
        for j, strength in enumerate(PSEUDO_ROWS):
            if places is None:
                fit = (test * np.log(_laws(train, strength))).sum(axis=2)
            else:
                fit = _nearness(places[0], places[1], strength)
            total[held, :, j] += _by_size(tree, fit)
    return Scored(total, rows)


def best(scored: Sequence[Scored], *, moved: bool) -> tuple[int, float]:
    """Choose leaves and pseudo-rows; all groups of a stratum count alike, strata by their rows.

    Of the sizes that are not surely worse than the best, by one standard error over the folds, the
    largest is chosen: what a leaf mixes up stays in the repaired data for everybody to see, and
    what it errs by is in a few rows only. Where laws are moved (``moved``) to where a regression
    expects them, leaves that tell nothing err by nothing either, and any number would be as good:
    there, one leaf is left whole unless that is surely worse.
    """
    total = np.zeros((FOLDS, MOST_LEAVES, len(PSEUDO_ROWS)))
    for one in scored:
        known = one.rows > 0
        if known.any():
            mean = (one.loglik[:, :, :, known] / one.rows[known]).mean(axis=3)
            total += one.rows.sum() * mean
    sums = total.sum(axis=0)
    i, j = np.unravel_index(int(np.argmax(sums)), sums.shape)
    worse = total[:, i, j][:, None, None] - total
    error = np.sqrt(FOLDS) * worse.std(axis=0, ddof=1)
    as_good = worse.sum(axis=0) <= error
    sizes = np.flatnonzero(as_good.any(axis=1))
    size = int(sizes[0 if moved and sizes[0] == 0 else -1])
    strength = int(np.argmax(np.where(as_good[size], sums[size], -np.inf)))
    return size + 1, PSEUDO_ROWS[strength]


def _counts(labels: Labels, leaf: Codes, tree: Tree, at: NDArray[np.bool_]) -> Floats:
    """Count by node, group and value."""
    codes = leaf[at] * (labels.groups * labels.values) + labels.codes[at]
    counts = counted(codes, labels.weights[at], tree.leaves, labels.groups, labels.values)
    return _by_node(tree, counts)


def _laws(counts: Floats, strength: float) -> Floats:
    """Mix each node's laws with those that the root's and everybody's let expect."""
    pooled = counts[0].sum(axis=0)
    # One row spread as everybody is keeps a value that a group has not shown from costing all.
    pooled = (pooled + 1.0 / pooled.size) / (pooled.sum() + 1.0)
    root = (counts[0] + pooled) / (counts[0].sum(axis=1, keepdims=True) + 1.0)
    others = raked(counts, root, strength)
    laws: Floats = (counts + strength * others) / (counts.sum(axis=2, keepdims=True) + strength)
    laws[0] = root
    return laws


def _moments(
    labels: Labels, places: Places, leaf: Codes, tree: Tree, at: NDArray[np.bool_]
) -> Floats:
    """Add up weights, places, their squares and expected places, by node and group."""
    code = leaf[at] * labels.groups + labels.codes[at] // labels.values
    w, y, expected = labels.weights[at], places.own[at], places.expected[at]
    sums = (w, w * y, w * y**2, w * expected)
    by_leaf = np.stack([counted(code, one, tree.leaves, labels.groups) for one in sums], axis=2)
    return _by_node(tree, by_leaf)


def _nearness(train: Floats, test: Floats, strength: float) -> Floats:
    """Score held-out rows by how near they are to where their group lies in a node.

    Of laws that all have the same shape and are moved, the place is all that is learnt in a leaf.
    """
    expected = train[:, :, 3] / np.maximum(train[:, :, 0], 1e-12)
    mean = (train[:, :, 1] + strength * expected) / (train[:, :, 0] + strength)
    nearness: Floats = 2 * mean * test[:, :, 1] - test[:, :, 2] - mean**2 * test[:, :, 0]
    return nearness


def _by_node(tree: Tree, by_leaf: Floats) -> Floats:
    within = [[bits >> one & 1 for one in range(tree.leaves)] for bits, _ in tree.nodes]
    by_node: Floats = np.tensordot(np.array(within, dtype=np.float64), by_leaf, axes=1)
    return by_node


def _by_size(tree: Tree, loglik: Floats) -> Floats:
    """Score a tree of one leaf, of two, and so on; a smaller tree is that of the first splits."""
    sizes = np.tile(loglik[0], (MOST_LEAVES, 1))
    for at in range(len(tree.splits)):
        left, right = 2 * at + 1, 2 * at + 2
        parent = tree.nodes[left][1]
        sizes[at + 1 :] += loglik[left] + loglik[right] - loglik[parent]
    return sizes
