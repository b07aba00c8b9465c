"""Which format a file has, and how it is read and written."""

import os
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from fairmend.errors import FormatError, InputError, OutputError
from fairmend.files.arrow import arrow_sink, arrow_source, arrow_stream_sink, arrow_stream_source
from fairmend.files.csv import csv_sink, csv_source
from fairmend.files.ndjson import ndjson_sink, ndjson_source
from fairmend.files.parquet import parquet_sink, parquet_source
from fairmend.files.stream import Batch, Sink, Source, given
from fairmend.outputs import refuse_existing


@dataclass(frozen=True)
class Format:
    """One way to keep a table in a file.

    Attributes
    ----------
    name : str
        What errors call it.
    suffixes : tuple of str
        How its files' names end, in lower case.
    has_types : bool
        Whether a column knows its type; else every column is read as text.
    source : callable
        Opens a path to be read in batches; a context manager.
    sink : callable
        Opens a path to be written in batches; a context manager.
    """

    name: str
    suffixes: tuple[str, ...]
    has_types: bool
    source: Callable[[Path], AbstractContextManager[Source]]
    sink: Callable[[Path], AbstractContextManager[Sink]]


PARQUET = Format("Parquet", (".parquet", ".pq"), True, parquet_source, parquet_sink)
CSV = Format("CSV", (".csv",), False, csv_source(), csv_sink())
ARROW = Format("Arrow", (".arrow", ".ipc"), True, arrow_source, arrow_sink())
FEATHER = Format("Feather", (".feather",), True, arrow_source, arrow_sink("lz4"))
ARROW_STREAM = Format("Arrow stream", (".arrows",), True, arrow_stream_source, arrow_stream_sink)
CSV_GZ = Format("CSV", (".csv.gz",), False, csv_source("gzip"), csv_sink("gzip"))
CSV_ZST = Format("CSV", (".csv.zst",), False, csv_source("zstd"), csv_sink("zstd"))
NDJSON = Format("NDJSON", (".ndjson", ".jsonl"), False, ndjson_source(), ndjson_sink())
NDJSON_GZ = Format(
    "NDJSON", (".ndjson.gz", ".jsonl.gz"), False, ndjson_source("gzip"), ndjson_sink("gzip")
)
NDJSON_ZST = Format(
    "NDJSON", (".ndjson.zst", ".jsonl.zst"), False, ndjson_source("zstd"), ndjson_sink("zstd")
)
FORMATS = (
    *(PARQUET, CSV, ARROW, FEATHER, ARROW_STREAM, NDJSON),
    *(CSV_GZ, CSV_ZST, NDJSON_GZ, NDJSON_ZST),
)


def format_of(path: Path) -> Format:
    """Tell a file's format by its suffix.

    Examples
    --------
    >>> format_of(Path("archive.CSV")).name
    'CSV'
    >>> format_of(Path("archive.xlsx"))
    Traceback (most recent call last):
        ...
    fairmend.errors.FormatError: The format of archive.xlsx is told by its suffix, which must ...
    """
    for form in FORMATS:
        if path.name.lower().endswith(form.suffixes):
            return form
    raise FormatError.unknown(path, [suffix for form in FORMATS for suffix in form.suffixes])


def read_table(path: Path) -> pa.Table:
    """Read a file of any known format; columns are text where the format has no types."""
    form = format_of(path)
    try:
        if path.is_dir():
            raise InputError.no_file(path)
        with form.source(path) as source:
            tables = [batch.read() for batch in source.batches()]
        return pa.concat_tables(tables)
    except FileNotFoundError as error:
        raise InputError.missing(path, path.name, names_beside(path)) from error
    except (pa.ArrowException, OSError) as error:
        reason = getattr(error, "strerror", None) or str(error).splitlines()[0]
        raise InputError.damaged(path, form.name, reason) from error


def write_table(table: pa.Table, path: Path) -> None:
    """Write a whole table in the format that a path's suffix names."""
    with format_of(path).sink(path) as sink:
        sink.write(sink.encode(table, Batch(0, 0, len(table), "all rows", given(table))))


def check_outputs(*paths: Path | None, inputs: Iterable[Path | None] = (), force: bool) -> None:
    """Refuse outputs that could not be written in the end, before any work is done for them.

    Parameters
    ----------
    *paths : Path, optional
        The outputs.
    inputs : iterable of Path, optional
        What is read: no output may replace it, whatever ``force`` says.
    force : bool
        Whether other existing files may be replaced.
    """
    outputs = [path for path in paths if path is not None]
    read = {_resolved(path) for path in inputs if path is not None}
    written: set[Path] = set()
    for path in outputs:
        try:
            place = _resolved(path)
            if place in read:
                raise _is_input(path)
            if place in written:
                raise OutputError.same(path)
            written.add(place)
            if not place.parent.is_dir():
                raise OutputError.no_folder(path, path.parent)
            refuse_existing(path, force=force)
        except OSError as error:  # such as a name that is too long
            raise OutputError.hopeless(path, error.strerror or str(error)) from error
        if not os.access(place.parent, os.W_OK):
            raise OutputError.hopeless(path, f"{path.parent} may not be written to")


def names_beside(path: Path) -> list[str]:
    """List the files in a path's folder, to find the one that was meant."""
    folder = path.absolute().parent
    return [other.name for other in folder.iterdir()] if folder.is_dir() else []


def _resolved(path: Path) -> Path:
    """Follow links, as those do who write a file."""
    try:
        return path.resolve()
    except (OSError, RuntimeError):  # a loop of links
        return path.absolute()


def _is_input(path: Path) -> OutputError:
    return OutputError(
        f"{path} is read by this command, so it is not replaced, with --force neither. Name "
        f"another file for the output."
    )
