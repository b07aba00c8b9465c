"""From an archive file to its repaired file."""

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pyarrow as pa

from fairmend.files.fields import Meaning, text_where_unchanged, with_types
from fairmend.files.formats import Format, check_outputs, format_of, read_table
from fairmend.files.progress import Tell, silent
from fairmend.files.records import write_record
from fairmend.outputs import replacing
from fairmend.plan.plan import Plan


def repair_file(
    archive: Path,
    plan: Path,
    out: Path,
    *,
    key: Sequence[str] = (),
    amount: float | None = None,
    summary: Path | None = None,
    force: bool = False,
    tell: Tell = silent,
    **options: Any,
) -> dict[str, Any]:
    """Repair a file.

    Columns that are only passed through come out as they went in: types, dictionaries and the
    schema's metadata in Parquet, every character of a field in CSV. So do features' values that the
    repair leaves alone.

    Parameters
    ----------
    archive, out : Path
        Files of any format in :data:`fairmend.files.formats.FORMATS`, maybe of two formats.
    plan : Path
        The plan file.
    key : sequence of str
        Columns that tell rows apart, as in :meth:`fairmend.Plan.repair`.
    amount : float, optional
        Share of the full repair, if it is to be another than the plan's.
    summary : Path, optional
        File for the counts **and the seed**, which nobody but its owner may read. Without it the
        seed is forgotten, unless the caller keeps it from the result.
    force : bool
        Whether existing outputs may be replaced. If not, they are refused before any work.
    tell : callable
        Is called with a sentence before each step.
    **options
        As in :meth:`fairmend.Plan.repair`.

    Returns
    -------
    dict
        The private summary: rows, counts by feature, and the seed.
    """
    check_outputs(out, summary, force=force)
    source, target = format_of(archive), format_of(out)
    tell(f"Reading {plan.name}")
    its_plan = Plan.load(plan)
    if amount is not None:
        its_plan = its_plan.with_amount(amount)
    tell(f"Reading {archive.name}")
    read = read_table(archive)
    table = typed_archive(read, source, its_plan, key)
    tell(f"Repairing {table.num_rows:,} rows")
    done: dict[str, Any] = {}
    repaired = its_plan.repair(table, key=key, summary=done, **options)
    as_text = not (source.has_types or target.has_types)
    finished = _finished(read, table, repaired, its_plan, as_text=as_text)
    tell(f"Writing {out.name}")
    with ExitStack() as outputs:
        target.write(finished, outputs.enter_context(replacing(out, force=force)))
        if summary is not None:
            beside = outputs.enter_context(replacing(summary, force=force))
            write_record(done, beside, private=True)
    return done


def typed_archive(
    read: pa.Table, source: Format, plan: Plan, key: Sequence[str] = (), name: str = "archive"
) -> pa.Table:
    """Give the columns that a plan needs their types, where the file has none."""
    if source.has_types:
        return read
    labels = (*plan.protected, *plan.unprotected, *key)
    meanings: dict[str, Meaning] = dict.fromkeys(plan.strata.bins, "number")
    meanings |= {feature: codec.type for feature, codec in plan.codecs.items()}
    return with_types(read, name, meanings, labels)


def _finished(
    read: pa.Table, typed: pa.Table, repaired: pa.Table, plan: Plan, *, as_text: bool
) -> pa.Table:
    """Put the repaired features into the table as it was read."""
    columns, fields = [], []
    for name in repaired.column_names:
        column, field = read[name], read.field(name)
        if name in plan.feature_names:
            after = repaired[name]
            column = text_where_unchanged(column, typed[name], after) if as_text else after
        columns.append(column)
        fields.append(field.with_type(column.type))
    return pa.table(columns, schema=pa.schema(fields, metadata=read.schema.metadata))
