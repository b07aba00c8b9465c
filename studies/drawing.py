"""Draw curves and points with their errors as one accessible SVG."""

import math
from dataclasses import dataclass

import numpy as np

from fairmend.report.panel import COLOURS
from fairmend.report.scales import Scale, ticks
from fairmend.report.svg import document, line, node, path, text

INK, FAINT, GRID = "#1f2328", "#59636e", "#e3e7eb"
FONT = "system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif"
WIDTH, LEFT, RIGHT, TALL = 720.0, 60.0, 700.0, 258.0
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
    called: tuple = ()
    """What to write beside each point."""


def chart(title, curves, *, x_label, y_label, log=False, labels=None, low=0.0, log_y=False):
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
    log_y : bool
        Whether the vertical axis is logarithmic; ``low`` is above 0 then.

    Returns
    -------
    svg, description : str
    """
    move, lift = (np.log10 if is_log else np.asarray for is_log in (log, log_y))
    every_x = np.concatenate([move(np.asarray(curve.x, float)) for curve in curves])
    tops = [curve.y + (0 if curve.error is None else curve.error) for curve in curves]
    pad = 0.03 * (every_x.max() - every_x.min() or 1.0)
    x = Scale(every_x.min() - pad, every_x.max() + pad, LEFT, RIGHT)
    top = float(max(np.max(top) for top in tops)) * (1.3 if log_y else 1.04)
    legend, above = _legend(curves)
    bottom = above + TALL
    y = Scale(float(lift(low)), float(lift(top)), bottom, above)
    parts = [text(title, 16.0, 28.0, font_size=17, font_weight=600), *legend]
    for at in log_ticks(low, top) if log_y else ticks(low, top, 7):
        height = y(float(lift(at)))
        parts.append(line((LEFT, height), (RIGHT, height), stroke=GRID))
        parts.append(
            text(f"{at:g}", LEFT - 6, height + 4, text_anchor="end", font_size=11, fill=FAINT)
        )
    for at in labels if labels is not None else ticks(x.low, x.high, 8):
        where = x(float(move(float(at))) if labels is not None else at)
        parts.append(line((where, bottom), (where, bottom + 4), stroke=FAINT))
        parts.append(
            text(f"{at:,g}", where, bottom + 17, text_anchor="middle", font_size=11, fill=FAINT)
        )
    parts.append(line((LEFT, bottom), (RIGHT, bottom), stroke=FAINT))
    parts.append(text(x_label, RIGHT, bottom + 36, text_anchor="end", font_size=12, fill=FAINT))
    parts.append(text(y_label, 16.0, above - 12, font_size=12, fill=FAINT))
    taken = []
    for at, curve in enumerate(curves):
        parts += _drawn(
            curve,
            lambda at: x(float(move(float(at)))),
            lambda at: y(float(lift(max(float(at), low)))),
            COLOURS[ORDER[at % len(ORDER)]],
            taken,
        )
    body = node("g", *parts, fill=INK, font_family=FONT, font_size=13)
    said = f"{y_label} against {x_label}. " + " ".join(_in_words(curve) for curve in curves)
    return document(WIDTH, bottom + 50.0, 900, title, said, body), title


def _drawn(curve, x, y, colour, taken):
    places = [x(at) for at in curve.x]
    heights = [y(at) for at in curve.y]
    if curve.joined:
        dash = {"stroke_dasharray": "6 4"} if curve.dashed else {}
        points = list(zip(places, heights, strict=True))
        yield path(points, fill="none", stroke=colour, stroke_width=2, **dash)
    for at, (place, height) in enumerate(zip(places, heights, strict=True)):
        if curve.error is not None and np.isfinite(curve.error[at]):
            ends = [(place, y(curve.y[at] + sign * curve.error[at])) for sign in (-1, 1)]
            yield line(*ends, stroke=colour, stroke_width=1.5)
        if not curve.dashed:
            yield node("circle", cx=place, cy=height, r=3.5, fill=colour)
    yield from _called(curve, places, heights, taken)


def _called(curve, places, heights, taken):
    """Write what points are called beside them, where nothing is written yet."""
    steps = (-11, 13) if curve.joined else (0, -13, 13, -26, 26, -39, 39)
    # From the top down, so that of two points on one another the upper one has the upper label.
    every = zip(places, heights, curve.called, strict=False)
    for place, height, called in sorted(every, key=lambda one: one[1]):
        wide = 6.5 * len(called)
        spots = [
            (start, height + 4 + up)
            for up in steps
            for start in (place + 7, place - 7 - wide)
            if LEFT < start < RIGHT - wide
        ]
        start, base = next(filter(lambda spot: _is_free(*spot, wide, taken), spots), spots[0])
        taken.append((start, base, wide))
        yield text(called, start, base, font_size=11)


def _is_free(start, base, wide, taken):
    return all(
        abs(base - y) >= 12 or start + wide < other or other + its < start
        for other, y, its in taken
    )


def log_ticks(low, high):
    """Choose 1, 2 and 5 times powers of ten in an interval; powers alone where it is long."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    steps = (1, 2, 5) if len(powers) < 6 else (1,)
    every = [float(f"{step}e{power}") for power in powers for step in steps]
    return [at for at in every if low <= at <= high]


def _legend(curves):
    parts, left, top = [], 16.0, 52.0
    for at, curve in enumerate(curves):
        width = 46.0 + 7.0 * len(curve.name)
        if left + width > RIGHT:
            left, top = 16.0, top + 18
        colour = COLOURS[ORDER[at % len(ORDER)]]
        dash = {"stroke_dasharray": "6 4"} if curve.dashed else {}
        ends = (left, top - 4), (left + 20, top - 4)
        if curve.joined:
            parts.append(line(*ends, stroke=colour, stroke_width=2, **dash))
        if not curve.dashed:
            parts.append(node("circle", cx=left + 10, cy=top - 4, r=3.5, fill=colour))
        parts.append(text(curve.name, left + 26, top, font_size=12))
        left += width
    return parts, top + 40


def _in_words(curve):
    pairs = ", ".join(f"{y:.3g} at {x:g}" for x, y in zip(curve.x, curve.y, strict=True))
    return f"{curve.name}: {pairs}."
