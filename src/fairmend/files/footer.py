"""What a Parquet file's footer says of its columns, and a footer for a file made of its parts.

Numbers of fields are those of ``parquet.thrift``. The schema is a tree written depth first; its
leaves are the column chunks of every row group, in the same order.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from fairmend.files.thrift import (
    BINARY,
    I32,
    I64,
    LIST,
    STRUCT,
    Items,
    Struct,
    ThriftError,
    parsed,
    written,
)

MAGIC = b"PAR1"


@dataclass
class Chunk:
    """A column chunk: its description, and where its bytes are.

    Attributes
    ----------
    description : Struct
        ``ColumnChunk``.
    start, size : int
        Its pages in the file.
    """

    description: Struct
    start: int
    size: int

    @classmethod
    def of(cls, description: Struct) -> "Chunk":
        """Find where a chunk's pages are."""
        about = description.get(3)
        places = [about.get(9), about.get(11) or about.get(9)]  # some write 0 for no dictionary
        return cls(description, min(places), about.get(7))

    def moved(self, start: int) -> Struct:
        """Describe the same pages at another place; indexes over pages, which stay behind, go."""
        description, about = self.description.copy(), self.description.get(3).copy()
        for offset in (9, 11):
            if about.get(offset):
                about.put(offset, I64, about.get(offset) - self.start + start)
        about.drop(10, 14, 15)
        description.drop(4, 5, 6, 7)
        description.put(2, I64, 0)
        description.put(3, STRUCT, about)
        return description


@dataclass
class Column:
    """A top-level column: its part of the schema, and which leaves it has."""

    name: str
    elements: list[Struct]
    leaves: range


@dataclass
class Footer:
    """A footer, taken apart.

    Attributes
    ----------
    tree : Struct
        ``FileMetaData``.
    columns : list of Column
        The top-level columns.
    groups : list of list of Chunk
        The chunks of each row group, by leaf.
    """

    tree: Struct
    columns: list[Column]
    groups: list[list[Chunk]]

    @classmethod
    def of(cls, raw: bytes) -> "Footer":
        """Take a footer apart.

        Raises
        ------
        ThriftError
            If there is anything in it that is not understood: then no file may be made of it.
        """
        tree = parsed(raw)
        if written(tree) != raw:
            message = "it is not written as it would be here"
            raise ThriftError(message)
        try:
            return cls._of(tree)
        except (AttributeError, TypeError, IndexError, UnicodeDecodeError) as error:
            message = "it is no Parquet footer"
            raise ThriftError(message) from error

    @classmethod
    def _of(cls, tree: Struct) -> "Footer":
        columns = _columns(tree.get(2).values)
        groups = [
            [Chunk.of(chunk) for chunk in group.get(1).values] for group in tree.get(4).values
        ]
        leaves = columns[-1].leaves.stop if columns else 0
        plain = all(
            not {1, 8, 9} & chunk.description.fields.keys() for group in groups for chunk in group
        )
        if 8 in tree.fields or not plain or any(len(group) != leaves for group in groups):
            message = "it is encrypted, in several files, or incomplete"
            raise ThriftError(message)
        return cls(tree, columns, groups)

    @classmethod
    def read(cls, path: Path) -> "Footer":
        """Read a file's footer, and make sure that the chunks it names lie beside each other."""
        with path.open("rb") as file:
            end = file.seek(0, 2) - 8
            if end < len(MAGIC):
                message = "it is too short"
                raise ThriftError(message)
            file.seek(end)
            tail = file.read(8)
            size = int.from_bytes(tail[:4], "little")
            if tail[4:] != MAGIC or size > end - len(MAGIC):
                message = "it has another ending"
                raise ThriftError(message)
            file.seek(end - size)
            footer = cls.of(file.read(size))
        footer._require_apart(end - size)
        return footer

    def _require_apart(self, end: int) -> None:
        places = sorted((c.start, c.start + c.size) for group in self.groups for c in group)
        stops = [len(MAGIC), *(stop for _, stop in places)]
        starts = [*(start for start, _ in places), end]
        if any(stop > start for stop, start in zip(stops, starts, strict=True)):
            message = "its column chunks overlap"
            raise ThriftError(message)

    def remade(
        self,
        kept: Sequence[Column],
        groups: Sequence[Sequence[Struct]],
        elements: Mapping[str, Struct],
        replaced: Collection[str],
        schema: pa.Schema,
    ) -> bytes:
        """Write the footer of a file with other chunks.

        Parameters
        ----------
        kept : sequence of Column
            The columns of the file.
        groups : sequence of sequence of Struct
            The descriptions of its chunks.
        elements : mapping of str to Struct
            What the schema says of the columns that were written anew.
        replaced : collection of str
            Names of columns whose values are other ones: no order of rows by them holds any more.
        schema : pyarrow.Schema
            Arrow's schema of the kept columns.
        """
        tree = self.tree.copy()
        root = tree.get(2).values[0].copy()
        root.put(5, I32, len(kept))
        parts = [[elements[c.name]] if c.name in elements else c.elements for c in kept]
        tree.put(2, LIST, Items(STRUCT, [root, *(one for part in parts for one in part)]))
        leaves = [leaf for column in kept for leaf in column.leaves]
        sorted_by = [
            leaf for c in kept if c.name not in replaced for leaf in c.leaves
        ]  # columns that may be
        places = {leaf: at for at, leaf in enumerate(leaves) if leaf in set(sorted_by)}
        remade = [
            _group(group, chunks, places)
            for group, chunks in zip(tree.get(4).values, groups, strict=True)
        ]
        tree.put(4, LIST, Items(STRUCT, remade))
        if 7 in tree.fields:
            orders = tree.get(7)
            tree.put(7, LIST, Items(orders.kind, [orders.values[leaf] for leaf in leaves]))
        if len(kept) < len(self.columns) and 5 in tree.fields:
            tree.put(5, LIST, Items(STRUCT, _metadata(tree.get(5).values, schema)))
        raw = written(tree)
        return raw + len(raw).to_bytes(4, "little") + MAGIC


