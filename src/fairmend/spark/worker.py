"""What Spark's Python workers do: NumPy and pyarrow are all that they need."""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from fairmend.errors import DataError
from fairmend.frames.sharing import Sharing
from fairmend.measures.drift.glimpse import Glimpse
from fairmend.plan.plan import Plan
from fairmend.plan.summary import add_counts
from fairmend.plan.travel import plan_of
from fairmend.spark.reports import Report, Where
from fairmend.unlabelled.travel import labels_of

if TYPE_CHECKING:
    import pyarrow as pa

    from fairmend.plan.labels import Labels

OWN_KEY = "the row's own key"
"""Column of random keys, where rows have none; named so that no archive has it."""


@dataclass(frozen=True)
class Work:
    """A repair as it is sent to the workers; the plan travels as the text of its file.

    Attributes
    ----------
    plan : Broadcast or str
        The plan as JSON.
    seed : int
        Of all draws.
    names : tuple of str
        The columns that come in, in order: features, roles and keys.
    features : tuple of str
        The columns that go out.
    required : tuple of str
        Those of them that may not be null.
    key : tuple of str
        Key columns; without any, each row draws at random.
    options : dict
        Policies.
    judge_batches : bool
        Whether keys are judged in each batch, because nobody can judge them over all rows.
    watched : bool
        Whether rows are counted for a monitor.
    report : callable, optional
        Takes what was done, when all rows of a task have been seen.
    labels : Broadcast or str, optional
        The label model as JSON.
    """

    plan: Any
    seed: int
    names: tuple[str, ...]
    features: tuple[str, ...]
    required: tuple[str, ...]
    key: tuple[str, ...]
    options: dict[str, Any] = field(default_factory=dict)
    judge_batches: bool = True
    watched: bool = False
    report: Callable[[list[Report]], None] | None = None
    labels: Any = None

    def repaired(self, batches: "Iterator[Sequence[pa.Array]]") -> "Iterator[list[pa.Array]]":
        """Repair the batches of one task."""
        plan = plan_of(getattr(self.plan, "value", self.plan))
        told_by = getattr(self.labels, "value", self.labels)
        labels = None if told_by is None else labels_of(told_by)
        report = Report(Where.here())
        try:
            for arrays in batches:
                yield self._batch(plan, labels, arrays, report)
        finally:  # also where the rows after the first few are not wanted
            if self.report is not None:
                self.report([report])

    def _batch(
        self, plan: Plan, labels: "Labels | None", arrays: "Sequence[pa.Array]", report: Report
    ) -> "list[pa.Array]":
        import pyarrow as pa

        table = pa.table(list(arrays), names=list(self.names))
        key: Sequence[str] = self.key
        if not key:
            key = [OWN_KEY]
            own = np.frombuffer(os.urandom(8 * len(table)), dtype=np.int64)
            table = table.append_column(OWN_KEY, pa.array(own))
        glimpse = Glimpse(0) if self.watched else None
        counts: dict[str, Any] = {}
        done = plan.repair(
            table,
            seed=self.seed,
            key=key,
            summary=counts,
            sharing=None if self.judge_batches else Sharing(),
            glimpse=glimpse,
            labels=labels,
            **self.options,
        )
        add_counts(report.counts, counts["rows"], 0, counts["features"])
        if glimpse is not None:
            report.add_rows(plan, glimpse)
        out = [one_array(done[name]) for name in self.features]
        for name, array in zip(self.features, out, strict=True):
            if array.null_count and name in self.required:
                raise DataError.cannot_be_missing(name, "NOT NULL")
        return out


def one_array(column: "pa.ChunkedArray") -> "pa.Array":
    """Take a column's only chunk, or put several together."""
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
