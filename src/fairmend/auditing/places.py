"""Where adversaries tell the groups though on average they do not: in a stratum, or of a group."""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from fairmend.measures.inference.tables import NORMAL
from fairmend.measures.leak.parts import Part
from fairmend.measures.leak.results import Auc, Estimate

TAIL = 0.025
"""Of a 95 % interval, at each end."""


def told_place(auc: Auc, parts: Sequence[Part], tolerance: float) -> tuple[str, float] | None:
    """Find the place that is told best among those that are surely told, and the AUC there.

    An average over strata by rows hides a small stratum, and one over groups a rare group, whose
    people can all the same be told for certain. Of many places one is above the tolerance by
    chance: so the intervals hold all at once (Bonferroni). An adversary that is always right has
    no variance to be seen, and so each interval is at least as wide as chance alone makes it.

    Parameters
    ----------
    auc : Auc
        What an adversary reached.
    parts : sequence of Part
        The strata that it was tested in.
    tolerance : float
        The AUC that can be tolerated.

    Examples
    --------
    >>> part = Part("u=1", np.arange(40), np.repeat([0, 1], 20), ("a", "b"))
    >>> sure, unsure = Estimate(1.0, 1.0, 1.0), Estimate(0.6, 0.4, 0.8)
    >>> of = lambda one: Auc(0.52, 0.5, 0.54, 0.5, 0.0, {"u=1": one}, {}, "a")
    >>> told_place(of(sure), [part], 0.56), told_place(of(unsure), [part], 0.56)
    (('in u=1', 1.0), None)
    """
    places = list(_places(auc, parts))
    further = NORMAL.inv_cdf(1 - TAIL / max(1, len(places)))
    above = [
        (name, one.auc)
        for name, one, chance in places
        if one.auc - further * max((one.auc - one.low) / NORMAL.inv_cdf(1 - TAIL), chance)
        > tolerance
    ]
    return max(above, key=lambda place: place[1], default=None)


def _places(auc: Auc, parts: Sequence[Part]) -> Iterator[tuple[str, Estimate, float]]:
    """Yield each place with what was reached there and how far chance alone goes."""
    sizes: dict[str, list[tuple[int, int]]] = {}
    for part in parts:
        rows = np.bincount(part.s, minlength=len(part.groups))
        for name, n in zip(part.groups, rows.tolist(), strict=True):
            sizes.setdefault(name, []).append((n, part.rows.size - n))
        smallest = int(rows.min())
        chance = _by_chance(smallest, part.rows.size - smallest)
        yield f"in {part.name}", auc.by_stratum[part.name], chance
    if len(sizes) > 2:  # of two groups, one is told as the other is
        for name, one in auc.by_group.items():
            own, others = (sum(side) for side in zip(*sizes[name], strict=True))
            yield f"for {name} against the rest", one, _by_chance(own, others)


def _by_chance(own: int, others: int) -> float:
    """Compute the standard deviation of an AUC that guesses."""
    return math.sqrt((own + others + 1) / (12 * own * others))
