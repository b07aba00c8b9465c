"""Time functions against each other in one run."""

from collections.abc import Callable, Mapping
from time import perf_counter


def fastest(contenders: Mapping[str, Callable[[], object]], repeats: int = 5) -> dict[str, float]:
    """Return the fewest seconds of each, called in turn so that load on the machine meets all."""
    seconds = dict.fromkeys(contenders, float("inf"))
    for _ in range(repeats):
        for name, call in contenders.items():
            start = perf_counter()
            call()
            seconds[name] = min(seconds[name], perf_counter() - start)
    return seconds
