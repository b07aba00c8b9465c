"""Transport maps: where each group's values go on average, at some points of the support."""

from typing import TYPE_CHECKING

import numpy as np

from fairmend.report.content import GroupMap, MapPart
from fairmend.report.pooling import FEWEST

if TYPE_CHECKING:
    from fairmend.plan.feature import Feature
    from fairmend.plan.plan import Plan
    from fairmend.transport.cell import Cell

MOST_POINTS = 60
"""More points than this are not told apart in a picture."""


def transport_maps(plan: "Plan") -> list[MapPart]:
    """Compute the maps of a plan, by feature and stratum.

    An atom is left out unless some group has at least 5 research rows there, for it may be one
    person's income. Grid points are nobody's value. Where there are more than 60 points, those are
    kept that part the rows evenly, and the first and the last.

    Examples
    --------
    >>> import fairmend
    >>> adult = fairmend.datasets.adult(complete=True)
    >>> plan = fairmend.design(adult, protected="sex", unprotected="college", features="age")
    >>> one = transport_maps(plan)[0]
    >>> at = one["points"].index(40.0)
    >>> [(group["group"], round(group["means"][at], 1)) for group in one["groups"]]
    [("sex='Female'", 40.7), ("sex='Male'", 39.2)]
    """
    return [
        _map(feature, stratum, plan)
        for feature in plan.features
        for stratum in range(len(feature.cells))
    ]


def _map(feature: "Feature", stratum: int, plan: "Plan") -> MapPart:
    cell = feature.cells[stratum]
    kept = _kept(feature, cell)
    levels = None
    if feature.codec.type == "category":
        levels = [str(feature.codec.levels[int(at)]) for at in cell.support[kept]]
    return {
        "feature": feature.name,
        "stratum": plan.strata.label(stratum),
        "type": feature.codec.type,
        "points": cell.support[kept].tolist(),
        "levels": levels,
        "groups": [
            _of_group(feature, stratum, group, plan.groups.label(group), kept)
            for group in range(len(plan.groups))
        ],
    }


def _of_group(
    feature: "Feature", stratum: int, group: int, label: str, kept: np.ndarray
) -> GroupMap:
    cell, coupling = feature.cells[stratum], feature.coupling(stratum, group)
    n = cell.support.size
    mass = np.bincount(coupling.source, coupling.mass, n)
    same = coupling.source == coupling.target
    is_category = feature.codec.type == "category"
    to = same.astype(np.float64) if is_category else cell.support[coupling.target]
    moved = np.bincount(coupling.source, coupling.mass * to, n)
    means = [float(m / w) if w > 0 else None for m, w in zip(moved[kept], mass[kept], strict=True)]
    return {"group": label, "means": means, "stays": float(coupling.mass[same].sum())}


def _kept(feature: "Feature", cell: "Cell") -> np.ndarray:
    """Choose the points to show."""
    expected = cell.counts[:, None] * cell.marginals
    is_atom = np.isin(cell.support, cell.atoms)
    known = np.flatnonzero(~is_atom | (expected.max(axis=0) >= FEWEST - 0.5))
    if known.size <= MOST_POINTS:
        return known
    if feature.codec.type == "category":
        common = np.argsort(-expected.sum(axis=0)[known], kind="stable")[:MOST_POINTS]
        return np.sort(known[common])
    upto = np.cumsum(expected.sum(axis=0)[known])
    even = np.searchsorted(upto, np.linspace(0, upto[-1], MOST_POINTS))
    return known[np.unique(np.clip(even, 0, known.size - 1))]
