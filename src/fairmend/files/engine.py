"""The repair of one file: batches from its source, through threads, in order into its sink."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from fairmend.errors import ColumnError, InputError, RowKeyError
from fairmend.files.formats import Format, names_beside
from fairmend.files.progress import Meter, Tell
from fairmend.files.stream import Source
from fairmend.files.work import Work, damaged
from fairmend.frames.sharing import Sharing
from fairmend.parallel import in_order
from fairmend.plan.plan import Plan
from fairmend.plan.summary import add_counts


@dataclass(frozen=True)
class Piece:
    """One file of a run.

    Attributes
    ----------
    path, out : Path
        Where it is, and where its repair goes.
    source, target : Format
        From what to what.
    fixed : mapping of str to str
        Columns that its folder's name holds.
    """

    path: Path
    out: Path
    source: Format
    target: Format
    fixed: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Job:
    """What is done to every file of a run.

    Attributes
    ----------
    plan : Plan
        What is applied.
    seed : int
        The address of all draws.
    key : tuple of str
        Columns that tell rows apart, maybe none.
    policies : mapping
        ``unseen`` and ``out_of_range``, where they are not the plan's.
    columns_out : tuple of str, optional
        The columns of the output; by default all.
    drop_protected : bool
        Whether the protected ones are left out.
    workers : int
        Number of threads.
    memory : int
        Bytes that batches under way may take together.
    """

    plan: Plan
    seed: int
    key: tuple[str, ...]
    policies: Mapping[str, Any]
    columns_out: tuple[str, ...] | None
    drop_protected: bool
    workers: int
    memory: int

    def kept(self, schema: pa.Schema, fixed: Mapping[str, str]) -> tuple[str, ...]:
        """Name the columns of the output; refuse a file that lacks a column that is needed."""
        table, names = "archive", schema.names
        repeated = sorted(name for name, times in Counter(names).items() if times > 1)
        if repeated:
            raise ColumnError.duplicated(table, repeated)
        for parameter, needed in self._named().items():
            for name in needed:
                if name not in names and name not in fixed:
                    raise ColumnError.missing(table, name, parameter, [*names, *fixed])
        gone = self.plan.protected if self.drop_protected else ()
        wanted = names if self.columns_out is None else self.columns_out
        return tuple(name for name in names if name in wanted and name not in gone)

    def _named(self) -> dict[str, Sequence[str]]:
        return {
            "protected": self.plan.protected,
            "unprotected": self.plan.unprotected,
            "features": self.plan.feature_names,
            "key": self.key,
            "columns_out": self.columns_out or (),
        }


@dataclass
class Totals:
    """What has been done in a run so far.

    Attributes
    ----------
    summary : dict
        Rows, seed and counts by feature.
    sharing : Sharing
        The keys.
    """

    summary: dict[str, Any] = field(default_factory=dict)
    sharing: Sharing = field(default_factory=Sharing)

    @property
    def rows(self) -> int:
        """How many rows have been repaired."""
        return int(self.summary.get("rows", 0))


def repair_piece(
    piece: Piece, beside: Path, job: Job, totals: Totals, *, first_row: int, tell: Tell
) -> None:
    """Repair one file into another, in constant memory.

    Parameters
    ----------
    piece : Piece
        The file.
    beside : Path
        Where the output is written until it is complete.
    job : Job
        What is done.
    totals : Totals
        Receives the counts. Keys are judged over all that it has seen, before the output is
        complete.
    first_row : int
        Number of the file's first row in the run.
    tell : callable
        Hears of the progress.
    """
    with _opened(piece) as source:
        kept = job.kept(source.schema, piece.fixed)
        meter = Meter(tell, piece.path.name, source.rows)
        with piece.target.sink(beside) as sink:
            work = Work(
                job.plan,
                job.seed,
                job.key,
                job.policies,
                piece.path,
                piece.source,
                piece.target,
                sink,
                kept,
                first_row,
                piece.fixed,
            )
            batches = _readable(source, piece)
            for done in in_order(
                work, batches, workers=job.workers, memory=job.memory, size=lambda b: b.size
            ):
                sink.write(done.encoded)
                counts = done.summary
                add_counts(totals.summary, counts["rows"], counts["seed"], counts["features"])
                totals.sharing.merge(done.sharing)
                meter.add(counts["rows"])
            if job.key:
                totals.sharing.refuse_shared(job.key)


@contextmanager
def _opened(piece: Piece) -> Iterator[Source]:
    """Open a source, saying what is wrong with a file that cannot be opened."""
    try:
        if piece.path.is_dir():
            raise InputError.no_file(piece.path)
        opened = piece.source.source(piece.path)
        source = opened.__enter__()
    except FileNotFoundError as error:
        raise InputError.missing(piece.path, piece.path.name, names_beside(piece.path)) from error
    except (pa.ArrowException, OSError) as error:
        raise damaged(piece.path, piece.source, error) from error
    try:
        yield source
    finally:
        opened.__exit__(None, None, None)


def _readable(source: Source, piece: Piece) -> Iterator[Any]:
    """Yield a source's batches; an error of its reader says where it was."""
    rows = 0
    try:
        for batch in source.batches():
            yield batch
            rows = batch.first_row + batch.rows
    except (pa.ArrowException, OSError) as error:
        what = f"{piece.path}, after row {rows:,},"
        raise damaged(what, piece.source, error) from error


def refuse_one_row(totals: Totals, key: Sequence[str], first_row: int | None) -> None:
    """Raise if a single row has neither key nor number."""
    if totals.rows == 1 and not key and first_row is None:
        raise RowKeyError.one_row()
