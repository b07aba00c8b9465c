"""What flows through a repair of files: batches from a source, through the work, into a sink.

A *source* is one file or pipe. It yields batches of consecutive rows in order; reading a batch's
rows is left to the thread that repairs them, where the format allows it. A *sink* encodes each
repaired batch in that same thread, and only the writing of the encoded batches is one after the
other. Sources and sinks are made by context managers, which close what they have opened.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import pyarrow as pa


@dataclass(frozen=True)
class Batch:
    """Consecutive rows of a source.

    Attributes
    ----------
    number : int
        Its place among the batches of its source, from 0 on.
    first_row : int
        Number of its first row within its source, from 0 on.
    rows : int
        How many rows it has.
    name : str
        What errors call it: ``"row group 3"``, ``"rows from 65,537 on"``.
    read : callable
        Gives its table; called once, in any thread.
    size : int
        About how many bytes it takes in memory while it is repaired.
    raw : object, optional
        What the table is read from, for a sink that copies the rest of it.
    """

    number: int
    first_row: int
    rows: int
    name: str
    read: Callable[[], pa.Table]
    size: int = 0
    raw: Any = None


class Source(Protocol):
    """One file or pipe that is read in batches."""

    @property
    def schema(self) -> pa.Schema:
        """Names and types of its columns, as :attr:`Batch.read` gives them."""

    @property
    def rows(self) -> int | None:
        """How many rows it has, where that is known before they are read."""

    @property
    def first(self) -> Mapping[str, str]:
        """Fields of its first row where columns have no types: they show in which form times are.

        The first row, and not the first that has a time, since it is the same one for any cut.
        """

    def batches(self) -> Iterator[Batch]:
        """Yield all batches in order; a source without rows yields one batch without rows."""


class Sink(Protocol):
    """One file or pipe that is written in batches.

    Its context manager completes it when it is left without an error, for example by a footer.
    """

    @property
    def as_text(self) -> bool:
        """Whether it takes repaired columns as text where the source has no types."""

    def encode(self, repaired: pa.Table, batch: Batch) -> Any:
        """Make of a repaired table what :meth:`write` takes; called in any thread, any order."""

    def write(self, encoded: Any) -> None:
        """Write what :meth:`encode` made; called in the order of the batches."""


def given(table: pa.Table) -> Callable[[], pa.Table]:
    """Make the ``read`` of a batch whose table is in memory already."""
    return partial(_given, table)


def _given(table: pa.Table) -> pa.Table:
    return table
