"""Gates: questions to a report that a pipeline stops at."""

import operator
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fairmend.auditing import faults
from fairmend.auditing.figures import (
    COLUMNS,
    FEATURES,
    damage_rows,
    dependence_after,
    largest_gap,
    leak_after,
    least,
    most,
)
from fairmend.report.content import Content, Parts

NO_LEAK = "The leak test was left out (leak=False, --no-leak)."
NO_OUTCOMES = "Name a column in label= or predictions= (--label, --predictions)."
NO_LABEL = "Name the column that is predicted in label= (--label)."


@dataclass(frozen=True)
class Figure:
    """A number of a report that a gate may ask for.

    Attributes
    ----------
    what : str
        It in words.
    of : callable
        Looks it up; None where it was not measured.
    hint : str
        How to have it measured.
    """

    what: str
    of: Callable[[Parts], float | None]
    hint: str = "No row could be compared."


def _outcome(name: str) -> Callable[[Parts], float | None]:
    def of(parts: Parts) -> float | None:
        found = parts["outcomes"]
        return None if found is None else found[name]  # type: ignore[literal-required]

    return of


def _impact(parts: Parts) -> float | None:
    found = parts["outcomes"]
    return None if found is None else least(row["after"] for row in found["rows"])


FIGURES = {
    "E": Figure("the largest E of a feature, in nats", lambda p: dependence_after(p, "e")),
    "tv": Figure("the largest total variation of a feature", lambda p: dependence_after(p, "tv")),
    "ks": Figure(
        "the largest Kolmogorov-Smirnov distance of a feature", lambda p: dependence_after(p, "ks")
    ),
    "leak": Figure(
        "an adversary's AUC from all features", lambda p: leak_after(p, FEATURES), NO_LEAK
    ),
    "leak_all": Figure(
        "an adversary's AUC from all columns that are handed on",
        lambda p: leak_after(p, COLUMNS),
        NO_LEAK,
    ),
    "damage": Figure(
        "the largest RMSE of a feature, in standard deviations",
        lambda p: most(row["rmse_deviations"] for row in damage_rows(p)),
        "Categories have no RMSE: ask for changed.",
    ),
    "changed": Figure(
        "the largest share of rows changed",
        lambda p: most(row["share_changed"] for row in damage_rows(p)),
    ),
    "missing": Figure(
        "the largest difference between the groups' shares of missing values",
        lambda p: most([0.0, *(row["after"] for row in p["missing"] if row["stratum"] is None)]),
    ),
    "drift": Figure("the largest distance from a research marginal", largest_gap),
    "di": Figure("the smallest disparate impact, for which 1 is equality", _impact, NO_OUTCOMES),
    "treatment": Figure(
        "the largest disparate treatment", _outcome("treatment_after"), NO_OUTCOMES
    ),
    "utility": Figure("the AUC for the label", _outcome("utility_after"), NO_LABEL),
}
"""All of them after the repair."""

SIGNS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}

_GATE = re.compile(r"\s*([A-Za-z_]+)\s*(<=|>=|<|>)\s*([-+.0-9eE]+)\s*")
_VERDICT = re.compile(r"\s*verdict\s*(?:=\s*(above|insufficient)\s*)?", re.IGNORECASE)
WORDS = {"above": "above tolerance", "insufficient": "insufficient evidence"}


@dataclass(frozen=True)
class Gate:
    """A condition under which an audit has failed.

    Attributes
    ----------
    text : str
        As it was written: ``"leak>0.6"``, ``"verdict"``.
    figure : str or None
        The number that it asks for; None for the verdict.
    sign : str
        How that is compared; for the verdict the one that fails, or "" for all but the good one.
    limit : float
        With what.
    """

    text: str
    figure: str | None
    sign: str
    limit: float = 0.0

    @classmethod
    def of(cls, text: str) -> "Gate":
        """Read a gate.

        Examples
        --------
        >>> Gate.of("leak > 0.6").limit
        0.6
        >>> Gate.of("leek>0.6")
        Traceback (most recent call last):
        fairmend.errors.OptionError: 'leek>0.6' is no gate. Write a figure, one of < <= > >=, ...
        """
        verdict = _VERDICT.fullmatch(text)
        if verdict:
            return cls(text, None, WORDS.get((verdict[1] or "").lower(), ""))
        found = _GATE.fullmatch(text)
        names = {name.lower(): name for name in FIGURES}
        if not found or found[1].lower() not in names:
            raise faults.bad_gate(text, [*FIGURES])
        try:
            return cls(text, names[found[1].lower()], found[2], float(found[3]))
        except ValueError:
            raise faults.bad_gate(text, [*FIGURES]) from None

    def fails(self, content: Content) -> str | None:
        """Say why a report fails, or None where it does not."""
        if self.figure is None:
            found = content["summary"]["verdict"]
            bad = found == self.sign if self.sign else found != "within tolerance"
            return f"{self.text}: the verdict is {found}" if bad else None
        figure = FIGURES[self.figure]
        value = figure.of(content)
        if value is None:
            raise faults.not_measured(self.text, figure.hint)
        if not SIGNS[self.sign](value, self.limit):
            return None
        return f"{self.text}: {figure.what} is {value:.4g}"


def refuse_unmeasured(gates: Sequence[Gate], *, leak: bool, decisions: bool) -> None:
    """Refuse gates on what an audit is not going to measure, before it takes its time."""
    left_out = [NO_LEAK] * (not leak) + [NO_OUTCOMES, NO_LABEL] * (not decisions)
    for gate in gates:
        if gate.figure is not None and FIGURES[gate.figure].hint in left_out:
            raise faults.not_measured(gate.text, FIGURES[gate.figure].hint)


def failures(content: Content, gates: Sequence[str]) -> list[str]:
    """Ask a report every gate; return a sentence for each one that fails it."""
    return [why for gate in [Gate.of(text) for text in gates] if (why := gate.fails(content))]
