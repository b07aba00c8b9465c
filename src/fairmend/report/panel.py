"""One panel: axes, a curve for each group, and what is said about bars that are cut."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from fairmend.report.content import MapPart
from fairmend.report.densities import Curve, Panel, Side
from fairmend.report.levels import shortened
from fairmend.report.scales import Scale, cut_level, ticks
from fairmend.report.svg import Node, Point, line, node, path, text
from fairmend.report.times import date_ticks, moment, span_ticks, span_unit

FAINT, GRID = "#59636e", "#e3e7eb"
SMALL = {"fill": FAINT, "font_size": 11}
COLOURS = ("#e69f00", "#0072b2", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", "#000000")
"""Okabe and Ito's colours, which people with any colour vision can tell apart."""

WIDTH, HEIGHT = 322.0, 88.0
LABEL = 14.0
HALO = {"stroke": "#fff", "stroke_width": 3, "paint_order": "stroke"}
"""Keeps a label readable where it runs across another bar."""
SLANT = -38
LETTER = 6.2
"""Width of a letter on an axis, on average."""
GAP = 0.1
"""Share of a level's bar that is left free on each side: levels are no stretches of an axis."""
MOST_NAMED, MOST_SAID = 2, 4
"""A cut bar's label has no room for the names of more groups; it keeps the legend's order. Nor has
it for the shares of many: their range is said."""

LONGEST_NAMED = 24
"""Letters in the names of groups that such a label has room for."""


@dataclass(frozen=True)
class Axes:
    """What both panels of a row share, so that they can be compared.

    Attributes
    ----------
    low, high : float
        Ends of the feature's axis.
    top : float
        The highest share on the axis.
    cut : tuple of int
        Bins whose bars are higher than that.
    smooth : bool
        Whether curves are drawn through the middle of bins, not as bars.
    gap : float
        Share of a bar's width that is free on each side.
    """

    low: float
    high: float
    top: float
    cut: tuple[int, ...]
    smooth: bool
    gap: float = 0.0

    @classmethod
    def of(cls, panel: Panel, low: float, high: float) -> "Axes":
        """Choose axes on which all curves of a row can be read."""
        curves = panel["before"]["curves"] + panel["after"]["curves"]
        shares = [curve["share"] for curve in curves if curve["share"] is not None]
        highest = [max(bars) for bars in zip(*shares, strict=True)] or [1.0]
        smooth = panel["kind"] == "continuous"
        level = None if smooth else cut_level(highest)
        top = max(highest) if level is None else level
        cut = tuple(at for at, share in enumerate(highest) if share > top)
        return cls(low, high, 1.05 * top, cut, smooth, GAP if panel["levels"] else 0.0)

    def place(self, left: float, base: float) -> tuple[Scale, Scale]:
        """Scale the axes to a panel; bars that are cut have room above for their labels."""
        room = LABEL * len(self.cut) + 4 if self.cut else 0
        return (
            Scale(self.low, self.high, left, left + WIDTH),
            Scale(0, self.top, base, base - HEIGHT + room),
        )


def draw_panel(
    panel: Panel, side: Side, axes: Axes, left: float, base: float, *, numbered: bool
) -> Node:
    """Draw one side of a row with the left end of its baseline at (left, base)."""
    x, y = axes.place(left, base)
    shown = [(k, c["share"]) for k, c in enumerate(side["curves"]) if c["share"] is not None]
    curves = [path(_outline(share, panel["edges"], axes, x, y), **look(k)) for k, share in shown]
    labels = [
        label
        for row, at in enumerate(axes.cut)
        if any(share[at] > axes.top for _, share in shown)
        for label in _cut(panel, side["curves"], at, x, y, row, axes.gap)
    ]
    grid = _grid(y, x.first, x.last, numbered=numbered) if not axes.smooth else ()
    return node("g", *grid, *draw_axis(panel, x, y), *curves, *labels)


def aslant(panel: Panel | MapPart) -> bool:
    """Tell whether the names of a panel's levels need more room than their bars are wide."""
    levels = panel["levels"]
    return levels is not None and max(map(len, levels)) * LETTER > WIDTH / len(levels)


def look(code: int) -> dict[str, object]:
    """Fill the first group, outline the others, and dash them where colours begin again."""
    colour = COLOURS[code % len(COLOURS)]
    if code == 0:
        return {"fill": colour, "fill_opacity": "0.75"}
    dashes = {"stroke_dasharray": "4 2"} if code >= len(COLOURS) else {}
    return {"fill": "none", "stroke": colour, "stroke_width": 1.5, **dashes}


