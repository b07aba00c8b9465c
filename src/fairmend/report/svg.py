"""Drawing primitives: SVG elements as ElementTree nodes, escaped and rounded on the way."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from xml.etree import ElementTree as ET

Node = ET.Element
Point = tuple[float, float]

NAMESPACE = "http://www.w3.org/2000/svg"


def node(name: str, *children: Node, **attributes: object) -> Node:
    """Make an element; ``_`` in names of attributes is ``-``, and floats are rounded to 0.1.

    Examples
    --------
    >>> ET.tostring(node("rect", x=1.25, y=2.0, stroke_width=3))
    b'<rect x="1.2" y="2" stroke-width="3" />'
    """
    made = ET.Element(name, {k.replace("_", "-"): _plain(v) for k, v in attributes.items()})
    made.extend(children)
    return made


def text(content: str, x: float, y: float, **attributes: object) -> Node:
    """Write one line of text; its baseline begins at (x, y) unless ``text_anchor`` says other."""
    made = node("text", x=x, y=y, **attributes)
    made.text = content
    return made


def line(start: Point, end: Point, **attributes: object) -> Node:
    """Draw a straight line."""
    return node("line", x1=start[0], y1=start[1], x2=end[0], y2=end[1], **attributes)


def path(points: Iterable[Point], **attributes: object) -> Node:
    """Draw a line through points; horizontal and vertical steps are written in their short form.

    Examples
    --------
    >>> path([(0, 0), (0, 5), (3, 5), (4, 6)]).get("d")
    'M0 0V5H3L4 6'
    """
    return node("path", d=_commands(list(points)), **attributes)


def document(
    width: float, height: float, shown: float, title: str, description: str, *parts: Node
) -> str:
    """Put parts into an accessible document on a white ground, and write it as text.

    Parameters
    ----------
    width, height : float
        Size in units of the drawing.
    shown : float
        Width at which it is shown where nothing else is said, in pixels.
    title, description : str
        What screen readers say.
    parts : Element
        What is drawn.
    """
    root = node(
        "svg",
        xmlns=NAMESPACE,
        viewBox=f"0 0 {_plain(width)} {_plain(height)}",
        width=round(shown),
        height=round(height * shown / width),
        role="img",
        aria_labelledby="title desc",
    )
    for name, content in (("title", title), ("desc", description)):
        said = node(name, id=name)
        said.text = content
        root.append(said)
    root.append(node("rect", width=width, height=height, fill="#fff"))
    root.extend(parts)
    ET.indent(root, " ")
    return ET.tostring(root, encoding="unicode") + "\n"


def _commands(points: Sequence[Point]) -> str:
    written = [(_plain(float(x)), _plain(float(y))) for x, y in points]
    commands = [f"M{written[0][0]} {written[0][1]}"]
    for (x0, y0), (x, y) in pairwise(written):
        if (x0, y0) == (x, y):
            continue
        commands.append(f"V{y}" if x == x0 else f"H{x}" if y == y0 else f"L{x} {y}")
    return "".join(commands)


def _plain(value: object) -> str:
    # Adding zero makes a rounded -0.0 a plain 0.
    return f"{round(value, 1) + 0.0:g}" if isinstance(value, float) else str(value)
