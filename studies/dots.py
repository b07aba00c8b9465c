"""Draw figures of named things side by side: a row each, one dot a series, on one axis."""

import math
from dataclasses import dataclass

from drawing import FAINT, FONT, GRID, INK, ORDER, log_ticks

from fairmend.report.panel import COLOURS
from fairmend.report.scales import Scale, ticks
from fairmend.report.svg import document, line, node, text

WIDTH, RIGHT, LETTER = 720.0, 700.0, 6.6
STEP, GAP = 13.0, 14.0
"""Height that each series takes of a row, and what is free between rows."""


@dataclass
class Dots:
    """One series: for some of the rows a figure and half the length of its error bar, or None."""

    name: str
    values: dict
    colour: int
    """Series of one colour share a line of their row."""
    hollow: bool = False
    """What somebody else has printed, not measured here."""


def dots(title, series, *, x_label, low, high, log=False):
    """Draw each row's figures, and describe them in words.

    Parameters
    ----------
    title, x_label : str
        Written beside the panel.
    series : list of Dots
        Rows are those of all series, in the order in which they first come.
    low, high : float
        The ends of the axis; what is outside is drawn there.
    log : bool
        Whether the axis is logarithmic.

    Returns
    -------
    svg, description : str
    """
    rows = list(dict.fromkeys(row for one in series for row in one.values))
    left = 24.0 + LETTER * max(map(len, rows))
    lift = math.log10 if log else float
    x = Scale(lift(low), lift(high), left, RIGHT)
    lanes = sorted({one.colour for one in series})
    high_row = STEP * len(lanes) + GAP
    legend, top = _legend(series)
    bottom = top + high_row * len(rows)
    parts = [text(title, 16.0, 28.0, font_size=17, font_weight=600), *legend]
    for at in log_ticks(low, high) if log else ticks(low, high, 8):
        place = x(lift(at))
        parts.append(line((place, top), (place, bottom), stroke=GRID))
        parts.append(
            text(f"{at:g}", place, bottom + 16, text_anchor="middle", font_size=11, fill=FAINT)
        )
    for number, row in enumerate(rows):
        ground = top + number * high_row
        parts.append(line((16.0, ground), (RIGHT, ground), stroke=GRID))
        parts.append(text(row, 16.0, ground + high_row / 2 + 4, font_size=12))
        for one in series:
            if row in one.values:
                height = ground + GAP / 2 + STEP * (lanes.index(one.colour) + 0.5)
                parts += _dot(one, row, height, lambda v: x(lift(max(v, low))))
    parts.append(text(x_label, RIGHT, bottom + 36, text_anchor="end", font_size=12, fill=FAINT))
    body = node("g", *parts, fill=INK, font_family=FONT, font_size=13)
    said = f"{x_label}. " + " ".join(_in_words(one) for one in series)
    return document(WIDTH, bottom + 48, 900, title, said, body), title


def _dot(one, row, height, x):
    value, error = one.values[row]
    if error is not None:
        ends = [(x(value + sign * error), height) for sign in (-1, 1)]
        yield line(*ends, stroke=_paint(one), stroke_width=1.5)
    yield _marker(one, x(value), height)


def _marker(one, x, y):
    fill = "#fff" if one.hollow else _paint(one)
    return node("circle", cx=x, cy=y, r=4.0, fill=fill, stroke=_paint(one), stroke_width=1.5)


def _paint(one):
    return COLOURS[ORDER[one.colour % len(ORDER)]]


def _legend(series):
    parts, left, top = [], 16.0, 52.0
    for one in series:
        width = 32.0 + 7.0 * len(one.name)
        if left + width > RIGHT:
            left, top = 16.0, top + 18
        parts.append(_marker(one, left + 6, top - 4))
        parts.append(text(one.name, left + 16, top, font_size=12))
        left += width
    return parts, top + 20


def _in_words(one):
    return f"{one.name}: {', '.join(f'{row} {v:.3g}' for row, (v, _) in one.values.items())}."
