"""The way of one file: its source, and the sink that fits it."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa

from fairmend.errors import ColumnError, InputError
from fairmend.files.formats import NDJSON, PARQUET, Format, names_beside
from fairmend.files.job import Job
from fairmend.files.ndjson import NdjsonSource
from fairmend.files.parquet import ParquetSource, parquet_sink
from fairmend.files.rewrite import NdjsonRewrite
from fairmend.files.splice import footer_to_splice, splice_sink
from fairmend.files.stream import Batch, Sink, Source
from fairmend.files.work import damaged


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


@contextmanager
def source_of(piece: Piece) -> Iterator[Source]:
    """Open a piece's source, saying what is wrong with a file that cannot be opened."""
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


@contextmanager
def channel(
    piece: Piece, beside: Path, source: Source, job: Job, *, in_part: bool = False
) -> Iterator[tuple[Source, Sink, tuple[str, ...]]]:
    """Open the sink that fits a source.

    Parameters
    ----------
    piece : Piece
        The file.
    beside : Path
        Where the output is written.
    source : Source
        The file, opened.
    job : Job
        What is done to it.
    in_part : bool
        Whether only some of its batches will be written; then no Parquet chunks are copied.

    Yields
    ------
    source, sink, columns
        The source, maybe of fewer columns, the sink, and the columns that it is to be given.
    """
    kept = job.kept(source.schema, piece.fixed)
    if job.write_labels is not None and job.write_labels in source.schema.names:
        raise ColumnError.taken(job.write_labels)
    features = tuple(name for name in job.plan.feature_names if name in kept)
    if isinstance(source, NdjsonSource) and piece.target.name == NDJSON.name:
        with piece.target.sink(beside) as plain:
            yield source.of(job.needed), _rewrite(plain, source, job, features), features
        return
    copies = piece.target is PARQUET and not in_part and job.write_labels is None
    if not isinstance(source, ParquetSource) or not copies:
        with piece.target.sink(beside) as sink:
            yield source, sink, kept
        return
    footer = footer_to_splice(source.of(job.needed))
    if footer is None:
        with parquet_sink(beside, source.metadata) as sink:
            yield source, sink, kept
        return
    with splice_sink(source, footer, beside, kept, features) as sink:
        yield source.of(job.needed), sink, features


def narrowed(source: Source, names: Collection[str]) -> Source:
    """Have only some columns read, where the format can: others may hold what is refused."""
    return source.of(names) if isinstance(source, ParquetSource | NdjsonSource) else source


def _rewrite(plain: Sink, source: NdjsonSource, job: Job, features: Sequence[str]) -> NdjsonRewrite:
    codecs = {name: job.plan.codecs[name] for name in features}
    dropped = job.plan.protected if job.drop_protected else ()
    is_state = job.plan.options.missing == "state"
    return NdjsonRewrite(plain, source, codecs, dropped, job.columns_out, missing_too=is_state)


def readable(source: Source, piece: Piece) -> Iterator[Batch]:
    """Yield a source's batches; an error of its reader says where it was."""
    rows = 0
    try:
        for batch in source.batches():
            yield batch
            rows = batch.first_row + batch.rows
    except (pa.ArrowException, OSError) as error:
        what = f"{piece.path}, after row {rows:,},"
        raise damaged(what, piece.source, error) from error
