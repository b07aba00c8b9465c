"""Options of a plan, each checked once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np

from fairmend.errors import OptionError
from fairmend.frames.levels import Factor, canonical
from fairmend.transport.cell import Resolution
from fairmend.transport.support import Floats

Output = Literal["support", "monge"]
Unseen = Literal["raise", "keep"]
OutOfRange = Literal["clip", "keep", "raise"]

WIDEST_MARGIN = 1e3
"""A support a thousand times as wide as the research range has no point where the data is."""


@dataclass(frozen=True)
class Policies:
    """What to do with rows that the research data did not foresee; each is counted.

    Attributes
    ----------
    unseen : {"raise", "keep"}
        For a stratum or group without a plan: stop, or leave its rows as they are.
    out_of_range : {"clip", "keep", "raise"}
        For a value beyond the support: take its nearest end, leave it as it is, or stop.
    """

    unseen: Unseen = "raise"
    out_of_range: OutOfRange = "clip"

    def __post_init__(self) -> None:
        """Refuse what is not a policy."""
        one_of("unseen", self.unseen, get_args(Unseen))
        one_of("out_of_range", self.out_of_range, get_args(OutOfRange))


@dataclass(frozen=True)
class Options:
    """How a plan was designed and how it is applied by default."""

    resolution: Resolution = field(default_factory=Resolution)
    t: float = 0.5
    target_weights: Mapping[str, float] | Sequence[float] | None = None
    output: Output = "support"
    policies: Policies = field(default_factory=Policies)

    def __post_init__(self) -> None:
        """Refuse values that an option cannot take."""
        one_of("output", self.output, get_args(Output))
        number_in("t", self.t, 0.0, 1.0)
        number_in("margin", self.resolution.margin, 0.0, WIDEST_MARGIN)
        n, bandwidth = self.resolution.n_support, self.resolution.bandwidth
        whole = isinstance(n, int | np.integer) and not isinstance(n, bool)
        if n is not None and not (whole and n >= 2):
            message = f"n_support={n!r} is not a number of points. Pass a whole number from 2 on."
            raise OptionError(message)
        if isinstance(bandwidth, str):
            one_of("bandwidth", bandwidth, ("silverman", "scott"))
        elif isinstance(bandwidth, bool) or not _is_positive(bandwidth):
            message = f"bandwidth={bandwidth!r} is not a width. Pass a positive number or a rule."
            raise OptionError(message)

    def weights(self, groups: Factor) -> Floats:
        """Weight each group in the target: ``(1 − t, t)`` for two, else ``target_weights``."""
        given = self.target_weights
        if given is None:
            if len(groups) == 2:
                return np.array([1.0 - self.t, self.t])
            if self.t != 0.5:
                message = (
                    f"t={self.t} weights two groups, and the research data has {len(groups)}. "
                    f"Pass target_weights= with a weight for each."
                )
                raise OptionError(message)
            return np.full(len(groups), 1.0 / len(groups))
        if self.t != 0.5:
            message = "t= and target_weights= say the same thing twice. Pass one of them."
            raise OptionError(message)
        return _given_weights(given, groups)


def _given_weights(given: Mapping[str, float] | Sequence[float], groups: Factor) -> Floats:
    if isinstance(given, Mapping):
        by_level = {canonical(level): weight for level, weight in given.items()}
        names = [canonical(c[0]) if len(c) == 1 else str(c) for c in groups.combinations]
        if set(by_level) != set(names):
            message = (
                f"target_weights= names the groups {sorted(by_level)}, and the research data has "
                f"{sorted(names)}. Give each of them a weight."
            )
            raise OptionError(message)
        given = [by_level[name] for name in names]
    weights = np.asarray(given, dtype=np.float64)
    if weights.shape != (len(groups),) or not (weights >= 0).all() or not weights.sum() > 0:
        message = (
            f"target_weights= must be {len(groups)} non-negative numbers, one a group in the order "
            f"{[groups.label(i) for i in range(len(groups))]}, not all zero."
        )
        raise OptionError(message)
    share: Floats = weights / weights.sum()
    return share


def _is_positive(value: object) -> bool:
    return isinstance(value, int | float | np.number) and bool(np.isfinite(value) and value > 0)


def one_of(name: str, value: object, allowed: Sequence[object]) -> None:
    """Raise unless an option has one of its values."""
    if value not in allowed:
        raise OptionError.not_one_of(name, value, allowed)


def number_in(name: str, value: float, low: float, high: float) -> None:
    """Raise unless an option is a number within its range."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.number):
        raise OptionError.not_one_of(name, value, [f"a number from {low} to {high}"])
    if not low <= value <= high:
        raise OptionError.not_one_of(name, value, [f"a number from {low} to {high}"])
