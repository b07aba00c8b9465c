"""What a forecast says, as plain content."""

from dataclasses import dataclass, field
from typing import Any

from fairmend.errors import OptionError
from fairmend.foresight.joint import Joint
from fairmend.foresight.outlook import Expected, Outlook
from fairmend.foresight.sequential import Sequential
from fairmend.foresight.supports import Supports
from fairmend.frames.levels import Factor, canonical


@dataclass(frozen=True)
class StratumForecast:
    """One feature in one stratum.

    Attributes
    ----------
    stratum : str
        Such as ``college=True``.
    rows : dict of str to int
        Research rows with a value, by group.
    e : Expected or None
        None where fewer than two groups have 20 rows.
    """

    stratum: str
    rows: dict[str, int]
    e: Expected | None


@dataclass(frozen=True)
class Step:
    """One point of the learning curve.

    Attributes
    ----------
    times : float
        Times the research rows there are.
    rows : int
        Research rows of the same make-up.
    e : Expected
        E to expect from a plan designed from them.
    """

    times: float
    rows: int
    e: Expected


@dataclass(frozen=True)
class More:
    """What some more rows of one group in one stratum would buy.

    Attributes
    ----------
    group, stratum : str
        Whose rows.
    rows : int
        How many more.
    before, after : float
        The expected E over strata without and with them.
    """

    group: str
    stratum: str
    rows: int
    before: float
    after: float


@dataclass(frozen=True)
class FeatureForecast:
    """One feature.

    Attributes
    ----------
    name, kind : str
        Of the column.
    before : float
        E in the research rows, what chance adds taken off.
    e, tv, auc : Expected or None
        After repair, over strata: E in nats, total variation, and the AUC of an adversary who knows
        both laws of this column. None where no stratum has two groups of 20 rows.
    by_stratum : tuple of StratumForecast
        Each stratum.
    floor : float
        What of E no number of research rows of this make-up would remove, as far as the curve says.
    learning : tuple of Step
        Over the number of research rows.
    more : tuple of More
        Each group in each stratum, the most useful first.
    rows_to_tolerance : int or None
        Research rows of the same make-up at which the expected E is the tolerance; None where it is
        below with those there are, or where 1,000 times as many would not do.
    supports : Supports or None
        Over n_support; None where the values are the support.
    """

    name: str
    kind: str
    before: float
    e: Expected | None
    tv: Expected | None
    auc: Expected | None
    by_stratum: tuple[StratumForecast, ...]
    floor: float = 0.0
    learning: tuple[Step, ...] = ()
    more: tuple[More, ...] = ()
    rows_to_tolerance: int | None = None
    supports: Supports | None = None
    outlook: Outlook | None = field(default=None, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return plain content."""
        return {
            "name": self.name,
            "kind": self.kind,
            "before": self.before,
            "e": _expected(self.e),
            "tv": _expected(self.tv),
            "auc": _expected(self.auc),
            "floor": self.floor,
            "by_stratum": [
                {"stratum": one.stratum, "rows": one.rows, "e": _expected(one.e)}
                for one in self.by_stratum
            ],
            "learning": [
                {"times": step.times, "rows": step.rows, "e": _expected(step.e)}
                for step in self.learning
            ],
            "more": [dict(vars(one)) for one in self.more],
            "rows_to_tolerance": self.rows_to_tolerance,
            "supports": None
            if self.supports is None
            else {**self.supports._asdict(), "sizes": [s._asdict() for s in self.supports.sizes]},
        }


@dataclass(frozen=True)
class Forecast:
    """What to expect of an archive that is repaired by a plan from this research data.

    Made by :func:`fairmend.forecast`.

    Attributes
    ----------
    features : dict of str to FeatureForecast
        By name.
    joint : Joint or None
        The leak from all features together, each repaired by itself.
    sequential : Sequential or None
        Where a joint plan was asked for: its leak, beside that of features by themselves.
    research_rows : int
        Research rows.
    archive_rows : int
        Rows of the archive that will be audited.
    tolerance : float
        E that can be tolerated.
    sentences : tuple of str
        All of it in words.
    groups, strata : Factor
        S and U.
    """

    features: dict[str, FeatureForecast]
    joint: Joint | None
    sequential: Sequential | None
    research_rows: int
    archive_rows: int
    tolerance: float
    sentences: tuple[str, ...]
    groups: Factor = field(repr=False)
    strata: Factor = field(repr=False)

    def __repr__(self) -> str:
        """Name each feature with its expected E."""
        said = ", ".join(
            f"{one.name} {one.before:.3f} -> "
            + (f"{one.e.value:.3f} ({one.e.low:.3f} to {one.e.high:.3f})" if one.e else "unknown")
            for one in self.features.values()
        )
        return f"<fairmend.Forecast from {self.research_rows:,} research rows: E of {said}>"

    def __str__(self) -> str:
        """Say it in words."""
        return "\n".join(self.sentences)

    def with_more(self, rows: int, *, group: Any, stratum: Any = None) -> dict[str, float]:
        """Expect E of each feature with more research rows of one group in one stratum.

        Parameters
        ----------
        rows : int
            How many more.
        group, stratum : str, level or tuple of levels
            Whose: the level, or where columns are crossed their levels; or as the forecast names
            them.

        Examples
        --------
        >>> import fairmend
        >>> adult = fairmend.datasets.adult(complete=True).slice(0, 4_000)
        >>> forecast = fairmend.forecast(adult, protected="sex", unprotected="college",
        ...                              features=["age"], leak=False)
        >>> more = forecast.with_more(500, group="Female", stratum=True)
        >>> more["age"] < forecast.features["age"].e.value
        True
        """
        s = _code(self.groups, group, "group")
        u = 0 if not self.strata.columns else _code(self.strata, stratum, "stratum")
        return {
            name: one.outlook.total({(u, s): float(rows)})
            for name, one in self.features.items()
            if one.outlook is not None and one.e is not None
        }

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain types that JSON has."""
        return {
            "research_rows": self.research_rows,
            "archive_rows": self.archive_rows,
            "protected": list(self.groups.columns),
            "unprotected": list(self.strata.columns),
            "tolerance": self.tolerance,
            "features": {name: one.to_dict() for name, one in self.features.items()},
            "joint": None if self.joint is None else self.joint._asdict(),
            "sequential": None if self.sequential is None else self.sequential.to_dict(),
            "sentences": list(self.sentences),
        }

    def to_svg(self) -> str:
        """Draw the learning curves and those over n_support as one SVG document."""
        from fairmend.foresight.picture import to_svg

        return to_svg(self.to_dict())


def _expected(one: Expected | None) -> dict[str, float] | None:
    return None if one is None else one._asdict()


def _code(factor: Factor, given: Any, what: str) -> int:
    levels = {
        **{factor.label(i): i for i in range(len(factor))},
        **{", ".join(map(canonical, c)): i for i, c in enumerate(factor.combinations)},
    }
    parts = given if isinstance(given, tuple) else (given,)
    key = ", ".join(canonical(part) for part in parts if part is not None)
    if key not in levels:
        raise OptionError.not_one_of(what, given, [factor.label(i) for i in range(len(factor))])
    return levels[key]
