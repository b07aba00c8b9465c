"""From a file of research data to a plan file."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from fairmend.files.fields import with_types
from fairmend.files.formats import check_outputs, format_of, read_table
from fairmend.files.progress import Tell, silent
from fairmend.plan.plan import Plan
from fairmend.research import design


def design_file(
    research: Path,
    out: Path,
    *,
    protected: Sequence[str],
    unprotected: Sequence[str] = (),
    features: Sequence[str] | None = None,
    exclude: Sequence[str] = (),
    force: bool = False,
    tell: Tell = silent,
    **options: Any,
) -> tuple[Plan, int]:
    """Design a plan from a file and save it.

    Parameters
    ----------
    research : Path
        A file of any format in :data:`fairmend.files.formats.FORMATS`.
    out : Path
        The plan file; refused before any work if it cannot be written.
    protected, unprotected, features, exclude, **options
        As in :func:`fairmend.design`. A pandas index in a Parquet file is no feature by default.
    force : bool
        Whether an existing plan file may be replaced.
    tell : callable
        Is called with a sentence before each step.

    Returns
    -------
    plan, rows
        The plan, and how many research rows it was designed from.
    """
    check_outputs(out, force=force)
    tell(f"Reading {research.name}")
    table = read_table(research)
    roles = (*protected, *unprotected)
    exclude = (*exclude, *(_index_of_pandas(table) if features is None else ()))
    if not format_of(research).has_types:
        wanted = table.column_names if features is None else features
        numbers = [name for name in wanted if name not in (*roles, *exclude)]
        table = with_types(table, "research data", numbers, roles)
    tell("Designing the plan")
    plan = design(
        table,
        protected=protected,
        unprotected=unprotected,
        features=features,
        exclude=exclude,
        **options,
    )
    tell(f"Writing {out.name}")
    plan.save(out, force=force)
    return plan, table.num_rows


def _index_of_pandas(table: pa.Table) -> list[str]:
    """Name the columns that hold the index of the pandas table that was written to a file."""
    about = table.schema.pandas_metadata or {}
    # An index that merely counts is described by a dict and has no column.
    return [name for name in about.get("index_columns", ()) if name in table.column_names]
