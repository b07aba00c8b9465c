"""Which column of the research data has which role."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from fairmend.errors import ColumnError, FairmendError, OptionError
from fairmend.frames.table import Frame

Names = str | Sequence[str] | None


@dataclass(frozen=True)
class Roles:
    """Names of the columns in each role, all of them in the table and none in two roles."""

    protected: tuple[str, ...]
    unprotected: tuple[str, ...]
    features: tuple[str, ...]
    weight: str | None

    @classmethod
    def of(
        cls,
        frame: Frame,
        *,
        protected: Names,
        unprotected: Names,
        features: Names,
        exclude: Names,
        weight: str | None,
    ) -> Self:
        """Resolve names; ``features=None`` takes every column that has no other role."""
        named = {
            "protected": as_names(protected),
            "unprotected": as_names(unprotected),
            "sample_weight": as_names(weight),
        }
        if not named["protected"]:
            message = "protected= names no column. Name the column of the protected attribute."
            raise OptionError(message)
        for parameter, names in {**named, "exclude": as_names(exclude)}.items():
            frame.require(names, parameter)
        taken = {name for names in named.values() for name in (*names, *as_names(exclude))}
        untaken = tuple(name for name in frame.columns if name not in taken)
        named["features"] = untaken if features is None else as_names(features)
        frame.require(named["features"], "features")
        _refuse_conflicts(frame, named, as_names(exclude))
        return cls(named["protected"], named["unprotected"], named["features"], weight)


def _refuse_conflicts(
    frame: Frame, named: Mapping[str, Sequence[str]], exclude: Sequence[str]
) -> None:
    """Raise for a name with two roles, a name that is no text, and a table without features."""
    for name in set(named["features"]).intersection(exclude):
        raise ColumnError.two_roles(name, ["features", "exclude"])
    for name in {name for names in named.values() for name in names}:
        having = [role for role, names in named.items() for n in names if n == name]
        if len(having) > 1:
            raise ColumnError.two_roles(name, having)
    not_text = [
        n for n in (name for names in named.values() for name in names) if not isinstance(n, str)
    ]
    if not_text:
        raise ColumnError.not_text(frame.name, not_text)
    if not named["features"]:
        message = "No feature is left to repair. Name them in features=, or exclude fewer."
        raise FairmendError(message)


def as_names(given: Names) -> tuple[str, ...]:
    """Read one name, several or none as a tuple."""
    if given is None:
        return ()
    return (given,) if isinstance(given, str) or not isinstance(given, Iterable) else tuple(given)
