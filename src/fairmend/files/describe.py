"""What a plan file says, as plain types for reports."""

from pathlib import Path
from typing import Any

import numpy as np

from fairmend.frames.levels import Factor
from fairmend.kernel import implementation
from fairmend.plan.constraints import named
from fairmend.plan.feature import Feature
from fairmend.plan.plan import Plan
from fairmend.plan.refined import Refined
from fairmend.plan.storage import to_content
from fairmend.transport.cell import Cell


def describe_plan_file(path: Path) -> dict[str, Any]:
    """Describe a plan: roles, groups and strata with their counts, features, options and hash.

    Beside it the kernel that would apply it here, which is not the plan's: the bytes are the same.

    A group's count in a stratum is the largest over the features, since research rows that miss a
    feature do not count for it.
    """
    plan = Plan.load(path)
    groups = [plan.groups.label(at) for at in range(len(plan.groups))]
    strata = [plan.strata.label(at) for at in range(len(plan.strata))]
    rows = np.max([[cell.counts for cell in one.cells] for one in plan.features], axis=0)
    content = to_content(plan)
    return {
        "protected": list(plan.protected),
        "unprotected": list(plan.unprotected),
        "groups": groups,
        "strata": [
            {"stratum": stratum, "rows": its_rows}
            for stratum, its_rows in zip(strata, rows.tolist(), strict=True)
        ],
        "bins": describe_bins(plan.strata),
        "features": [_feature(feature, groups, strata) for feature in plan.features],
        "options": content["options"],
        "constraints": [named(one) for one in plan.options.constraints],
        "held_out": content.get("held_out"),
        "creator": plan.creator,
        "sha256": content["sha256"],
        "kernel": implementation(),
    }


def tradeoff_of_plan_file(path: Path, points: int) -> dict[str, Any]:
    """Compute dependence against damage over the amount of repair.

    Parameters
    ----------
    path : Path
        The plan file.
    points : int
        Amounts from 0 to 1, both included.

    Returns
    -------
    dict
        The names of the ``features`` and the ``curve``, each point with its ``amount``,
        ``dependence`` in nats, ``damage`` and both ``by_feature``.
    """
    plan = Plan.load(path)
    return {
        "features": list(plan.feature_names),
        "curve": [
            {
                "amount": one.amount,
                "dependence": one.dependence,
                "damage": one.damage,
                "by_feature": {
                    name: {"dependence": dependence, "damage": damage}
                    for name, (dependence, damage) in one.by_feature.items()
                },
            }
            for one in plan.tradeoff(np.linspace(0, 1, points).tolist())
        ],
    }


def describe_bins(strata: Factor) -> list[dict[str, Any]]:
    """Name the bins of unprotected columns and where they are cut."""
    return [
        {"column": column, "names": list(bins.names), "cuts": list(bins.cuts)}
        for column, bins in strata.bins.items()
    ]


def _feature(feature: Feature, groups: list[str], strata: list[str]) -> dict[str, Any]:
    content: dict[str, Any] = {
        "name": feature.name,
        "type": feature.codec.type,
        "kind": feature.kind,
        "reason": feature.reason,
        "levels": list(feature.codec.levels),
        "lattice": feature.lattice,
        # Infinity, the shape alone, has no number in JSON.
        "shrinkage": feature.shrinkage if np.isfinite(feature.shrinkage) else "all",
    }
    content["cells"] = [
        {"stratum": stratum, **_cell(cell, feature, groups)}
        for stratum, cell in zip(strata, feature.cells, strict=True)
    ]
    content["refined"] = None if feature.refined is None else _refined(feature.refined, strata)
    return content


def _refined(refined: Refined, strata: list[str]) -> dict[str, Any]:
    """Say what leaves a feature is repaired in: how many, by which features, of how many rows."""
    return {
        "pseudo_rows": refined.pseudo_rows,
        "strata": [
            {
                "stratum": stratum,
                "leaves": tree.leaves,
                "by": list(dict.fromkeys(split.feature for split in tree.splits)),
                "smallest": min(int(cell.counts.sum()) for cell in cells),
            }
            for stratum, tree, cells in zip(strata, refined.trees, refined.cells, strict=True)
        ],
    }


def _cell(cell: Cell, feature: Feature, groups: list[str]) -> dict[str, Any]:
    return {
        "kind": cell.kind,
        "points": cell.support.size,
        "atoms": cell.atoms.size,
        **_ends(cell, feature),
        "counts": cell.counts.tolist(),
        "borrowed": [
            {"group": group, "rows": int(rows), "from": whose}
            for group, rows, whose in zip(groups, cell.counts, cell.borrowed, strict=False)
            if whose
        ],
        "missing": None
        if cell.missing is None
        else {
            "groups": dict(zip(groups, cell.missing[:-1].tolist(), strict=True)),
            "target": float(cell.missing[-1]),
        },
    }


def _ends(cell: Cell, feature: Feature) -> dict[str, Any]:
    """Give the ends of a support as the column has them: times as text, none without an order."""
    low, high = float(cell.support[0]), float(cell.support[-1])
    if feature.codec.type == "datetime":
        return {"low": _moment(low), "high": _moment(high)}
    if feature.codec.type == "duration":
        return {"low": f"{low / 1e6:.10g} s", "high": f"{high / 1e6:.10g} s"}
    if feature.codec.type == "number":
        return {"low": low, "high": high}
    if feature.kind == "categorical":
        return {"low": None, "high": None}
    levels = feature.codec.levels
    return {"low": str(levels[int(low)]), "high": str(levels[int(high)])}


def _moment(microseconds: float) -> str:
    """Write a time to the second; a support need not end where the column's values do."""
    moment = str(np.datetime64(round(microseconds), "us").astype("datetime64[s]"))
    return moment.replace("T", " ").removesuffix(" 00:00:00")
