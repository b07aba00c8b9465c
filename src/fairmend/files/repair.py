"""From an archive, one file or many, to its repair."""

import hashlib
import json
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from fairmend.errors import OptionError, OutputError
from fairmend.files.channel import Piece
from fairmend.files.engine import Totals, repair_piece
from fairmend.files.folder import is_many, pieces_of
from fairmend.files.formats import Format, check_outputs, format_of
from fairmend.files.job import Job
from fairmend.files.journal import Journal, journal_in
from fairmend.files.pipes import PIPE, STDIN, stdin_as, stdout_as
from fairmend.files.progress import Tell, silent
from fairmend.files.pump import Every
from fairmend.files.records import write_record
from fairmend.files.run import Run, repair_many, taken_up
from fairmend.files.seeds import chosen_seed, safe_seed
from fairmend.files.watch import Watch
from fairmend.measures.drift.monitor import Monitor
from fairmend.outputs import replacing
from fairmend.parallel import cores
from fairmend.plan.labels import Draw
from fairmend.plan.plan import Plan
from fairmend.unlabelled import LabelModel

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
    to: Format | None = None,
    come_as: Format | None = None,
    flush_every: Every | None = None,
    save_seed: Path | None = None,
    summary: Path | None = None,
    monitor: Path | None = None,
    stop_on_drift: bool = False,
    labels: Path | None = None,
    draw: Draw = "sample",
    write_labels: str | None = None,
    resume: bool = False,
    force: bool = False,
    tell: Tell = silent,
    warn: Tell = silent,
    **policies: Any,
) -> dict[str, Any]:
    """Repair a file, or many as one.

    Columns that are only passed through come out as they went in: types, dictionaries and the
    schema's metadata in Parquet and Arrow, every character of a field in CSV and NDJSON. The values
    of repaired columns are written anew, in one spelling whether they have moved or not (``1.0``
    becomes ``1``), since the text of a field would otherwise tell who was moved. Only fields that
    are missing, and those of rows that a policy leaves as they are, keep their text.

    Of the CSV file itself, a byte order mark is dropped, line ends become LF, and quotes stay only
    where a field needs them.

    Of NDJSON, all but the repaired values stays as it is to the character: the order of members,
    nested values, ``1.10``. Its first object names the columns. Into other formats they go as text,
    nested ones as JSON.

    A format without types is read as the plan means it, which is the same for any cut into batches:
    numbers as floats, times in the form of the first row. Where it goes into one with types, other
    columns are text, and repaired ones are integers where all values of the plan are whole numbers,
    times in microseconds (days where the first row has one), or text.

    Many files are numbered as one, in the order of their names, so that cutting an archive into
    files makes no difference. Each result appears when it is complete. Keys are judged over all
    files so far before one appears.

    ``-`` is standard input or output. What comes is repaired as it comes, and written at once, so
    nothing can be taken back there: an error is known by the exit code.

    Parameters
    ----------
    archive, out : Path
        Files of any format in :data:`fairmend.files.formats.FORMATS`, maybe of two formats. Or a
        folder or pattern of files, see :func:`fairmend.files.folder.pieces_of`, and the folder for
        their results. Or ``-``.
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
    to : Format, optional
        Format of the results of many files, or of standard output, if it is to be another one.
    come_as : Format, optional
        Format of standard input; by default it is told from the first bytes.
    flush_every : Every, optional
        How much of standard input is gathered before it is repaired; by default nothing is.
    save_seed : Path, optional
        File for a fresh seed, written before any work, which nobody but its owner may read. With
        it an interrupted run can be taken up again.
    summary : Path, optional
        File for the counts **and the seed**, which nobody but its owner may read. Without it the
        seed is forgotten, unless the caller keeps it from the result.
    monitor : Path, optional
        File for what a :class:`fairmend.Monitor` has seen of the archive: written at its alarm, at
        the end, and once a minute. It sees the rows that this run repairs: one that is resumed
        watches from where it goes on.
    stop_on_drift : bool
        Whether the monitor's alarm ends the run: files that are complete stay, and no other
        appears.
    labels : Path, optional
        The file of a label model, which estimates the groups that the archive lacks.
    draw, write_labels
        As in :meth:`fairmend.Plan.repair`.
    resume : bool
        Whether to go on with an interrupted run over many files, with the same plan, options,
        sources and seed: complete files stay. Where there is none, it is begun.
    force : bool
        Whether existing outputs may be replaced. If not, they are refused before any work. An
        output that is an input too is always refused.
    tell : callable
        Is called with a sentence before each step.
    warn : callable
        Is called with a sentence when the monitor's alarm goes off.
    **policies
        ``unseen`` and ``out_of_range`` as in :meth:`fairmend.Plan.repair`.

    Returns
    -------
    dict
        The private summary: rows, counts by feature, and the seed.
    """
    _refuse_for_pipes(archive, out, come_as, flush_every, resume=resume)
    if resume and force:
        raise OptionError.resume_or_force()
    many, resumed = is_many(archive), resume and journal_in(out) is not None
    result = None if many or out == PIPE else out
    outputs = (result, summary, *(() if resumed else (save_seed, monitor)))
    check_outputs(*outputs, inputs=(archive, plan, seed_file, labels), force=force)
    if resumed:  # its record was written by the run that was interrupted
        check_outputs(monitor, inputs=(archive, plan, seed_file, labels, summary), force=True)
    pieces = pieces_of(archive, out, to) if many else []
    if many:
        _check_folder(archive, out, resume=resume, force=force)
    tell(f"Reading {plan.name}")
    its_plan = Plan.load(plan)
    if amount is not None:
        its_plan = its_plan.with_amount(amount)
    job = Job(
        plan=its_plan,
        seed=chosen_seed(seed, seed_file, save_seed, force=force),
        key=(key,) if isinstance(key, str) else tuple(key),
        policies=policies,
        columns_out=None if columns_out is None else tuple(columns_out),
        drop_protected=drop_protected,
        workers=workers or cores(),
        memory=memory,
        labels=None if labels is None else LabelModel.load(labels),
        draw=draw,
        write_labels=write_labels,
    )
    totals = Totals()
    if monitor is not None or stop_on_drift:
        totals.watch = Watch(Monitor(its_plan), monitor, stop_on_drift, force or resumed, warn)
    if not many:
        piece = _alone(archive, out, to, come_as, flush_every)
        return _repair_one(piece, job, totals, first_row, summary, force=force, tell=tell)
    run = Run(job, pieces, out, first_row)
    knows_seed = seed is not None or seed_file is not None
    return _repair_many(
        run, totals, plan, labels, summary, resume, knows_seed, force=force, tell=tell
    )


