"""Constraints: combinations of values that no repair may produce."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairmend.errors import OptionError
from fairmend.frames.codec import Codec
from fairmend.frames.levels import canonical
from fairmend.plan.forest import Bins

Constraint = Mapping[str, Sequence[Any]]
"""By feature the values of a combination: levels, numbers, and ranges of them."""

ENDS = {"from": False, "above": True, "to": True, "below": False}
"""Of each end of a range, whether the end itself lies at or below the cut."""

MICROSECONDS = 1e6
"""Of a second, in which constraints have durations."""

Flags = NDArray[np.bool_]


def checked_constraints(
    given: Sequence[Mapping[str, Any]], features: Mapping[str, Codec], roles: Sequence[str]
) -> tuple[Constraint, ...]:
    """Write constraints in one way, and refuse what the plan could not keep.

    Parameters
    ----------
    given : sequence of mapping
        As in :func:`fairmend.design`.
    features : mapping of str to Codec
        The features that are repaired.
    roles : sequence of str
        The protected and unprotected columns.
    """
    return tuple(_checked(one, features, roles) for one in given)


def named(constraint: Constraint) -> str:
    """Write a constraint as a person would.

    Examples
    --------
    >>> named({"job": ["cook"], "age": [{"below": 18}]})
    "job='cook' and age below 18"
    >>> named({"job": ["cook", "smith"], "age": [{"below": 18}]})
    "(job='cook' or job='smith') and age below 18"
    """
    parts = [[_named(name, value) for value in values] for name, values in constraint.items()]
    return " and ".join(part[0] if len(part) == 1 else f"({' or '.join(part)})" for part in parts)


def bins_of_constraints(
    features: Mapping[str, Codec], constraints: Sequence[Constraint]
) -> dict[str, Bins]:
    """Tell the values of each feature apart as finely as some constraint needs it."""
    bins = {}
    for name, codec in features.items():
        cuts = {
            cut
            for one in constraints
            for value in one.get(name, ())
            for cut in _cuts(value, codec)
            if np.isfinite(cut)
        }
        if any(name in one for one in constraints):
            category = codec.type == "category"
            levels = len(codec.levels)
            bins[name] = Bins(None, levels) if category else Bins(np.array([*sorted(cuts), np.inf]))
    return bins


def bins_inside(values: Sequence[Any], codec: Codec, bins: Bins) -> Flags:
    """Mark the bins that a constraint's values fill; missing and unseen values are in none."""
    inside = np.zeros(bins.size, dtype=bool)
    for value in values:
        if bins.cuts is None:
            inside[[*codec.levels].index(value)] = True
        else:
            low, high = _cuts(value, codec)
            start = 0 if low == -np.inf else int(np.searchsorted(bins.cuts, low)) + 1
            inside[start : int(np.searchsorted(bins.cuts, high)) + 1] = True
    inside[-1] = False
    return inside


def _checked(given: object, features: Mapping[str, Codec], roles: Sequence[str]) -> Constraint:
    if not isinstance(given, Mapping) or len(given) < 2:
        raise OptionError.no_combination(given)
    found = {}
    for name, values in given.items():
        if name not in features:
            raise OptionError.constraint_elsewhere(name, [*features], is_role=name in roles)
        several = isinstance(values, Sequence) and not isinstance(values, str)
        values = list(values) if several else [values]
        if not values:
            raise OptionError.no_combination(given)
        found[name] = [_value(name, value, features[name]) for value in values]
    return dict(sorted(found.items()))  # as a file has them


def _value(name: str, value: Any, codec: Codec) -> Any:
    if codec.type == "category":
        levels = {canonical(level): level for level in codec.levels}
        plain = isinstance(value, str | bool | int | float | np.generic)
        if not plain or canonical(_plain(value)) not in levels:
            raise OptionError.constraint_value(name, value, list(codec.levels))
        return levels[canonical(_plain(value))]
    if isinstance(value, Mapping):
        ends = {key: _number(name, end, codec) for key, end in value.items()}
        both = {"from", "above"} <= ends.keys() or {"to", "below"} <= ends.keys()
        if not ends or both or not ends.keys() <= ENDS.keys():
            raise OptionError.constraint_value(name, value, None)
        low, high = _cuts(ends, codec)
        if not low < high:
            raise OptionError.constraint_value(name, value, None)
        return ends
    return _number(name, value, codec)


def _number(name: str, value: Any, codec: Codec) -> float | int | str:
    """Check a number, which may come as text, or a time, which stays as text."""
    value = _plain(value)
    if codec.type == "duration" and hasattr(value, "total_seconds"):
        value = value.total_seconds()
    if codec.type == "datetime" and hasattr(value, "isoformat"):
        value = value.isoformat()
    try:
        if codec.type in ("number", "duration") and not isinstance(value, bool):
            number = float(value)
            if np.isfinite(number):
                return int(number) if number.is_integer() else number
        elif codec.type == "datetime" and isinstance(value, str) and value[:4].isdigit():
            # Neither "NaT" nor "today", which would be another day whenever the plan is read.
            _place(value, codec)
            return value
    except (ValueError, TypeError):
        pass
    raise OptionError.constraint_value(name, value, None)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _place(value: Any, codec: Codec) -> float:
    """Write a number or a time as the codec does."""
    if codec.type == "number":
        return float(value)
    if codec.type == "duration":
        return float(round(value * MICROSECONDS))
    return float(np.array(value, dtype="M8[us]").astype(np.int64))


def _cuts(value: Any, codec: Codec) -> tuple[float, float]:
    """Say between which cuts values lie: above the first, and at most at the second."""
    if codec.type == "category":
        return -np.inf, np.inf
    ends = value if isinstance(value, Mapping) else {"from": value, "to": value}
    low, high = -np.inf, np.inf
    for key, end in ends.items():
        at = _place(end, codec)
        at = at if ENDS[key] else float(np.nextafter(at, -np.inf))
        low, high = (at, high) if key in ("from", "above") else (low, at)
    return low, high


def _named(name: str, value: Any) -> str:
    if isinstance(value, Mapping):
        return f"{name} {' and '.join(f'{key} {value[key]}' for key in ENDS if key in value)}"
    return f"{name}={value!r}"
