"""From an archive file to its repaired file."""

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from fairmend.errors import OptionError
from fairmend.files.channel import Piece
from fairmend.files.engine import Totals, refuse_one_row, repair_piece
from fairmend.files.formats import check_outputs, format_of
from fairmend.files.job import Job
from fairmend.files.progress import Tell, silent
from fairmend.files.records import write_record
from fairmend.files.seeds import read_seed, safe_seed
from fairmend.kernel.draws import checked_seed
from fairmend.outputs import replacing
from fairmend.parallel import cores
from fairmend.plan.plan import Plan

MEMORY = 1 << 30
"""Bytes that batches under way may take by default."""


def repair_file(
    archive: Path,
    plan: Path,
    out: Path,
    *,
    key: Sequence[str] = (),
    seed: int | None = None,
    seed_file: Path | None = None,
    first_row: int | None = None,
    amount: float | None = None,
    columns_out: Sequence[str] | None = None,
    drop_protected: bool = False,
    workers: int | None = None,
    memory: int = MEMORY,
    summary: Path | None = None,
    force: bool = False,
    tell: Tell = silent,
    **policies: Any,
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
    first_row : int, optional
        Number of the first row, where the archive goes on from another one.
    amount : float, optional
        Share of the full repair, if it is to be another than the plan's.
    columns_out : sequence of str, optional
        The columns of the output, in the archive's order. By default all.
    drop_protected : bool
        Leave the protected columns out of the output.
    workers : int, optional
        Number of threads; by default one a processor core. The result is the same.
    memory : int
        Bytes that the batches under way may take together, about.
    summary : Path, optional
        File for the counts **and the seed**, which nobody but its owner may read. Without it the
        seed is forgotten, unless the caller keeps it from the result.
    force : bool
        Whether existing outputs may be replaced. If not, they are refused before any work. An
        output that is an input too is always refused.
    tell : callable
        Is called with a sentence before each step.
    **policies
        ``unseen`` and ``out_of_range`` as in :meth:`fairmend.Plan.repair`.

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
    piece = Piece(archive, out, format_of(archive), format_of(out))
    tell(f"Reading {plan.name}")
    its_plan = Plan.load(plan)
    if amount is not None:
        its_plan = its_plan.with_amount(amount)
    job = Job(
        plan=its_plan,
        seed=checked_seed(seed),
        key=(key,) if isinstance(key, str) else tuple(key),
        policies=policies,
        columns_out=None if columns_out is None else tuple(columns_out),
        drop_protected=drop_protected,
        workers=workers or cores(),
        memory=memory,
    )
    totals = Totals()
    with ExitStack() as outputs:
        beside = outputs.enter_context(replacing(out, force=force))
        repair_piece(piece, beside, job, totals, first_row=first_row or 0, tell=tell)
        refuse_one_row(totals, job.key, first_row)
        done = totals.summary
        if summary is not None:
            beside = outputs.enter_context(replacing(summary, force=force))
            write_record({**done, "seed": safe_seed(done["seed"])}, beside, private=True)
    return done
