"""The repair of one file: batches from its source, through threads, in order into its sink."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from fairmend.errors import FormatError, RowKeyError
from fairmend.files.channel import Piece, channel, readable, source_of
from fairmend.files.job import Job
from fairmend.files.progress import Meter, Tell
from fairmend.files.stream import Sink, Source
from fairmend.files.watch import Watch
from fairmend.files.work import Work
from fairmend.frames.sharing import Sharing
from fairmend.parallel import in_order
from fairmend.plan.summary import add_counts


@dataclass
class Totals:
    """What has been done in a run so far.

    Attributes
    ----------
    summary : dict
        Rows, seed and counts by feature.
    sharing : Sharing
        The keys.
    watch : Watch, optional
        Sees each batch before its repair.
    """

    summary: dict[str, Any] = field(default_factory=dict)
    sharing: Sharing = field(default_factory=Sharing)
    watch: Watch | None = None

    @property
    def rows(self) -> int:
        """How many rows have been repaired."""
        return int(self.summary.get("rows", 0))


def repair_piece(
    piece: Piece,
    beside: Path,
    job: Job,
    totals: Totals,
    *,
    first_row: int,
    tell: Tell,
    at_once: bool = False,
    lonely: bool = True,
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
    at_once : bool
        Whether results are used as they come: keys are then judged on the way, too.
    lonely : bool
        Whether a single row may be repaired; if not, the first result waits for the second row.
    """
    with (
        source_of(piece) as opened,
        channel(piece, beside, opened, job) as (source, sink, columns),
    ):
        watched = None if totals.watch is None else totals.watch.rows
        work = work_on(piece, job, source, sink, columns, first_row=first_row, watched=watched)
        meter = Meter(tell, piece.path.name, source.rows)
        results = in_order(
            work,
            readable(source, piece),
            workers=job.workers,
            memory=job.memory,
            size=lambda batch: batch.size,
        )
        held: list[Any] = []
        for done in results:
            if totals.watch is not None and done.glimpse is not None:
                totals.watch.see(done.glimpse)
            counts = done.summary
            add_counts(totals.summary, counts["rows"], counts["seed"], counts["features"])
            totals.sharing.merge(done.sharing)
            if at_once and job.key:
                totals.sharing.refuse_on_the_way(job.key)
            held.append(done.encoded)
            if lonely or totals.rows > 1:
                _write(sink, held, piece)
            meter.add(counts["rows"])
        if job.key:
            totals.sharing.refuse_shared(job.key)
        if not lonely:
            refuse_one_row(totals, job.key, None)
        _write(sink, held, piece)


def work_on(
    piece: Piece,
    job: Job,
    source: Source,
    sink: Sink,
    columns: tuple[str, ...],
    *,
    first_row: int,
    watched: int | None = None,
) -> Work:
    """Say what is done to every batch of a file whose source and sink are open."""
    return Work(
        plan=job.plan,
        seed=job.seed,
        key=job.key,
        policies=job.policies,
        path=piece.path,
        source=piece.source,
        sink=sink,
        kept=columns,
        first_row=first_row,
        fixed=piece.fixed,
        watched=watched,
        first=source.first,
        labels=job.labels,
        draw=job.draw,
        write_labels=job.write_labels,
    )


def _write(sink: Sink, held: list[Any], piece: Piece) -> None:
    try:
        for encoded in held:
            sink.write(encoded)
    except pa.ArrowException as error:  # such as dictionaries that no longer fit their index type
        raise FormatError.cannot_go_on(piece.target.name, str(error).splitlines()[0]) from error
    held.clear()


def refuse_one_row(totals: Totals, key: Sequence[str], first_row: int | None) -> None:
    """Raise if a single row has neither key nor number."""
    if totals.rows == 1 and not key and first_row is None:
        raise RowKeyError.one_row()
