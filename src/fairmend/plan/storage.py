"""The plan file: canonical JSON with a hash, readable by an auditor, loaded without executing."""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from fairmend.errors import PlanFileError
from fairmend.frames.bins import Bins
from fairmend.frames.codec import Codec
from fairmend.frames.levels import Factor, canonical
from fairmend.outputs import replacing
from fairmend.plan.documents import canonical_json, digest, read_document
from fairmend.plan.feature import Feature
from fairmend.plan.leaves import refined_content, refined_from, refined_text
from fairmend.plan.options import Options, Policies, SmallCells
from fairmend.plan.refined import HeldOut
from fairmend.plan.soundness import require_sound
from fairmend.transport.cell import Cell
from fairmend.transport.coupling import Coupling
from fairmend.transport.layout import Resolution
from fairmend.transport.support import even_points

if TYPE_CHECKING:
    from fairmend.plan.plan import Plan

    P = TypeVar("P", bound=Plan)

FORMAT = "fairmend-plan"
VERSION, JOINT_VERSION, CONSTRAINED_VERSION = 1, 2, 3
"""A joint plan is of a version of its own: who does not know it would repair feature by feature.

So is one with constraints: who does not know them would produce what is forbidden.
"""


def to_content(plan: "Plan") -> dict[str, Any]:
    """Lay a plan out as plain JSON types, hash included."""
    options = asdict(plan.options)
    joint = {} if options["joint"] is None else {"joint": options["joint"]}
    constraints = options.pop("constraints")
    if constraints:
        joint["constraints"] = list(constraints)
    del options["joint"]
    if isinstance(options["target_weights"], Mapping):  # whose keys may be tuples of levels
        options["target_weights"] = {canonical(k): v for k, v in options["target_weights"].items()}
    if options["small"]["shrinkage"] == np.inf:
        options["small"]["shrinkage"] = "all"
    if options["blind"] is None:  # so that plans with groups are written as they always were
        del options["blind"]
    content: dict[str, Any] = {
        "format": FORMAT,
        "version": _version(plan.options),
        "creator": plan.creator,
        "protected": factor_content(plan.groups),
        "unprotected": factor_content(plan.strata),
        "options": {
            **options.pop("resolution"),
            **options.pop("small"),
            **options.pop("policies"),
            **options,
            **joint,
        },
        "features": [_feature_content(one, joint=bool(joint)) for one in plan.features],
    }
    if joint:
        content["held_out"] = None if plan.held_out is None else asdict(plan.held_out)
    content["sha256"] = digest(content)
    return content


def _version(options: Options) -> int:
    if options.constraints:
        return CONSTRAINED_VERSION
    return VERSION if options.joint is None else JOINT_VERSION


def save_plan(plan: "Plan", path: Path, *, force: bool) -> None:
    """Write the file: one line for each part and each cell, so that a diff shows what differs."""
    content = to_content(plan)
    features = content.pop("features")
    lines = [f'"{name}":{canonical_json(part)}' for name, part in sorted(content.items())]
    blocks = []
    for feature in features:
        cells = ",\n".join(canonical_json(cell) for cell in feature.pop("cells"))
        refined = ""
        if feature.get("refined"):
            refined = f',"refined":{refined_text(feature.pop("refined"))}'
        blocks.append(f'{canonical_json(feature)[:-1]},"cells":[\n{cells}\n]{refined}}}')
    lines.append('"features":[\n' + ",\n".join(blocks) + "\n]")
    with replacing(path, force=force) as beside:
        beside.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def load_plan(plan_type: "type[P]", path: Path) -> "P":
    """Read a file, check format, version, hash and structure, and rebuild the plan."""
    content = read_document(
        path,
        FORMAT,
        CONSTRAINED_VERSION,
        PlanFileError,
        ("plan", "Design the plan"),
        older=[VERSION, JOINT_VERSION],
    )
    try:
        plan = from_content(plan_type, content)
        require_sound(plan)
        return plan
    except (KeyError, TypeError, IndexError, AttributeError, ValueError) as error:
        message = f"{path} does not follow the plan schema ({error!r})."
        raise PlanFileError(message) from error


