"""What a repair achieved and what it cost, from the files before and after."""

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from fairmend.errors import AuditError
from fairmend.files.formats import check_outputs, format_of, read_table
from fairmend.files.progress import Tell, silent
from fairmend.files.records import write_record
from fairmend.files.repair import typed_archive
from fairmend.frames.levels import Codes
from fairmend.frames.roles import numbered
from fairmend.frames.table import Frame
from fairmend.measures.damage import Damage, damage
from fairmend.measures.dependence import dependence
from fairmend.outputs import replacing
from fairmend.plan.feature import Feature
from fairmend.plan.plan import Plan
from fairmend.transport.support import Floats

if TYPE_CHECKING:
    from fairmend.transport.kinds import Kind


def audit_files(
    before: Path,
    after: Path,
    plan: Path,
    *,
    paper_grid: int | None = None,
    out: Path | None = None,
    force: bool = False,
    tell: Tell = silent,
) -> dict[str, Any]:
    """Compare an archive with its repair.

    Parameters
    ----------
    before, after : Path
        The archive and the repaired file, maybe of two formats, with the same rows in the same
        order. The protected columns may be missing in the second.
    plan : Path
        The plan file that the archive was repaired by.
    paper_grid : int, optional
        Also measure dependence on the scale of the paper's tables, on this many points.
    out : Path, optional
        JSON file for the result.
    force : bool
        Whether an existing one may be replaced.
    tell : callable
        Is called with a sentence before each step.

    Returns
    -------
    dict
        As :func:`audit_tables` gives it.
    """
    check_outputs(out, force=force)
    named = (("archive", before, format_of(before)), ("repaired file", after, format_of(after)))
    its_plan = Plan.load(plan)
    tables = []
    for name, path, form in named:
        tell(f"Reading {path.name}")
        tables.append(typed_archive(read_table(path), form, its_plan, name=name))
    tell("Measuring")
    found = audit_tables(tables[0], tables[1], its_plan, paper_grid=paper_grid)
    if out is not None:
        with replacing(out, force=force) as beside:
            write_record(found, beside)
    return found


def audit_tables(
    before: pa.Table, after: pa.Table, plan: Plan, *, paper_grid: int | None = None
) -> dict[str, Any]:
    """Measure each feature's dependence before and after a repair, and the change to its values.

    Parameters
    ----------
    before, after : table
        The same rows in the same order. Groups and strata are taken from ``before``.
    plan : Plan
        Names roles and features; a feature's kind says how its law is estimated.
    paper_grid : int, optional
        Also measure on the paper's scale, on this many points.

    Returns
    -------
    dict
        ``rows``, ``unseen`` (rows whose group or stratum the plan does not know), ``paper_grid``
        and ``features``, each with its ``name`` and ``kind``; ``nats_before`` and ``nats_after``, E
        in nats; ``paper_before`` and ``paper_after``, E on the paper's scale; the ``rows`` that
        these are of; ``rmse`` and ``share_changed``. What cannot be measured is None.

    Notes
    -----
    E compares groups within strata, so strata in which a group has fewer than 2 values are left
    out of it, and so are rows that the plan does not know. Change is measured over all rows with
    a value.
    """
    old, new = Frame(before, "archive"), Frame(after, "repaired file")
    if len(old) != len(new):
        raise AuditError.other_rows(len(old), len(new))
    old.require(plan.protected, "protected")
    old.require(plan.unprotected, "unprotected")
    for frame in (old, new):
        frame.require(plan.feature_names, "features")
    group, stratum = _roles(old, plan)
    _require_same_order(new, plan, group, stratum)
    values = [frame.finite_numbers(plan.codecs) for frame in (old, new)]
    return {
        "rows": len(old),
        "unseen": int(((group < 0) | (stratum < 0)).sum()),
        "paper_grid": paper_grid,
        "features": [
            _feature(one, [x[one.name] for x in values], (group, stratum), plan, paper_grid)
            for one in plan.features
        ],
    }


def _roles(frame: Frame, plan: Plan) -> list[Codes]:
    return [numbered(frame, factor) for factor in (plan.groups, plan.strata)]


def _require_same_order(frame: Frame, plan: Plan, group: Codes, stratum: Codes) -> None:
    """Refuse a repaired file whose own roles say that its rows are in another order."""
    for factor, codes in ((plan.groups, group), (plan.strata, stratum)):
        if set(factor.columns) <= set(frame.columns):
            found = numbered(frame, factor)
            if (found != codes).any():
                raise AuditError.other_order(factor.columns, int((found != codes).sum()))


def _feature(
    feature: Feature,
    values: list[Floats],
    roles: tuple[Codes, Codes],
    plan: Plan,
    paper_grid: int | None,
) -> dict[str, Any]:
    cost = cast("Damage", damage(*values))
    rows = _comparable(values[0], *roles, plan)
    group, stratum = (codes[rows] for codes in roles)
    kind = cast("Kind", feature.kind)  # found anew, it would differ once values lie on a support
    content: dict[str, Any] = {"name": feature.name, "kind": kind, "rows": int(rows.sum())}
    for when, x in zip(("before", "after"), values, strict=True):
        nats = paper = None
        if rows.any():
            nats = _number(dependence(x[rows], group, stratum, kind=kind))
        if rows.any() and paper_grid is not None:
            paper = dependence(x[rows], group, stratum, scale="paper", grid=paper_grid)
        content |= {
            f"nats_{when}": nats,
            f"paper_{when}": None if paper is None else _number(paper),
        }
    return content | {"rmse": _number(cost.rmse), "share_changed": _number(cost.share_changed)}


def _comparable(values: Floats, group: Codes, stratum: Codes, plan: Plan) -> NDArray[np.bool_]:
    """Mark the rows with a value, in strata where every group has at least 2."""
    known = (group >= 0) & (stratum >= 0) & ~np.isnan(values)
    counts = np.zeros((len(plan.strata), len(plan.groups)), dtype=np.int64)
    np.add.at(counts, (stratum[known], group[known]), 1)
    complete = np.flatnonzero((counts >= 2).all(axis=1))
    return known & np.isin(stratum, complete)


def _number(x: float) -> float | None:
    """Return a number that JSON has."""
    return x if math.isfinite(x) else None
