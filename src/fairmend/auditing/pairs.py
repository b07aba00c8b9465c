"""The part on pairs of features: which of them still tell S together."""

import numpy as np

from fairmend.auditing.material import Material
from fairmend.measures.leak.pairs import PairAuc, binned, pair_aucs
from fairmend.measures.leak.parts import parts_of
from fairmend.report.content import Estimate, PairRow, PairsPart

MOST_ROWS = 30_000

MOST_FEATURES = 16
"""More make no picture; those are kept that tell most by themselves before the repair."""


def pairs_part(material: Material, seed: int) -> PairsPart | None:
    """Try all pairs of features on drawn rows; None where there is no pair, or nobody to tell."""
    plan = material.plan
    rows = np.sort(material.draw(MOST_ROWS, seed))
    parts = parts_of(material.group[rows], material.stratum[rows], plan.groups, plan.strata)
    if not parts or len(plan.features) < 2:
        return None
    levels = {one.name: len(one.codec.levels) for one in plan.features}
    bins = {
        name: binned(material.old[name][rows], material.new[name][rows], of)
        for name, of in levels.items()
    }
    names = list(bins)
    if len(names) > MOST_FEATURES:
        alone = {
            name: pair_aucs({name: bins[name][0]}, parts, seed)[name, name].auc for name in names
        }
        kept = set(sorted(names, key=lambda name: -alone[name])[:MOST_FEATURES])
        names = [name for name in names if name in kept]
    before, after = (
        pair_aucs({name: bins[name][side] for name in names}, parts, seed) for side in (0, 1)
    )
    found: list[PairRow] = [
        {
            "first": a,
            "second": b,
            "before": _estimate(before[a, b]),
            "after": _estimate(told),
            "beyond": None if a == b else told.auc - max(0.5, after[a, a].auc, after[b, b].auc),
        }
        for (a, b), told in after.items()
    ]
    return {"rows_used": int(rows.size), "features": names, "rows": found}


def _estimate(told: PairAuc) -> Estimate:
    return {
        "value": told.auc,
        "low": told.low,
        "high": told.high,
        "raw": told.auc,
        "floor": None,
        "floor_high": None,
    }
