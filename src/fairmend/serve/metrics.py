"""What a server has done, as text for Prometheus: counts only, no label that a caller chooses."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping
from threading import Lock
from typing import Any

from fairmend.frames.sharing import Sharing

BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class Metrics:
    """Counters that requests of several threads add to.

    Examples
    --------
    >>> metrics = Metrics()
    >>> metrics.answered("/repair", 200, 0.02)
    >>> [line for line in metrics.text().splitlines() if line.startswith("fairmend_requests")]
    ['fairmend_requests_total{path="/repair",status="200"} 1']
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._requests: Counter[tuple[str, int]] = Counter()
        self._policies: Counter[tuple[str, str]] = Counter()
        self._seconds = [0] * (len(BUCKETS) + 1)
        self._sum = 0.0
        self._rows = 0
        self._keys = Sharing()

    def answered(self, path: str, status: int, seconds: float) -> None:
        """Count a request."""
        with self._lock:
            self._requests[path, status] += 1
            if path == "/repair":
                self._seconds[bisect_left(BUCKETS, seconds)] += 1
                self._sum += seconds

    def repaired(self, counts: Mapping[str, Any], keys: Sharing) -> None:
        """Count the rows of a repair, its policies and its keys."""
        with self._lock:
            self._rows += counts["rows"]
            self._keys.merge(keys)
            for name, policies in counts["features"].items():
                for policy, count in policies.items():
                    self._policies[name, policy] += count

    def text(self) -> str:
        """Write all of it in Prometheus' text format."""
        with self._lock:
            return "\n".join(self._lines()) + "\n"

    def _lines(self) -> Iterator[str]:
        yield from _head("requests_total", "counter", "Answered requests.")
        for (path, status), count in sorted(self._requests.items()):
            yield f'fairmend_requests_total{{path="{path}",status="{status}"}} {count}'
        yield from _head("rows_total", "counter", "Repaired rows.")
        yield f"fairmend_rows_total {self._rows}"
        yield from _head("policy_rows_total", "counter", "Rows by feature and what was unforeseen.")
        for (name, policy), count in sorted(self._policies.items()):
            labels = f'feature="{_escaped(name)}",policy="{policy}"'
            yield f"fairmend_policy_rows_total{{{labels}}} {count}"
        yield from _head("distinct_keys", "gauge", "Distinct keys seen so far, about.")
        yield f"fairmend_distinct_keys {self._keys.keys}"
        yield from _head("repair_seconds", "histogram", "Time from request to answer.")
        upto = 0
        for edge, count in zip((*map(str, BUCKETS), "+Inf"), self._seconds, strict=True):
            upto += count
            yield f'fairmend_repair_seconds_bucket{{le="{edge}"}} {upto}'
        yield f"fairmend_repair_seconds_sum {self._sum:.6f}"
        yield f"fairmend_repair_seconds_count {upto}"


def _head(name: str, kind: str, what: str) -> Iterator[str]:
    yield f"# HELP fairmend_{name} {what}"
    yield f"# TYPE fairmend_{name} {kind}"


def _escaped(label: str) -> str:
    return label.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
