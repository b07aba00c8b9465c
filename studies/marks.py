"""Draw what holds of what: a row a law, a column a tool, a mark that is told by its shape, too."""

from collections import Counter

from drawing import FAINT, FONT, GRID, INK

from fairmend.report.svg import document, line, node, text

LEFT, STEP, ROW = 294.0, 66.0, 21.0
BLUE, RED, ORANGE = "#0969a2", "#c0392b", "#b86e00"


def marks(title, rows, columns, found):
    """Draw marks, and count them in words.

    Parameters
    ----------
    title : str
        Written above.
    rows, columns : list of str
        What is written beside and above.
    found : dict of (row, column) to {"holds", "fails", "stops", "not applicable"}
        The marks.

    Returns
    -------
    svg, description : str
    """
    top, width = 108.0, LEFT + STEP * len(columns) + 16
    bottom = top + ROW * len(rows)
    parts = [text(title, 16.0, 28.0, font_size=17, font_weight=600), *_legend()]
    for at, column in enumerate(columns):
        place = LEFT + STEP * (at + 0.5)
        parts.append(text(column, place, top - 12, text_anchor="middle", font_size=11))
    for at, row in enumerate(rows):
        height = top + ROW * (at + 0.5)
        parts.append(line((16.0, height - ROW / 2), (width - 16, height - ROW / 2), stroke=GRID))
        parts.append(text(row, 16.0, height + 4, font_size=12))
        for to, column in enumerate(columns):
            parts += _mark(found[row, column], LEFT + STEP * (to + 0.5), height)
    body = node("g", *parts, fill=INK, font_family=FONT, font_size=13)
    return document(width, bottom + 16, 900, title, _in_words(columns, found), body), title


def _mark(outcome, x, y):
    if outcome == "holds":
        yield node("circle", cx=x, cy=y, r=5.0, fill=BLUE)
    elif outcome == "fails":
        for rise in (-5, 5):
            yield line((x - 5, y - rise), (x + 5, y + rise), stroke=RED, stroke_width=2.5)
    elif outcome == "stops":
        yield node("rect", x=x - 4.5, y=y - 4.5, width=9.0, height=9.0, fill=ORANGE)
    else:
        yield line((x - 3, y), (x + 3, y), stroke=FAINT)


def _legend():
    place = 16.0
    for outcome in ("holds", "fails", "stops", "not applicable"):
        yield from _mark(outcome, place + 6, 52.0)
        yield text(outcome, place + 18, 56.0, font_size=12)
        place += 44.0 + 7.0 * len(outcome)


def _in_words(columns, found):
    said = []
    for column in columns:
        counts = Counter(outcome for (_, of), outcome in found.items() if of == column)
        told = ", ".join(f"{n} {outcome}" for outcome, n in counts.items())
        said.append(f"{column}: {told}.")
    return " ".join(said)
