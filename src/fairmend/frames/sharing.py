"""How many rows share a key, over any number of tables, in constant memory."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from fairmend.errors import RowKeyError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fairmend.kernel.draws import Bits

FEW_ROWS, MOST_SHARING = 20, 10
"""A person may have ten rows; a key that more rows share is no key."""
JUDGED = 1_000
"""Rows after which keys are judged where results are used before the end."""
KEPT = 1 << 13
"""Smallest hashes kept: counts beyond that are estimates with an error of about 1 %."""


@dataclass
class Sharing:
    """Rows and distinct keys seen so far, the same however the rows were cut into tables.

    Of the mixed keys, which are evenly spread, the smallest ones are kept. As long as all fit, the
    count is exact; after that, the largest kept one tells how densely they lie.

    Attributes
    ----------
    rows : int
        Rows seen.
    smallest : ndarray of uint64
        The smallest distinct mixed keys, sorted, at most ``KEPT``.

    Examples
    --------
    >>> from fairmend.kernel.draws import mix
    >>> seen, keys = Sharing(), mix(np.arange(100_000, dtype=np.uint64))
    >>> seen.add(keys[:60_000])
    >>> seen.add(keys[40_000:])
    >>> seen.rows, round(seen.keys / 100_000, 1)
    (120000, 1.0)
    """

    rows: int = 0
    smallest: "Bits" = field(default_factory=lambda: np.empty(0, dtype=np.uint64))

    def add(self, mixed: "Bits") -> None:
        """Count the rows of a table by their mixed keys."""
        self.merge(Sharing(mixed.size, _smallest(mixed)))

    def merge(self, other: "Sharing") -> None:
        """Count the rows that another has seen."""
        self.rows += other.rows
        self.smallest = _distinct(np.concatenate([self.smallest, other.smallest]))[:KEPT]

    @property
    def keys(self) -> int:
        """How many distinct keys there are, about."""
        if self.smallest.size < KEPT:
            return int(self.smallest.size)
        return int((KEPT - 1) * 2.0**64 / float(self.smallest[-1]))

    def refuse_shared(self, names: "Sequence[str]") -> None:
        """Raise if many rows share a key."""
        if self.rows >= FEW_ROWS and self.keys * MOST_SHARING < self.rows:
            raise RowKeyError.too_few(names, self.keys, self.rows)

    def refuse_on_the_way(self, names: "Sequence[str]") -> None:
        """Raise if many rows share a key, and there are enough rows to tell before their end."""
        if self.rows >= JUDGED:
            self.refuse_shared(names)


def _smallest(mixed: "Bits") -> "Bits":
    """Take the smallest distinct keys of a table, without sorting all of them where few repeat."""
    if mixed.size <= 4 * KEPT:
        return _distinct(mixed)[:KEPT]
    few = _distinct(np.partition(mixed, 2 * KEPT)[: 2 * KEPT])
    return few[:KEPT] if few.size >= KEPT else _distinct(mixed)[:KEPT]


def _distinct(mixed: "Bits") -> "Bits":
    """Sort and drop repeats: np.unique hashes integers first, which takes twenty times as long."""
    ordered = np.sort(mixed)
    return ordered[np.append(True, ordered[1:] != ordered[:-1])] if ordered.size else ordered
