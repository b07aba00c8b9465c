"""From an archive file to its repaired file."""

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pyarrow as pa

from fairmend.errors import OptionError
from fairmend.files.fields import Meaning, with_types
from fairmend.files.formats import Format, check_outputs, format_of, read_table
from fairmend.files.progress import Tell, silent
from fairmend.files.records import write_record
from fairmend.files.seeds import read_seed, safe_seed
from fairmend.files.spelling import Mask, planned_rows, spelt
from fairmend.outputs import replacing
from fairmend.plan.plan import Plan


def repair_file(
    archive: Path,
    plan: Path,
    out: Path,
    *,
    key: Sequence[str] = (),
    seed: int | None = None,
    seed_file: Path | None = None,
    amount: float | None = None,
    summary: Path | None = None,
    force: bool = False,
    tell: Tell = silent,
    **options: Any,
) -> dict[str, Any]:
    """Repair a file.

    Columns that are only passed through come out as they went in: types, dictionaries and the
    schema's metadata in Parquet, every character of a field in CSV. The values of repaired columns
    are written anew, in one spelling whether they have moved or not (``1.0`` becomes ``1``), since
    the text of a field would otherwise tell who was moved. Only fields that are missing, and those
    of rows that a policy leaves as they are, keep their text.

    Of the CSV file itself, a byte order mark is dropped, line ends become LF, and quotes stay only
    where a field needs them.

    Parameters
    ----------
    archive, out : Path
        Files of any format in :data:`fairmend.files.formats.FORMATS`, maybe of two formats.
    plan : Path
        The plan file.
    key : sequence of str
        Columns that tell rows apart, as in :meth:`fairmend.Plan.repair`.
    seed : int, optional
        As in :meth:`fairmend.Plan.repair`.
    seed_file : Path, optional
        A file that holds the seed, see :func:`fairmend.files.seeds.read_seed`.
    amount : float, optional
        Share of the full repair, if it is to be another than the plan's.
    summary : Path, optional
        File for the counts **and the seed**, which nobody but its owner may read. Without it the
        seed is forgotten, unless the caller keeps it from the result.
    force : bool
        Whether existing outputs may be replaced. If not, they are refused before any work. An
        output that is an input too is always refused.
    tell : callable
        Is called with a sentence before each step.
    **options
        As in :meth:`fairmend.Plan.repair`.

    Returns
    -------
    dict
        The private summary: rows, counts by feature, and the seed.
    """
    check_outputs(out, summary, inputs=(archive, plan, seed_file), force=force)
    if seed_file is not None:
        if seed is not None:
            message = "--seed and --seed-file both give the seed. Pass one of them."
            raise OptionError(message)
        seed = read_seed(seed_file)
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
    repaired = its_plan.repair(table, key=key, seed=seed, summary=done, **options)
    planned = None
    if not (source.has_types or target.has_types):
        policies = options.get("unseen"), options.get("out_of_range")
        planned = planned_rows(its_plan, table, *policies)
    finished = _finished(read, table, repaired, its_plan, planned)
    tell(f"Writing {out.name}")
    with ExitStack() as outputs:
        target.write(finished, outputs.enter_context(replacing(out, force=force)))
        if summary is not None:
            beside = outputs.enter_context(replacing(summary, force=force))
            write_record({**done, "seed": safe_seed(done["seed"])}, beside, private=True)
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
    read: pa.Table,
    typed: pa.Table,
    repaired: pa.Table,
    plan: Plan,
    planned: dict[str, Mask] | None,
) -> pa.Table:
    """Put the repaired features into the table as it was read: as text where rows are marked."""
    is_state = plan.options.missing == "state"
    columns, fields = [], []
    for name in repaired.column_names:
        column, field = read[name], read.field(name)
        if name in plan.feature_names:
            after = repaired[name]
            if planned is None:
                column = after
            else:
                sides, rows = (column, typed[name], after), planned[name]
                column = spelt(*sides, plan.codecs[name], rows, missing_too=is_state)
        columns.append(column)
        fields.append(field.with_type(column.type))
    return pa.table(columns, schema=pa.schema(fields, metadata=read.schema.metadata))
