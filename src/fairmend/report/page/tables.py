"""Tables: aligned, captioned, capped, and able to scroll by themselves on a narrow screen."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Self

from fairmend.report.page.elements import Part, paragraph, tag
from fairmend.report.svg import Node

MOST_ROWS = 60
"""More rows than this are a data set; the report's JSON has them all."""


LONG = 16


@dataclass(frozen=True)
class Table:
    """A table before it is written.

    Attributes
    ----------
    caption : str
        What it shows.
    heads : sequence of str
        Names of columns. One that begins with ``#`` is aligned as numbers are, without the sign.
    rows : list of sequence
        Cells; the first of each row names it.
    key : str
        Which rows are shown where not all are: ``"those with most dependence after the repair"``.
    most : int
        How many.
    """

    caption: str
    heads: Sequence[str]
    rows: list[Sequence[Part]] = field(default_factory=list)
    key: str = "the first"
    most: int = MOST_ROWS

    def add(self, *cells: Part) -> Self:
        """Add a row."""
        self.rows.append(cells)
        return self

    def node(self) -> Node:
        """Write it, as many rows as may be shown."""
        numeric = [head.startswith("#") for head in self.heads]
        heads = (
            tag("th", head.removeprefix("#"), scope="col", class_="n" if right else None)
            for head, right in zip(self.heads, numeric, strict=True)
        )
        rows = [self._row(cells, numeric) for cells in self.rows[: self.most]]
        table = tag(
            "table",
            tag("caption", self.caption),
            tag("thead", tag("tr", *heads)),
            tag("tbody", *rows),
        )
        # What scrolls must be reachable by keyboard, and then it needs a name.
        scroll = tag(
            "div", table, class_="scroll", tabindex="0", role="region", aria_label=self.caption
        )
        left_out = len(self.rows) - self.most
        if left_out <= 0:
            return scroll
        said = (
            f"{self.most} of {len(self.rows):,} rows are shown: {self.key}. "
            f"The report's JSON has the other {left_out:,}."
        )
        return tag("div", scroll, paragraph(said, class_="note"))

    @staticmethod
    def _row(cells: Sequence[Part], numeric: Iterable[bool]) -> Node:
        first, *others = zip(cells, numeric, strict=True)
        return tag(
            "tr",
            tag("th", first[0], scope="row"),
            *(tag("td", cell, class_=_kind(cell, right)) for cell, right in others),
        )


def _kind(cell: Part, right: bool) -> str | None:
    """Align numbers, and keep a phone from breaking sentences after every word."""
    if right:
        return "n"
    return "long" if isinstance(cell, str) and len(cell) > LONG else None


def behind(summary: str, *content: Node, fine: bool = False) -> Node:
    """Put tables behind a picture; they open by themselves in print, ``fine`` ones small."""
    return tag("details", tag("summary", summary), *content, class_="fine" if fine else None)
