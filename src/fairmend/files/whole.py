"""Files that are read and written as one batch, for formats that cannot be cut."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from fairmend.files.stream import Batch


@dataclass(frozen=True)
class WholeSource:
    """A table that has been read."""

    table: pa.Table

    @property
    def schema(self) -> pa.Schema:
        """Names and types of its columns."""
        return self.table.schema

    @property
    def rows(self) -> int:
        """How many rows it has."""
        return int(self.table.num_rows)

    def batches(self) -> Iterator[Batch]:
        """Yield the table."""
        yield Batch(0, 0, self.rows, "all rows", lambda: self.table, self.table.nbytes)


@dataclass(frozen=True)
class WholeSink:
    """A file that is written at once."""

    save: Callable[[pa.Table, Path], None]
    path: Path
    parts: list[pa.Table]

    def encode(self, repaired: pa.Table, batch: Batch) -> pa.Table:
        """Leave a table as it is."""
        del batch
        return repaired

    def write(self, encoded: pa.Table) -> None:
        """Keep a table until all are there."""
        self.parts.append(encoded)


def whole_source(
    read: Callable[[Path], pa.Table],
) -> Callable[[Path], AbstractContextManager[WholeSource]]:
    """Make a source of a function that reads a file."""

    @contextmanager
    def opened(path: Path) -> Iterator[WholeSource]:
        yield WholeSource(read(path))

    return opened


def whole_sink(
    save: Callable[[pa.Table, Path], None],
) -> Callable[[Path], AbstractContextManager[WholeSink]]:
    """Make a sink of a function that writes a file."""

    @contextmanager
    def opened(path: Path) -> Iterator[WholeSink]:
        sink = WholeSink(save, path, [])
        yield sink
        save(pa.concat_tables(sink.parts), path)

    return opened
