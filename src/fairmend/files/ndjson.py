"""NDJSON, an object a line: repaired values are put into the lines, which else stay as they are.

Read as a table, a value is text: the inside of a string, or else the characters that it has. So
``1.10`` stays ``1.10``, and nested values are their JSON. null and a member that is not there are
missing, and so is an empty string. The first object names the columns.
"""

import json
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from fairmend.errors import InputError
from fairmend.files.bytestream import Bytes, Out, reading, writing
from fairmend.files.cuts import LONGEST, blocks, end_of_lines
from fairmend.files.members import MalformedError, Members, Places, unescaped
from fairmend.files.stream import Batch
from fairmend.files.tokens import json_lines

COPIES = 12
"""How often a block is in memory at once while it is repaired, with the places of its members."""
_MARK = b"\xef\xbb\xbf"
_ODD_LINE = re.compile(rb"(?:\A|\n)[ \t\r]*(?:\n|\Z)")
_LINE = re.compile(rb"[^ \t\r\n][^\n]*")
_QUOTE = ord('"')


@dataclass(frozen=True)
class Lines:
    """A block of lines.

    Attributes
    ----------
    data : bytes
        The block.
    where : object
        The file, for errors.
    first_row : int
        Number of its first row in the file.
    """

    data: bytes
    where: object
    first_row: int
    _read: dict[str, pa.Array] = field(default_factory=dict)

    @cached_property
    def members(self) -> Members:
        """Where its objects' members are."""
        with self._faults():
            try:
                self.data.decode()
            except UnicodeDecodeError as error:
                raise InputError.not_utf8(self.where) from error
            return Members.of(self.data)

    def named(self, name: str) -> Places:
        """Return the number of the member of that name in each object, -1 where there is none."""
        with self._faults():
            return self.members.named(name)

    def table(self, names: Sequence[str], *, all_names: bool) -> pa.Table:
        """Read columns as text; with ``all_names``, other members are refused."""
        columns = {name: self.column(name) for name in names}
        if all_names:
            self._refuse_others(names)
        return pa.table(columns, schema=pa.schema([(name, pa.string()) for name in names]))

    def keys(self) -> list[str]:
        """Name the members of the objects, in their order; none may be there twice."""
        with self._faults():
            names = [self.members.key(at) for at in range(self.members.row.size)]
            for name in names:
                self.members.named(name)
            return names

    def column(self, name: str) -> pa.Array:
        """Read a column as text."""
        if name not in self._read:
            with self._faults():
                self._read[name] = self._column(name)
        return self._read[name]

    def is_string(self, members: Places) -> NDArray[np.bool_]:
        """Tell which members are strings."""
        found: NDArray[np.bool_] = self.members.characters[self.members.start[members]] == _QUOTE
        return found

    def has_escape(self, members: Places) -> NDArray[np.bool_]:
        """Tell in which members there are escapes; not in those that are not there."""
        found = self.members
        escaped: NDArray[np.bool_] = found.has_escape(found.start[members], found.end[members])
        return escaped & (members >= 0)

    def _column(self, name: str) -> pa.Array:
        found, places = self.members, self.named(name)
        there = np.flatnonzero(places >= 0)
        members = places[there]
        string = self.is_string(members).astype(np.int64)
        texts = found.texts(found.start[members] + string, found.end[members] - string)
        is_string = pa.array(string.astype(np.bool_))
        texts = pc.if_else(is_string, unescaped(texts), texts) if string.any() else texts
        null = pc.and_(pc.equal(texts, "null"), pc.invert(is_string))
        texts = pc.if_else(null, pa.scalar(None, texts.type), texts).cast(pa.string())
        if there.size == found.rows:
            return texts
        place = np.zeros(found.rows, dtype=np.int64)
        place[there] = np.arange(there.size)
        return texts.take(pa.array(place, mask=places < 0))

    def _refuse_others(self, names: Sequence[str]) -> None:
        found = self.members
        known = np.zeros(found.row.size, dtype=np.bool_)
        for name in names:
            places = self.named(name)
            known[places[places >= 0]] = True
        if not known.all():
            member = int(np.argmin(known))
            row = self.first_row + int(found.row[member]) + 1
            with self._faults():
                raise InputError.other_member(self.where, row, found.key(member))

    @contextmanager
    def _faults(self) -> Iterator[None]:
        try:
            yield
        except MalformedError as error:
            row = self.first_row + error.row + 1
            raise InputError.no_object(self.where, row, error.reason) from error
        except (json.JSONDecodeError, UnicodeEncodeError):  # the latter of half a character
            # Without its cause, whose words hold the text.
            what = f"{self.where}, from row {self.first_row + 1:,} on,"
            raise InputError.damaged(what, "NDJSON", "a string has a wrong escape") from None


