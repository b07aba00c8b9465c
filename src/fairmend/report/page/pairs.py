"""The dependence map: which pairs of features tell the group together, before and after."""

from fairmend.report.content import Estimate, PairsPart
from fairmend.report.page.elements import Part, paragraph, section, tag
from fairmend.report.page.tables import Table, behind
from fairmend.report.page.wording import between, fixed, short, signed, value_of
from fairmend.report.svg import Node

HEADING = "Which features tell the group together"
NOTHING = "Pairs of features were not tried: there is one feature, or no adversary was asked for."

CELL, NAMES, LETTERS = 27, 118, 17
"""Sizes in a map, and the letters of a name that fit beside it."""

DARK = 0.62
"""From here on a cell is dark, and its number is written in the colour of the paper."""


def pairs(part: PairsPart | None) -> Node:
    """Write the section."""
    if part is None:
        return section("pairs", HEADING, paragraph(NOTHING, class_="unmeasured"))
    return section(
        "pairs",
        HEADING,
        paragraph(
            "Each cell is the AUC of an adversary that sees two features only, or one on the "
            "diagonal: it puts their values into a few bins and counts. 0.5 is guessing, and what "
            "is dark tells most. Where a pair tells more than either feature does, the groups "
            "differ in how the two go together, which a repair of each feature by itself leaves. "
            f"{part['rows_used']:,} rows were used."
        ),
        tag(
            "div",
            *(_map(part, side) for side in ("before", "after")),
            class_="pictures two",
        ),
        behind("Table: AUC of every pair", _table(part)),
    )


def _map(part: PairsPart, side: str) -> Node:
    names = part["features"]
    size = NAMES + CELL * len(names) + 2
    cells: list[Part] = []
    for at, name in enumerate(names):
        y = CELL * (at + 1)
        cells.append(tag("text", f"{at + 1} {short(name, LETTERS)}", x=0, y=y + 18))
        cells.append(tag("text", str(at + 1), x=_middle(at), y=CELL - 7, class_="tick"))
    said = []
    for row in part["rows"]:
        first, second = sorted((names.index(row["first"]), names.index(row["second"])))
        found: Estimate | None = row[side]  # type: ignore[literal-required]
        value = value_of(found)
        cells += _cell(first, second, value)
        both = f"{row['first']} and {row['second']}" if first != second else row["first"]
        said.append(f"{both}: {fixed(value, 2)}")
    key = f"pairs-{side}"
    title = f"AUC for the group from two features, {side} repair"
    picture = tag(
        "svg",
        tag("title", title, id=f"{key}-title"),
        tag("desc", "; ".join(said) + ".", id=f"{key}-desc"),
        *cells,
        viewBox=f"0 0 {size} {CELL * (len(names) + 1) + 2}",
        class_="panel heat",
        width=f"{size * 1.3:g}",  # or the letters of few features would fill the page
        role="img",
        aria_labelledby=f"{key}-title {key}-desc",
    )
    return tag("figure", tag("figcaption", f"{side.capitalize()} repair"), picture, class_="small")


def _cell(first: int, second: int, value: float | None) -> list[Node]:
    x, y = NAMES + CELL * first, CELL * (second + 1)
    # Roots, so that what little is left after a repair can be told apart too.
    shade = 0.0 if value is None else min(max(2 * (value - 0.5), 0.0), 1.0) ** 0.5
    ground = tag(
        "rect", x=x, y=y, width=CELL - 1, height=CELL - 1, class_="ground",
        fill_opacity=f"{shade:.2f}",
    )  # fmt: skip
    number = "–" if value is None else f"{value:.2f}".removeprefix("0")
    kind = "value dark" if shade > DARK else "value"
    return [ground, tag("text", number, x=_middle(first), y=y + 17, class_=kind)]


def _middle(at: int) -> float:
    return NAMES + CELL * at + (CELL - 1) / 2


def _table(part: PairsPart) -> Node:
    table = Table(
        "AUC for the group from two features, in bins",
        ("Features", "#Before", "#95 %", "#After", "#95 %", "#More than either alone"),
        key="those that tell most after the repair",
    )
    for row in sorted(part["rows"], key=lambda row: -(value_of(row["after"]) or 0.0)):
        alone = row["first"] == row["second"]
        table.add(
            row["first"] if alone else f"{row['first']} and {row['second']}",
            fixed(value_of(row["before"])), between(row["before"]),
            fixed(value_of(row["after"])), between(row["after"]), signed(row["beyond"]),
        )  # fmt: skip
    return table.node()
