"""What a plan file says, as plain types for reports."""

from pathlib import Path
from typing import Any

import numpy as np

from fairmend.plan.feature import Feature
from fairmend.plan.plan import Plan
from fairmend.plan.storage import to_content
from fairmend.transport.cell import Cell


def describe_plan_file(path: Path) -> dict[str, Any]:
    """Describe a plan: roles, groups and strata with their counts, features, options and hash.

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
        "features": [_feature(feature, strata) for feature in plan.features],
        "options": content["options"],
        "creator": plan.creator,
        "sha256": content["sha256"],
    }


def _feature(feature: Feature, strata: list[str]) -> dict[str, Any]:
    return {
        "name": feature.name,
        "kind": feature.kind,
        "reason": feature.reason,
        "cells": [
            {"stratum": stratum, **_cell(cell)}
            for stratum, cell in zip(strata, feature.cells, strict=True)
        ],
    }


def _cell(cell: Cell) -> dict[str, Any]:
    return {
        "points": cell.support.size,
        "atoms": cell.atoms.size,
        "low": float(cell.support[0]),
        "high": float(cell.support[-1]),
        "counts": cell.counts.tolist(),
    }
