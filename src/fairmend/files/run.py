"""The repair of many files as one: one row numbering, one seed, and a record to go on from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from fairmend.errors import FairmendError, InputError, OutputError
from fairmend.files.channel import Piece, channel, narrowed, readable, source_of
from fairmend.files.engine import Totals, refuse_one_row, repair_piece, work_on
from fairmend.files.job import Job
from fairmend.files.journal import CHECK, NAME, Journal, differences, journal_in, remove_parts
from fairmend.files.progress import Tell
from fairmend.files.stream import Source
from fairmend.files.work import with_fixed
from fairmend.frames.arrow import ArrowFrame
from fairmend.frames.keys import row_keys
from fairmend.frames.sharing import Sharing
from fairmend.outputs import replacing
from fairmend.plan.summary import add_counts


@dataclass(frozen=True)
class Run:
    """A job for many files.

    Attributes
    ----------
    job : Job
        What is done to each.
    pieces : sequence of Piece
        The files, in the order of their rows.
    out : Path
        The folder of the results.
    first_row : int, optional
        Number of the first row.
    """

    job: Job
    pieces: Sequence[Piece]
    out: Path
    first_row: int | None = None

    def name(self, piece: Piece) -> str:
        """Name a file by where its result is in the folder."""
        return piece.out.relative_to(self.out).as_posix()

    def described(self, plan: str, options: Mapping[str, Any]) -> dict[str, Any]:
        """Say what the run is, in a way that another one can be compared with."""
        stats = {self.name(piece): piece.path.stat() for piece in self.pieces}
        return {
            "fairmend run": 1,
            "plan": plan,
            "options": dict(options),
            "sources": {name: [stat.st_size, stat.st_mtime_ns] for name, stat in stats.items()},
        }


def repair_many(run: Run, journal: Journal, totals: Totals, *, force: bool, tell: Tell) -> None:
    """Repair the files that are not complete yet; each appears when it is complete.

    Parameters
    ----------
    run : Run
        The files and what is done to them.
    journal : Journal
        Knows what is complete, and is told what becomes so.
    totals : Totals
        Receives the counts.
    force : bool
        Whether existing results may be replaced that are not of this run.
    tell : callable
        Hears of the progress.
    """
    schema = None
    for number, piece in enumerate(run.pieces, 1):
        name = run.name(piece)
        if name in journal.done:
            counts = journal.done[name]
            add_counts(totals.summary, counts["rows"], run.job.seed, counts["features"])
            totals.sharing.merge(_keys_of(piece, run.job.key))
            continue
        before = totals.rows
        try:
            schema = _same_schema(run, piece, schema)
            piece.out.parent.mkdir(parents=True, exist_ok=True)
            counts = _repaired(
                run,
                piece,
                totals,
                last=number == len(run.pieces),
                force=force or journal.resumed,
                tell=tell,
            )
        except FairmendError as error:
            complete = f"{number - 1} of {len(run.pieces)} files are complete in {run.out}"
            message = f"{error} ({piece.path}; {complete}.)"
            raise type(error)(message) from error
        if number == len(run.pieces):
            refuse_one_row(totals, run.job.key, run.first_row)
        size = piece.out.stat().st_size
        journal.add(name, {"rows": totals.rows - before, "features": counts, "size": size})


def _keys_of(piece: Piece, key: Sequence[str]) -> Sharing:
    """Look at the keys of a complete file again: they are judged over all files, and kept nowhere.

    They may be people's numbers, so that the record cannot hold them.
    """
    seen = Sharing()
    if not key:
        return seen
    with source_of(piece) as source:
        for batch in readable(narrowed(source, key), piece):
            read = batch.read()
            table = read.select([name for name in read.column_names if name in key])
            table = with_fixed(table, piece.fixed, as_text=not piece.source.has_types)
            row_keys(ArrowFrame(table, "archive"), key, None, seen)
    return seen


def _repaired(
    run: Run, piece: Piece, totals: Totals, *, last: bool, force: bool, tell: Tell
) -> dict[str, dict[str, int]]:
    """Repair one file, and return its counts."""
    own = Totals(sharing=totals.sharing, watch=totals.watch)
    first_row = (run.first_row or 0) + totals.rows
    with replacing(piece.out, force=force) as beside:
        repair_piece(piece, beside, run.job, own, first_row=first_row, tell=tell)
        if last and totals.watch is not None:
            totals.watch.last_look()
    features: dict[str, dict[str, int]] = own.summary["features"]
    add_counts(totals.summary, own.rows, run.job.seed, features)
    return features


def _same_schema(run: Run, piece: Piece, schema: pa.Schema | None) -> pa.Schema:
    """Refuse a file whose columns are not those of the first one."""
    if schema is None:
        with source_of(run.pieces[0]) as first:
            schema = first.schema
    with source_of(piece) as source:
        found = source.schema
    if not found.equals(schema):
        raise InputError.other_schema(piece.path, run.pieces[0].path, changes(schema, found))
    return schema


def changes(old: pa.Schema, new: pa.Schema) -> list[str]:
    """Say what is other in a schema."""
    found = []
    for name in dict.fromkeys([*old.names, *new.names]):
        one, other = (
            schema.field(name).type if name in schema.names else None for schema in (old, new)
        )
        if one != other:
            found.append(f"{name!r} is {other or 'not there'} and was {one or 'not there'}")
    return found or ["the order of its columns"]


def taken_up(run: Run, described: dict[str, Any], *, knows_seed: bool) -> Journal:
    """Take an interrupted run up again: leave what is complete, remove what is half-written.

    Parameters
    ----------
    run : Run
        The run that is asked for.
    described : dict
        It, described.
    knows_seed : bool
        Whether the caller has named the seed.
    """
    journal = journal_in(run.out)
    if journal is None:
        remove_parts(run.out, [run.out / NAME])  # a run that was killed before it had a record
        if run.out.is_dir() and any(run.out.iterdir()):
            raise OutputError.nothing_to_resume(run.out)
        return Journal(run.out, described)
    other = differences(journal.run, described)
    if other:
        raise OutputError.other_run(run.out, other)
    if journal.done and not knows_seed:
        raise OutputError.resume_without_seed(run.out)
    sizes = {run.name(piece): _size(piece.out) for piece in run.pieces}
    journal.done = {name: it for name, it in journal.done.items() if it["size"] == sizes[name]}
    remove_parts(run.out, [journal.path, *(piece.out for piece in run.pieces)])
    _refuse_other_seed(run, journal)
    journal.resumed = True
    return journal


def _size(path: Path) -> int | None:
    return path.stat().st_size if path.is_file() else None


def _refuse_other_seed(run: Run, journal: Journal) -> None:
    """Repair the first batch of a complete file again, and compare: the seed itself is nowhere."""
    done = [piece for piece in run.pieces if run.name(piece) in journal.done]
    if not done:
        return
    rows = {run.name(piece): journal.done[run.name(piece)]["rows"] for piece in done}
    piece = max(done, key=lambda one: rows[run.name(one)])
    first_row = (run.first_row or 0) + sum(
        rows[run.name(one)] for one in run.pieces[: run.pieces.index(piece)]
    )
    with TemporaryDirectory(dir=run.out, prefix=CHECK) as folder:
        again = replace(piece, out=Path(folder, piece.out.name))
        _first_batch(again, run.job, first_row)
        with source_of(_read(again)) as one, source_of(_read(piece)) as other:
            if not _same_start(one, other, run.job.plan.feature_names):
                raise OutputError.other_seed(run.out, piece.out.name)


def _read(piece: Piece) -> Piece:
    return replace(piece, path=piece.out, source=piece.target)


def _first_batch(piece: Piece, job: Job, first_row: int) -> None:
    with (
        source_of(piece) as opened,
        channel(piece, piece.out, opened, job, in_part=True) as (source, sink, columns),
    ):
        work = work_on(piece, job, source, sink, columns, first_row=first_row)
        sink.write(work(next(source.batches())).encoded)


def _same_start(one: Source, other: Source, names: Sequence[str]) -> bool:
    tables = [next(narrowed(source, names).batches()).read() for source in (one, other)]
    rows = min(len(table) for table in tables)
    return all(
        _texts(tables[0], name, rows) == _texts(tables[1], name, rows)
        for name in names
        if name in tables[0].column_names
    )


def _texts(table: pa.Table, name: str, rows: int) -> pa.Array:
    """Write values as texts, since NaN is not equal to NaN."""
    column = table[name].slice(0, rows).combine_chunks()
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    return pc.fill_null(column.cast(pa.string()), "\0")
