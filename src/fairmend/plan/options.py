"""Options of a plan, each checked once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np

from fairmend.errors import OptionError
from fairmend.frames.levels import Factor, canonical
from fairmend.kernel.move import Output
from fairmend.plan.constraints import Constraint
from fairmend.transport.layout import Resolution
from fairmend.transport.support import Floats

Unseen = Literal["raise", "keep", "pool"]
OutOfRange = Literal["clip", "keep", "raise"]
Missing = Literal["keep", "state"]
SmallGroups = Literal["raise", "pool", "shrink"]
BANDWIDTHS = ("silverman", "scott", "isj")

WIDEST_MARGIN = 1e3
"""A support a thousand times as wide as the research range has no point where the data is."""


@dataclass(frozen=True)
class Policies:
    """What to do with rows that the research data did not foresee; each is counted.

    Attributes
    ----------
    unseen : {"raise", "keep", "pool"}
        For a stratum, group or category without a plan: stop, leave the row as it is, or treat it
        as anybody of its stratum.
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
class SmallCells:
    """What to do with groups of few research rows.

    Attributes
    ----------
    min_group_size : int
        Rows below which a group is small.
    small_groups : {"raise", "pool", "shrink"}
        Stop; learn the group's marginal from its rows in all strata; or mix it with its stratum's
        law, which weighs as much as ``min_group_size`` rows.
    shrinkage : "auto" or float
        Pseudo-rows of the stratum's shared shape that every group's marginal is mixed with;
        ``"auto"`` cross-validates.
    min_atom_rows : int
        Research rows below which a value does not become an atom of its own.
    """

    min_group_size: int = 2
    small_groups: SmallGroups = "raise"
    shrinkage: str | float = "auto"
    min_atom_rows: int = 1

    def __post_init__(self) -> None:
        """Refuse values that cannot be."""
        one_of("small_groups", self.small_groups, get_args(SmallGroups))
        number_in("min_group_size", self.min_group_size, 1, np.inf)
        number_in("min_atom_rows", self.min_atom_rows, 1, np.inf)
        if self.min_group_size < 2 and self.small_groups == "raise":
            message = "min_group_size=1 is below 2, and one row has no marginal. Pass 2 or more."
            raise OptionError(message)
        if isinstance(self.shrinkage, str):
            one_of("shrinkage", self.shrinkage, ("auto",))
        else:
            number_in("shrinkage", self.shrinkage, 0.0, np.inf)


