"""What a repair achieved and what it cost, from the files before and after."""

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from fairmend.errors import AuditError
from fairmend.files.floor import floor
from fairmend.files.formats import check_outputs, format_of, read_table
from fairmend.files.missing import missingness
from fairmend.files.progress import Tell, silent
from fairmend.files.records import write_record
from fairmend.files.work import typed_archive
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

UNITS = {"datetime": (86_400e6, "days"), "duration": (1e6, "seconds")}
"""Microseconds of the unit in which changes of times are said."""


class _Side(NamedTuple):
    """E of a feature before or after a repair: in nats, by chance alone, on the paper's scale."""

    rows: int
    nats: float | None
    floor: float | None
    paper: float | None


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
        Whether an existing one may be replaced, unless it is one of the inputs.
    tell : callable
        Is called with a sentence before each step.

    Returns
    -------
    dict
        As :func:`audit_tables` gives it.
    """
    check_outputs(out, inputs=(before, after, plan), force=force)
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
        ``rows``, ``unseen`` (rows whose group or stratum the plan does not know), ``paper_grid``,
        the names of ``groups`` and ``strata``, and ``features``, each with its ``name``, ``type``
        and ``kind``; ``nats_before`` and ``nats_after``, E in nats; ``floor_before`` and
        ``floor_after``, what E would be by chance alone, see
        :func:`fairmend.files.floor.floor`; ``paper_before`` and
        ``paper_after``, E on the paper's scale; the ``rows`` that these are of; ``rmse`` with its
        ``unit`` where the column's own would not do; ``share_changed``; and ``missing``, see
        :func:`fairmend.files.missing.missingness`. What cannot be measured is None.

    Notes
    -----
    E compares groups within strata, so strata in which a group has fewer than 2 values are left
    out of it, and so are rows that the plan does not know. Change is measured over all rows with
    a value. Categories have shares and no size of change, so no RMSE, nor a place on the paper's
    scale. Where missing is a state of the plan, a value that was emptied or filled has changed, and
    RMSE is over the rows with a value on both sides.
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
        "groups": [plan.groups.label(at) for at in range(len(plan.groups))],
        "strata": [plan.strata.label(at) for at in range(len(plan.strata))],
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
    kind = cast("Kind", feature.kind)  # found anew, it would differ once values lie on a support
    is_category = feature.codec.type == "category"
    grid = None if is_category else paper_grid
    sides = [_dependence(x, roles, plan, kind, grid) for x in values]
    content: dict[str, Any] = {
        "name": feature.name,
        "type": feature.codec.type,
        "kind": kind,
        "rows": sides[0].rows,
    }
    for when, side in zip(("before", "after"), sides, strict=True):
        content |= {
            f"nats_{when}": side.nats,
            f"floor_{when}": side.floor,
            f"paper_{when}": side.paper,
        }
    rmse, share = _change(values, is_state=plan.options.missing == "state")
    size, unit = UNITS.get(feature.codec.type, (1.0, None))
    return content | {
        "rmse": None if is_category or rmse is None else rmse / size,
        "unit": unit,
        "share_changed": share,
        "missing": missingness(values, *roles, (len(plan.strata), len(plan.groups))),
    }


def _dependence(
    values: Floats, roles: tuple[Codes, Codes], plan: Plan, kind: "Kind", grid: int | None
) -> _Side:
    """Measure E on the rows that can be compared."""
    rows = _comparable(values, *roles, plan)
    if not rows.any():
        return _Side(0, None, None, None)
    group, stratum = (codes[rows] for codes in roles)
    nats, paper = _number(dependence(values[rows], group, stratum, kind=kind)), None
    chance = _number(floor(values[rows], group, stratum, kind))
    if grid is not None:
        paper = _number(dependence(values[rows], group, stratum, scale="paper", grid=grid))
    return _Side(int(rows.sum()), nats, chance, paper)


def _change(values: list[Floats], *, is_state: bool) -> tuple[float | None, float | None]:
    """Measure the change to a row, and the share of rows that have changed."""
    old, new = values
    if not is_state:
        cost = cast("Damage", damage(old, new))
        return _number(cost.rmse), _number(cost.share_changed)
    known = [~np.isnan(x) for x in values]
    both, either = known[0] & known[1], known[0] | known[1]
    if not either.any():
        return None, None
    rmse = cast("Damage", damage(old[both], new[both])).rmse if both.any() else math.nan
    return _number(rmse), int((either & (old != new)).sum()) / int(either.sum())


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
