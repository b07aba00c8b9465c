"""Levels: the values of S and U, matched by value whatever type they come in."""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from fairmend.frames.bins import Bins

Level = str | int | float | bool
Codes = NDArray[np.int64]

UNSEEN = -1

_DECIMAL = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?")


def canonical(level: Level) -> str:
    """Write a level so that equal values have equal text.

    The same archive may arrive as Parquet, where a group is ``1``, with gaps, where pandas has made
    it ``1.0``, or as CSV text. A text with leading zeros is no number: the postcode ``01`` is not
    ``1``.

    Examples
    --------
    >>> canonical(1), canonical(1.0), canonical("1.0"), canonical("01"), canonical(True)
    ('1', '1', '1', '01', 'true')
    """
    if isinstance(level, str):
        if level.lower() in ("true", "false"):
            return level.lower()
        if not _DECIMAL.fullmatch(level):
            return level
        level = float(level) if "." in level else int(level)
    if isinstance(level, bool):
        return "true" if level else "false"
    if isinstance(level, float) and level.is_integer():
        level = int(level)
    return str(level)


def in_order(levels: Sequence[Level]) -> list[Level]:
    """Sort levels, numbers by value and before text, and drop those equal by value.

    Numbers that come as text are sorted as the numbers they equal: ``t`` must not weight another
    group because the research data was a CSV file. Of equal levels the shortest spelling stays,
    whichever comes first, so that the order of rows does not matter.

    Examples
    --------
    >>> in_order([10, 9, 10.0]), in_order(["10", "b", "9"])
    ([9, 10], ['9', '10', 'b'])
    """
    spelt = sorted(levels, key=lambda level: (str(level), type(level).__name__), reverse=True)
    first = {canonical(level): level for level in spelt}
    return sorted(first.values(), key=_place)


def _place(level: Level) -> tuple[bool, float, str]:
    text = canonical(level)
    is_number = not isinstance(level, bool | str) or bool(_DECIMAL.fullmatch(text))
    return (False, float(text), text) if is_number else (True, 0.0, text)


