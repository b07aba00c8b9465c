"""Whole tables in memory, from one file or from many that are one table."""

from pathlib import Path

import pyarrow as pa

from fairmend.errors import InputError
from fairmend.files.folder import is_many, pieces_in
from fairmend.files.formats import Format, format_of, read_table
from fairmend.files.run import changes
from fairmend.files.work import with_fixed


def read_tables(path: Path) -> tuple[pa.Table, Format]:
    """Read a file, or the files of a folder or pattern in the order of their names.

    Parameters
    ----------
    path : Path
        As :func:`fairmend.files.repair.repair_file` takes it.

    Returns
    -------
    table, form
        The rows of all files, and the format of the first.
    """
    if not is_many(path):
        return read_table(path), format_of(path)
    pieces = pieces_in(path)
    tables: list[pa.Table] = []
    for piece in pieces:
        table = read_table(piece.path)
        found = with_fixed(table, piece.fixed, as_text=not piece.source.has_types)
        if tables and not found.schema.equals(tables[0].schema):
            listed = changes(tables[0].schema, found.schema)
            raise InputError.other_schema(piece.path, pieces[0].path, listed)
        tables.append(found)
    return pa.concat_tables(tables), pieces[0].source
