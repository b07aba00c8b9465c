"""From a file of research data to a plan file."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from fairmend.files.fields import Meaning, with_types
from fairmend.files.formats import check_outputs, format_of, read_table
from fairmend.files.progress import Tell, silent
from fairmend.frames.bins import BinSpec
from fairmend.frames.levels import Level
from fairmend.plan.plan import Plan
from fairmend.research import design
from fairmend.research.roles import as_names
from fairmend.transport.kinds import Kind


def design_file(
    research: Path,
    out: Path,
    *,
    protected: Sequence[str],
    unprotected: Sequence[str] = (),
    features: Sequence[str] | None = None,
    exclude: Sequence[str] = (),
    kinds: Mapping[str, Kind | Sequence[Level]] | None = None,
    unprotected_bins: Mapping[str, BinSpec] | None = None,
    sample_weight: str | None = None,
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
        The plan file, of any name; refused before any work if it cannot be written.
    protected, unprotected, features, exclude, kinds, unprotected_bins, sample_weight, **options
        As in :func:`fairmend.design`. A pandas index in a Parquet file is no feature by default.
        In a CSV file a feature whose fields are all numbers is one of numbers; all ISO dates or
        times, of times; else it is a category, as it is where ``kinds`` says so.
    force : bool
        Whether an existing plan file may be replaced.
    tell : callable
        Is called with a sentence before each step.

    Returns
    -------
    plan, rows
        The plan, and how many research rows it was designed from.
    """
    check_outputs(out, inputs=(research,), force=force)
    tell(f"Reading {research.name}")
    table = read_table(research)
    roles = (*protected, *unprotected)
    exclude = (*exclude, *(_index_of_pandas(table) if features is None else ()))
    if not format_of(research).has_types:
        wanted = table.column_names if features is None else features
        meanings: dict[str, Meaning] = {
            name: _meaning((kinds or {}).get(name))
            for name in wanted
            if name not in (*roles, *exclude)
        }
        meanings |= dict.fromkeys((*(unprotected_bins or ()), *as_names(sample_weight)), "number")
        table = with_types(table, "research data", meanings, roles)
    tell("Designing the plan")
    plan = design(
        table,
        protected=protected,
        unprotected=unprotected,
        features=features,
        exclude=exclude,
        kinds=kinds,
        unprotected_bins=unprotected_bins,
        sample_weight=sample_weight,
        **options,
    )
    tell(f"Writing {out.name}")
    plan.save(out, force=force)
    return plan, table.num_rows


def smallest_group(plan: Plan) -> tuple[int, str]:
    """Find the fewest research rows that a marginal was learnt from, and whose they are.

    Returns
    -------
    rows, name
        Such as ``"sex='Female' where college=True"``.
    """
    counts = np.min([[cell.counts for cell in one.cells] for one in plan.features], axis=0)
    stratum, group = np.unravel_index(int(np.argmin(counts)), counts.shape)
    name = plan.groups.label(int(group))
    if plan.unprotected:
        name += f" where {plan.strata.label(int(stratum))}"
    return int(counts[stratum, group]), name


def _meaning(kind: Kind | Sequence[Level] | None) -> Meaning:
    """Tell how the fields of a feature are read; a code like ``01`` is kept by naming its kind."""
    if kind is None:
        return "any"
    if isinstance(kind, str) and kind not in ("categorical", "ordinal"):
        return "any"
    return "category"


def _index_of_pandas(table: pa.Table) -> list[str]:
    """Name the columns that hold the index of the pandas table that was written to a file."""
    about = table.schema.pandas_metadata or {}
    # An index that merely counts is described by a dict and has no column.
    return [name for name in about.get("index_columns", ()) if name in table.column_names]