def _columns(elements: Sequence[Struct]) -> list[Column]:
    """Part a schema, written depth first, into its top-level columns."""
    columns, at, leaf = [], 1, 0
    for _ in range(elements[0].get(5, 0)):
        start, first, open_children = at, leaf, 1
        while open_children:
            children = elements[at].get(5, 0)
            leaf += not children
            open_children += children - 1
            at += 1
        name = elements[start].get(4).decode()
        columns.append(Column(name, list(elements[start:at]), range(first, leaf)))
    if at != len(elements):
        message = "its schema is no tree"
        raise ThriftError(message)
    return columns


def _group(group: Struct, chunks: Sequence[Struct], places: Mapping[int, int]) -> Struct:
    """Describe a row group of other chunks."""
    group, about = group.copy(), [chunk.get(3) for chunk in chunks]
    group.put(1, LIST, Items(STRUCT, list(chunks)))
    group.put(2, I64, sum(one.get(6) for one in about))
    if 6 in group.fields:
        group.put(6, I64, sum(one.get(7) for one in about))
    if 5 in group.fields and about:
        group.put(5, I64, Chunk.of(chunks[0]).start)
    order = []
    for by in group.get(4, Items(STRUCT, [])).values:
        if by.get(1) not in places:
            break  # what is sorted within it is sorted by nothing that is left
        by = by.copy()
        by.put(1, I32, places[by.get(1)])
        order.append(by)
    group.drop(4)
    if order:
        group.put(4, LIST, Items(STRUCT, order))
    return group


def _metadata(entries: Sequence[Struct], schema: pa.Schema) -> list[Struct]:
    """Adjust what the file says of itself to columns that were dropped."""
    said = dict(schema.metadata or {})
    if b"pandas" in said:
        said[b"pandas"] = _pandas(said[b"pandas"], schema.names)
    sink = pa.BufferOutputStream()
    pq.ParquetWriter(sink, schema.with_metadata(said)).close()
    data = sink.getvalue().to_pybytes()
    size = int.from_bytes(data[-8:-4], "little")
    fresh = {e.get(1): e.get(2) for e in parsed(data[-8 - size : -8]).get(5).values}
    adjusted = [entry.copy() for entry in entries]
    for entry in adjusted:
        if entry.get(1) in fresh:
            entry.put(2, BINARY, fresh[entry.get(1)])
    return adjusted


def _pandas(text: bytes, names: Collection[str]) -> bytes:
    """Leave the columns that are gone out of what pandas notes about them."""
    try:
        note = json.loads(text)
        note["columns"] = [c for c in note["columns"] if c.get("field_name", c["name"]) in names]
        indexes = note["index_columns"]
        note["index_columns"] = [i for i in indexes if not isinstance(i, str) or i in names]
    except (ValueError, KeyError, TypeError, AttributeError):
        return text
    return json.dumps(note).encode()