def from_content(plan_type: "type[P]", content: Mapping[str, Any]) -> "P":
    """Rebuild a plan from its content."""
    options = dict(content["options"])
    options["constraints"] = tuple(options.get("constraints", ()))
    if options["shrinkage"] == "all":
        options["shrinkage"] = np.inf
    parts: dict[str, Any] = {
        name: part(**{k: options.pop(k) for k in part.__dataclass_fields__})
        for name, part in (
            ("resolution", Resolution),
            ("small", SmallCells),
            ("policies", Policies),
        )
    }
    return plan_type(
        groups=factor_from(content["protected"]),
        strata=factor_from(content["unprotected"]),
        features=tuple(_feature(feature) for feature in content["features"]),
        options=Options(**parts, **options),
        creator=content["creator"],
        held_out=HeldOut(**content["held_out"]) if content.get("held_out") else None,
    )


def factor_content(factor: Factor) -> dict[str, Any]:
    """Lay a factor out as plain JSON types."""
    return {
        "columns": list(factor.columns),
        "levels": [list(c) for c in factor.combinations],
        "bins": {
            name: {"cuts": list(bins.cuts), "names": list(bins.names)}
            for name, bins in factor.bins.items()
        },
    }


def factor_from(content: Mapping[str, Any]) -> Factor:
    """Rebuild a factor from its content."""
    return Factor(
        tuple(content["columns"]),
        tuple(tuple(c) for c in content["levels"]),
        {
            name: Bins(tuple(bins["cuts"]), tuple(bins["names"]))
            for name, bins in content["bins"].items()
        },
    )


def _feature_content(feature: Feature, *, joint: bool) -> dict[str, Any]:
    content = {
        "name": feature.name,
        "type": feature.codec.type,
        "levels": list(feature.codec.levels),
        "kind": feature.kind,
        "reason": feature.reason,
        "lattice": feature.lattice,
        # Infinity, the shape alone, has no number in JSON.
        "shrinkage": feature.shrinkage if np.isfinite(feature.shrinkage) else "all",
        "cells": [_cell_content(cell) for cell in (*feature.cells, feature.anywhere)],
    }
    if joint:
        content["refined"] = refined_content(feature.refined)
    return content


def _feature(content: Mapping[str, Any]) -> Feature:
    *cells, anywhere = (
        _cell(content["kind"], content["lattice"], cell) for cell in content["cells"]
    )
    refined = content.get("refined")
    return Feature(
        name=content["name"],
        codec=Codec(content["type"], tuple(content["levels"])),
        kind=content["kind"],
        reason=content["reason"],
        cells=tuple(cells),
        anywhere=anywhere,
        lattice=content["lattice"],
        shrinkage=np.inf if content["shrinkage"] == "all" else content["shrinkage"],
        refined=None if refined is None else refined_from(refined, cells),
    )


def _cell_content(cell: Cell) -> dict[str, Any]:
    grid = cell.grid
    return {
        "grid": [float(grid[0]), float(grid[-1]), grid.size] if grid.size else None,
        "atoms": cell.atoms.tolist(),
        "counts": cell.counts.tolist(),
        "marginals": cell.marginals.tolist(),
        "target": cell.target.tolist(),
        "missing": None if cell.missing is None else cell.missing.tolist(),
        "borrowed": list(cell.borrowed),
        "couplings": None
        if cell.couplings is None
        else [[c.source.tolist(), c.target.tolist(), c.mass.tolist()] for c in cell.couplings],
    }


def _cell(kind: str, lattice: float, content: Mapping[str, Any]) -> Cell:
    grid = content["grid"]
    return Cell(
        kind=kind,
        grid=np.empty(0) if grid is None else even_points(grid[0], grid[1], grid[2], lattice),
        atoms=np.array(content["atoms"], dtype=np.float64),
        marginals=np.array(content["marginals"], dtype=np.float64),
        target=np.array(content["target"], dtype=np.float64),
        counts=np.array(content["counts"], dtype=np.int64),
        missing=None if content["missing"] is None else np.array(content["missing"]),
        borrowed=tuple(content["borrowed"]),
        couplings=None
        if content["couplings"] is None
        else tuple(Coupling(*map(np.array, parts)) for parts in content["couplings"]),
    )
