"""NDJSON to NDJSON: each line as it was, but for the values that are repaired."""

import json
from collections.abc import Collection, Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from fairmend.errors import InputError
from fairmend.files.members import Members, Places
from fairmend.files.ndjson import Lines, NdjsonSource
from fairmend.files.stream import Batch, Sink
from fairmend.files.tokens import quoted, tokens
from fairmend.frames.codec import Codec

_BARE = r"^(-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?|true|false)$"

_NOTHING = pa.scalar("", pa.large_string())
Span = tuple[Places, Places]


class NdjsonRewrite:
    """A file or pipe of another one's lines with repaired values in them.

    Parameters
    ----------
    plain : Sink
        Takes lines.
    source : NdjsonSource
        Where the lines come from; its first object shows which values are strings.
    codecs : mapping of str to Codec
        The features that are repaired.
    dropped : collection of str
        Members that are left out.
    only : collection of str, optional
        The members that are left in.
    missing_too : bool
        Whether the plan repairs missing values, so that they are written in one way too: null.
    """

    as_text = True

    def __init__(
        self,
        plain: Sink,
        source: NdjsonSource,
        codecs: Mapping[str, Codec],
        dropped: Collection[str],
        only: Collection[str] | None,
        *,
        missing_too: bool = False,
    ) -> None:
        self._plain, self._dropped, self._only = plain, dropped, only
        self._missing_too = missing_too
        strings, first = source.strings, source.of(codecs).first
        self._is_string = {
            name: name in strings if name in first else _is_text(codec)
            for name, codec in codecs.items()
        }

    def encode(self, repaired: pa.Table, batch: Batch) -> memoryview:
        """Put repaired values into a block of lines."""
        if batch.raw is None:
            return memoryview(b"")
        lines: Lines = batch.raw
        found = lines.members
        spans: list[Span] = []
        texts: list[pa.Array] = []
        is_gone = self._gone(lines)
        for name in repaired.column_names:
            column = repaired[name].combine_chunks()
            if name not in self._is_string:
                spans.append((found.closed, found.closed))
                texts.append(_added(found, name, column, is_gone))
                continue
            members, new = self._changed(lines, name, column)
            spans.append((found.start[members], found.end[members]))
            texts.append(new)
        if is_gone.any():
            spans.append(_without(found, is_gone))
            texts.append(pa.repeat(_NOTHING, spans[-1][0].size))
        if not spans:
            return memoryview(found.data)
        start, end = (np.concatenate(side) for side in zip(*spans, strict=True))
        order = np.argsort(start, kind="stable")
        return found.with_new(
            start[order], end[order], pa.concat_arrays(texts).take(pa.array(order))
        )

    def write(self, encoded: memoryview) -> None:
        """Write lines."""
        self._plain.write([encoded])

    def _changed(self, lines: Lines, name: str, new: pa.Array) -> tuple[Places, pa.Array]:
        """Find the members of a feature that get a new value, and its token."""
        places, old = lines.named(name), lines.column(name)
        self._refuse_turned(lines, name, places[pc.is_valid(old).to_numpy(False)])
        same = pc.or_(pc.fill_null(pc.equal(old, new), False), pc.is_null(new)).to_numpy(False)
        if self._missing_too:
            same &= pc.not_equal(pc.fill_null(new, "null"), "").to_numpy(False)
        if self._is_string[name]:
            same &= ~lines.has_escape(places)
        rows = np.flatnonzero(~same)
        members = places[rows]
        if (members < 0).any():
            raise InputError.lost_members(name, int((members < 0).sum()))
        text = new.take(pa.array(rows)).cast(pa.large_string())
        written = quoted(text) if self._is_string[name] else text
        if not self._is_string[name]:
            good = pc.or_(pc.equal(text, ""), pc.match_substring_regex(text, _BARE))
            if not pc.all(good).as_py() and len(good):
                raise InputError.turned(name, pc.sum(pc.invert(good)).as_py(), "no strings")
        return members, pc.if_else(pc.equal(text, ""), pa.scalar("null", written.type), written)

    def _refuse_turned(self, lines: Lines, name: str, members: Places) -> None:
        """Raise where some values are strings and others are not: one of the two is written."""
        is_string = lines.is_string(members)
        if (is_string != self._is_string[name]).any():
            form = "strings" if self._is_string[name] else "no strings"
            odd = int((is_string != self._is_string[name]).sum())
            raise InputError.turned(name, odd, form)

    def _gone(self, lines: Lines) -> NDArray[np.bool_]:
        found = lines.members
        is_gone = np.full(found.row.size, self._only is not None)
        for name in self._only or ():
            places = lines.named(name)
            is_gone[places[places >= 0]] = False
        for name in self._dropped:
            places = lines.named(name)
            is_gone[places[places >= 0]] = True
        return is_gone


def _added(found: Members, name: str, column: pa.Array, is_gone: NDArray[np.bool_]) -> pa.Array:
    """Write a new member for the end of each object."""
    kept = np.bincount(found.row[~is_gone], minlength=found.rows)
    key = json.dumps(name, ensure_ascii=False)
    comma = pc.if_else(pa.array(kept > 0), f",{key}:", f"{key}:").cast(pa.large_string())
    return pc.binary_join_element_wise(comma, tokens(column, name), _NOTHING)


def _without(found: Members, is_gone: NDArray[np.bool_]) -> Span:
    """Give the places of members that are left out, each with one of the commas beside it."""
    size = is_gone.size
    kept_before: Places = np.cumsum(~is_gone) - ~is_gone
    first = np.searchsorted(found.row, found.row, side="left")
    has_kept_before: NDArray[np.bool_] = kept_before > kept_before[first]
    gone = np.flatnonzero(is_gone)
    begin = found.key_start - 1
    after = np.minimum(gone + 1, size - 1)
    has_next = (gone + 1 < size) & (found.row[after] == found.row[gone])
    start = np.where(has_kept_before[gone], found.end[gone - 1], begin[gone])
    to_next = ~has_kept_before[gone] & has_next
    return start, np.where(to_next, begin[after], found.end[gone])


def _is_text(codec: Codec) -> bool:
    """Tell whether values are strings, where the first object does not show it."""
    if codec.type == "category":
        return all(isinstance(level, str) for level in codec.levels)
    return codec.type != "number"
