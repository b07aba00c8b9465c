"""Reports: what each task did, and one account of them all on the driver, nothing counted twice."""

from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from fairmend.measures.drift.tally import Tally
from fairmend.plan.summary import add_counts

if TYPE_CHECKING:
    from fairmend.measures.drift.glimpse import Glimpse
    from fairmend.measures.drift.monitor import Monitor
    from fairmend.plan.plan import Plan

QUERY, BATCH = "sql.streaming.queryId", "streaming.sql.batchId"
"""Names under which Spark tells a task which micro-batch it works for."""


class Where(NamedTuple):
    """Which part of which run a task worked on.

    Attributes
    ----------
    query : str
        The streaming query; empty for a table.
    batch : int
        Its micro-batch.
    stage, partition, attempt : int
        Spark's numbers. A later stage is another computation of the same rows; a later attempt is
        another try at the same partition.
    """

    query: str
    batch: int
    stage: int
    partition: int
    attempt: int

    @classmethod
    def here(cls) -> Self:
        """Ask the worker's task."""
        from pyspark import TaskContext

        task = TaskContext.get()
        if task is None:
            return cls("", 0, 0, 0, 0)
        query, batch = task.getLocalProperty(QUERY), task.getLocalProperty(BATCH)
        return cls(
            query or "",
            int(batch or 0),
            task.stageId(),
            task.partitionId(),
            task.taskAttemptId(),
        )


@dataclass
class Report:
    """What one task did.

    Attributes
    ----------
    where : Where
        Which part of the rows it was.
    counts : dict
        Rows, and by feature the counts of each policy.
    tally : Tally, optional
        The rows before repair, counted for a monitor.
    """

    where: Where
    counts: dict[str, Any] = field(default_factory=dict)
    tally: Tally | None = None

    def add_rows(self, plan: "Plan", glimpse: "Glimpse") -> None:
        """Count rows for a monitor."""
        tally = Tally.of(plan, glimpse.values, glimpse.cells)
        self.tally = tally if self.tally is None else self.tally + tally

    def __add__(self, other: "Report") -> "Report":
        """Put together what one task did in two parts, as a coalesced one does."""
        both = Report(self.where, _copied(self.counts), self.tally)
        _add(both.counts, other.counts)
        if other.tally is not None:
            both.tally = other.tally if both.tally is None else both.tally + other.tally
        return both


@dataclass
class Account:
    """The driver's account of all tasks, which fills the caller's summary and monitor.

    A table may be computed more than once (by ``count`` and then by ``write``), a task may be tried
    again, and a micro-batch run again: of each, the last one counts. Micro-batches add up.

    Attributes
    ----------
    seed : int
        For the summary.
    summary : dict, optional
        Receives rows, seed and counts.
    monitor : Monitor, optional
        Looks at each micro-batch when it is complete.
    """

    seed: int
    summary: MutableMapping[str, Any] | None = None
    monitor: "Monitor | None" = None
    _before: dict[str, Any] = field(default_factory=dict)
    _total: dict[str, Any] = field(default_factory=dict)
    _run: tuple[str, int, int] = ("", -1, -1)
    _parts: dict[int, Report] = field(default_factory=dict)
    _lock: Any = field(default_factory=Lock)

    def __post_init__(self) -> None:
        """Hand the seed out at once."""
        if self.summary is not None:
            self.summary["seed"] = self.seed

    def receive(self, report: Report) -> None:
        """Take the report of a task that has ended."""
        where = report.where
        with self._lock:
            run = where.query, where.batch, where.stage
            if run != self._run:
                if run[0] == self._run[0] and run < self._run:
                    return  # of an earlier computation
                self._begin(run)
            known = self._parts.get(where.partition)
            if known is None:
                _add(self._total, report.counts)
                self._parts[where.partition] = report
            else:
                same = known.where.attempt == where.attempt
                self._parts[where.partition] = known + report if same else report
                self._add_up()
            if self.summary is not None:
                self.summary.update({**_copied(self._total), "seed": self.seed})

    def complete(self, query: str, batch: int) -> None:
        """Look at a micro-batch of which all tasks have ended."""
        with self._lock:
            if (query, batch) == self._run[:2]:
                self._look()

    def _begin(self, run: tuple[str, int, int]) -> None:
        if run[:2] != self._run[:2]:  # the next micro-batch, so the last one is complete
            self._look()
            self._before = self._total
        self._run, self._parts = run, {}
        self._add_up()

    def _look(self) -> None:
        tallies = [part.tally for part in self._parts.values() if part.tally is not None]
        if self.monitor is None or not tallies:
            return
        whole = tallies[0]
        for tally in tallies[1:]:
            whole = whole + tally
        for part in self._parts.values():
            part.tally = None
        self.monitor.count(whole)

    def _add_up(self) -> None:
        self._total = _copied(self._before)
        for report in self._parts.values():
            _add(self._total, report.counts)


def _add(total: MutableMapping[str, Any], counts: Mapping[str, Any]) -> None:
    if counts:
        add_counts(total, counts["rows"], 0, counts["features"])


def _copied(counts: Mapping[str, Any]) -> dict[str, Any]:
    features = {name: dict(one) for name, one in counts.get("features", {}).items()}
    return {**counts, "features": features} if counts else {}
