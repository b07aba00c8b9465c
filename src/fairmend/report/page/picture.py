"""A small picture of fixed proportions, three to a row on a screen and one on a phone."""

from fairmend.report.page.elements import tag
from fairmend.report.panel import HEIGHT, WIDTH
from fairmend.report.svg import Node

LEFT, RIGHT, TOP, BOTTOM = 40.0, 8.0, 8.0, 22.0
SLANTED = 44.0
"""Room below for names that are aslant."""

BASE = TOP + HEIGHT


def picture(key: str, title: str, description: str, *parts: Node, slanted: bool = False) -> Node:
    """Put parts into a picture with a name and a text alternative."""
    height = BASE + BOTTOM + SLANTED * slanted
    return tag(
        "svg",
        tag("title", title, id=f"{key}-title"),
        tag("desc", description, id=f"{key}-desc"),
        *parts,
        class_="panel",
        viewBox=f"0 0 {LEFT + WIDTH + RIGHT:g} {height:g}",
        role="img",
        aria_labelledby=f"{key}-title {key}-desc",
    )


def titled(name: str, drawn: Node) -> Node:
    """Write a picture's name above it."""
    return tag("figure", tag("figcaption", name), drawn, class_="small")
