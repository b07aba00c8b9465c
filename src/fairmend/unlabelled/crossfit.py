"""The leak to expect: research rows repaired by what the other rows teach, and an adversary."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from fairmend.errors import DataError
from fairmend.frames.table import Frame
from fairmend.measures.inference.tables import NORMAL
from fairmend.measures.leak import leak
from fairmend.measures.leak.results import Auc
from fairmend.unlabelled.expected import Expected
from fairmend.unlabelled.folds import folds_of
from fairmend.unlabelled.tellers import Research
from fairmend.unlabelled.trials import Trial

FOLDS = 5

MOST_FREE = 20_000
"""Rows without groups that each fold's label model learns from."""

FOUND = 0.25
"""Part of the E that a plan's errors leave which adversaries found, as measured on simulations."""


def cross_fitted(trial: Trial, research: Research, archive: Any, seed: int) -> dict[str, Auc]:
    """Tell what an adversary reaches who sees all features together, after each way of repair.

    Every research row is repaired, in every way, by a plan and a label model that have not seen it.
    An adversary is trained and tested on these rows as in :func:`fairmend.leak`, whose interval it
    has. Worlds would not do: a row is there many times, so that an adversary knows it again.

    Returns
    -------
    dict of str to Auc
        By way; empty where no stratum has rows enough for an adversary.
    """
    table, free = research.frame.native, None
    if archive is not None:
        frame = Frame(archive, "archive")
        some = np.linspace(0, len(frame) - 1, min(len(frame), MOST_FREE)).astype(np.intp)
        free = frame.rows(some).native
    parts = folds_of(research, FOLDS, seed)
    done: dict[str, list[pa.Table]] = {}
    for at, held in enumerate(parts):
        taught = np.setdiff1d(np.arange(research.group.size), held)
        tables = trial.repaired(table.take(taught), table.take(held), seed + at, free)
        for way, repaired in tables.items():
            done.setdefault(way, []).append(repaired)
    order = np.concatenate(parts)
    roles = {"s": research.group[order], "u": research.stratum[order]}
    found: dict[str, Auc] = {}
    for way, repaired in done.items():
        sides = [list(trial.values(one).values()) for one in repaired]
        seen = {f"x{k}": np.concatenate(one) for k, one in enumerate(zip(*sides, strict=True))}
        try:
            told = leak(
                pa.table({**roles, **seen}),
                protected="s",
                unprotected="u",
                features=list(seen),
                each=False,
                all_columns=False,
                permutations=0,
            )
        except DataError:  # a way may have made all values equal, or strata are too small
            continue
        found[way] = told.joint
    return found


def with_leak(one: Expected, found: Mapping[str, Auc], missed: float) -> Expected:
    """Add what an adversary reaches, where that is known.

    What a plan gets wrong, because its rows are few, cancels out between folds: the sum of what
    they miss is zero, so that an adversary finds none of it. It is added here. Squares of normal
    scores add up where two things tell of the group, and the best adversary scores √E.

    Parameters
    ----------
    one : Expected
        A way.
    found : mapping of str to Auc
        From :func:`cross_fitted`.
    missed : float
        E that the plan's errors leave, added up over the features. All of it is added to the upper
        end, and to the figure the part that gradient boosting found of it in simulations.
    """
    if one.way not in found:
        return one
    auc = found[one.way]
    if one.way == "none":
        return replace(one, leak=auc.auc, leak_low=auc.low, leak_high=auc.high)
    value, high = _raised(auc.auc, FOUND * missed), _raised(auc.high, missed)
    return replace(one, leak=value, leak_low=min(auc.low, value), leak_high=high)


def _raised(auc: float, e: float) -> float:
    """Add dependence to what an adversary reaches.

    Examples
    --------
    >>> print(f"{_raised(0.45, 0.0):.2f}, {_raised(0.5, 0.5):.2f}, {_raised(0.76, 0.5):.2f}")
    0.50, 0.76, 0.84
    """
    score = max(NORMAL.inv_cdf(min(max(auc, 0.5), 1 - 1e-9)), 0.0)
    return NORMAL.cdf((score**2 + e) ** 0.5)