@dataclass(frozen=True)
class Factor:
    """One or more columns, crossed: every combination of their levels is a group or a stratum.

    Attributes
    ----------
    columns : tuple of str
        Names; empty for ``unprotected=None``, which has one combination.
    combinations : tuple of tuple
        Levels in sorted order, one tuple a group or stratum.
    bins : mapping of str to Bins
        How numeric columns are cut into levels.
    """

    columns: tuple[str, ...]
    combinations: tuple[tuple[Level, ...], ...]
    bins: "Mapping[str, Bins]" = field(default_factory=dict)
    _codes: dict[tuple[str, ...], int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Index the combinations by their canonical text."""
        codes = {tuple(map(canonical, c)): i for i, c in enumerate(self.combinations)}
        object.__setattr__(self, "_codes", codes)

    def __len__(self) -> int:
        return len(self.combinations)

    @classmethod
    def of(
        cls,
        columns: Sequence[str],
        encoded: Sequence["Encoded"],
        bins: "Mapping[str, Bins] | None" = None,
    ) -> Self:
        """Collect the combinations that occur in the research data, without missing values."""
        if not columns:
            return cls((), ((),))
        crossed = np.zeros(encoded[0].codes.size, dtype=np.int64)
        for one in encoded:
            crossed = crossed * len(one.values) + one.codes
        sizes = [len(one.values) for one in encoded]
        found = [np.unravel_index(i, sizes) for i in _occurring(crossed, math.prod(sizes))]
        seen = [
            tuple(one.values[int(i)] for one, i in zip(encoded, at, strict=True)) for at in found
        ]
        return cls.over(columns, [levels for levels in seen if None not in levels], bins or {})

    @classmethod
    def over(
        cls,
        columns: Sequence[str],
        combinations: Sequence[tuple[Level, ...]],
        bins: "Mapping[str, Bins]",
    ) -> Self:
        """Put combinations in order; those equal by value are one.

        Examples
        --------
        >>> Factor.over(["sex", "age"], [("M", 9), ("F", 10), ("M", 9.0)], {}).combinations
        (('F', 10), ('M', 9))
        """
        if not combinations:
            return cls(tuple(columns), (), bins)
        names = [
            bins[name].names
            if name in bins
            else in_order(list({repr(level): level for level in levels}.values()))
            for name, levels in zip(columns, zip(*combinations, strict=True), strict=True)
        ]
        places = [{canonical(level): i for i, level in enumerate(one)} for one in names]
        ordered = sorted(
            {
                tuple(place[canonical(level)] for place, level in zip(places, levels, strict=True))
                for levels in combinations
            }
        )
        return cls(
            tuple(columns),
            tuple(tuple(one[i] for one, i in zip(names, at, strict=True)) for at in ordered),
            bins,
        )

    @classmethod
    def together(cls, parts: "Sequence[Factor]") -> "Factor":
        """Collect the combinations of several tables with the same columns and bins."""
        first = parts[0]
        # By their writing, since 1 and 1.0 are equal, and the plan must not show who came first.
        if not first.columns or len({repr(part.combinations) for part in parts}) == 1:
            return first
        combinations = [levels for part in parts for levels in part.combinations]
        return cls.over(first.columns, combinations, first.bins)

    def places_in(self, other: "Factor") -> Codes:
        """Give the number that each combination has in another factor that holds them all."""
        keys = [tuple(map(canonical, levels)) for levels in self.combinations]
        return np.array([other._codes[key] for key in keys], dtype=np.int64)

    def encode(self, encoded: Sequence["Encoded"], n_rows: int) -> Codes:
        """Give each row the number of its combination; UNSEEN where research had none."""
        if not self.columns:
            return np.zeros(n_rows, dtype=np.int64)
        crossed = encoded[0].codes
        for one in encoded[1:]:
            crossed = crossed * len(one.values) + one.codes
        # Combinations are looked up, never rows; where there are few, all of them, without sorting.
        sizes = [len(one.values) for one in encoded]
        if math.prod(sizes) > crossed.size:
            occurring, inverse = np.unique(crossed, return_inverse=True)
        else:
            occurring, inverse = np.arange(math.prod(sizes)), crossed
        places = np.unravel_index(occurring, sizes)
        codes = np.empty(occurring.size, dtype=np.int64)
        for i, at in enumerate(zip(*places, strict=True)):
            levels = [one.values[int(k)] for one, k in zip(encoded, at, strict=True)]
            codes[i] = self._codes.get(tuple(map(canonical, levels)), UNSEEN)
        return codes[inverse]

    def unseen_counts(
        self, encoded: Sequence["Encoded"], rows: NDArray[np.bool_]
    ) -> dict[str, int]:
        """Count the given rows by the levels that they show."""
        columns = [np.array(one.values, dtype=object)[one.codes[rows]] for one in encoded]
        counts = Counter(zip(*columns, strict=True))
        return {
            " and ".join(f"{c}={v!r}" for c, v in zip(self.columns, levels, strict=True)): count
            for levels, count in counts.items()
        }

    def label(self, code: int) -> str:
        """Name a combination as the errors and reports do: ``sex='F' and race='Black'``."""
        parts = zip(self.columns, self.combinations[code], strict=True)
        return " and ".join(f"{column}={level!r}" for column, level in parts) or "all rows"


@dataclass(frozen=True)
class Encoded:
    """A column as codes into its own distinct values, None for missing."""

    codes: Codes
    values: tuple[Any, ...]


def _occurring(codes: Codes, n: int) -> Codes:
    """List the codes that occur, without sorting rows where there are few."""
    if n > codes.size:
        return np.unique(codes)
    return np.flatnonzero(np.bincount(codes, minlength=n))
