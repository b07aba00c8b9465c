"""The picture of a forecast: E over research rows, and over support points, for each feature."""

from collections.abc import Iterator, Mapping, Sequence
from math import log10
from typing import Any

from fairmend.report.figure import FONT, INK, LEFT, WIDTH
from fairmend.report.panel import COLOURS, FAINT, GRID, SMALL
from fairmend.report.scales import Scale, ticks
from fairmend.report.svg import Node, document, line, node, path, text

TITLE = "Expected dependence after repair"

SHOWN = 900
HEADER, ROW, FOOTER = 62.0, 172.0, 46.0
PANEL, HEIGHT = 316.0, 96.0
RIGHT = WIDTH - PANEL - 16.0
BLUE, RED = COLOURS[1], COLOURS[3]


def to_svg(content: Mapping[str, Any]) -> str:
    """Draw a forecast as one SVG document.

    On the left E over the number of research rows, as a line in the band that should hold what an
    audit finds; the rows there are now are a dot, and the tolerance is a broken line. On the right
    E over the number of support points, with the fewest that are enough.

    Parameters
    ----------
    content : dict
        From :meth:`fairmend.foresight.results.Forecast.to_dict`.
    """
    features = list(content["features"].values())
    height = HEADER + ROW * len(features) + FOOTER
    parts = [
        text(TITLE, 16.0, 30.0, font_size=17, font_weight=600),
        text(
            f"from {content['research_rows']:,} research rows, for an archive of "
            f"{content['archive_rows']:,}",
            16.0,
            50.0,
            fill=FAINT,
        ),
    ]
    for at, one in enumerate(features):
        parts += _row(one, content, HEADER + ROW * at)
    parts += _footer(height - FOOTER)
    whole = node("g", *parts, fill=INK, font_family=FONT, font_size=13)
    return document(WIDTH, height, SHOWN, TITLE, _description(content), whole)


def _row(one: Mapping[str, Any], content: Mapping[str, Any], top: float) -> Iterator[Node]:
    said = "too few rows to forecast"
    if one["e"] is not None:
        said = f"E {one['before']:.3f} before, {_interval(one['e'])} expected"
    yield text(f"{one['name']}: {said}", LEFT, top + 16, font_weight=600)
    if one["e"] is None:
        return
    yield from _learning(one, content, top + 38 + HEIGHT)
    if one["supports"] is None:
        yield text("Its values are its support points.", RIGHT, top + 38, **SMALL)
    else:
        yield from _supports(one, content["tolerance"], top + 38 + HEIGHT)


def _learning(one: Mapping[str, Any], content: Mapping[str, Any], base: float) -> Iterator[Node]:
    steps = one["learning"]
    rows = [log10(step["rows"]) for step in steps]
    highs = [step["e"]["high"] for step in steps]
    x = Scale(rows[0], rows[-1], LEFT, LEFT + PANEL)
    y = Scale(0.0, 1.05 * max(content["tolerance"], *highs), base, base - HEIGHT)
    yield text("E over research rows", LEFT, base - HEIGHT - 6, **SMALL)
    yield from _axes(
        x, y, [(at, f"{step['rows']:,}") for at, step in zip(rows, steps, strict=True)]
    )
    band = [(x(at), y(high)) for at, high in zip(rows, highs, strict=True)]
    band += [(x(at), y(s["e"]["low"])) for at, s in zip(rows[::-1], steps[::-1], strict=True)]
    yield path([*band, band[0]], fill=BLUE, fill_opacity=0.15)
    yield from _tolerance(x, y, content["tolerance"])
    curve = [(x(at), y(step["e"]["value"])) for at, step in zip(rows, steps, strict=True)]
    yield path(curve, fill="none", stroke=BLUE, stroke_width=2)
    now = x(log10(content["research_rows"])), y(one["e"]["value"])
    yield node("circle", cx=now[0], cy=now[1], r=4, fill=BLUE)
    yield text("now", now[0] + 6, now[1] - 6, font_size=11)


def _supports(one: Mapping[str, Any], tolerance: float, base: float) -> Iterator[Node]:
    sizes = one["supports"]["sizes"]
    points = [log10(size["n"]) for size in sizes]
    x = Scale(points[0], points[-1], RIGHT, RIGHT + PANEL)
    y = Scale(0.0, 1.3 * max(tolerance, *(s["e"] for s in sizes)), base, base - HEIGHT)
    changes = [s["damage"] for s in sizes]
    top = Scale(0.0, 1.05 * max(changes), base, base - HEIGHT)
    yield text("E over support points", RIGHT, base - HEIGHT - 6, fill=BLUE, font_size=11)
    yield text(
        f"change to the data: {max(changes):.2f} to {min(changes):.2f} σ",
        RIGHT + PANEL,
        base - HEIGHT - 6,
        text_anchor="end",
        font_size=11,
        fill=RED,
    )
    yield from _axes(x, y, [(at, f"{s['n']:,}") for at, s in zip(points, sizes, strict=True)])
    yield from _tolerance(x, y, tolerance)
    enough = x(log10(one["supports"]["enough"]))
    yield line((enough, base), (enough, base - 0.6 * HEIGHT), stroke=FAINT, stroke_dasharray="1 3")
    yield text("enough", enough, base - 0.6 * HEIGHT - 3, text_anchor="middle", **SMALL)
    scales: Sequence[tuple[str, Scale, str, str]] = (
        ("damage", top, RED, "5 3"),
        ("e", y, BLUE, "none"),
    )
    for name, scale, colour, dashes in scales:
        curve = [(x(at), scale(size[name])) for at, size in zip(points, sizes, strict=True)]
        yield path(curve, fill="none", stroke=colour, stroke_width=2, stroke_dasharray=dashes)


def _axes(x: Scale, y: Scale, marks: Sequence[tuple[float, str]]) -> Iterator[Node]:
    for value in ticks(0.0, y.high, 4):
        yield line((x.first, y(value)), (x.last, y(value)), stroke=GRID)
        yield text(f"{value:g}", x.first - 6, y(value) + 4, text_anchor="end", **SMALL)
    for at, (place, name) in enumerate(marks):
        anchor = "start" if at == 0 else "end" if at == len(marks) - 1 else "middle"
        yield line((x(place), y.first), (x(place), y.first + 4), stroke=FAINT)
        yield text(name, x(place), y.first + 17, text_anchor=anchor, **SMALL)


def _tolerance(x: Scale, y: Scale, tolerance: float) -> Iterator[Node]:
    at = y(tolerance)
    yield line((x.first, at), (x.last, at), stroke=INK, stroke_dasharray="6 4")
    yield text(f"tolerance {tolerance:g}", x.last, at - 4, text_anchor="end", font_size=11)


def _footer(top: float) -> Iterator[Node]:
    lines = (
        "E is the dependence on the group in nats, over strata. The band should hold what an audit "
        "of the archive finds,",
        "in 95 of 100 cases; beyond the rows there are now it is an extrapolation.",
    )
    for at, content in enumerate(lines):
        yield text(content, 16.0, top + 16 + 16 * at, font_size=11, fill=FAINT)


def _interval(e: Mapping[str, float]) -> str:
    return f"{e['value']:.3f} ({e['low']:.3f} to {e['high']:.3f})"


def _description(content: Mapping[str, Any]) -> str:
    return " ".join(content["sentences"])
