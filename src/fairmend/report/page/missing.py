"""Missing values: whether who has gaps tells the group."""

from fairmend.report.content import MissingRow
from fairmend.report.page.elements import paragraph, section
from fairmend.report.page.tables import Table, behind
from fairmend.report.page.wording import place, share
from fairmend.report.svg import Node

HEADING = "Missing values"
NOTHING = "No repaired feature has missing values, or they were not measured in this audit."


def missing(rows: list[MissingRow]) -> Node:
    """Write the section."""
    if not rows:
        return section("missing", HEADING, paragraph(NOTHING, class_="unmeasured"))
    whole = [row for row in rows if row["stratum"] is None]
    strata = [row for row in rows if row["stratum"] is not None]
    first = whole or strata
    return section(
        "missing",
        HEADING,
        paragraph(
            "A gap tells the group as a value does, if one group has more of them. The difference "
            "is that of two groups’ shares of missing values, on average over pairs of groups."
        ),
        _differences(first).node(),
        behind("Table: share missing in each group", _shares(strata or whole).node()),
    )


def _differences(rows: list[MissingRow]) -> Table:
    table = Table(
        "Difference between groups in the share that is missing",
        ("Feature", "#Before", "#After"),
        key="those that differ most after the repair",
    )
    ordered = sorted(rows, key=lambda row: row["after"] or 0.0, reverse=True)
    for row in ordered if len(rows) > table.most else rows:
        table.add(place(row["feature"], row["stratum"]), share(row["before"]), share(row["after"]))
    return table


def _shares(rows: list[MissingRow]) -> Table:
    table = Table("Share missing in each group", ("Feature", "Group", "#Before", "#After"))
    for row in rows:
        for group in row["groups"]:
            name = place(row["feature"], row["stratum"])
            table.add(name, group["group"], share(group["before"]), share(group["after"]))
    return table
