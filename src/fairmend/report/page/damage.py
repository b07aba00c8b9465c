"""Damage: what the repair changed, and whether one group bears more of it."""

from collections.abc import Iterator

from fairmend.report.content import CorrelationRow, DamagePart, DamageRow
from fairmend.report.page.elements import paragraph, section, tag, unmeasured
from fairmend.report.page.tables import Table, behind
from fairmend.report.page.tracks import drawing
from fairmend.report.page.wording import amount, count, fixed, level_of, place, share, short, signed
from fairmend.report.svg import Node

HEADING = "What the repair changed"
MOST_FEATURES, MOST_BARS = 12, 12
ROW, NAME = 34, 13
LETTERS = 36
"""Of a group and a stratum beside an amount."""


def damage(part: DamagePart | None, protected: list[str], fewest: int) -> Node:
    """Write the section."""
    if part is None:
        return section("damage", HEADING, unmeasured("Damage was"))
    whole = [row for row in part["rows"] if row["stratum"] is None and row["group"] is None]
    strata = [row for row in part["rows"] if row["stratum"] is not None and row["group"] is None]
    by_group = [row for row in part["rows"] if row["group"] is not None]
    return section(
        "damage",
        HEADING,
        paragraph(
            "Amounts are in the feature’s own units. RMSE and the mean are of the change of a row; "
            "W₂ is how far the law of all rows has moved, which is less where changes cancel out. "
            f"{part['rows_used']:,} rows were used."
        ),
        change_table("Change of each feature", whole, fewest).node(),
        *_burden(by_group, protected),
        behind(
            "Table: change in each stratum",
            change_table("Change by stratum", strata, fewest).node(),
        )
        if strata
        else None,
        behind(
            "Table: change of each group", change_table("Change by group", by_group, fewest).node()
        )
        if by_group
        else None,
        _correlations(part["correlations"]) if part["correlations"] else None,
    )


def _behind(summary: str, caption: str, rows: list[DamageRow], fewest: int) -> Node | None:
    return behind(summary, change_table(caption, rows, fewest).node()) if rows else None


def change_table(caption: str, rows: list[DamageRow], fewest: int) -> Table:
    """Lay out what changed, a row a feature, stratum or group."""
    grouped = any(row["group"] is not None for row in rows)
    names = ("Feature", "Group") if grouped else ("Feature",)
    table = Table(
        caption,
        (*names, "#Rows", "#RMSE", "#RMSE in sd", "#W₂", "#Mean change", "#95th percentile",
         "#Rows changed", "#Rank correlation"),
    )  # fmt: skip
    for row in rows:
        first = [place(row["feature"], row["stratum"])] + [row["group"] or "all"] * grouped
        unit = row["unit"]
        sizes = (row[of] for of in ("w2", "mean_absolute", "p95_absolute"))
        table.add(
            *first, count(row["rows"], fewest), amount(row["rmse"], unit),
            amount(row["rmse_deviations"]), *(amount(size, unit) for size in sizes),
            share(row["share_changed"]), fixed(row["rank_correlation"], 2),
        )  # fmt: skip
    return table


def _burden(rows: list[DamageRow], protected: list[str]) -> Iterator[Node]:
    """Draw what each group bears, a small picture a feature."""
    names = list(dict.fromkeys(row["feature"] for row in rows))
    rows = [{**row, "group": level_of(str(row["group"]), protected)} for row in rows]
    if not names:
        return
    yield tag("h3", "Who bears the change")
    yield paragraph(
        "Mean absolute change of a row in each group; of categories, the share of rows changed. "
        "The longest bar of each feature is as long as the picture."
    )
    pictures = [
        _bars(f"damage-{at}", name, [row for row in rows if row["feature"] == name])
        for at, name in enumerate(names[:MOST_FEATURES])
    ]
    yield tag("div", *pictures, class_="pictures")
    if len(names) > MOST_FEATURES:
        said = f"{len(names) - MOST_FEATURES} more features are in the table only."
        yield paragraph(said, class_="note")


def _bars(key: str, name: str, rows: list[DamageRow]) -> Node:
    caption = name
    if len(rows) > MOST_BARS:
        caption = f"{name}: the {MOST_BARS} largest of {len(rows)}"
        rows = sorted(rows, key=_size, reverse=True)[:MOST_BARS]
    longest = max((_size(row) for row in rows), default=0.0) or 1.0
    parts = [part for at, row in enumerate(rows) for part in _bar(row, ROW * at, longest)]
    said = "; ".join(f"{_name(row)}: {_said(row)}" for row in rows)
    drawn = drawing(key, f"Mean change of {name} by group", f"{said}.", ROW * len(rows) + 4, *parts)
    return tag("figure", tag("figcaption", caption), drawn, class_="small")


def _bar(row: DamageRow, top: int, longest: float) -> Iterator[Node]:
    name = short(_name(row), LETTERS)
    if row["stratum"]:
        half = (LETTERS - 2) // 2
        stratum = short(row["stratum"], max(half, LETTERS - 2 - len(str(row["group"]))))
        name = f"{short(str(row['group']), LETTERS - 2 - len(stratum))}, {stratum}"
    yield tag("text", name, x=0, y=top + NAME, class_="bar-name")
    yield tag("text", _said(row), x="100%", y=top + NAME, class_="said")
    yield tag("rect", x=0, y=top + NAME + 6, width="100%", height=6, class_="track")
    wide = f"{100 * _size(row) / longest:.2f}%"
    yield tag("rect", x=0, y=top + NAME + 6, width=wide, height=6, class_="bar after")


def _name(row: DamageRow) -> str:
    return f"{row['group']}, {row['stratum']}" if row["stratum"] else str(row["group"])


def _size(row: DamageRow) -> float:
    mean = row["mean_absolute"]
    return (row["share_changed"] or 0.0) if mean is None else mean


def _said(row: DamageRow) -> str:
    if row["mean_absolute"] is None:
        return share(row["share_changed"])
    return amount(row["mean_absolute"], row["unit"])


def _correlations(rows: list[CorrelationRow]) -> Node:
    table = Table(
        "Correlation of the ranks of two features",
        ("Feature", "And", "#Before", "#After", "#Change"),
        key="the largest changes",
    )
    for row in sorted(rows, key=_change, reverse=True):
        moved = None
        if row["before"] is not None and row["after"] is not None:
            moved = row["after"] - row["before"]
        table.add(
            row["first"], row["second"], fixed(row["before"], 2), fixed(row["after"], 2),
            signed(moved, 2),
        )  # fmt: skip
    return behind("Table: correlations between features", table.node())


def _change(row: CorrelationRow) -> float:
    if row["before"] is None or row["after"] is None:
        return -1.0
    return abs(row["after"] - row["before"])
