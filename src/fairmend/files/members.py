"""Where the members of JSON objects lie in a block of lines, found without parsing values.

Only quotes, brackets, colons, commas and line ends are looked at, all at once: so a value that is
passed through keeps every character, and reading costs about as much as reading CSV.
"""

import json
import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

Places = NDArray[np.int64]

_QUOTE, _COLON, _COMMA, _LINE = b'":,\n'
_OPEN, _CLOSE = ord("{"), ord("}")
_STEP = np.zeros(256, dtype=np.int8)
_STEP[list(b"{[")], _STEP[list(b"}]")] = 1, -1
_IS_SIGN = np.isin(np.arange(256), list(b'"{}[]:,\n'))
_IS_SPACE = np.isin(np.arange(256), list(b" \t\r\n"))
_BACKSLASH = ord("\\")
_LINES = re.compile(rb"[^ \t\r\n][^\n]*")


class MalformedError(Exception):
    """A line is no JSON object; its row within the block, from 0 on."""

    def __init__(self, row: int, reason: str) -> None:
        super().__init__(reason)
        self.row, self.reason = row, reason


@dataclass(frozen=True)
class Members:
    """The members of the objects in a block of lines, in their order.

    Attributes
    ----------
    data : bytes
        The block; its last line has an end.
    rows : int
        How many objects there are.
    row : ndarray
        The object of each member.
    key_start, key_end, start, end : ndarray
        Where its key lies, without quotes, and where its value does.
    opened, closed : ndarray
        Where the bracket of each object lies, and where it is closed.
    """

    data: bytes
    rows: int
    row: Places
    key_start: Places
    key_end: Places
    start: Places
    end: Places
    opened: Places
    closed: Places

    @cached_property
    def characters(self) -> NDArray[np.uint8]:
        """The block as numbers."""
        return np.frombuffer(self.data, dtype=np.uint8)

    @classmethod
    def of(cls, data: bytes) -> "Members":
        """Scan a block of lines, each an object; empty lines are left out."""
        characters = np.frombuffer(data, dtype=np.uint8)
        place, sign = _signs(data, characters)
        step = _STEP[sign]
        depth = np.cumsum(step, dtype=np.int64)
        opened, closed = _objects(characters, place, sign, step, depth)
        colon = (sign == _COLON) & (depth == 1)
        # Behind each colon of an object comes a comma or the object's end, and nothing else.
        ends = ((sign == _COMMA) & (depth == 1)) | ((step < 0) & (depth == 0))
        at = np.flatnonzero(colon)
        row = np.searchsorted(opened, place[at], side="right") - 1
        event = np.flatnonzero(colon | ends)
        follows = np.searchsorted(event, at) + 1
        end_at = event[np.minimum(follows, event.size - 1)]
        good = ends[end_at] & _begun(characters, place, sign, step, depth, at)
        if not good.all():
            raise MalformedError(int(row[np.argmin(good)]), "its members are not parted by commas")
        _refuse_lost(characters, place[(sign == _COMMA) & (depth == 1)], row, (opened, closed))
        start, end = _trimmed(characters, place[at] + 1, place[end_at])
        empty = start >= end
        if empty.any():
            raise MalformedError(int(row[np.argmax(empty)]), "a member has no value")
        key_start, key_end = place[at - 2] + 1, place[at - 1]
        return cls(data, opened.size, row, key_start, key_end, start, end, opened, closed)

    def named(self, name: str) -> Places:
        """Return the number of the member of that name in each object, -1 where there is none."""
        plain = json.dumps(name, ensure_ascii=False)[1:-1].encode()
        found = self._spelt(plain)
        for spelling in self._escaped.get(name, set()) - {plain}:
            found |= self._spelt(spelling)
        members = np.flatnonzero(found)
        rows = self.row[members]
        if rows.size > 1 and (rows[1:] == rows[:-1]).any():
            row = int(rows[1:][rows[1:] == rows[:-1]][0])
            raise MalformedError(row, f"it has {name!r} twice")
        places = np.full(self.rows, -1, dtype=np.int64)
        places[rows] = members
        return places

    @cached_property
    def _escaped(self) -> dict[str, set[bytes]]:
        """The spellings of keys with escapes, by the names that they mean."""
        within = self.has_escape(self.key_start, self.key_end)
        keys = self.texts(self.key_start[within], self.key_end[within]).unique().to_pylist()
        found: dict[str, set[bytes]] = {}
        for key in keys:
            found.setdefault(json.loads(f'"{key}"', strict=False), set()).add(key.encode())
        return found

    @cached_property
    def _slashes(self) -> Places:
        return np.flatnonzero(self.characters == _BACKSLASH)

    def has_escape(self, start: Places, end: Places) -> NDArray[np.bool_]:
        """Tell between which places there are escapes."""
        found: NDArray[np.bool_] = np.searchsorted(self._slashes, start) < np.searchsorted(
            self._slashes, end
        )
        return found

    def _spelt(self, key: bytes) -> NDArray[np.bool_]:
        same: NDArray[np.bool_] = self.key_end - self.key_start == len(key)
        for at, character in enumerate(bytearray(key)):
            members = np.flatnonzero(same)
            same[members] = self.characters[self.key_start[members] + at] == character
        return same

    def key(self, member: int) -> str:
        """Return a member's name."""
        text = self.data[self.key_start[member] - 1 : self.key_end[member] + 1]
        return str(json.loads(text))

    def texts(self, start: Places, end: Places) -> pa.Array:
        """Cut texts out of the block, in rising order."""
        n = start.size
        offsets = np.empty(2 * n + 1, dtype=np.int64)
        offsets[:-1:2], offsets[1::2] = start, end
        offsets[-1] = end[-1] if n else 0
        buffers = [None, pa.py_buffer(offsets), pa.py_buffer(self.data)]
        parts = pa.LargeStringArray.from_buffers(2 * n, *buffers[1:])
        return parts.take(pa.array(np.arange(0, 2 * n, 2)))

    def with_new(self, start: Places, end: Places, texts: pa.Array) -> memoryview:
        """Return the block with other texts at some places, which are in rising order."""
        n = start.size
        if not n:
            return memoryview(self.data)
        offsets = np.empty(2 * n + 2, dtype=np.int64)
        offsets[0], offsets[-1] = 0, len(self.data)
        offsets[1:-1:2], offsets[2:-1:2] = start, end
        parts = pa.LargeStringArray.from_buffers(
            2 * n + 1, pa.py_buffer(offsets), pa.py_buffer(self.data)
        )
        mask = np.zeros(2 * n + 1, dtype=np.bool_)
        mask[1::2] = True
        whole = pc.replace_with_mask(parts, pa.array(mask), texts.cast(pa.large_string()))
        _, ends, joined = whole.buffers()
        size = int(np.frombuffer(ends, dtype=np.int64)[2 * n + 1])
        return memoryview(joined)[:size]


