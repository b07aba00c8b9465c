"""A transport map's picture: by how much each group's values are moved, at each value."""

from collections.abc import Iterator, Sequence

from fairmend.report.content import MapPart
from fairmend.report.page.elements import tag
from fairmend.report.page.groups import Groups
from fairmend.report.page.picture import BASE, LEFT, picture
from fairmend.report.page.wording import amount, place, share
from fairmend.report.panel import (
    COLOURS,
    FAINT,
    GRID,
    HEIGHT,
    SMALL,
    WIDTH,
    aslant,
    draw_axis,
)
from fairmend.report.scales import Scale, ticks
from fairmend.report.svg import Node, Point, line, path, text
from fairmend.report.times import moment, span_ticks, span_unit

MOST_LEVELS = 12
FEW = 14
"""So few points are drawn as dots, too."""


def shift_picture(
    key: str, part: MapPart, ends: tuple[float, float] | None, groups: Groups
) -> Node:
    """Draw the mean change at each value, on the axis of the densities beside it."""
    where = place(part["feature"], part["stratum"])
    stays = "; ".join(
        f"{groups.names[at]}: {share(part['groups'][at]['stays'])} keep their value"
        for at in groups.shown
    )
    if part["levels"] is not None:
        part = first_levels(part)
        title = f"Share of each category that keeps it: {where}"
        drawn = list(_kept(part, groups))
    else:
        title = f"Mean change at each value: {where}"
        drawn = list(_changes(part, ends, groups))
    return picture(key, title, f"{stays}.", *drawn, slanted=aslant(part))


def first_levels(part: MapPart) -> MapPart:
    """Keep as many categories as a picture can name."""
    levels = part["levels"] or []
    at = slice(0, MOST_LEVELS)
    groups = [{**group, "means": group["means"][at]} for group in part["groups"]]
    kept = {"points": part["points"][at], "levels": levels[at], "groups": groups}
    return {**part, **kept}  # type: ignore[typeddict-item]


def changes(part: MapPart, group: int) -> list[float | None]:
    """Return by how much a group's values are moved on average, at each point."""
    means = part["groups"][group]["means"]
    return [None if to is None else to - at for at, to in zip(part["points"], means, strict=True)]


def value_said(part: MapPart, value: float) -> str:
    """Write a value of a feature as its type has it."""
    return moment(value) if part["type"] == "datetime" else change_said(part, value)


def change_said(part: MapPart, by: float | None) -> str:
    """Write a change of a feature's values; of times in days, hours or smaller units."""
    if by is None or part["type"] not in ("datetime", "duration"):
        return amount(by)
    size, unit = span_unit(by, by)
    return amount(by / size, unit)


def _changes(part: MapPart, ends: tuple[float, float] | None, groups: Groups) -> Iterator[Node]:
    points = part["points"]
    low, high = ends or (min(points), max(points))
    x = Scale(low, high if high > low else low + 1.0, LEFT, LEFT + WIDTH)
    moved = {at: changes(part, at) for at in groups.shown}
    known = [0.0, *(c for of_group in moved.values() for c in of_group if c is not None)]
    least, most = min(known), max(known)
    room = 0.06 * ((most - least) or 1.0)
    y = Scale(least - room, most + room, BASE, BASE - HEIGHT)
    yield from _levels_of_change(part, y, x)
    yield from draw_axis(part, x, Scale(0, 1, BASE, BASE - HEIGHT))
    yield line((x.first, y(0.0)), (x.last, y(0.0)), stroke=FAINT, stroke_dasharray="2 3")
    for colour, at in enumerate(groups.shown):
        placed = [
            (x(point), y(by)) for point, by in zip(points, moved[at], strict=True) if by is not None
        ]
        yield from _line(placed, colour)


def _line(placed: Sequence[Point], colour: int) -> Iterator[Node]:
    look = COLOURS[colour]
    if len(placed) > 1:
        yield path(placed, fill="none", stroke=look, stroke_width=1.5, stroke_linejoin="round")
    if len(placed) <= FEW:
        for x, y in placed:
            yield tag("circle", cx=f"{x:.1f}", cy=f"{y:.1f}", r=2.5, fill=look)


def _levels_of_change(part: MapPart, y: Scale, x: Scale) -> Iterator[Node]:
    if part["type"] in ("datetime", "duration"):
        named = span_ticks(y.low, y.high, 4)
    else:
        named = [(value, amount(value)) for value in ticks(y.low, y.high, 4)]
    for value, said in named:
        yield line((x.first, y(value)), (x.last, y(value)), stroke=GRID)
        yield text(said, LEFT - 5, y(value) + 4, text_anchor="end", **SMALL)


def _kept(part: MapPart, groups: Groups) -> Iterator[Node]:
    n = len(part["points"])
    x = Scale(-0.5, n - 0.5, LEFT, LEFT + WIDTH)
    y = Scale(0.0, 1.05, BASE, BASE - HEIGHT)
    for value in (0.5, 1.0):
        yield line((x.first, y(value)), (x.last, y(value)), stroke=GRID)
        yield text(f"{100 * value:.0f} %", LEFT - 5, y(value) + 4, text_anchor="end", **SMALL)
    yield from draw_axis(part, x, y)
    beside = min(7.0, 0.7 * WIDTH / n / max(len(groups.shown), 1))
    for colour, at in enumerate(groups.shown):
        aside = beside * (colour - (len(groups.shown) - 1) / 2)
        for level, kept in enumerate(part["groups"][at]["means"]):
            if kept is not None:
                to = x(level) + aside, y(kept)
                yield line((to[0], BASE), to, stroke=COLOURS[colour], stroke_width=1.5)
                yield tag("circle", cx=f"{to[0]:.1f}", cy=f"{to[1]:.1f}", r=3, fill=COLOURS[colour])
