"""Standard input and output as formats: CSV, NDJSON and Arrow IPC streams, as they come."""

import io
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from fairmend.errors import FormatError, InputError, OptionError
from fairmend.files.arrow import ArrowSource, arrow_from, arrow_to
from fairmend.files.bytestream import Bytes, Whole
from fairmend.files.csv import CsvSink, csv_from
from fairmend.files.formats import ARROW, ARROW_STREAM, CSV, FEATHER, NDJSON, PARQUET, Format
from fairmend.files.ndjson import NdjsonSink, ndjson_from
from fairmend.files.pump import FIRST, Every, Pump, Rest
from fairmend.files.stream import Sink, Source

PIPE = Path("-")
"""How the command line names standard input and output."""
STDIN = Path("stdin")
"""What errors call it."""

_MAGIC = b"ARROW1\x00\x00"
_OTHERS = {
    b"PAR1": "Parquet, which has to be read from a file. Name the file",
    b"\x1f\x8b": "compressed by gzip. Put zcat before it",
    b"\x28\xb5\x2f\xfd": "compressed by zstd. Put zstdcat before it",
}
_TEXT: dict[str, Callable[[Bytes, object], Source]] = {CSV.name: csv_from, NDJSON.name: ndjson_from}


def stdin_as(
    form: Format | None, every: Every | None, *, descriptor: int = 0, is_eager: bool = True
) -> Format:
    """Make a format whose source is standard input.

    Parameters
    ----------
    form : Format, optional
        What comes; by default it is told from the first bytes.
    every : Every, optional
        How much is gathered before it is repaired.
    descriptor : int
        The pipe.
    is_eager : bool
        Whether rows are to be handed on as they come.
    """
    start = b""
    # A line end is no part of any other format's first bytes: a short text is not waited for.
    while len(start) < len(_MAGIC) and b"\n" not in start and (data := os.read(descriptor, FIRST)):
        start += data
    found = _told(start) if form is None else _pipeable(form)
    if found is ARROW_STREAM:
        if every is not None:
            raise OptionError.flush_of_arrow()
        return replace(found, source=lambda path: _arrow(descriptor, start))

    @contextmanager
    def opened(path: Path) -> Iterator[Source]:
        yield _TEXT[found.name](Pump(descriptor, start, every, is_eager=is_eager), path)

    return replace(found, source=opened)


def stdout_as(form: Format, *, descriptor: int = 1) -> Format:
    """Make a format whose sink is standard output.

    Parameters
    ----------
    form : Format
        What is written.
    descriptor : int
        The pipe.
    """
    found = _pipeable(form)

    @contextmanager
    def opened(path: Path) -> Iterator[Sink]:
        del path
        with os.fdopen(descriptor, "wb", buffering=0, closefd=False) as raw:
            out = Whole(raw)
            if found is ARROW_STREAM:
                with arrow_to(out) as sink:
                    yield sink
            else:
                yield CsvSink(out) if found is CSV else NdjsonSink(out)

    return replace(found, sink=opened)


def _told(start: bytes) -> Format:
    for magic, what in _OTHERS.items():
        if start.startswith(magic):
            raise InputError.not_from_pipe(what)
    if start.startswith((b"\xff\xff\xff\xff", _MAGIC)):
        return ARROW_STREAM
    return NDJSON if start.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{") else CSV


def _pipeable(form: Format) -> Format:
    """Find the stream of a format; one whose source is standard input is still the same format."""
    for known in (CSV, NDJSON, ARROW, FEATHER, ARROW_STREAM):
        if form.suffixes == known.suffixes:
            return known if known in (CSV, NDJSON) else ARROW_STREAM
    raise FormatError.no_pipe(form.name if form.suffixes == PARQUET.suffixes else form.suffixes[0])


@contextmanager
def _arrow(descriptor: int, start: bytes) -> Iterator[ArrowSource]:
    # Behind its magic bytes a file is a stream, up to its footer.
    file: Any = io.BufferedReader(Rest(descriptor, start), 1 << 20)
    if start.startswith(_MAGIC):
        file.read(len(_MAGIC))
    with arrow_from(file) as source:
        yield source
