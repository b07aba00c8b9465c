"""The figure: a row for each feature and stratum, before and after repair side by side."""

from collections.abc import Iterator

from fairmend.report import panel as one
from fairmend.report.densities import Densities, Panel, Side
from fairmend.report.svg import Node, document, node, path, text

INK = "#1f2328"
FONT = "system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif"
TITLE = "Features by group, before and after repair"

WIDTH = 720.0
SHOWN = 900
"""Drawn on 720 units and shown 900 pixels wide, the smallest text is still 6 pixels high at 400."""
LEFT, BETWEEN = 44.0, 20.0
SWATCH = ((0, 0), (0, 6), (6, 6), (6, 12), (12, 12), (12, 4), (18, 4), (18, 0))
HEADER, ROW, FOOTER = 66.0, 160.0, 48.0
NAMES = 44.0
"""A row whose axis has names aslant is higher by this."""


def to_svg(data: Densities, title: str = TITLE) -> str:
    """Draw the densities as one SVG file.

    The first group is a filled area and each other group a line, so that groups which agree are
    seen to agree: the line runs along the edge of the area, in any colour vision. Both panels of a
    row have the same axes, and all rows of a feature the same horizontal one. A bar at least twice
    as high as all others is cut, and its shares are written beside it.

    Parameters
    ----------
    data : dict
        From :func:`fairmend.report.densities.densities`.
    title : str
        Written above the panels.

    Returns
    -------
    str
        An SVG document with a white ground of its own. The same data gives the same text.
    """
    heights = [ROW + NAMES * one.aslant(panel) for panel in data["panels"]]
    height = HEADER + sum(heights) + FOOTER
    parts = [text(title, 16.0, 30.0, font_size=17, font_weight=600), *_legend(data)]
    for row, panel in enumerate(data["panels"]):
        parts += _row(panel, data, HEADER + sum(heights[:row]))
    parts += _footer(data, height - FOOTER)
    whole = node("g", *parts, fill=INK, font_family=FONT, font_size=13)
    return document(WIDTH, height, SHOWN, title, _description(data), whole)


def _legend(data: Densities) -> Iterator[Node]:
    protected = " × ".join(data["protected"])
    yield text(f"{protected}:", 16.0, 55.0, fill=one.FAINT)
    left = 28.0 + 7.0 * len(protected)
    for code, name in enumerate(data["groups"]):
        bars = [(left + x, 57.0 - y) for x, y in SWATCH]
        yield path(bars, **one.look(code))
        yield text(name, left + 25, 55.0)
        left += 45.0 + 7.0 * len(name)


def _row(panel: Panel, data: Densities, top: float) -> Iterator[Node]:
    alike = [other["edges"] for other in data["panels"] if other["feature"] == panel["feature"]]
    low, high = min(edges[0] for edges in alike), max(edges[-1] for edges in alike)
    axes = one.Axes.of(panel, low, high)
    yield text(f"{panel['feature']}, {panel['stratum']}", LEFT, top + 16, font_weight=600)
    sides = (("before repair", panel["before"]), ("after repair", panel["after"]))
    for column, (name, side) in enumerate(sides):
        left = LEFT + column * (one.WIDTH + BETWEEN)
        yield text(name, left, top + 34, fill=one.FAINT)
        yield text(_nats(side), left + one.WIDTH, top + 34, text_anchor="end")
        base = top + 42 + one.HEIGHT
        yield one.draw_panel(panel, side, axes, left, base, numbered=column == 0)


def _footer(data: Densities, top: float) -> Iterator[Node]:
    lines = (
        "E is the dependence on the group, a symmetrised divergence in nats: near 0 without any.",
        f"Where fewer than {data['fewest']} rows of a group share a value, they are pooled with "
        "their neighbours.",
    )
    for at, content in enumerate(lines):
        yield text(content, 16.0, top + 18 + 16 * at, font_size=11, fill=one.FAINT)


def _nats(side: Side) -> str:
    nats = side["dependence"]
    return "E unknown (too few rows)" if nats is None else f"E = {nats:.3f} nats"


def _description(data: Densities) -> str:
    """Say what the picture shows to those who cannot see it."""
    said = [
        f"{panel['feature']}, {panel['stratum']}: {_nats(panel['before'])} before, "
        f"{_nats(panel['after'])} after."
        for panel in data["panels"]
    ]
    groups = ", ".join(data["groups"])
    return f"Distributions by {' × '.join(data['protected'])} ({groups}). " + " ".join(said)
