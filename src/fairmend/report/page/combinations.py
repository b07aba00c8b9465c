"""Combinations of values that no research row has, and those that the plan forbids."""

from fairmend.report.content import (
    CombinationsPart,
    ConstraintRow,
    ForbiddenShare,
    UnseenRow,
)
from fairmend.report.page.elements import paragraph, section
from fairmend.report.page.tables import Table, behind
from fairmend.report.page.wording import plural, share
from fairmend.report.svg import Node

MOST_FIRST = 6
"""Pairs of features that are shown at once; a table behind has all."""

HEADING = "Combinations of values"
NOTHING = (
    "Combinations of values were not looked at: that takes the research data, to compare with, or "
    "a plan with constraints."
)


def combinations(part: CombinationsPart | None, fewest: int) -> Node:
    """Write the section."""
    if part is None:
        return section("combinations", HEADING, paragraph(NOTHING, class_="unmeasured"))
    return section(
        "combinations", HEADING, *_unseen(part["unseen"], fewest), *_forbidden(part, fewest)
    )


def _unseen(rows: list[UnseenRow] | None, fewest: int) -> list[Node]:
    if rows is None:
        return []
    table = Table(
        "Rows with a pair of values that no research row has",
        ("Features", "#Before", "#After"),
        key="those with most unseen pairs after the repair",
    )
    for row in rows:
        told = _told(row, fewest)
        table.add(f"{row['first']} and {row['second']}", *told)
    return [
        paragraph(
            "A repair may put two values together that nobody has. Some pairs are rare and not "
            "impossible, so an archive has unseen ones before its repair too. Numbers of many "
            "values are compared in ten bins."
        ),
        _first(table),
        *([behind("Table: all pairs of features", table.node())] if len(rows) > MOST_FIRST else []),
    ]


def _first(table: Table) -> Node:
    """Show the worst pairs at once."""
    return Table(table.caption, table.heads, table.rows[:MOST_FIRST]).node()


def _forbidden(part: CombinationsPart, fewest: int) -> list[Node]:
    any_ = part["forbidden"]
    if any_ is None:
        return []
    before, after = _told(any_, fewest)
    rows = [row for row in part["constraints"] if row["before"] != 0 or row["after"] != 0]
    never = len(part["constraints"]) - len(rows)
    said = f" {never:,} of them had no row before or after." if never and rows else ""
    table = Table(
        "Rows with a combination that the plan forbids",
        ("Combination", "#Before", "#After"),
        key="the first of the plan",
    )
    for row in rows:
        table.add(row["words"], *_told(row, fewest))
    return [
        paragraph(
            f"The plan forbids {plural(len(part['constraints']), 'combination')} of values. Rows "
            f"with one: {before} before the repair, {after} after.{said} Rows that come with one "
            f"are repaired like all others; what a policy leaves as it was may stay."
        ),
        *([behind("Table: forbidden combinations", table.node())] if rows else []),
    ]


def _told(row: ConstraintRow | UnseenRow | ForbiddenShare, fewest: int) -> tuple[str, str]:
    before, after = (
        f"<{fewest} rows" if one is None else share(one, 2) for one in (row["before"], row["after"])
    )
    return before, after