def _alone(
    archive: Path, out: Path, to: Format | None, come_as: Format | None, every: Every | None
) -> Piece:
    path, source = archive, come_as
    if archive == PIPE:
        path, source = STDIN, stdin_as(come_as, every, is_eager=out == PIPE)
    else:
        source = format_of(archive)
    target = stdout_as(to or source) if out == PIPE else format_of(out)
    return Piece(path, out, source, target)


def _refuse_for_pipes(
    archive: Path, out: Path, come_as: Format | None, every: Every | None, *, resume: bool
) -> None:
    if resume and PIPE in (archive, out):
        raise OptionError.resume_of_pipe()
    for option, given in (("--from", come_as), ("--flush-every", every)):
        if given is not None and archive != PIPE:
            raise OptionError.of_pipes_only(option)


def _check_folder(archive: Path, out: Path, *, resume: bool, force: bool) -> None:
    """Refuse a place for the results of many files before any work is done."""
    if out.exists() and not out.is_dir():
        raise OutputError.no_directory(out, archive)
    if out.is_dir() and any(out.iterdir()) and not (force or resume):
        raise OutputError.not_empty(out, interrupted=journal_in(out) is not None)


def _repair_one(
    piece: Piece,
    job: Job,
    totals: Totals,
    first_row: int | None,
    summary: Path | None,
    *,
    force: bool,
    tell: Tell,
) -> dict[str, Any]:
    with ExitStack() as outputs:
        to_pipe, beside = piece.out == PIPE, piece.out
        if not to_pipe:
            beside = outputs.enter_context(replacing(piece.out, force=force))
        repair_piece(
            piece,
            beside,
            job,
            totals,
            first_row=first_row or 0,
            tell=tell,
            at_once=to_pipe,
            lonely=bool(job.key) or first_row is not None,
        )
        if totals.watch is not None:
            totals.watch.last_look()
        if summary is not None:
            _write_summary(totals, outputs.enter_context(replacing(summary, force=force)))
    if totals.watch is not None:
        totals.watch.finish()
    return totals.summary


def _repair_many(
    run: Run,
    totals: Totals,
    plan: Path,
    labels: Path | None,
    summary: Path | None,
    resume: bool,
    knows_seed: bool,
    *,
    force: bool,
    tell: Tell,
) -> dict[str, Any]:
    options = {
        "key": run.job.key,
        "first_row": run.first_row,
        "amount": run.job.plan.options.amount,
        "columns_out": run.job.columns_out,
        "drop_protected": run.job.drop_protected,
        **run.job.policies,
    }
    if labels is not None:
        told_by = hashlib.sha256(labels.read_bytes()).hexdigest()
        options |= {"labels": told_by, "draw": run.job.draw, "write_labels": run.job.write_labels}
    described = run.described(hashlib.sha256(plan.read_bytes()).hexdigest(), options)
    described = json.loads(json.dumps(described))  # as it will be read again
    journal = Journal(run.out, described)
    if resume:
        journal = taken_up(run, described, knows_seed=knows_seed)
    run.out.mkdir(parents=True, exist_ok=True)
    journal.start()
    repair_many(run, journal, totals, force=force, tell=tell)
    if summary is not None:
        with replacing(summary, force=force) as beside:
            _write_summary(totals, beside)
    if totals.watch is not None:
        totals.watch.finish()
    journal.finish()
    return {**totals.summary, "files": len(run.pieces)}


def _write_summary(totals: Totals, path: Path) -> None:
    done = totals.summary
    write_record({**done, "seed": safe_seed(done["seed"])}, path, private=True)
