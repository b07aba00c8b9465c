"""Groups in pictures: which are drawn where there are many, and the legend that names them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from fairmend.report.content import Content
from fairmend.report.densities import Side
from fairmend.report.page.elements import tag
from fairmend.report.page.wording import plural, short
from fairmend.report.panel import COLOURS
from fairmend.report.svg import Node

MOST_GROUPS = len(COLOURS)
"""More lines than colours are a tangle; tables have the others."""


@dataclass(frozen=True)
class Groups:
    """The groups that are drawn.

    Attributes
    ----------
    names : tuple of str
        All of them.
    shown : tuple of int
        Which of them are drawn; their place here is their colour.
    """

    names: tuple[str, ...]
    shown: tuple[int, ...]

    @classmethod
    def of(cls, content: Content) -> Self:
        """Draw the groups of most research rows, in the plan's order."""
        plan, pictures = content["plan"], content["densities"]
        labels = plan["groups"]
        rows = [
            sum(cell["rows"] or 0 for cell in plan["research"] if cell["group"] == label)
            for label in labels
        ]
        most = sorted(range(len(labels)), key=lambda at: -rows[at])[:MOST_GROUPS]
        return cls(tuple(pictures["groups"] if pictures else labels), tuple(sorted(most)))

    def only(self, side: Side) -> Side:
        """Keep the curves that are drawn."""
        curves = [side["curves"][at] for at in self.shown if at < len(side["curves"])]
        return {"dependence": side["dependence"], "curves": curves}

    def legend(self) -> Node:
        """Name the groups beside their colours."""
        left_out = len(self.names) - len(self.shown)
        said = f"{plural(left_out, 'group')} with fewer research rows not drawn."
        return tag(
            "p",
            *(key(at, self.names[group]) for at, group in enumerate(self.shown)),
            tag("span", said) if left_out > 0 else None,
            class_="groups",
        )


def key(at: int, name: str) -> Node:
    """Name one group beside its colour."""
    form = "area" if at == 0 else "line"
    return tag("span", tag("i", class_=f"group {form} g{at}"), short(name, 40))


def chosen(important: Sequence[float], most: int) -> list[int]:
    """Choose the most important of many, in their own order.

    Examples
    --------
    >>> chosen([0.1, 0.5, 0.3], 2)
    [1, 2]
    """
    order = sorted(range(len(important)), key=lambda at: -important[at])
    return sorted(order[:most])
