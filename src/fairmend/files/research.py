"""Research data on disk: one file, or a folder or pattern of many, in batches where types allow."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from fairmend.errors import FairmendError, InputError
from fairmend.files.channel import Piece, readable, source_of
from fairmend.files.fields import Meaning, with_types
from fairmend.files.folder import pieces_in
from fairmend.files.formats import read_table
from fairmend.files.parquet import ParquetSource
from fairmend.files.progress import Meter, Tell, silent
from fairmend.files.run import changes
from fairmend.files.stream import Batch
from fairmend.files.work import damaged, with_fixed
from fairmend.frames.levels import Level
from fairmend.research.reading import BATCH_ROWS, NAME
from fairmend.research.roles import as_names
from fairmend.transport.kinds import Kind

if TYPE_CHECKING:
    from fairmend.frames.bins import BinSpec


@dataclass
class Research:
    """Rows that are read once.

    Attributes
    ----------
    path : Path
        A file, a folder or a pattern, as of an archive.
    roles : mapping
        ``protected``, ``unprotected``, ``features``, ``exclude``, ``kinds``, ``unprotected_bins``
        and ``sample_weight`` as in :func:`fairmend.design`.
    tell : callable
        Hears of the progress.
    rows : int
        How many have been read so far.
    """

    path: Path
    roles: Mapping[str, Any]
    tell: Tell = silent
    rows: int = 0
    _place: list[str] = field(default_factory=list)

    def given(self) -> tuple[Any, dict[str, Any]]:
        """Return what :func:`fairmend.design` and :func:`fairmend.summarise` take: data and roles.

        The data are tables one after the other, in constant memory. Where the meaning of a value
        follows from all rows, as in files without types and for quantile bins, they are one table.
        """
        pieces = pieces_in(self.path)
        roles = dict(self.roles)
        if roles.get("features") is None and pieces[0].source.has_types:
            with source_of(pieces[0]) as source:
                index = _index_of_pandas(source.schema)
            roles["exclude"] = (*(roles.get("exclude") or ()), *index)
        bins: Mapping[str, BinSpec] = roles.get("unprotected_bins") or {}
        typed = all(piece.source.has_types for piece in pieces)
        if typed and not any(isinstance(spec, int) for spec in bins.values()):
            return self._tables(pieces), roles
        tables = list(self._tables(pieces)) if typed else _texts(pieces)
        table = pa.concat_tables(tables, promote_options="default")
        self.rows, self._place = len(table), []
        return (table if typed else self._typed(table, roles)), roles

    @contextmanager
    def faults_named(self) -> Iterator[None]:
        """Say of an error that comes while rows are read where that was."""
        try:
            yield
        except FairmendError as error:
            if not self._place or isinstance(error, InputError):
                raise
            message = f"{error} (In {', '.join(self._place)}.)"
            raise type(error)(message) from error

    def _tables(self, pieces: Sequence[Piece]) -> Iterator[pa.Table]:
        first: pa.Schema | None = None
        for piece in pieces:
            with source_of(piece) as opened:
                first = _same_schema(opened.schema, first, piece, pieces[0])
                source = opened
                if isinstance(source, ParquetSource):
                    source = source.of(self._columns(source.schema, piece.fixed))
                meter = Meter(self.tell, piece.path.name, source.rows, doing="Counting")
                for batches in _together(readable(source, piece)):
                    names = dict.fromkeys((batches[0].name, batches[-1].name))
                    self._place = [piece.path.name, " to ".join(names)]
                    tables = [_read(batch, piece) for batch in batches]
                    table = with_fixed(pa.concat_tables(tables), piece.fixed, as_text=False)
                    self.rows += len(table)
                    meter.add(len(table))
                    yield table
        self._place = []  # what goes wrong from here on is the matter of no batch

    def _columns(self, schema: pa.Schema, fixed: Mapping[str, str]) -> set[str]:
        """Name the columns to read: all, where one is missing that the error is to list.

        Columns that are excluded are looked for too, so they are read.
        """
        roles, features = self.roles, self.roles.get("features")
        if features is None:
            return set(schema.names)
        named = (roles[name] for name in ("protected", "unprotected", "sample_weight"))
        needed = {*as_names(features), *(one for names in named for one in as_names(names))}
        return needed if needed <= {*schema.names, *fixed} else set(schema.names)

    def _typed(self, table: pa.Table, roles: Mapping[str, Any]) -> pa.Table:
        """Find what the fields of a file without types mean, from all of them."""
        labels = (*as_names(roles["protected"]), *as_names(roles["unprotected"]))
        kinds, exclude = roles.get("kinds") or {}, roles.get("exclude") or ()
        wanted = table.column_names if roles["features"] is None else as_names(roles["features"])
        meanings: dict[str, Meaning] = {
            name: _meaning(kinds.get(name)) for name in wanted if name not in (*labels, *exclude)
        }
        numbers = (*(roles.get("unprotected_bins") or ()), *as_names(roles["sample_weight"]))
        meanings |= dict.fromkeys(numbers, "number")
        return with_types(table, NAME, meanings, labels)


def _texts(pieces: Sequence[Piece]) -> list[pa.Table]:
    first, tables = None, []
    for piece in pieces:
        table = with_fixed(read_table(piece.path), piece.fixed, as_text=True)
        first = _same_schema(table.schema, first, piece, pieces[0])
        tables.append(table)
    return tables


def _same_schema(found: pa.Schema, first: pa.Schema | None, piece: Piece, of: Piece) -> pa.Schema:
    if first is not None and not found.equals(first):
        raise InputError.other_schema(piece.path, of.path, changes(first, found))
    return found


def _together(batches: Iterator[Batch]) -> Iterator[list[Batch]]:
    """Take small batches together, as counting has a cost of its own for each."""
    waiting: list[Batch] = []
    for batch in batches:
        waiting.append(batch)
        if sum(one.rows for one in waiting) >= BATCH_ROWS:
            yield waiting
            waiting = []
    if waiting:
        yield waiting


def _read(batch: Batch, piece: Piece) -> pa.Table:
    try:
        return batch.read()
    except (pa.ArrowException, OSError) as error:
        where = f"{piece.path}, {batch.name},"
        raise damaged(where, piece.source, error) from error


def _meaning(kind: Kind | Sequence[Level] | None) -> Meaning:
    """Tell how the fields of a feature are read; a code like ``01`` is kept by naming its kind."""
    if kind is None:
        return "any"
    if isinstance(kind, str) and kind not in ("categorical", "ordinal"):
        return "any"
    return "category"


def _index_of_pandas(schema: pa.Schema) -> list[str]:
    """Name the columns that hold the index of the pandas table that was written to a file."""
    about = schema.pandas_metadata or {}
    # An index that merely counts is described by a dict and has no column.
    return [name for name in about.get("index_columns", ()) if name in schema.names]