def _outline(
    share: Sequence[float], edges: Sequence[float], axes: Axes, x: Scale, y: Scale
) -> Iterator[Point]:
    """Go along the tops of the bars, or through the middle of the bins of a smooth curve."""
    top = y.first - HEIGHT
    yield x(edges[0]), y.first
    for at, ((left, right), height) in enumerate(zip(pairwise(edges), share, strict=True)):
        over = at in axes.cut and height > axes.top
        if axes.smooth:
            yield x((left + right) / 2), y(height)
            continue
        free = axes.gap * (right - left)
        ends = x(left + free), x(right - free)
        if free:
            yield ends[0], y.first
        yield from ((end, top if over else y(height)) for end in ends)
        if free:
            yield ends[1], y.first
    yield x(edges[-1]), y.first


def _grid(y: Scale, left: float, right: float, *, numbered: bool) -> Iterator[Node]:
    for share in ticks(0, y.high, 4)[1:]:
        yield line((left, y(share)), (right, y(share)), stroke=GRID)
        if numbered:
            yield text(f"{100 * share:g} %", left - 5, y(share) + 4, text_anchor="end", **SMALL)


def draw_axis(panel: Panel | MapPart, x: Scale, y: Scale) -> Iterator[Node]:
    """Draw the axis of a feature's values at the lower end of ``y``."""
    yield line((x.first, y.first), (x.last, y.first), stroke=FAINT)
    slanted = aslant(panel)
    for value, label in _ticks(panel, x):
        at = x(value)
        yield line((at, y.first), (at, y.first + 4), stroke=FAINT)
        if slanted:
            turn = {"transform": f"rotate({SLANT} {at:.1f} {y.first + 14:.1f})"}
            yield text(shortened(label), at, y.first + 14, text_anchor="end", **turn, **SMALL)
        else:
            yield text(label, at, y.first + 16, text_anchor="middle", **SMALL)


def _ticks(panel: Panel | MapPart, x: Scale) -> list[tuple[float, str]]:
    """Choose the values that are named below the axis, by the type of the feature."""
    if panel["levels"] is not None:
        return [(float(at), level) for at, level in enumerate(panel["levels"])]
    if panel["type"] == "datetime":
        return date_ticks(x.low, x.high)
    if panel["type"] == "duration":
        return span_ticks(x.low, x.high)
    return [
        (value, f"{value:,.0f}" if value.is_integer() else f"{value:g}")
        for value in ticks(x.low, x.high)
    ]


def _cut(
    panel: Panel, curves: Sequence[Curve], at: int, x: Scale, y: Scale, row: int, gap: float
) -> Iterator[Node]:
    """Break a bar where the axis ends, and write each group's share beside its top."""
    low, high = panel["edges"][at : at + 2]
    middle = x((low + high) / 2)
    for up in (2.0, 5.0):
        ends = (middle - 6, y.last - up + 2), (middle + 6, y.last - up - 2)
        yield line(*ends, stroke="#fff", stroke_width=1.5)
    shares = [(c["group"], c["share"][at]) for c in curves if c["share"] is not None]
    right = middle < (x.first + x.last) / 2
    beside = max(9.0, (0.5 - gap) * (x(high) - x(low)) + 4)
    yield text(
        f"{shortened(bin_name(panel, at), LONGEST_NAMED)}: {_shares(shares)}",
        middle + (beside if right else -beside),
        y.first - HEIGHT + LABEL * row + 10,
        text_anchor="start" if right else "end",
        font_size=11,
        **HALO,
    )


def _shares(shares: Sequence[tuple[str, float]]) -> str:
    """Say each group's share, with its name where there is room."""
    if len(shares) > MOST_SAID:
        ends = (f(share for _, share in shares) for f in (min, max))
        return " to ".join(f"{100 * share:.0f} %" for share in ends)
    letters = sum(len(group) for group, _ in shares)
    named = len(shares) <= MOST_NAMED and letters <= LONGEST_NAMED
    return ", ".join(f"{100 * share:.0f} %{f' {group}' * named}" for group, share in shares)


def bin_name(panel: Panel, at: int) -> str:
    """Name a bin by its value or its ends; the outermost hold what is beyond the plan, too."""
    if panel["levels"] is not None:
        return panel["levels"][at]
    low, high = panel["edges"][at : at + 2]
    if panel["single"]:
        middle = (low + high) / 2
        return f"{middle:g}" if panel["type"] == "number" else _said(panel, middle)
    if at == 0:
        return f"below {_said(panel, high)}"
    last = at == len(panel["edges"]) - 2
    return f"above {_said(panel, low)}" if last else f"{_said(panel, low)} to {_said(panel, high)}"


def _said(panel: Panel, value: float) -> str:
    """Write a value in the feature's own way."""
    if panel["type"] == "datetime":
        return moment(value)
    if panel["type"] == "duration":
        size, name = span_unit(panel["edges"][0], panel["edges"][-1])
        return f"{_short(value / size)} {name}"
    return _short(value)


def _short(value: float) -> str:
    """Write an edge between bins with three digits; it is nobody's value."""
    return f"{float(f'{value:.3g}'):,g}" if abs(value) < 1e6 else f"{value:.3g}"