def _signs(data: bytes, characters: NDArray[np.uint8]) -> tuple[Places, NDArray[np.uint8]]:
    """List the quotes, and the other signs that are not within quotes."""
    place = np.flatnonzero(_IS_SIGN[characters])
    if _BACKSLASH in data:
        escaped = np.zeros(len(data) + 1, dtype=np.bool_)
        escaped[_escapes(characters) + 1] = True
        place = place[~escaped[place] | (characters[place] == _LINE)]  # a line ends in any case
    sign = characters[place]
    is_quote = sign == _QUOTE
    inside = np.bitwise_xor.accumulate(is_quote.view(np.uint8)).view(np.bool_)
    torn = inside & (sign == _LINE)
    if torn.any():
        raise MalformedError(_row(characters, place[torn][0]), "it ends inside quotes")
    kept = is_quote | ~inside
    return place[kept], sign[kept]


def _escapes(characters: NDArray[np.uint8]) -> Places:
    """List the backslashes that escape, and are not escaped themselves."""
    slashes = np.flatnonzero(characters == _BACKSLASH)
    begins = np.concatenate([[True], np.diff(slashes) != 1])
    run = np.flatnonzero(begins)[np.cumsum(begins) - 1]
    escapes: Places = slashes[(np.arange(slashes.size) - run) % 2 == 0]
    return escapes


