"""A monitor beside a run: its record on disk, its warning, and the stop at an alarm."""

import time
from dataclasses import dataclass, field
from pathlib import Path

from fairmend.errors import DriftError
from fairmend.files.progress import Tell, silent
from fairmend.files.records import write_record
from fairmend.measures.drift.glimpse import Glimpse
from fairmend.measures.drift.monitor import Monitor
from fairmend.outputs import replacing

SECONDS = 60.0
"""From one writing of the record to the next, while a run goes on."""


@dataclass
class Watch:
    """What is done with a monitor in a run.

    Attributes
    ----------
    monitor : Monitor
        Sees every batch in order.
    path : Path, optional
        File for what it has seen: written at an alarm, at the end, and from time to time.
    stop : bool
        Whether an alarm ends the run.
    force : bool
        Whether an existing file may be replaced.
    warn : callable
        Is called with a sentence at the alarm.
    """

    monitor: Monitor
    path: Path | None = None
    stop: bool = False
    force: bool = False
    warn: Tell = silent
    _told: bool = False
    _written: float = field(default_factory=time.monotonic)

    @property
    def rows(self) -> int:
        """How many rows have been seen."""
        return self.monitor.rows

    def see(self, glimpse: Glimpse) -> None:
        """Take the next batch."""
        self.monitor.see(glimpse)
        self._judge()
        if time.monotonic() - self._written >= SECONDS:
            self._write(complete=False)

    def last_look(self) -> None:
        """Look at the end of the rows, before the last result appears."""
        self.monitor.finish()
        self._judge()

    def finish(self) -> None:
        """Write the record of a complete run."""
        self._write(complete=True)

    def _judge(self) -> None:
        alarm = self.monitor.alarm
        if alarm is None or self._told:
            return
        self._told = True
        self._write(complete=False)
        sentence = alarm.words(self.monitor.plan)
        if self.stop:
            raise DriftError.alarm(sentence, self.monitor.false_alarms)
        self.warn(
            f"the archive has drifted from the research data: {sentence}. Without drift, at most "
            f"{self.monitor.false_alarms:.0%} of archives set off this alarm. The plan may no "
            f"longer suit: design one from research data of this population."
        )

    def _write(self, *, complete: bool) -> None:
        if self.path is None:
            return
        with replacing(self.path, force=self.force) as beside:
            write_record({"complete": complete, **self.monitor.to_dict()}, beside)
        self.force = True  # from now on it is this run's own
        self._written = time.monotonic()
