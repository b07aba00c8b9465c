"""Periods: the parts of an archive, by a column of times or labels, or by file."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from fairmend.errors import ColumnError
from fairmend.frames.codec import Codec
from fairmend.frames.levels import Codes
from fairmend.frames.table import Frame

MOST = 24
"""More periods than this are cut coarser: two years of months."""

UNITS = ("D", "M", "Y")
LENGTHS = {"D": 10, "M": 7, "Y": 4}
"""Letters of an ISO date that name a day, a month, a year."""


@dataclass(frozen=True)
class Periods:
    """Parts of an archive, in order.

    Attributes
    ----------
    codes : ndarray of shape (n,)
        The number of each row's period; −1 where its time is missing.
    names : list of str
        Of the periods.
    """

    codes: Codes
    names: list[str]

    @classmethod
    def of(cls, frame: Frame, name: str) -> Self:
        """Cut an archive by a column: times by day, month or year, all else by value.

        Times take the finest of the three that makes at most 24 periods. Numbers of more than 24
        values are cut into 12 of equal rows; more levels of text than that are an error.
        """
        frame.require([name], "time")
        array = frame.arrow(name)
        codec = Codec.of(array, name, frame.name)
        if codec.type == "datetime":
            return cls(*_by_date(codec.encode(array)))
        if codec.type == "category":
            encoded = frame.encoded(name)
            if len(encoded.values) > MOST + 1:
                raise _too_many(name, len(encoded.values))
            return cls(*_by_level(encoded.codes, encoded.values))
        return cls(*_by_number(codec.encode(array)))

    @classmethod
    def by_file(cls, rows: Sequence[int], names: Sequence[str]) -> Self:
        """Take each file of an archive as a period."""
        return cls(np.repeat(np.arange(len(rows)), rows), list(names))


def _by_date(microseconds: Any) -> tuple[Codes, list[str]]:
    known = ~np.isnan(microseconds)
    times = microseconds[known].astype("int64").astype("datetime64[us]")
    for unit in UNITS:
        parts, places = np.unique(times.astype(f"datetime64[{unit}]"), return_inverse=True)
        if parts.size <= MOST:
            break
    if parts.size > MOST:  # centuries of years
        return _by_number(microseconds)
    codes = np.full(known.size, -1, dtype=np.int64)
    codes[known] = places
    return codes, [str(part)[: LENGTHS[unit]] for part in parts]


def _by_level(codes: Codes, values: Sequence[Any]) -> tuple[Codes, list[str]]:
    order = sorted((str(v), at) for at, v in enumerate(values) if v is not None)
    to = np.full(len(values), -1, dtype=np.int64)
    to[[at for _, at in order]] = np.arange(len(order))
    return to[codes], [name for name, _ in order]


def _by_number(values: Any) -> tuple[Codes, list[str]]:
    known = ~np.isnan(values)
    distinct = np.unique(values[known])
    codes = np.full(values.size, -1, dtype=np.int64)
    if distinct.size <= MOST:
        codes[known] = np.searchsorted(distinct, values[known])
        return codes, [f"{value:g}" for value in distinct]
    cuts = np.unique(np.quantile(values[known], np.linspace(0, 1, 13)[1:-1]))
    codes[known] = np.searchsorted(cuts, values[known], side="right")
    # By number and not by value: the ends would be somebody's.
    return codes, [f"part {at + 1} of {cuts.size + 1}" for at in range(cuts.size + 1)]


def _too_many(name: str, levels: int) -> ColumnError:
    return ColumnError(
        f"Column {name!r}, named by time=, has {levels:,} values, and at most {MOST} periods are "
        f"told apart. Pass a column of dates, or one with fewer values."
    )
