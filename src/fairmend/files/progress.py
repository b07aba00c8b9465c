"""How a long task says what it is doing, without knowing who listens."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

Tell = Callable[[str], None]

PAUSE = 0.2
"""Seconds between two sentences about the same task."""


def silent(step: str) -> None:
    """Tell nobody."""


@dataclass
class Meter:
    """Rows done, how fast, and how long the rest will take.

    Attributes
    ----------
    tell : callable
        Listens.
    what : str
        What the rows are from.
    total : int, optional
        How many there are, where that is known.
    clock : callable
        Gives the time in seconds.
    doing : str
        What is done to them.
    """

    tell: Tell
    what: str
    total: int | None = None
    clock: Callable[[], float] = time.perf_counter
    doing: str = "Repairing"
    rows: int = 0
    _started: float = field(init=False)
    _told: float = field(init=False)

    def __post_init__(self) -> None:
        """Start the clock."""
        self._started = self._told = self.clock()
        self.tell(f"{self.doing} {self.what}")

    def add(self, rows: int) -> None:
        """Count rows, and tell from time to time."""
        self.rows += rows
        now = self.clock()
        if now - self._told >= PAUSE:
            self._told = now
            self.tell(f"{self.doing} {self.what}: {self._progress(now - self._started)}")

    def _progress(self, seconds: float) -> str:
        speed = self.rows / seconds
        if not self.total:
            return f"{self.rows:,} rows, {speed:,.0f} rows/s"
        left = (self.total - self.rows) / speed if speed else 0.0
        return f"{self.rows:,} of {self.total:,} rows, {speed:,.0f} rows/s, {_time(left)} left"


def _time(seconds: float) -> str:
    """Write a time in its two largest units.

    Examples
    --------
    >>> _time(7.4), _time(75), _time(3 * 3600 + 125)
    ('7 s', '1 min 15 s', '3 h 2 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
