"""The part on combinations of values: those that nobody has, and those that are forbidden."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from fairmend.auditing.material import Material, Places
from fairmend.measures.pairs import unseen_pairs
from fairmend.plan.constraints import Constraint, bins_inside, bins_of_constraints, named
from fairmend.report.content import CombinationsPart, ConstraintRow, ForbiddenShare, UnseenRow
from fairmend.report.pooling import FEWEST

MOST_ROWS = 500_000
"""Rows that unseen pairs and single constraints are looked for in; all constraints, in all rows."""


def combinations_part(material: Material, research: Any, seed: int) -> CombinationsPart | None:
    """Count rows before and after; None where there is neither research data nor a constraint.

    Unseen pairs need research rows to compare with, and a plan holds none. A plan whose constraints
    are those pairs lists them, so there they are counted as forbidden ones.
    """
    constraints = material.plan.options.constraints
    if research is None and not constraints:
        return None
    places = None
    if len(material) > MOST_ROWS:
        drawn = np.random.default_rng(seed).choice(len(material), MOST_ROWS, replace=False)
        places = np.sort(drawn)
    return {
        "unseen": None if research is None else _unseen(material, research, places),
        "constraints": _one_by_one(material, constraints, places),
        "forbidden": _any(material) if constraints else None,
    }


def _unseen(material: Material, research: Any, places: Places | None) -> list[UnseenRow]:
    frames = material.before, material.after
    if places is not None:
        frames = frames[0].rows(places), frames[1].rows(places)
    names = material.plan.feature_names
    before, after = (unseen_pairs(one.native, research, features=names) for one in frames)
    n = len(frames[0])
    return [
        {"first": a, "second": b, "before": _told(before[a, b], n), "after": _told(found, n)}
        for (a, b), found in after.items()
    ]


def _one_by_one(
    material: Material, constraints: Sequence[Constraint], places: Places | None
) -> list[ConstraintRow]:
    """Count the rows with each combination, of which unseen pairs make hundreds."""
    codecs = material.plan.codecs
    bins = bins_of_constraints(codecs, constraints)
    at = slice(None) if places is None else places
    marks = [
        {name: one.of(values[name][at]) for name, one in bins.items()}
        for values in (material.old, material.new)
    ]
    rows: list[ConstraintRow] = []
    for one in constraints:
        inside = {name: bins_inside(v, codecs[name], bins[name]) for name, v in one.items()}
        shares = [
            np.logical_and.reduce([inside[name][side[name]] for name in one]) for side in marks
        ]
        before, after = (_told(float(found.mean()), found.size) for found in shares)
        rows.append({"words": named(one), "before": before, "after": after})
    return rows


def _any(material: Material) -> ForbiddenShare:
    """Count the rows with any forbidden combination, of all rows."""
    guards = [step.guard for step in material.plan.steps if step.guard is not None]
    before, after = (
        float(np.logical_or.reduce([guard.found(values) for guard in guards]).mean())
        for values in (material.old, material.new)
    )
    n = len(material)
    return {"before": _told(before, n), "after": _told(after, n)}


def _told(share: float, rows: int) -> float | None:
    """Give a share, unless it is of 1 to 4 rows."""
    return None if 0 < round(share * rows) < FEWEST else share
