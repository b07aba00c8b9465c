"""What is done to every batch, in any thread: read, repair, encode."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from fairmend.errors import FairmendError, InputError
from fairmend.files.formats import Format
from fairmend.files.planned import stored, typed_rows
from fairmend.files.spelling import planned_rows, spelt
from fairmend.files.stream import Batch, Sink
from fairmend.frames.sharing import Sharing
from fairmend.measures.drift.glimpse import Glimpse
from fairmend.plan.labels import Draw, Labels
from fairmend.plan.plan import Plan

NO_VALUE = "__HIVE_DEFAULT_PARTITION__"
"""How folders are named whose column is missing."""


@dataclass(frozen=True)
class Done:
    """A repaired batch.

    Attributes
    ----------
    encoded : object
        What its sink writes.
    summary : dict
        Counts of its rows, as :meth:`fairmend.Plan.repair` gives them.
    sharing : Sharing
        Its keys.
    glimpse : Glimpse, optional
        What a monitor looks at.
    """

    encoded: Any
    summary: dict[str, Any]
    sharing: Sharing
    glimpse: Glimpse | None = None


@dataclass(frozen=True)
class Work:
    """How the batches of one file are repaired.

    Attributes
    ----------
    plan : Plan
        What is applied.
    seed : int
        The address of all draws.
    key : tuple of str
        Columns that tell rows apart, maybe none.
    policies : mapping
        ``unseen`` and ``out_of_range``, where they are not the plan's.
    path : Path
        The file, for errors.
    source : Format
        What it is.
    sink : Sink
        Encodes the result.
    kept : tuple of str
        The columns of the output.
    first_row : int
        Number of the file's first row in the run.
    fixed : mapping of str to str
        Columns that are the same in the whole file and not in it: those of a partition.
    watched : int, optional
        How many rows a monitor has seen before this file, if there is one.
    first : mapping of str to str
        Fields of the file's first row, where columns have no types.
    labels, draw, write_labels
        As in :class:`fairmend.files.job.Job`.
    """

    plan: Plan
    seed: int
    key: tuple[str, ...]
    policies: Mapping[str, Any]
    path: Path
    source: Format
    sink: Sink
    kept: tuple[str, ...]
    first_row: int = 0
    fixed: Mapping[str, str] = field(default_factory=dict)
    watched: int | None = None
    first: Mapping[str, str] = field(default_factory=dict)
    labels: Labels | None = None
    draw: Draw = "sample"
    write_labels: str | None = None

    def __call__(self, batch: Batch) -> Done:
        """Read, repair and encode; an error says where it was."""
        try:
            read = batch.read()
        except (pa.ArrowException, OSError) as error:
            where = f"{self.path}, {batch.name},"
            raise damaged(where, self.source, error) from error
        try:
            return self._done(read, batch)
        except FairmendError as error:
            message = f"{error} (In {self.path.name}, {batch.name}.)"
            raise type(error)(message) from error

    def _done(self, read: pa.Table, batch: Batch) -> Done:
        summary: dict[str, Any] = {}
        sharing = Sharing()
        glimpse = None if self.watched is None else Glimpse(self.watched + batch.first_row)
        needed = columns_needed(self.plan, self.key, self.labels)
        table = read.select([name for name in read.column_names if name in needed])
        fixed = {name: self.fixed[name] for name in needed if name in self.fixed}
        table = with_fixed(table, fixed, as_text=not self.source.has_types)
        if not self.source.has_types:
            table = typed_rows(table, self.plan, self.key, self.first, self.labels)
        repaired = self.plan.repair(
            table,
            seed=self.seed,
            key=self.key,
            first_row=self.first_row + batch.first_row,
            summary=summary,
            sharing=sharing,
            glimpse=glimpse,
            labels=self.labels,
            draw=self.draw,
            write_labels=self.write_labels,
            **self.policies,
        )
        kept = read.select([name for name in read.column_names if name in self.kept])
        finished = self._finished(kept, table, repaired)
        if self.write_labels is not None:
            finished = finished.append_column(self.write_labels, repaired[self.write_labels])
        return Done(self.sink.encode(finished, batch), summary, sharing, glimpse)

    def _finished(self, read: pa.Table, typed: pa.Table, repaired: pa.Table) -> pa.Table:
        """Put the repaired features into the table as it was read, as text if it is to be that."""
        columns = {name: read[name] for name in read.column_names}
        features = [feature for feature in self.plan.features if feature.name in columns]
        if self.source.has_types:
            columns |= {feature.name: repaired[feature.name] for feature in features}
        elif not self.sink.as_text:
            columns |= {one.name: stored(repaired[one.name], one) for one in features}
        else:
            columns |= self._texts(read, typed, repaired)
        fields = [read.schema.field(name).with_type(columns[name].type) for name in columns]
        return pa.table(
            list(columns.values()), schema=pa.schema(fields, metadata=read.schema.metadata)
        )

    def _texts(
        self, read: pa.Table, typed: pa.Table, repaired: pa.Table
    ) -> dict[str, pa.ChunkedArray]:
        policies = self.policies.get("unseen"), self.policies.get("out_of_range")
        rows = planned_rows(self.plan, typed, *policies, told=self.labels is not None)
        is_state = self.plan.options.missing == "state"
        return {
            name: spelt(
                read[name],
                typed[name],
                repaired[name],
                codec,
                rows[name],
                first=self.first.get(name, ""),
                missing_too=is_state,
            )
            for name, codec in self.plan.codecs.items()
            if name in read.column_names
        }


def damaged(what: object, form: Format, error: Exception) -> InputError:
    """Build the error for a file that its reader gives up on, in the reader's words."""
    reason = getattr(error, "strerror", None) or (str(error).splitlines() or [repr(error)])[0]
    return InputError.damaged(what, form.name, reason)


def columns_needed(plan: Plan, key: Sequence[str], labels: Labels | None = None) -> tuple[str, ...]:
    """Name the columns that a repair reads."""
    roles = (*plan.protected, *plan.unprotected, *plan.feature_names, *key)
    return tuple(dict.fromkeys((*roles, *(() if labels is None else labels.columns))))


def with_fixed(table: pa.Table, fixed: Mapping[str, str], *, as_text: bool) -> pa.Table:
    """Add columns of one value that a table lacks: as text, or a whole number where it is one."""
    for name, text in fixed.items():
        if name in table.column_names:
            continue
        value: str | int | None = text
        if text == NO_VALUE:
            value = "" if as_text else None
        elif not as_text and text.isdecimal() and str(int(text)) == text and int(text) < 2**63:
            value = int(text)
        dtype = pa.int64() if isinstance(value, int) else pa.string()
        table = table.append_column(name, pa.repeat(pa.scalar(value, dtype), len(table)))
    return table
