"""An excerpt of a file or of many: some columns of all rows, or all columns of some rows."""

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from fairmend.errors import FairmendError, InputError
from fairmend.files.channel import Piece, narrowed, source_of
from fairmend.files.folder import pieces_in
from fairmend.files.run import changes
from fairmend.files.stream import Batch
from fairmend.files.work import damaged, with_fixed

Places = NDArray[np.int64]
Take = Callable[[Batch, int], pa.Table | None]


def columns_of(path: Path, names: Collection[str]) -> pa.Table:
    """Read some columns of a file, a folder or a pattern; those that it lacks are left out.

    Of files that can be cut, no more is in memory than these and one batch.
    """
    return _read(path, lambda batch, _: batch.read(), names)


def rows_of(path: Path, places: Places) -> pa.Table:
    """Read some rows of a file, a folder or a pattern with all of their columns.

    Parameters
    ----------
    path : Path
        Of any known format.
    places : ndarray of shape (n,)
        Row numbers, rising, over all files.
    """

    def take(batch: Batch, before: int) -> pa.Table | None:
        start = before + batch.first_row
        first, end = np.searchsorted(places, [start, start + batch.rows])
        if first == end and batch.number:
            return None
        return batch.read().take(pa.array(places[first:end] - start))

    return _read(path, take, None)


def names_in(path: Path) -> list[str]:
    """List the columns of a file, or of the first of many."""
    piece = pieces_in(path)[0]
    with source_of(piece) as source:
        return list(dict.fromkeys([*source.schema.names, *piece.fixed]))


def _read(path: Path, take: Take, names: Collection[str] | None) -> pa.Table:
    pieces, before = pieces_in(path), 0
    tables: list[pa.Table] = []
    for piece in pieces:
        table, rows = _read_one(piece, take, names, before)
        before += rows
        if tables and not table.schema.equals(tables[0].schema):
            raise InputError.other_schema(
                piece.path, pieces[0].path, changes(tables[0].schema, table.schema)
            )
        tables.append(table)
    return pa.concat_tables(tables).unify_dictionaries()


@contextmanager
def _faults_named(piece: Piece) -> Iterator[None]:
    try:
        yield
    except FairmendError:
        raise
    except (pa.ArrowException, OSError) as error:
        raise damaged(piece.path, piece.source, error) from error


def _read_one(
    piece: Piece, take: Take, names: Collection[str] | None, before: int
) -> tuple[pa.Table, int]:
    tables, rows = [], 0
    with source_of(piece) as source, _faults_named(piece):
        wanted = source if names is None else narrowed(source, names)
        for batch in wanted.batches():
            table = take(batch, before)
            rows = batch.first_row + batch.rows
            if table is not None:
                table = with_fixed(table, piece.fixed, as_text=not piece.source.has_types)
                kept = [one for one in table.column_names if names is None or one in names]
                tables.append(table.select(kept))
    return pa.concat_tables(tables), rows
