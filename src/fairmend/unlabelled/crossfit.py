"""The leak to expect: research rows repaired by what the other rows teach, and an adversary."""

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from fairmend.errors import DataError
from fairmend.measures.leak import leak
from fairmend.measures.leak.results import Auc
from fairmend.unlabelled.expected import Expected
from fairmend.unlabelled.folds import folds_of
from fairmend.unlabelled.tellers import Research
from fairmend.unlabelled.trials import Trial

FOLDS = 5


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
    table = research.frame.native
    parts = folds_of(research, FOLDS, seed)
    done: dict[str, list[pa.Table]] = {}
    for at, held in enumerate(parts):
        taught = np.setdiff1d(np.arange(research.group.size), held)
        tables = trial.repaired(table.take(taught), table.take(held), seed + at, archive)
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


def with_leak(one: Expected, found: dict[str, Auc]) -> Expected:
    """Add what an adversary reaches, where that is known."""
    if one.way not in found:
        return one
    auc = found[one.way]
    return replace(one, leak=auc.auc, leak_low=auc.low, leak_high=auc.high)
