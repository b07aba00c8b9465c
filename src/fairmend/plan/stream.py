"""Streams of tables: one seed, row numbers that go on, and no more tables in memory than needed."""

from collections import deque
from collections.abc import Iterable, Iterator, MutableMapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np

from fairmend.errors import FairmendError
from fairmend.frames.sharing import Sharing
from fairmend.kernel.draws import checked_seed
from fairmend.measures.drift.glimpse import Glimpse
from fairmend.parallel import cores, in_order
from fairmend.plan.options import number_in
from fairmend.plan.summary import add_counts

if TYPE_CHECKING:
    import pyarrow as pa

    from fairmend.measures.drift.monitor import Monitor
    from fairmend.plan.plan import Plan

BATCH_ROWS = 1 << 17
"""Rows repaired at once where the stream leaves the cut to us."""


@dataclass
class Stream:
    """A repair that goes on from table to table.

    Attributes
    ----------
    plan : Plan
        What is applied.
    first_row : int
        Number of the stream's first row.
    seed : int, optional
        The address of all draws; drawn once, for the whole stream.
    summary : dict, optional
        Receives the counts of each table as its result is handed out.
    options : dict
        The other options of :meth:`fairmend.Plan.repair`.
    monitor : Monitor, optional
        Sees each table as its result is handed out.
    """

    plan: "Plan"
    first_row: int = 0
    seed: int | None = None
    summary: MutableMapping[str, Any] | None = None
    options: dict[str, Any] = field(default_factory=dict)
    monitor: "Monitor | None" = None

    def __post_init__(self) -> None:
        """Draw the seed, so that reading a stream twice gives the same twice."""
        self.seed = checked_seed(self.seed)
        number_in("first_row", self.first_row, 0, np.inf)

    def empty(self, table: Any) -> Any:
        """Repair no rows: that shows columns and types, and refuses a table that lacks some."""
        return self.plan.repair(table, seed=self.seed, first_row=self.first_row, **self.options)

    def tables(self, tables: Iterable[Any], workers: int) -> Iterator[Any]:
        """Repair tables one after the other, each as the next rows of one source.

        One worker reads nothing ahead, and reads in the caller's thread: some sources, such as a
        cursor of SQLite, must not be read in another.
        """
        numbered = self._numbered(tables)
        done = (
            map(self._repaired, numbered)
            if workers == 1
            else in_order(self._repaired, numbered, workers=workers)
        )
        seen = Sharing()
        for repaired, counts, sharing, glimpse in done:
            seen.merge(sharing)
            seen.refuse_on_the_way(self._key)
            if self.summary is not None:
                add_counts(self.summary, counts["rows"], counts["seed"], counts["features"])
            if self.monitor is not None and glimpse is not None:
                self.monitor.see(glimpse)
            yield repaired
        seen.refuse_shared(self._key)
        if self.monitor is not None:
            self.monitor.finish()

    @property
    def _key(self) -> tuple[str, ...]:
        key = self.options.get("key") or ()
        return (key,) if isinstance(key, str) else tuple(key)

    def _numbered(self, tables: Iterable[Any]) -> Iterator[tuple[int, Any, Glimpse | None]]:
        at = self.first_row
        watched = None if self.monitor is None else self.monitor.rows - at
        for table in tables:
            yield at, table, None if watched is None else Glimpse(watched + at)
            at += len(table)

    def _repaired(
        self, numbered: tuple[int, Any, Glimpse | None]
    ) -> tuple[Any, dict[str, Any], Sharing, Glimpse | None]:
        first_row, table, glimpse = numbered
        counts: dict[str, Any] = {}
        sharing = Sharing()
        repaired = self.plan.repair(
            table,
            seed=self.seed,
            first_row=first_row,
            summary=counts,
            sharing=sharing,
            glimpse=glimpse,
            **self.options,
        )
        return repaired, counts, sharing, glimpse


def repair_stream(stream: Stream, source: Any, workers: int | None) -> Any:
    """Repair a stream lazily and give back the like; see :meth:`fairmend.Plan.repair_stream`."""
    if workers is not None:
        number_in("workers", workers, 1, np.inf)
    if nw.dependencies.is_polars_lazyframe(source):
        return _lazy_frame(stream, source, workers or cores())
    if hasattr(source, "__arrow_c_stream__"):
        return _reader(stream, source, workers or cores())
    if isinstance(source, Iterable) and not isinstance(source, str | bytes):
        return _tables(stream, source, workers or 1)
    message = (
        f"The archive is a {type(source).__name__}, which is no stream. Pass a Polars LazyFrame, "
        f"an iterable of tables, or anything with __arrow_c_stream__, such as a pyarrow "
        f"RecordBatchReader or a DuckDB relation."
    )
    raise FairmendError(message)


def _tables(stream: Stream, tables: Iterable[Any], workers: int) -> Iterator[Any]:
    import pyarrow as pa

    def as_tables(parts: Iterable[Any]) -> Iterator[Any]:
        for part in parts:
            is_batch = isinstance(part, pa.RecordBatch)
            were_batches.append(is_batch)
            yield pa.Table.from_batches([part]) if is_batch else part

    were_batches: deque[bool] = deque()
    for repaired in stream.tables(as_tables(tables), workers):
        yield _one_batch(repaired) if were_batches.popleft() else repaired


def _one_batch(table: "pa.Table") -> "pa.RecordBatch":
    import pyarrow as pa

    columns = [pa.concat_arrays(column.chunks) if column.num_chunks else None for column in table]
    return pa.RecordBatch.from_arrays(columns, schema=table.schema)


def _reader(stream: Stream, source: Any, workers: int) -> "pa.RecordBatchReader":
    import pyarrow as pa

    reader = pa.RecordBatchReader.from_stream(source)
    schema = stream.empty(reader.schema.empty_table()).schema

    def batches() -> Iterator[pa.RecordBatch]:
        for table in stream.tables(_cut(reader), workers):
            yield from table.cast(schema).combine_chunks().to_batches()

    return pa.RecordBatchReader.from_batches(schema, batches())


def _cut(reader: "pa.RecordBatchReader") -> "Iterator[pa.Table]":
    import pyarrow as pa

    for batch in reader:
        for start in range(0, batch.num_rows, BATCH_ROWS):
            yield pa.Table.from_batches([batch.slice(start, BATCH_ROWS)])


def _lazy_frame(stream: Stream, source: Any, workers: int) -> Any:
    """Make a new lazy frame whose source is the repair of another's ordered batches.

    Not by ``LazyFrame.map_batches``: its function sees batches in no order, or the whole table.
    """
    from polars.io.plugins import register_io_source

    schema = stream.empty(source.collect_schema().to_frame()).schema

    def repaired(
        columns: Sequence[str] | None, predicate: Any, n_rows: int | None, batch_size: int | None
    ) -> Iterator[Any]:
        del batch_size  # a hint, and the cut makes no difference
        left = n_rows
        batches = source.collect_batches(
            chunk_size=BATCH_ROWS, maintain_order=True, lazy=True, engine="streaming"
        )
        for frame in stream.tables(batches, workers):
            part = frame if left is None else frame.head(left)
            left = None if left is None else left - part.height
            part = part if columns is None else part.select(columns)
            yield part if predicate is None else part.filter(predicate)
            if left == 0:
                return

    return register_io_source(repaired, schema=schema)
