"""The figure of most sections: a row for each thing measured, before above after, on one axis."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from fairmend.report.content import Estimate, Words
from fairmend.report.page.axis import Axis
from fairmend.report.page.elements import Part, tag
from fairmend.report.page.verdicts import LOOKS
from fairmend.report.page.wording import short
from fairmend.report.svg import Node

TOP, ROW, BOTTOM = 24, 50, 26
NAME, BEFORE, AFTER = 15, 27, 37
"""Below a row's upper end: its name's baseline, and its two lanes."""

LETTERS = 43
"""Letters that a phone has room for in a row: a name and its numbers."""


INTERVAL = "95 % interval"


@dataclass(frozen=True)
class Track:
    """One row.

    Attributes
    ----------
    name, where : str
        What was measured, at the left, and in which stratum or group.
    said : str
        Its numbers, at the right.
    before, after : dict or None
        Each a value with its interval.
    chance : (float, float) or None
        Where chance alone would put what is after.
    verdict : str or None
        Signed beside the numbers.
    """

    name: str
    said: str
    before: Estimate | None
    after: Estimate | None
    chance: tuple[float, float] | None = None
    verdict: Words | None = None
    where: str = ""

    @property
    def whole(self) -> str:
        """Name and place."""
        return f"{self.name}, {self.where}" if self.where else self.name


@dataclass(frozen=True)
class Tracks:
    """The figure before it is drawn.

    Attributes
    ----------
    key : str
        Begins its ids.
    title : str
        Says what it shows.
    axis : Axis
        Of all rows.
    lines : dict of float to str
        Values to compare with, and their names.
    rows : sequence of Track
        From above.
    base : float or None
        Where bars begin; without it values are dots.
    """

    key: str
    title: str
    axis: Axis
    lines: dict[float, str]
    rows: Sequence[Track]
    base: float | None = None

    def node(self) -> Node:
        """Draw it."""
        height = TOP + ROW * len(self.rows) + BOTTOM
        said = "; ".join(f"{row.whole}: {row.said}{_words(row.verdict)}" for row in self.rows)
        return drawing(
            self.key,
            self.title,
            f"{said}." if said else self.title,
            height,
            *self._grid(height - BOTTOM),
            *(part for at, row in enumerate(self.rows) for part in self._row(row, TOP + ROW * at)),
        )

    def _grid(self, base: int) -> Iterator[Node]:
        for value in self.axis.ticks:
            x = self.axis.percent(value)
            yield tag("line", x1=x, x2=x, y1=TOP, y2=base, class_="grid")
            yield tag("text", f"{value:g}", x=x, y=base + 18, class_="tick")
        for value, name in self.lines.items():
            x, right = self.axis.percent(value), self.axis.at(value) > 60
            yield tag("line", x1=x, x2=x, y1=TOP - 8, y2=base, class_="rule")
            anchor = "end" if right else "start"
            yield tag("text", name, x=x, y=TOP - 12, class_="rule-name", text_anchor=anchor)

    def _row(self, row: Track, top: int) -> Iterator[Node]:
        whole = short(row.whole, LETTERS - len(row.said))
        name = tag("tspan", whole[: len(row.name)])
        yield tag("text", name, whole[len(row.name) :], x=0, y=top + NAME, class_="name")
        look = LOOKS[row.verdict]
        sign = tag("tspan", f" {look.sign}", class_=look.name) if row.verdict else None
        yield tag("text", row.said, sign, x="100%", y=top + NAME, class_="said")
        if row.chance is not None:
            first, last = (self.axis.at(end) for end in row.chance)
            place = {"x": f"{first:.2f}%", "width": f"{max(last - first, 0.3):.2f}%"}
            yield tag("rect", **place, y=top + AFTER - 6, height=12, class_="chance")
        yield from self._mark(row.before, top + BEFORE, "before")
        yield from self._mark(row.after, top + AFTER, "after")

    def _mark(self, found: Estimate | None, y: int, name: str) -> Iterator[Node]:
        if found is None or found["value"] is None:
            return
        x = self.axis.percent(found["value"])
        if self.base is not None:
            ends = sorted((self.axis.at(self.base), self.axis.at(found["value"])))
            wide = f"{ends[1] - ends[0]:.2f}%"
            yield tag(
                "rect", x=f"{ends[0]:.2f}%", width=wide, y=y - 4, height=8, class_=f"bar {name}"
            )
        if found["low"] is not None and found["high"] is not None:
            low, high = self.axis.percent(found["low"]), self.axis.percent(found["high"])
            yield tag("line", x1=low, x2=high, y1=y, y2=y, class_=f"interval {name}")
        if self.base is None:
            yield tag("circle", cx=x, cy=y, r=4.5, class_=f"dot {name}")


def drawing(key: str, title: str, description: str, height: int, *parts: Node) -> Node:
    """Make a picture as wide as the page, with the texts that screen readers say."""
    return tag(
        "svg",
        tag("title", title, id=f"{key}-title"),
        tag("desc", description, id=f"{key}-desc"),
        *parts,
        class_="tracks",
        role="img",
        aria_labelledby=f"{key}-title {key}-desc",
        width="100%",
        height=height,
    )


def figure(picture: Node, caption: str, *legend: Part) -> Node:
    """Put a picture and what its marks mean together."""
    return tag(
        "figure",
        tag("figcaption", caption, tag("span", *legend, class_="legend") if legend else None),
        picture,
    )


def legend(*, chance: str | None = None, bars: bool = False) -> list[Node]:
    """Say what the marks mean."""
    form = "bar" if bars else "dot"
    marks = [(f"{form} before", "before"), (f"{form} after", "after"), ("whisker", INTERVAL)]
    if chance:
        marks.append(("chance", chance))
    return [tag("span", tag("i", class_=f"mark {name}"), said) for name, said in marks]


def _words(verdict: Words | None) -> str:
    return f", {verdict}" if verdict else ""
