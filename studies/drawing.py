"""Draw curves and points with their errors as one accessible SVG."""

from dataclasses import dataclass

import numpy as np

from fairmend.report.panel import COLOURS
from fairmend.report.scales import Scale, ticks
from fairmend.report.svg import document, line, node, path, text

INK, FAINT, GRID = "#1f2328", "#59636e", "#e3e7eb"
FONT = "system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif"
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 720.0, 400.0, 60.0, 700.0, 92.0, 350.0
ORDER = (1, 0, 2, 3, 4, 5, 6)
"""Blue first: a yellow line alone is hard to see."""


@dataclass
class Curve:
    """One line: places, heights, and half the length of each error bar."""

    name: str
    x: np.ndarray
    y: np.ndarray
    error: np.ndarray | None = None
    joined: bool = True
    dashed: bool = False


def chart(title, curves, *, x_label, y_label, log=False, labels=None, low=0.0):
    """Draw curves in one panel, with a legend, and describe them in words.

    Parameters
    ----------
    title, x_label, y_label : str
        Written beside the panel.
    curves : list of Curve
        The first has the first colour.
    log : bool
        Whether the horizontal axis is logarithmic.
    labels : list of float, optional
        Places to write on the horizontal axis.
    low : float
        The lower end of the vertical axis.

    Returns
    -------
    svg, description : str
    """
    move = np.log10 if log else np.asarray
    every_x = np.concatenate([move(np.asarray(curve.x, float)) for curve in curves])
    tops = [curve.y + (0 if curve.error is None else curve.error) for curve in curves]
    pad = 0.03 * (every_x.max() - every_x.min() or 1.0)
    x = Scale(every_x.min() - pad, every_x.max() + pad, LEFT, RIGHT)
    y = Scale(low, 1.04 * float(max(np.max(top) for top in tops)), BOTTOM, TOP)
    parts = [text(title, 16.0, 28.0, font_size=17, font_weight=600), *_legend(curves)]
    for at in ticks(y.low, y.high, 7):
        parts.append(line((LEFT, y(at)), (RIGHT, y(at)), stroke=GRID))
        parts.append(
            text(f"{at:g}", LEFT - 6, y(at) + 4, text_anchor="end", font_size=11, fill=FAINT)
        )
    for at in labels if labels is not None else ticks(x.low, x.high, 8):
        where = x(float(move(float(at))) if labels is not None else at)
        parts.append(line((where, BOTTOM), (where, BOTTOM + 4), stroke=FAINT))
        parts.append(
            text(f"{at:,g}", where, BOTTOM + 17, text_anchor="middle", font_size=11, fill=FAINT)
        )
    parts.append(line((LEFT, BOTTOM), (RIGHT, BOTTOM), stroke=FAINT))
    parts.append(text(x_label, RIGHT, BOTTOM + 36, text_anchor="end", font_size=12, fill=FAINT))
    parts.append(text(y_label, 16.0, TOP - 12, font_size=12, fill=FAINT))
    for at, curve in enumerate(curves):
        parts += _drawn(curve, x, y, move, COLOURS[ORDER[at % len(ORDER)]])
    body = node("g", *parts, fill=INK, font_family=FONT, font_size=13)
    said = f"{y_label} against {x_label}. " + " ".join(_in_words(curve) for curve in curves)
    return document(WIDTH, HEIGHT, 900, title, said, body), title


def _drawn(curve, x, y, move, colour):
    places = [x(float(move(float(at)))) for at in curve.x]
    if curve.joined:
        dash = {"stroke_dasharray": "6 4"} if curve.dashed else {}
        points = [(at, y(float(v))) for at, v in zip(places, curve.y, strict=True)]
        yield path(points, fill="none", stroke=colour, stroke_width=2, **dash)
    for at, place in enumerate(places):
        height = float(curve.y[at])
        if curve.error is not None and np.isfinite(curve.error[at]):
            ends = [(place, y(height + sign * float(curve.error[at]))) for sign in (-1, 1)]
            yield line(*ends, stroke=colour, stroke_width=1.5)
        if not curve.dashed:
            yield node("circle", cx=place, cy=y(height), r=3.5, fill=colour)


def _legend(curves):
    left, top = 16.0, 52.0
    for at, curve in enumerate(curves):
        width = 46.0 + 7.0 * len(curve.name)
        if left + width > RIGHT:
            left, top = 16.0, top + 18
        colour = COLOURS[ORDER[at % len(ORDER)]]
        dash = {"stroke_dasharray": "6 4"} if curve.dashed else {}
        if curve.joined:
            yield line((left, top - 4), (left + 20, top - 4), stroke=colour, stroke_width=2, **dash)
        if not curve.dashed:
            yield node("circle", cx=left + 10, cy=top - 4, r=3.5, fill=colour)
        yield text(curve.name, left + 26, top, font_size=12)
        left += width


def _in_words(curve):
    pairs = ", ".join(f"{y:.3g} at {x:g}" for x, y in zip(curve.x, curve.y, strict=True))
    return f"{curve.name}: {pairs}."