@dataclass(frozen=True)
class Options:
    """How a plan was designed and how it is applied by default."""

    resolution: Resolution = field(default_factory=Resolution)
    small: SmallCells = field(default_factory=SmallCells)
    policies: Policies = field(default_factory=Policies)
    t: float = 0.5
    target_weights: Mapping[str, float] | Sequence[float] | str | None = None
    output: Output = "support"
    amount: float = 1.0
    missing: Missing = "keep"
    solver: Literal["exact", "sinkhorn"] = "exact"
    regularisation: float = 0.05
    blind: float | None = None
    joint: Literal["sequential"] | None = None
    constraints: tuple[Constraint, ...] = ()

    def __post_init__(self) -> None:
        """Refuse values that an option cannot take."""
        if self.constraints:
            self._refuse_constraints()
        if self.joint is not None:
            one_of("joint", self.joint, ("sequential",))
            if self.solver != "exact":
                raise OptionError.entropic_jointly(self.solver)
        one_of("output", self.output, get_args(Output))
        one_of("missing", self.missing, get_args(Missing))
        one_of("solver", self.solver, ("exact", "sinkhorn"))
        number_in("regularisation", self.regularisation, 1e-6, 1e6)
        number_in("t", self.t, 0.0, 1.0)
        number_in("amount", self.amount, 0.0, 1.0)
        number_in("margin", self.resolution.margin, 0.0, WIDEST_MARGIN)
        n, bandwidth = self.resolution.n_support, self.resolution.bandwidth
        whole = isinstance(n, int | np.integer) and not isinstance(n, bool)
        if n is not None and not (whole and n >= 2):
            message = f"n_support={n!r} is not a number of points. Pass a whole number from 2 on."
            raise OptionError(message)
        if isinstance(bandwidth, str):
            one_of("bandwidth", bandwidth, BANDWIDTHS)
        elif isinstance(bandwidth, bool) or not _is_positive(bandwidth):
            message = f"bandwidth={bandwidth!r} is not a width. Pass a positive number or a rule."
            raise OptionError(message)
        if self.missing == "state" and self.output == "monge":
            message = (
                "missing='state' needs draws, and output='monge' makes none. Pass one of them."
            )
            raise OptionError(message)

    def constrains(self, feature: str) -> bool:
        """Tell whether some constraint names a feature."""
        return any(feature in one for one in self.constraints)

    def _refuse_constraints(self) -> None:
        if self.joint is None:
            raise OptionError.constraints_alone()
        if self.output != "support":
            raise OptionError.constraints_off_support(self.output)

    def weights(self, groups: Factor, sizes: Floats) -> Floats:
        """Weight each group in the target: ``(1 − t, t)`` for two, else ``target_weights``."""
        given = self.target_weights
        if given is not None and self.t != 0.5:
            message = "t= and target_weights= say the same thing twice. Pass one of them."
            raise OptionError(message)
        if given is None:
            return _equal_or_t(self.t, groups)
        if isinstance(given, str):
            one_of("target_weights", given, ("equal", "size"))
            return sizes / sizes.sum() if given == "size" else np.full(len(groups), 1 / len(groups))
        return _given_weights(given, groups)


def _equal_or_t(t: float, groups: Factor) -> Floats:
    if len(groups) == 2:
        return np.array([1.0 - t, t])
    if t != 0.5:
        message = (
            f"t={t} weights two groups, and the research data has {len(groups)}. "
            f"Pass target_weights= with a weight for each."
        )
        raise OptionError(message)
    return np.full(len(groups), 1.0 / len(groups))


def _given_weights(given: Mapping[str, float] | Sequence[float], groups: Factor) -> Floats:
    if isinstance(given, Mapping):
        by_level = {_name(level): weight for level, weight in given.items()}
        names = [_name(c) for c in groups.combinations]
        if set(by_level) != set(names):
            message = (
                f"target_weights= names the groups {sorted(by_level)}, and the research data has "
                f"{sorted(names)}. Give each of them a weight."
            )
            raise OptionError(message)
        given = [by_level[name] for name in names]
    try:
        weights = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        weights = np.full(len(groups), np.nan)
    if (
        not np.isfinite(weights).all()
        or weights.shape != (len(groups),)
        or not (weights >= 0).all()
        or not weights.sum() > 0
    ):
        message = (
            f"target_weights= must be {len(groups)} non-negative numbers, one a group in the order "
            f"{[groups.label(i) for i in range(len(groups))]}, not all zero."
        )
        raise OptionError(message)
    share: Floats = weights / weights.sum()
    return share


def _is_positive(value: object) -> bool:
    return isinstance(value, int | float | np.number) and bool(np.isfinite(value) and value > 0)


def _name(level: object) -> str:
    """Write a group as a key: its level, or crossed levels joined by a comma."""
    levels = level if isinstance(level, tuple) else (level,)
    return ", ".join(canonical(one) for one in levels)


def one_of(name: str, value: object, allowed: Sequence[object]) -> None:
    """Raise unless an option has one of its values."""
    if not isinstance(value, str) or value not in allowed:
        raise OptionError.not_one_of(name, value, allowed)


def number_in(name: str, value: float, low: float, high: float) -> None:
    """Raise unless an option is a number within its range."""
    number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    if not number or not low <= value <= high:
        raise OptionError.not_in_range(name, value, low, high)
