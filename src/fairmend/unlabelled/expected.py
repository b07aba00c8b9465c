"""What to expect of each way of repair, as plain content."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Expected:
    """One way of repair.

    Attributes
    ----------
    way : str
        ``"none"``, ``"labelled"``, ``"46% unlabelled, sample"``, ``"map"``, ``"sample"``,
        ``"expected"`` or ``"blind 0.5"``.
    e, low, high : float
        What :func:`fairmend.dependence` will measure in the archive, in nats, mean of the features,
        and 95 % interval. What chance adds is in it.
    damage, damage_low, damage_high : float
        Mean over features of the root mean squared change in standard deviations; of categories,
        the share of rows changed.
    leak, leak_low, leak_high : float or None
        AUC of an adversary who sees all features together, and 95 % interval; None if it was not
        asked for, or cannot be had from so few rows.
    """

    way: str
    e: float
    low: float
    high: float
    damage: float
    damage_low: float
    damage_high: float
    leak: float | None = None
    leak_low: float | None = None
    leak_high: float | None = None


@dataclass(frozen=True)
class Expectation:
    """What to expect of each way, and what follows from it.

    Attributes
    ----------
    ways : tuple of Expected
        In the order in which they were tried.
    told : float
        How much of what the strata leave open is told by the label model: 0 nothing, 1 all.
    recommended : str or None
        The way that is recommended where no group is recorded; None where there is nothing to
        repair.
    sentences : tuple of str
        The recommendation, in words.
    """

    ways: tuple[Expected, ...]
    told: float
    recommended: str | None
    sentences: tuple[str, ...]

    def __getitem__(self, way: str) -> Expected:
        """Find a way by its name."""
        return next(one for one in self.ways if one.way == way)

    def to_dict(self) -> dict[str, Any]:
        """Lay it out as plain JSON types."""
        return asdict(self)

    def __str__(self) -> str:
        """Write a table, and the sentences below it."""
        head = ("repair", "E", "95 % interval", "damage", "AUC", "95 % interval")
        lines = [_line(*head)]
        for one in self.ways:
            lines.append(_line(*cells(one)))
        return "\n".join([*lines, *self.sentences])


def cells(one: Expected) -> Sequence[str]:
    """Write the figures of a way: E with its interval, damage, AUC with its interval."""
    leak = "", ""
    if one.leak is not None:
        leak = f"{one.leak:.3f}", f"{one.leak_low:.3f} to {one.leak_high:.3f}"
    ends = f"{one.low:.3f} to {one.high:.3f}"
    return one.way, f"{one.e:.3f}", ends, f"{one.damage:.3f}", *leak


def _line(way: str, *figures: str) -> str:
    widths = (8, 18, 9, 8, 18)
    parts = (f"{one:>{width}}" for one, width in zip(figures, widths, strict=True))
    return f"{way:<26}{''.join(parts)}".rstrip()
