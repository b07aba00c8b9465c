"""Thrift's compact protocol, in which a Parquet file's footer is written.

Read to a tree that says nothing of what the fields mean, and written from it: what a reader does
not know survives. Numbers of 8, 16, 32 and 64 bits are Python's integers, doubles are their bytes.
"""

from dataclasses import dataclass, field
from typing import Any

TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = range(1, 13)
DEEPEST = 32
"""A footer is about eight levels deep; what is deeper is garbled, and would end in no error but a
crash."""


class ThriftError(ValueError):
    """Bytes that are no struct of the compact protocol."""


@dataclass
class Items:
    """A list: the kind of its items, and the items."""

    kind: int
    values: list[Any]
    is_set: bool = False


@dataclass
class Struct:
    """Fields by their number, each with its kind and its value."""

    fields: dict[int, tuple[int, Any]] = field(default_factory=dict)

    def get(self, number: int, default: Any = None) -> Any:
        """Return a field's value."""
        return self.fields.get(number, (0, default))[1]

    def put(self, number: int, kind: int, value: Any) -> None:
        """Set a field."""
        self.fields[number] = kind, value

    def drop(self, *numbers: int) -> None:
        """Remove fields where they are there."""
        for number in numbers:
            self.fields.pop(number, None)

    def copy(self) -> "Struct":
        """Return a struct whose fields can be set; their values are shared."""
        return Struct(dict(self.fields))


def parsed(data: bytes) -> Struct:
    r"""Read a struct that fills all of the bytes.

    Examples
    --------
    >>> parsed(bytes([0x15, 0x04, 0x00]))
    Struct(fields={1: (5, 2)})
    >>> parsed(b"\x19")
    Traceback (most recent call last):
        ...
    fairmend.files.thrift.ThriftError: it ends too early
    """
    reader = _Reader(data)
    struct = reader.struct(0)
    if reader.at != len(data):
        message = "it goes on after its end"
        raise ThriftError(message)
    return struct


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def struct(self, depth: int) -> Struct:
        if depth > DEEPEST:
            message = "it is nested too deeply"
            raise ThriftError(message)
        struct, number = Struct(), 0
        while (head := self.byte()) != 0:
            kind, step = head & 15, head >> 4
            number = number + step if step else self.signed()
            if number in struct.fields:
                message = "it has a field twice"
                raise ThriftError(message)
            struct.fields[number] = kind, self.value(kind, depth)
        return struct

    def value(self, kind: int, depth: int) -> Any:
        if kind in (TRUE, FALSE):
            return kind == TRUE
        if kind in (I16, I32, I64):
            return self.signed()
        if kind == BYTE:
            return self.byte()
        if kind == DOUBLE:
            return self.take(8)
        if kind == BINARY:
            return self.take(self.unsigned())
        return self.nested(kind, depth)

    def nested(self, kind: int, depth: int) -> Any:
        if kind == STRUCT:
            return self.struct(depth + 1)
        if kind in (LIST, SET):
            return self.items(kind == SET, depth + 1)
        # Maps and kinds of later protocols are in no footer that we know.
        message = f"it has a field of kind {kind}"
        raise ThriftError(message)

    def items(self, is_set: bool, depth: int) -> Items:
        head = self.byte()
        size, kind = head >> 4, head & 15
        if size == 15:
            size = self.unsigned()
        if size > len(self.data) - self.at:  # every item takes a byte at least
            message = "a list is longer than the rest"
            raise ThriftError(message)
        if depth > DEEPEST:
            message = "it is nested too deeply"
            raise ThriftError(message)
        if kind in (TRUE, FALSE):
            return Items(kind, [self.byte() for _ in range(size)], is_set)
        return Items(kind, [self.value(kind, depth) for _ in range(size)], is_set)

    def byte(self) -> int:
        return self.take(1)[0]

    def take(self, size: int) -> bytes:
        part = self.data[self.at : self.at + size]
        if len(part) < size:
            message = "it ends too early"
            raise ThriftError(message)
        self.at += size
        return part

    def unsigned(self) -> int:
        value, shift = 0, 0
        while True:
            byte = self.byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
            shift += 7
            if shift > 63:
                message = "a number is too long"
                raise ThriftError(message)

    def signed(self) -> int:
        zigzag = self.unsigned()
        return (zigzag >> 1) ^ -(zigzag & 1)


def written(struct: Struct) -> bytes:
    """Write a struct, its fields in the order of their numbers."""
    out = bytearray()
    _struct(struct, out)
    return bytes(out)


def _struct(struct: Struct, out: bytearray) -> None:
    last = 0
    for number in sorted(struct.fields):
        kind, value = struct.fields[number]
        if kind in (TRUE, FALSE):
            kind = TRUE if value else FALSE
        step = number - last
        if 0 < step < 16:
            out.append(step << 4 | kind)
        else:
            out.append(kind)
            _signed(number, out)
        if kind not in (TRUE, FALSE):
            _value(kind, value, out)
        last = number
    out.append(0)


def _value(kind: int, value: Any, out: bytearray) -> None:
    if kind in (I16, I32, I64):
        _signed(value, out)
    elif kind in (TRUE, FALSE, BYTE):
        out.append(value)
    elif kind == DOUBLE:
        out += value
    elif kind == BINARY:
        _unsigned(len(value), out)
        out += value
    elif kind == STRUCT:
        _struct(value, out)
    else:
        _items(value, out)


def _items(items: Items, out: bytearray) -> None:
    size = len(items.values)
    out.append(min(size, 15) << 4 | items.kind)
    if size >= 15:
        _unsigned(size, out)
    for value in items.values:
        _value(items.kind, value, out)


def _unsigned(value: int, out: bytearray) -> None:
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)


def _signed(value: int, out: bytearray) -> None:
    _unsigned((value << 1) ^ (value >> 63), out)