def _objects(
    characters: NDArray[np.uint8],
    place: Places,
    sign: NDArray[np.uint8],
    step: NDArray[np.int8],
    depth: Places,
) -> tuple[Places, Places]:
    """Find the objects, one a line, with nothing but spaces around them."""
    opens, closes = (step > 0) & (depth == 1), (step < 0) & (depth == 0)
    lines = sign == _LINE
    outer = opens | closes | lines
    event, outer_sign = place[outer], sign[outer]
    opens, closes, lines = opens[outer], closes[outer], lines[outer]
    good = np.ones(event.size, dtype=np.bool_)
    good[opens] = outer_sign[opens] == _OPEN
    good[closes] = outer_sign[closes] == _CLOSE
    good[lines] = depth[outer][lines] == 0
    before = np.concatenate([[True], lines[:-1]])
    good &= ~opens | before
    good &= ~closes | np.concatenate([[False], opens[:-1]])
    if not good.all():
        row = _row(characters, event[~good][0])
        raise MalformedError(row, "it is no complete object on one line")
    start = np.concatenate([[0], event[:-1] + 1])
    gap = (event > start) & ~closes
    if gap.any():
        left, right = _trimmed(characters, start[gap], event[gap])
        if (left < right).any():
            row = _row(characters, left[left < right][0])
            raise MalformedError(row, "it has text beside the object")
    return event[opens], event[closes]


def _row(characters: NDArray[np.uint8], place: int) -> int:
    """Count the lines before a place that are not empty."""
    before = characters[:place].tobytes()
    return len(_LINES.findall(before, 0, before.rfind(b"\n") + 1))


def _begun(
    characters: NDArray[np.uint8],
    place: Places,
    sign: NDArray[np.uint8],
    step: NDArray[np.int8],
    depth: Places,
    at: Places,
) -> NDArray[np.bool_]:
    """Tell of each colon whether a key in quotes stands before it, and before that a new member."""
    known, at = at >= 3, np.maximum(at, 3)
    fresh = (depth[at - 3] == 1) & ((sign[at - 3] == _COMMA) | (step[at - 3] > 0))
    good: NDArray[np.bool_] = known & fresh
    good &= (sign[at - 1] == _QUOTE) & (sign[at - 2] == _QUOTE)
    for one, other in ((at - 3, at - 2), (at - 1, at)):
        left, right = _trimmed(characters, place[one] + 1, place[other])
        good &= left >= right
    return good


def _refuse_lost(
    characters: NDArray[np.uint8], commas: Places, row: Places, ends: tuple[Places, Places]
) -> None:
    """Raise if there are more commas than members to be parted, or text that is no member."""
    opened, closed = ends
    members = np.bincount(row, minlength=opened.size)
    parted = np.bincount(np.searchsorted(closed, commas), minlength=opened.size)
    wrong = parted != np.maximum(members - 1, 0)
    bare = np.flatnonzero((members == 0) & (closed - opened > 1))
    left, right = _trimmed(characters, opened[bare] + 1, closed[bare])
    wrong[bare[left < right]] = True
    if wrong.any():
        raise MalformedError(int(np.argmax(wrong)), "its members are not parted by commas")


def _trimmed(characters: NDArray[np.uint8], start: Places, end: Places) -> tuple[Places, Places]:
    """Leave out spaces at both ends."""
    start, end = start.copy(), end.copy()
    while (more := (start < end) & _IS_SPACE[characters[np.minimum(start, end - 1)]]).any():
        start += more
    while (more := (start < end) & _IS_SPACE[characters[np.maximum(end - 1, start)]]).any():
        end -= more
    return start, end


def unescaped(texts: pa.Array) -> pa.Array:
    """Read the insides of JSON strings; those that differ are looked at, never rows."""
    odd = pc.match_substring(texts, "\\")
    if not pc.any(odd).as_py():
        return texts
    coded = texts.dictionary_encode()
    entries: list[str] = coded.dictionary.to_pylist()
    plain = [
        json.loads(f'"{entry}"', strict=False) if "\\" in entry else entry for entry in entries
    ]
    return pa.array(plain, pa.large_string()).take(coded.indices)
