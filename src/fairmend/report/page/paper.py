"""E on the scale of the paper's tables, for readers who compare with them."""

from fairmend.report.content import PaperPart
from fairmend.report.page.tables import Table, behind
from fairmend.report.page.wording import fixed
from fairmend.report.svg import Node


def paper(part: PaperPart) -> Node:
    """Write the table."""
    caption = f"E on the paper’s scale, a sum over a grid of {part['grid']} points; not nats"
    table = Table(caption, ("Feature", "#Before", "#After"))
    for row in part["rows"]:
        table.add(row["feature"], fixed(row["before"]), fixed(row["after"]))
    return behind("Table: E on the scale of the paper’s tables", table.node())
