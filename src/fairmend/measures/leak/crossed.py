"""One adversary in one stratum: cross-validated, with each row's influence on the result."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fairmend.measures.arrays import Codes, Floats
from fairmend.measures.leak.adversary import adversary, membership, scores
from fairmend.measures.leak.columns import Seen
from fairmend.measures.leak.ranks import rank_auc
from fairmend.measures.leak.values import shares_by_value

FOLDS = 3
SHUFFLED_ROWS = 5_000
"""Rows of a fold on which shuffled columns are scored."""


@dataclass(frozen=True)
class Crossed:
    """An adversary's result.

    Attributes
    ----------
    auc : ndarray of shape (groups,)
        Each group against the rest.
    influence : ndarray of shape (n, groups)
        Of each row on each of these.
    drops : ndarray of shape (columns,)
        By how much the mean over groups falls when a column is shuffled; empty if not asked for.
    """

    auc: Floats
    influence: Floats
    drops: Floats

    @property
    def macro(self) -> float:
        """Mean over the groups."""
        return float(self.auc.mean())

    @property
    def macro_influence(self) -> Floats:
        """Influence of each row on the mean over the groups."""
        mean: Floats = self.influence.mean(axis=1)
        return mean


def cross_validate(
    columns: Sequence[Seen],
    s: Codes,
    *,
    classifier: Any,
    random_state: int,
    shuffle: bool = False,
) -> Crossed:
    """Train on two thirds, score the last third, and average the folds by their rows.

    Scores of different folds are never ranked together: they come from different models, and
    ranking them together draws the AUC below 0.5 on data without dependence.

    Parameters
    ----------
    columns : sequence of Seen
        What the adversary sees, of the stratum's rows.
    s : ndarray of shape (n,)
        Groups from 0 on, each with at least a few rows a fold.
    classifier : scikit-learn classifier or None
        See :func:`fairmend.measures.leak.adversary.adversary`.
    random_state : int
        For folds, training and shuffling.
    shuffle : bool
        Whether to measure what each column contributes.
    """
    from sklearn.model_selection import StratifiedKFold

    member = membership(s)
    auc, influence = np.zeros(member.shape[1]), np.zeros(member.shape)
    drops = np.zeros(len(columns) if shuffle else 0)
    # Folds are shuffled: tied rows in file order would otherwise look like information.
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=random_state)
    rng = np.random.default_rng(random_state)
    categories = [i for i, one in enumerate(columns) if one.shape == "category"]
    for train, test in folds.split(s, s):
        x, source = _matrix(columns, member, train, rng)
        trained = adversary(x.shape[1], categories, classifier, random_state)
        trained.fit(x[train], s[train])
        told = scores(trained, x[test])
        weight = test.size / s.size
        for g in range(auc.size):
            of_fold = rank_auc(told[:, g], member[test, g])
            auc[g] += weight * of_fold.auc
            influence[test, g] = weight * of_fold.influence
        if shuffle:
            some = test[rng.permutation(test.size)[:SHUFFLED_ROWS]]
            drops += weight * _drops(trained, x[some], source, member[some], rng)
    return Crossed(auc, influence, drops)


def _matrix(
    columns: Sequence[Seen], member: Any, train: Codes, rng: np.random.Generator
) -> tuple[Floats, Codes]:
    """Put the columns side by side, then what their values give away; and say whose each is."""
    many = [i for i, one in enumerate(columns) if one.shape == "many"]
    shares = [shares_by_value(columns[i].values, member, train, rng) for i in many]
    x = np.column_stack([*(one.values for one in columns), *shares])
    return x, np.append(np.arange(len(columns)), np.repeat(many, member.shape[1])).astype(np.int64)


def _drops(trained: Any, x: Floats, source: Codes, member: Any, rng: np.random.Generator) -> Floats:
    """Shuffle one column after the other, and measure by how much the AUC falls."""
    whole = _macro(trained, x, member)
    found = np.zeros(int(source.max()) + 1)
    for i in range(found.size):
        shuffled, its = x.copy(), source == i
        shuffled[:, its] = rng.permutation(x[:, its])
        found[i] = whole - _macro(trained, shuffled, member)
    return found


def _macro(trained: Any, x: Floats, member: Any) -> float:
    told = scores(trained, x)
    both = [g for g in range(told.shape[1]) if 0 < member[:, g].sum() < member.shape[0]]
    return float(np.mean([rank_auc(told[:, g], member[:, g]).auc for g in both]))
