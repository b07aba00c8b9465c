"""An audit of files: only the columns that are measured are read of all rows."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from fairmend.auditing.decisions import Decider
from fairmend.auditing.material import Material, Places, columns_measured
from fairmend.auditing.measure import audited
from fairmend.auditing.periods import Periods
from fairmend.auditing.result import Audit
from fairmend.auditing.tolerances import Tolerances
from fairmend.errors import ColumnError
from fairmend.files.excerpt import columns_of, names_in, rows_of
from fairmend.files.fields import Meaning, with_types
from fairmend.files.folder import pieces_in
from fairmend.files.formats import Format
from fairmend.files.progress import Tell, silent
from fairmend.frames.table import Frame
from fairmend.plan.labels import Labels
from fairmend.plan.plan import Plan

NAMES = "archive", "repaired archive"


def audit_files(
    before: Path,
    after: Path,
    plan: Path,
    *,
    label: str | None = None,
    favourable: str | None = None,
    predictions: str | None = None,
    time: str | None = None,
    tolerances: Mapping[str, float] | None = None,
    research: Path | None = None,
    tell: Tell = silent,
    **options: Any,
) -> Audit:
    """Audit an archive and its repair on disk.

    Parameters
    ----------
    before, after : Path
        The archive and its repair, maybe of two formats, with the same rows in the same order:
        files, or folders or patterns of files. The protected columns may be missing in the second.
    plan : Path
        The plan file that the archive was repaired by.
    label, favourable, predictions, time, tolerances, **options
        As in :func:`fairmend.audit`.
    research : Path, optional
        The research data, in a file or folder of any format: as in :func:`fairmend.audit`.
    tell : callable
        Is called with a sentence before each step.
    """
    its_plan = Plan.load(plan)
    limits = Tolerances.of(tolerances or {})
    who = Decider(label, favourable, predictions)
    sides = before, after
    forms = [pieces_in(path)[0].source for path in sides]
    _refuse_missing(before, {"label": label, "predictions": predictions, "time": time})
    names = columns_measured(its_plan, (*who.columns, time))
    tables = []
    for path, form, name in zip(sides, forms, NAMES, strict=True):
        tell(f"Reading {path.name}")
        tables.append(typed(columns_of(path, names), form, its_plan, name))

    def drawn(places: Places) -> tuple[Frame, Frame]:
        tell("Training adversaries")
        frames = []
        for path, form, name in zip(sides, forms, NAMES, strict=True):
            frames.append(Frame(typed(rows_of(path, places), form, its_plan, name), name))
        return frames[0], frames[1]

    known = None if research is None else _research(research, its_plan, tell)
    tell("Measuring")
    material = Material.of(tables[0], tables[1], its_plan, drawn)
    periods = None if time is None else Periods.of(material.before, time)
    return audited(material, who, limits, periods=periods, research=known, **options)


def _research(path: Path, plan: Plan, tell: Tell) -> pa.Table:
    tell(f"Reading {path.name}")
    read = columns_of(path, list(plan.feature_names))
    return typed(read, pieces_in(path)[0].source, plan, "research data")


def _refuse_missing(archive: Path, named: Mapping[str, str | None]) -> None:
    """Refuse a column that is not there with the names of all that are, not of those measured."""
    there = names_in(archive)
    for parameter, name in named.items():
        if name is not None and name not in there:
            raise ColumnError.missing(NAMES[0], name, parameter, there)


def typed(
    read: pa.Table, form: Format, plan: Plan, name: str, told_by: Labels | None = None
) -> pa.Table:
    """Give types to columns of a file without any: the plan's to its own, to others what fits."""
    if form.has_types:
        return read
    labels = [*plan.protected, *plan.unprotected]
    labels += [] if told_by is None else [n for n in told_by.columns if n not in told_by.codecs]
    meanings: dict[str, Meaning] = dict.fromkeys(
        [one for one in read.column_names if one not in labels], "any"
    )
    if told_by is not None:
        meanings |= {column: codec.type for column, codec in told_by.codecs.items()}
    meanings |= dict.fromkeys(plan.strata.bins, "number")
    meanings |= {feature: codec.type for feature, codec in plan.codecs.items()}
    return with_types(read, name, meanings, labels)
