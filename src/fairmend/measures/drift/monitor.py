"""A monitor: watches an archive that streams by, and says when it has left the research laws."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from fairmend.errors import OptionError
from fairmend.measures.drift.distance import Gap, gap
from fairmend.measures.drift.glimpse import Glimpse
from fairmend.measures.drift.laws import Law, Planned, laws_of
from fairmend.measures.drift.stationarity import judged
from fairmend.measures.drift.tally import Ints, Tally
from fairmend.transport.support import Floats

FIRST_LOOK = 2**12
GROWTH = 2.0**0.5
"""Rows of the archive from one look to the next: twenty looks at 4 million rows."""

FALSE_ALARMS = 0.01


@dataclass(frozen=True)
class Alarm:
    """The first time that a stream was further from a law than chance explains.

    Attributes
    ----------
    row : int
        Rows of the archive that had been read.
    since : int
        First row of the stretch in which it shows: 0, or the row of the look before.
    law : Law
        Which.
    gap : Gap
        How far.
    probability, allowed : float
        Of so much by chance, at most; and what this look could spend on it.
    """

    row: int
    since: int
    law: Law
    gap: Gap
    probability: float
    allowed: float

    def to_dict(self, plan: Planned) -> dict[str, Any]:
        """Return plain values."""
        law, found = self.law, self.gap
        return {
            "row": self.row,
            "since_row": self.since,
            "feature": law.feature,
            "stratum": plan.strata.label(law.stratum),
            "group": plan.groups.label(law.group),
            "distance": found.distance,
            "reach_of_chance": self.reach,
            "rows": found.rows,
            "research_rows": law.chance.rows,
            "shift": found.shift,
            "expected_share": found.expected,
            "found_share": found.found,
            "p": self.probability,
            "allowed": self.allowed,
        }

    def words(self, plan: Planned) -> str:
        """Say it in a sentence: what, where, how far, and in which rows."""
        law, found = self.law, self.gap
        cell = f"{plan.strata.label(law.stratum)} and {plan.groups.label(law.group)}"
        where = cell if plan.strata.columns else plan.groups.label(law.group)
        far = f"distance {found.distance:.2f}, and chance explains {self.reach:.2f}"
        if found.shift is not None:
            far = f"{far}; mean {found.shift:+.2f} standard deviations"
        return (
            f"{law.feature!r} where {where}: {found.words(law)} ({far}; rows {self.since:,} to "
            f"{self.row:,})"
        )

    @property
    def reach(self) -> float:
        """The distance that chance exceeds no more often than was allowed."""
        return self.law.chance.reach(self.gap.rows, self.allowed)


class Monitor:
    """Compare a stream with a plan's research laws, at a cost that hardly grows with it.

    Its memory does not grow: a count for each support point, and some thousand rows that wait for
    the next look. It looks at 4,096 rows, and then whenever the archive has grown by 41 %: at
    everything so far, and at what is new since the look before, so that drift which begins late is
    not drowned by what was before it.

    What a look may spend of the false alarm rate α falls with its number, α/(j(j + 1)) for the
    j-th, so that all looks together stay below α however long the stream runs; within a look it is
    shared among all cells. The bounds of :class:`fairmend.measures.drift.chance.Chance` hold for
    every law, and research is the same at all looks, so the true rate is far below α.

    Parameters
    ----------
    plan : Plan
        Whose laws are watched. Marginals that lean on others for want of rows are not.
    false_alarms : float
        α: chance of any alarm, ever, in a stream that follows the research population. It counts
        the chance in the research sample, too.

    Notes
    -----
    Rows must come in an order that has nothing to do with the features. An archive that is sorted
    by age drifts, until its last row. Drift that begins after a look is found at the next or the
    one after it, and drift of a stretch much shorter than that may not be.

    Examples
    --------
    >>> import fairmend
    >>> from fairmend.measures.drift.monitor import Monitor
    >>> table = fairmend.datasets.simulate(20_000, rng=1)
    >>> plan = fairmend.design(table.slice(0, 2_000), protected="s", unprotected="u")
    >>> cells = 3 * table["u"].to_numpy() + table["s"].to_numpy()
    >>> values = {name: table[name].to_numpy() for name in ("x1", "x2")}
    >>> monitor = Monitor(plan)
    >>> monitor.update(values, cells)
    >>> monitor.alarm is None
    True
    >>> values["x2"] = values["x2"] + 0.5
    >>> monitor = Monitor(plan)
    >>> monitor.update(values, cells)
    >>> monitor.alarm.law.feature, monitor.alarm.row
    ('x2', 4096)
    """

    def __init__(self, plan: Planned, *, false_alarms: float = FALSE_ALARMS) -> None:
        if not 0.0 < false_alarms < 1.0:
            message = (
                f"false_alarms={false_alarms!r} is no rate. Pass a number between 0 and 1: the "
                f"chance that a stream without drift sets off an alarm, ever."
            )
            raise OptionError(message)
        self.plan = plan
        self.false_alarms = false_alarms
        self.alarm: Alarm | None = None
        self.rows = 0
        self._laws = [law for law in laws_of(plan) if not law.borrowed]
        self._whole = Tally.empty(plan)
        self._waiting: list[tuple[Mapping[str, Floats], Ints]] = []
        self._since = 0
        self._looks = 0
        self._next = FIRST_LOOK

    def update(self, values: Mapping[str, Floats], cells: Ints) -> None:
        """Take the next rows, in order.

        Parameters
        ----------
        values : mapping of str to ndarray of shape (n,)
            Each feature before repair, NaN where missing.
        cells : ndarray of shape (n,)
            As :func:`fairmend.plan.apply.cells_of` gives them.
        """
        glimpse = Glimpse(self.rows)
        glimpse.fill({name: values[name] for name in self._whole.features}, cells)
        self.see(glimpse)

    def see(self, glimpse: Glimpse) -> None:
        """Take the next batch, of which the thread that repairs it has cut out what is needed."""
        rows, values, cells, end = glimpse.rows, glimpse.values, glimpse.cells, glimpse.end
        start = 0
        while self._next <= end:
            stop = int(np.searchsorted(rows, self._next))
            self._wait({k: x[start:stop] for k, x in values.items()}, cells[start:stop])
            self.rows = self._next
            self._look()
            start, self._next = stop, round(self._next * GROWTH)
        self._wait({k: x[start:] for k, x in values.items()}, cells[start:])
        self.rows = end

    def count(self, tally: Tally) -> None:
        """Take rows that were counted elsewhere, such as a micro-batch on a cluster, and look."""
        self.rows += tally.rows
        self._look_at(tally)

    def finish(self) -> None:
        """Look a last time, at the end of the stream."""
        if self.rows > self._since:
            self._look()

    def to_dict(self) -> dict[str, Any]:
        """Return what was seen as plain values: the alarm, if any, and how each cell stands."""
        found = judged(self.plan, self._whole)
        return {
            "false_alarm_rate": self.false_alarms,
            "rows": self.rows,
            "rows_looked_at": self._whole.rows,
            "looks": self._looks,
            "alarm": None if self.alarm is None else self.alarm.to_dict(self.plan),
            **{k: v for k, v in found.to_dict().items() if k not in ("rows", "periods")},
        }

    def merge(self, other: Self) -> None:
        """Add what another monitor saw of the same archive: of another file, or on another machine.

        Each part's alarms count by the part's own rate, so the rate of the whole is their sum.
        """
        self.false_alarms += other.false_alarms
        self.rows += other.rows
        self._looks += other._looks
        self._whole += other._whole
        self.alarm = self.alarm or other.alarm

    def _wait(self, values: Mapping[str, Floats], cells: Ints) -> None:
        """Keep rows until the next look: few, and to count few at a time is slow."""
        if cells.size:
            self._waiting.append((values, cells))

    def _counted(self) -> Tally:
        """Count the rows since the last look."""
        waiting, self._waiting = self._waiting, []
        if not waiting:
            return Tally.empty(self.plan)
        cells = np.concatenate([cells for _, cells in waiting])
        values = {name: np.concatenate([x[name] for x, _ in waiting]) for name in waiting[0][0]}
        return Tally.of(self.plan, values, cells)

    def _look(self) -> None:
        self._look_at(self._counted())

    def _look_at(self, recent: Tally) -> None:
        """Test everything so far and what is new, within what this look may spend."""
        self._whole += recent
        self._looks += 1
        j = self._looks
        allowed = self.false_alarms / (j * (j + 1)) / (2 * max(len(self._laws), 1))
        if self.alarm is None:
            found = [
                alarm
                for tally, since in ((self._whole, 0), (recent, self._since))
                for law in self._laws
                if (alarm := self._tested(law, tally, since, allowed)) is not None
            ]
            self.alarm = min(found, key=lambda one: one.probability, default=None)
        self._since = self.rows

    def _tested(self, law: Law, tally: Tally, since: int, allowed: float) -> Alarm | None:
        n_groups = len(self.plan.groups)
        counts = tally.features[law.feature]
        rows = float(tally.cells[law.stratum * (n_groups + 1) + law.group])
        found = gap(law, counts, n_groups, enough=law.chance.reach(rows, allowed))
        if found is None:
            return None
        probability = law.chance.probability(found.distance, found.rows)
        if probability > allowed:
            return None
        return Alarm(self.rows, since, law, found, probability, allowed)