@dataclass(frozen=True)
class NdjsonSource:
    """A file or pipe of JSON objects, one a line.

    Attributes
    ----------
    stream : Bytes
        What follows on ``start``.
    where : object
        Its name, for errors.
    names : list of str
        The members of its first object.
    head : Lines
        Its first object.
    start : bytes
        What has been taken from the stream already.
    only : collection of str, optional
        The columns that are read; by default all.
    """

    stream: Bytes
    where: object
    names: list[str]
    head: Lines
    start: bytes
    only: Collection[str] | None = field(default=None)

    @property
    def schema(self) -> pa.Schema:
        """Names of its columns, all texts."""
        return pa.schema([(name, pa.string()) for name in self._read])

    @property
    def rows(self) -> None:
        """How many rows it has is not known."""

    @property
    def first(self) -> dict[str, str]:
        """The first object's values as text, without those that are missing or not read."""
        fields = {name: self.head.column(name)[0].as_py() for name in self._read}
        return {name: text for name, text in fields.items() if text is not None}

    @property
    def strings(self) -> frozenset[str]:
        """The names of those that are strings there."""
        is_string = self.head.is_string(np.arange(len(self.names)))
        return frozenset(name for name, is_one in zip(self.names, is_string, strict=True) if is_one)

    @property
    def _read(self) -> list[str]:
        return [name for name in self.names if self.only is None or name in self.only]

    def of(self, columns: Collection[str]) -> "NdjsonSource":
        """Return the same source of which only some columns are read."""
        return replace(self, only=columns)

    def batches(self) -> Iterator[Batch]:
        """Yield blocks of lines; the threads that repair them read them."""
        number = first_row = 0
        for block in blocks(self.stream, end_of_lines, self.where, self.start):
            data = block if block.endswith(b"\n") else block + b"\n"
            rows = _count(data)
            if rows:
                lines = Lines(data, self.where, first_row)
                name = f"rows {first_row + 1:,} to {first_row + rows:,}"
                read = partial(lines.table, self._read, all_names=self.only is None)
                yield Batch(number, first_row, rows, name, read, COPIES * len(data), lines)
            number, first_row = number + 1, first_row + rows
        if not first_row:
            yield Batch(0, 0, 0, "no rows", self.schema.empty_table)


def ndjson_from(stream: Bytes, where: object) -> NdjsonSource:
    """Read the first object of a stream.

    Parameters
    ----------
    stream : Bytes
        From its beginning.
    where : object
        Its name, for errors.
    """
    data = b""
    while not (data.lstrip() and b"\n" in data.lstrip()):
        if len(data) > LONGEST:
            raise InputError.endless_record(where, LONGEST)
        taken = stream.take()
        if not taken:
            break
        data = (data + taken).removeprefix(_MARK)
    first = data.lstrip().split(b"\n", 1)[0]
    if not first:
        message = "it holds no object"
        raise pa.ArrowInvalid(message)
    head = Lines(first + b"\n", where, 0)
    return NdjsonSource(stream, where, head.keys(), head, data)


def ndjson_source(
    compression: str | None = None,
) -> Callable[[Path], AbstractContextManager[NdjsonSource]]:
    """Make the function that opens a file, maybe a compressed one."""

    @contextmanager
    def opened(path: Path) -> Iterator[NdjsonSource]:
        with reading(path, compression) as stream:
            yield ndjson_from(stream, path)

    return opened


class NdjsonSink:
    """A file or pipe to which rows are written as objects of their own.

    Parameters
    ----------
    out : Out
        Takes the bytes.
    """

    as_text = False

    def __init__(self, out: Out) -> None:
        self._out = out

    def encode(self, repaired: pa.Table, batch: Batch) -> list[memoryview]:
        """Write rows as lines."""
        del batch
        return json_lines(repaired)

    def write(self, encoded: list[memoryview]) -> None:
        """Write lines."""
        for part in encoded:
            self._out.write(part)


def ndjson_sink(
    compression: str | None = None,
) -> Callable[[Path], AbstractContextManager[NdjsonSink]]:
    """Make the function that opens a file to be written, maybe a compressed one."""

    @contextmanager
    def opened(path: Path) -> Iterator[NdjsonSink]:
        with writing(path, compression) as out:
            yield NdjsonSink(out)

    return opened


def _count(data: bytes) -> int:
    """Count the lines that are not empty."""
    if _ODD_LINE.search(data, 0, len(data) - 1):
        return len(_LINE.findall(data))
    return data.count(b"\n")
