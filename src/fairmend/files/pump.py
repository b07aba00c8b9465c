"""Bytes from a pipe, handed on as they come: a little at first, more where more is waiting."""

import io
import os
import threading
import time
from dataclasses import dataclass

from fairmend.files.bytestream import BLOCK

FIRST = 1 << 15
"""Bytes read ahead at first; more by a quarter each time, up to a block."""


@dataclass(frozen=True)
class Every:
    """How much of a trickle is gathered before it is repaired.

    Attributes
    ----------
    rows : int
        Lines to wait for, or 0.
    seconds : float
        How long to wait after the first byte, or 0.
    """

    rows: int = 0
    seconds: float = 0.0


class Pump:
    """The bytes of a pipe, read by a thread of its own.

    What has come is handed on at once: while one batch is repaired the next gathers, so batches are
    as large as they need to be to keep up, and as small as they can be.

    Parameters
    ----------
    descriptor : int
        The pipe.
    start : bytes
        What has been read of it already.
    every : Every, optional
        Gather more than that.
    is_eager : bool
        Whether small batches are handed on; else only whole blocks, as of a file.
    """

    def __init__(
        self,
        descriptor: int,
        start: bytes = b"",
        every: Every | None = None,
        *,
        is_eager: bool = True,
    ) -> None:
        self._descriptor, self._every = descriptor, every or Every()
        gathers = every is not None or not is_eager
        self._room = BLOCK if gathers else FIRST
        self._least = 1 if is_eager else BLOCK
        self._buffer, self._ended = bytearray(start), False
        self._since = time.monotonic()
        self._error: OSError | None = None
        self._changed = threading.Condition()
        threading.Thread(target=self._read, daemon=True, name="fairmend-pump").start()

    def take(self) -> bytes:
        """Return what has come, waiting until it is enough."""
        with self._changed:
            while not self._is_enough():
                self._changed.wait(self._left())
            if self._error is not None:
                raise self._error
            taken = bytes(self._buffer)
            self._buffer.clear()
            self._room = min(self._room + self._room // 4, BLOCK)
            self._changed.notify_all()
        return taken

    def _is_enough(self) -> bool:
        if self._ended or len(self._buffer) >= self._room:
            return True
        if len(self._buffer) < self._least:
            return False
        rows, seconds = self._every.rows, self._every.seconds
        if seconds and time.monotonic() - self._since >= seconds:
            return True
        return self._buffer.count(b"\n") >= rows if rows else not seconds

    def _left(self) -> float | None:
        """Say how long to wait, where there is something to wait for that is not a byte."""
        if not self._every.seconds or len(self._buffer) < self._least:
            return None
        return max(self._since + self._every.seconds - time.monotonic(), 0.0)

    def _read(self) -> None:
        error = None
        try:
            while data := os.read(self._descriptor, self._room):
                with self._changed:
                    if not self._buffer:
                        self._since = time.monotonic()
                    self._buffer += data
                    self._changed.notify_all()
                    self._changed.wait_for(lambda: len(self._buffer) < self._room)
        except OSError as found:
            error = found
        with self._changed:
            self._ended, self._error = True, error
            self._changed.notify_all()


class Rest(io.RawIOBase):
    """A pipe of which some bytes have been read already, as a file.

    Parameters
    ----------
    descriptor : int
        The pipe.
    start : bytes
        What has been read of it.
    """

    def __init__(self, descriptor: int, start: bytes) -> None:
        super().__init__()
        self._descriptor, self._start = descriptor, start

    def readable(self) -> bool:
        """Say that it can be read."""
        return True

    def readinto(self, into: memoryview) -> int:  # type: ignore[override]
        """Read some bytes."""
        if self._start:
            size = min(len(self._start), len(into))
            into[:size], self._start = self._start[:size], self._start[size:]
            return size
        return os.readv(self._descriptor, [into])
