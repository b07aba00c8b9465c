"""Where the records of a text file end, so that it can be cut into blocks of whole ones."""

import re
from collections.abc import Callable, Iterator

import numpy as np

from fairmend.errors import InputError
from fairmend.files.bytestream import Bytes

LONGEST = 1 << 24
"""Bytes that one record may have at most: more are rather a quote that was never closed."""

_FIELD = rb'(?:"(?:[^"]|"")*+"[^,\r\n]*+|[^",\r\n][^,\r\n]*+)?+'
_RECORD = rb"(?:" + _FIELD + rb",)*+" + _FIELD + rb"(?:\r\n?+|\n)"
_RECORDS = re.compile(rb"(?:" + _RECORD + rb")*+")
_FIRST = re.compile(rb"[\r\n]*+(" + _RECORD + rb")")

_QUOTE, _LINE, _RETURN = b'"\n\r'
_BESIDE = np.isin(np.arange(256), list(b'",\r\n'))
"""Characters that stand before a quote that opens, and behind one that closes."""


def blocks(
    stream: Bytes, last_end: Callable[[bytes], int], where: object, start: bytes = b""
) -> Iterator[bytes]:
    """Cut a stream where records end.

    Parameters
    ----------
    stream : Bytes
        What is cut.
    last_end : callable
        Gives the place behind the last complete record of some bytes, 0 where there is none.
    where : object
        The file, for errors.
    start : bytes
        What has been taken from the stream before.

    Yields
    ------
    bytes
        Whole records; only the last block may lack its line end.
    """
    rest = start
    while True:
        at = last_end(rest)
        if at:
            yield rest[:at]
            rest = rest[at:]
        elif len(rest) > LONGEST:
            raise InputError.endless_record(where, LONGEST)
        taken = stream.take()
        if not taken:
            break
        rest += taken
    if rest:
        refuse_open_quote(rest, last_end, where)
        yield rest


def refuse_open_quote(rest: bytes, last_end: Callable[[bytes], int], where: object) -> None:
    """Raise if the last record of a file ends within quotes."""
    if last_end(rest + b"\n") <= len(rest):
        raise InputError.open_quote(where)


def end_of_lines(data: bytes) -> int:
    """Find the end of the last line."""
    return data.rfind(b"\n") + 1


def end_of_csv(data: bytes) -> int:
    r"""Find the end of the last complete record of a CSV file, of which some bytes are given.

    A quote opens only at the beginning of a field; behind the closing one, and in a field without,
    quotes are characters like others. Lines may also end in a lone ``\r``.

    Examples
    --------
    >>> data = b'1,"a\nb"\n2,"c\n'
    >>> data[: end_of_csv(data)]
    b'1,"a\nb"\n'
    """
    if b'"' not in data:
        return end_of_lines(data) or _end_of_old_lines(data)
    at = _end_by_parity(data)
    if at is None:
        # Behind a return at the very end a line feed may follow, so it is not looked at.
        found = _RECORDS.match(data, 0, len(data) - data.endswith(b"\r"))
        at = found.end() if found else 0
    return at


def first_csv_record(data: bytes) -> tuple[bytes, int] | None:
    """Return the first record of a CSV file and where it ends; None where it is not complete."""
    found = _FIRST.match(data)
    # A line end may be torn in its middle, too.
    if found is None or (found.end() == len(data) and data.endswith(b"\r")):
        return None
    return found[1], found.end()


def _end_by_parity(data: bytes) -> int | None:
    """Find the end by counting quotes, where each is one that opens, closes or is doubled."""
    characters = np.frombuffer(data, dtype=np.uint8)
    quotes = np.flatnonzero(characters == _QUOTE)
    opening, closing = quotes[0::2], quotes[1::2]
    before = characters[opening[opening > 0] - 1]
    behind = characters[closing[closing < len(data) - 1] + 1]
    if not (_BESIDE[before].all() and _BESIDE[behind].all()):
        return None
    lines = np.flatnonzero(characters == _LINE)
    if not lines.size:
        lines = np.flatnonzero(characters[:-1] == _RETURN)
    outside = lines[np.searchsorted(quotes, lines) % 2 == 0]
    return int(outside[-1]) + 1 if outside.size else 0


def _end_of_old_lines(data: bytes) -> int:
    """Find the last line end of one character, which may not be the first half of two."""
    return data.rfind(b"\r", 0, max(len(data) - 1, 0)) + 1
