"""An audit of files without groups: only the columns that are measured are read."""

from pathlib import Path
from typing import Any

from fairmend.auditing.on_disk import NAMES, typed
from fairmend.auditing.unlabelled.measure import audit_unlabelled
from fairmend.auditing.unlabelled.result import UnlabelledAudit
from fairmend.errors import ColumnError
from fairmend.files.excerpt import columns_of, names_in
from fairmend.files.folder import pieces_in
from fairmend.files.progress import Tell, silent
from fairmend.files.tables import read_tables
from fairmend.files.work import columns_needed
from fairmend.plan.plan import Plan
from fairmend.unlabelled import LabelModel

RESEARCH = "research data"


def audit_unlabelled_files(
    before: Path,
    after: Path,
    plan: Path,
    labels: Path,
    *,
    research: Path | None = None,
    tell: Tell = silent,
    **options: Any,
) -> UnlabelledAudit:
    """Audit an archive without groups and its repair on disk.

    Parameters
    ----------
    before, after : Path
        As for :func:`fairmend.auditing.on_disk.audit_files`.
    plan, labels : Path
        The plan file that the archive was repaired by, and the label model's file.
    research : Path, optional
        What the model was fitted to, for intervals.
    tell : callable
        Is called with a sentence before each step.
    **options
        As in :func:`fairmend.audit_unlabelled`.
    """
    its_plan, model = Plan.load(plan), LabelModel.load(labels)
    wanted = columns_needed(its_plan, (), model)
    there = names_in(before)
    for name in model.columns:
        if name not in there:
            raise ColumnError.missing(NAMES[0], name, "labels", there)
    tables = []
    for path, name in zip((before, after), NAMES, strict=True):
        tell(f"Reading {path.name}")
        form = pieces_in(path)[0].source
        tables.append(typed(columns_of(path, wanted), form, its_plan, name, model))
    known = None
    if research is not None:
        tell(f"Reading {research.name}")
        known = typed(*read_tables(research), its_plan, RESEARCH, model)
    tell("Measuring")
    return audit_unlabelled(tables[0], tables[1], its_plan, model, research=known, **options)
