"""The part on combinations of values: those that nobody has, and those that are forbidden."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from fairmend.auditing.material import Material
from fairmend.measures.pairs import unseen_pairs
from fairmend.plan.constraints import Constraint, bins_inside, bins_of_constraints, named
from fairmend.report.content import CombinationsPart, ConstraintRow, ForbiddenShare, UnseenRow
from fairmend.report.pooling import FEWEST

MOST_ROWS = 500_000
"""Rows that unseen pairs are looked for in."""


def combinations_part(material: Material, research: Any, seed: int) -> CombinationsPart | None:
    """Count rows before and after; None where there is neither research data nor a constraint.

    Unseen pairs need research rows to compare with, and a plan holds none. A plan whose constraints
    are those pairs lists them, so there they are counted as forbidden ones.
    """
    constraints = material.plan.options.constraints
    if research is None and not constraints:
        return None
    rows: list[ConstraintRow] = []
    for one in constraints:
        before, after = _shares(material, [one])
        rows.append({"words": named(one), "before": before, "after": after})
    forbidden: ForbiddenShare | None = None
    if constraints:
        before, after = _shares(material, constraints)
        forbidden = {"before": before, "after": after}
    unseen = None if research is None else _unseen(material, research, seed)
    return {"unseen": unseen, "constraints": rows, "forbidden": forbidden}


def _unseen(material: Material, research: Any, seed: int) -> list[UnseenRow]:
    frames = material.before, material.after
    if len(material) > MOST_ROWS:
        places = np.random.default_rng(seed).choice(len(material), MOST_ROWS, replace=False)
        frames = frames[0].rows(np.sort(places)), frames[1].rows(np.sort(places))
    names = material.plan.feature_names
    before, after = (unseen_pairs(one.native, research, features=names) for one in frames)
    n = len(frames[0])
    return [
        {"first": a, "second": b, "before": _told(before[a, b], n), "after": _told(found, n)}
        for (a, b), found in after.items()
    ]


def _shares(
    material: Material, constraints: Sequence[Constraint]
) -> tuple[float | None, float | None]:
    """Give the share of rows with any of some combinations, before and after."""
    codecs = material.plan.codecs
    bins = bins_of_constraints(codecs, constraints)
    shares: list[float | None] = []
    for values in (material.old, material.new):
        marks = {name: one.of(values[name]) for name, one in bins.items()}
        found = np.zeros(len(material), dtype=bool)
        for one in constraints:
            having = [bins_inside(v, codecs[k], bins[k])[marks[k]] for k, v in one.items()]
            found |= np.logical_and.reduce(having)
        shares.append(_told(float(found.mean()), len(material)))
    return shares[0], shares[1]


def _told(share: float, rows: int) -> float | None:
    """Give a share, unless it is of 1 to 4 rows."""
    return None if 0 < round(share * rows) < FEWEST else share
