"""Constraints of a design: those that are given, and those that the research data shows."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairmend.errors import OptionError
from fairmend.measures.pairs import BINS, ends_of_parts
from fairmend.plan.constraints import MICROSECONDS, Constraint, checked_constraints
from fairmend.plan.feature import Feature
from fairmend.plan.guard import refuse_dead_ends
from fairmend.plan.plan import Plan
from fairmend.transport.support import Floats

Constraints = Sequence[Mapping[str, Any] | str] | Mapping[str, Any] | str
"""As they are given to a design."""

UNSEEN_PAIRS = "unseen-pairs"
"""Stands for all pairs of values that no research row has."""


def listed(given: Constraints) -> tuple[Any, ...]:
    """Make a list of one constraint, or of several."""
    if isinstance(given, str | Mapping):
        return (given,)
    if not isinstance(given, Sequence):
        raise OptionError.no_constraints(given)
    return tuple(given)


def constrained(plan: Plan, rows: Mapping[str, Floats], order: Sequence[str]) -> Plan:
    """Write the constraints of a plan in one way, and refuse those that cannot be kept.

    Its features are brought into the order of their repair, on which that depends.

    Parameters
    ----------
    plan : Plan
        Its options hold the constraints as they were given.
    rows : mapping of str to ndarray of shape (n,)
        The features of the research rows.
    order : sequence of str
        The features in the order of their repair.
    """
    given: Sequence[Any] = plan.options.constraints
    if not given:
        return plan
    written = [one for one in given if one != UNSEEN_PAIRS]
    found = checked_constraints(written, plan.codecs, (*plan.protected, *plan.unprotected))
    features = tuple(sorted(plan.features, key=lambda one: order.index(one.name)))
    refuse_dead_ends(features, found)
    if UNSEEN_PAIRS in given:
        found += tuple(
            one for a, b in combinations(plan.features, 2) for one in _unseen(a, b, rows)
        )
    options = replace(plan.options, constraints=found)
    return replace(plan, features=features, options=options)


def _unseen(a: Feature, b: Feature, rows: Mapping[str, Floats]) -> list[Constraint]:
    """Find the pairs of two features that no row has; values of the same pairs go together."""
    (x, of_a), (y, of_b) = (_parted(one, rows[one.name]) for one in (a, b))
    both = (x >= 0) & (y >= 0)
    seen = np.zeros((len(of_a), len(of_b)), dtype=bool)
    seen[x[both], y[both]] = True
    lacking: dict[bytes, list[int]] = {}
    for at in range(len(of_a)):
        lacking.setdefault(seen[at].tobytes(), []).append(at)
    return [
        {
            a.name: [of_a[at] for at in places],
            b.name: [value for value, known in zip(of_b, row, strict=True) if not known],
        }
        for bits, places in lacking.items()
        if not (row := np.frombuffer(bits, dtype=bool)).all()
    ]


def _parted(feature: Feature, x: Floats) -> tuple[NDArray[np.intp], Sequence[Any]]:
    """Part values as :func:`fairmend.unseen_pairs` does; missing ones are in no part."""
    codec = feature.codec
    if codec.type == "category":
        return np.where(np.isnan(x), -1, x).astype(np.intp), codec.levels
    known = x[~np.isnan(x)]
    ends = np.unique(known)
    if ends.size <= BINS and codec.type == "number":
        at = np.searchsorted(ends, x)
        return np.where(np.isnan(x), -1, at), [float(end) for end in ends]
    ends = ends_of_parts(known)
    names = [_end(end, codec.type) for end in ends]
    parts = [
        {"to": names[0]},
        *({"above": low, "to": high} for low, high in pairwise(names)),
        {"above": names[-1]},
    ]
    return np.where(np.isnan(x), -1, np.searchsorted(ends, x)), parts


def _end(value: float, kind: str) -> float | str:
    if kind == "number":
        return float(value)
    at = math.floor(value)
    return at / MICROSECONDS if kind == "duration" else str(np.datetime64(at, "us"))
