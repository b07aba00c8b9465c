"""Work on a sequence in threads: results in order, few of them in memory, no error lost."""

import os
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from queue import SimpleQueue
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")

WORKER = "fairmend-worker"
"""How the names of the threads begin that do the work."""

BLOCKED = 2.0
"""Seconds to wait for a source that may never give its next item, such as a quiet pipe."""


def cores() -> int:
    """Count the processor cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def in_order(
    work: Callable[[T], R],
    items: Iterable[T],
    *,
    workers: int,
    memory: int | None = None,
    size: Callable[[T], int] = lambda item: 0,
) -> Iterator[R]:
    """Yield ``work(item)`` of each item, in the items' order, computed in threads.

    Items are drawn by a thread of their own, so that a result is yielded when it is there, also
    while the source is silent. At most ``workers + 1`` items are between being drawn and their
    result's having been used by the caller. An error of the source or of the work is raised when
    its turn has come: everything before it has been yielded. Then, as when the caller stops early,
    nothing new is started, and what has been started is waited for.

    Parameters
    ----------
    work : callable
        Called in one of the threads; does not depend on which.
    items : iterable
        Drawn one at a time.
    workers : int
        Number of threads.
    memory : int, optional
        Bound on the sum of the sizes of items under way; an item larger than that goes alone.
    size : callable
        Size of an item.

    Examples
    --------
    >>> list(in_order(lambda x: x * x, range(5), workers=2))
    [0, 1, 4, 9, 16]
    """
    room = _Room(workers + 1, memory)
    waiting: SimpleQueue[tuple[int, Future[R]] | None] = SimpleQueue()

    def draw(pool: ThreadPoolExecutor) -> None:
        try:
            for item in items:
                if not room.enter(size(item)):
                    return
                waiting.put((size(item), pool.submit(work, item)))
        except BaseException as error:  # noqa: BLE001 (raised where its turn has come)
            failed: Future[R] = Future()
            failed.set_exception(error)
            waiting.put((0, failed))
        finally:
            waiting.put(None)

    with _pool(workers, room, draw):
        while (entry := waiting.get()) is not None:
            volume, result = entry
            yield result.result()
            del result, entry  # or two results would be held while the next is waited for
            room.leave(volume)


@contextmanager
def _pool(
    workers: int, room: "_Room", draw: Callable[[ThreadPoolExecutor], None]
) -> Iterator[None]:
    pool = ThreadPoolExecutor(workers, thread_name_prefix=WORKER)
    drawing = threading.Thread(target=draw, args=(pool,), daemon=True)
    drawing.start()
    try:
        yield
    finally:
        room.close()
        here = threading.current_thread()
        # A caller that drops the results (Polars does) may have them closed by one of these threads
        # themselves, which cannot wait for its own end.
        if here is not drawing and not here.name.startswith(WORKER):
            drawing.join(BLOCKED)
            pool.shutdown(wait=True, cancel_futures=True)
        else:
            pool.shutdown(wait=False, cancel_futures=True)


class _Room:
    """How many items, and of what size, are under way."""

    def __init__(self, most: int, memory: int | None) -> None:
        self._most, self._memory = most, memory
        self._items = self._volume = 0
        self._open = True
        self._changed = threading.Condition()

    def enter(self, size: int) -> bool:
        """Wait for room; tell whether there is a point in going on."""
        with self._changed:
            self._changed.wait_for(lambda: not self._open or self._fits(size))
            self._items += 1
            self._volume += size
            return self._open

    def leave(self, size: int) -> None:
        with self._changed:
            self._items -= 1
            self._volume -= size
            self._changed.notify()

    def close(self) -> None:
        with self._changed:
            self._open = False
            self._changed.notify()

    def _fits(self, size: int) -> bool:
        if not self._items:
            return True
        small = self._memory is None or self._volume + size <= self._memory
        return small and self._items < self._most
