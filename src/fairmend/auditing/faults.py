"""The errors of audits, in words."""

from collections.abc import Sequence
from typing import Any

from fairmend.errors import AuditError, OptionError


def label_for_training() -> AuditError:
    """Build the error for a model without anything to learn."""
    return AuditError(
        "The model is not trained, and no label says what it is to learn. Name the column in "
        "label=, or pass a model that is trained."
    )


def one_outcome(label: str, rows: int, least: int) -> AuditError:
    """Build the error for a label that hardly varies."""
    return AuditError(
        f"A model cannot learn {label!r}: one of its two outcomes has {rows} rows among those "
        f"drawn, and {least} are needed. Name another label=, or another favourable=."
    )


def no_probabilities(name: str) -> AuditError:
    """Build the error for scores that are no probabilities."""
    return AuditError(
        f"The column {name!r}, named by predictions=, holds numbers outside 0 to 1, which are no "
        f"probabilities. Pass a column of decisions (two values) or of probabilities."
    )


def which_is_favourable(name: str, values: Sequence[Any]) -> AuditError:
    """Build the error for more than two outcomes without the one that counts."""
    return AuditError(
        f"{name!r} has {len(values)} outcomes, so it must be said which one people want. Name it "
        f"in favourable=."
    )


def never_favourable(name: str, favourable: object, values: Sequence[Any]) -> AuditError:
    """Build the error for an outcome that does not occur."""
    some = f" Its outcomes are {[str(value) for value in values]}." if len(values) <= 20 else ""
    return AuditError(
        f"No row of {name!r} has the outcome {favourable!r}, named by favourable=.{some} Name one "
        f"that occurs."
    )


def no_such_reference(reference: object, groups: Sequence[str]) -> AuditError:
    """Build the error for a reference group that the plan does not know."""
    return AuditError(
        f"The plan has no group {reference!r}, named by reference=. Its groups are "
        f"{list(groups)}. Pass one of them, or its level."
    )


def too_few_decisions() -> AuditError:
    """Build the error for groups too small to have rates."""
    return AuditError(
        "No group has 5 rows with a decision, so there are no rates to compare. Pass more rows."
    )


def bad_gate(gate: str, names: Sequence[str]) -> OptionError:
    """Build the error for a gate that cannot be read."""
    cut = " Put it in quotes: without them a shell takes > for a file." if gate in names else ""
    return OptionError(
        f"{gate!r} is no gate. Write a figure, one of < <= > >=, and a number, such as "
        f"'leak>0.6'; or 'verdict'. Figures are {', '.join(names)}.{cut}"
    )


def not_measured(gate: str, hint: str) -> AuditError:
    """Build the error for a gate on something that this audit has not measured."""
    return AuditError(f"The gate {gate!r} asks for what this audit has not measured. {hint}")
