"""Single figures of a report, by name: what words and gates look up in the dict."""

from collections.abc import Iterable

from fairmend.report.content import DamageRow, DependenceRow, LeakRow, Parts

FEATURES, COLUMNS, ALONE = "features", "columns", "alone"


def whole(parts: Parts) -> list[DependenceRow]:
    """List the dependence of whole features."""
    rows = parts["dependence"]["rows"] if parts["dependence"] is not None else []
    return [row for row in rows if row["stratum"] is None and row["groups"] is None]


def leak_row(parts: Parts, sees: str) -> LeakRow | None:
    """Find an adversary that sees several columns."""
    rows = parts["leak"]["rows"] if parts["leak"] is not None else []
    return next((row for row in rows if row["sees"] == sees), None)


def leak_after(parts: Parts, sees: str) -> float | None:
    """Look up what it reaches after the repair."""
    row = leak_row(parts, sees)
    return None if row is None or row["after"] is None else row["after"]["value"]


def dependence_after(parts: Parts, measure: str) -> float | None:
    """Find the largest dependence of a feature after the repair, by E, TV or KS."""
    sides = [row["e"] if measure == "e" else row["tv"] for row in whole(parts)]
    if measure == "ks":
        sides = [row["ks"] for row in whole(parts) if row["ks"] is not None]
    return most(side["after"]["value"] for side in sides if side["after"] is not None)


def damage_rows(parts: Parts, *, by_group: bool = False) -> list[DamageRow]:
    """List the damage to features over all strata, of everybody or by group."""
    rows = parts["damage"]["rows"] if parts["damage"] is not None else []
    return [
        row for row in rows if row["stratum"] is None and (row["group"] is not None) == by_group
    ]


def largest_gap(parts: Parts) -> float | None:
    """Find the largest distance between archive and research that was judged."""
    if parts["drift"] is None:
        return None
    cells = [cell for cell in parts["drift"]["cells"] if not cell["borrowed"]]
    return most(cell["distance"] for cell in cells)


def most(values: Iterable[float | None]) -> float | None:
    """Take the largest of the numbers that there are."""
    return max((value for value in values if value is not None), default=None)


def least(values: Iterable[float | None]) -> float | None:
    """Take the smallest of the numbers that there are."""
    return min((value for value in values if value is not None), default=None)
