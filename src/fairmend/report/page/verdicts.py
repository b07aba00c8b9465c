"""Verdicts: words, a sign and a colour, of which the words alone suffice."""

from typing import NamedTuple

from fairmend.report.content import Words
from fairmend.report.page.elements import tag
from fairmend.report.svg import Node


class Look(NamedTuple):
    """A verdict's class in the style sheet, its sign, and its words as a heading."""

    name: str
    sign: str
    heading: str


LOOKS: dict[Words | None, Look] = {
    "within tolerance": Look("within", "✓", "Within tolerance"),
    "above tolerance": Look("above", "✕", "Above tolerance"),
    "insufficient evidence": Look("unsure", "?", "Insufficient evidence"),
    None: Look("none", "–", "No verdict"),
}


def chip(words: Words | None) -> Node | None:
    """Write a verdict for a table or a list; nothing where there is none."""
    if words is None:
        return None
    return tag("span", sign(words), f" {words}", class_=f"chip {LOOKS[words].name}")


def sign(words: Words | None) -> Node:
    """Write a verdict's sign, which goes beside its words."""
    return tag("span", LOOKS[words].sign, aria_hidden="true")
