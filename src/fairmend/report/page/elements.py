"""HTML elements as ElementTree nodes: what is put in is escaped on the way out, whatever it is."""

import re
from collections.abc import Iterable
from xml.etree import ElementTree as ET

from fairmend.report.svg import Node

Part = Node | str | None
Parts = Iterable[Part]

_UNFIT = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff"
    "\u202a-\u202e\u2066-\u2069]"
)
"""What a column's name can hold and a page should not: characters that HTML forbids or UTF-8 cannot
write, and those that turn the direction of the text after them, numbers too."""


_SHAPES = re.compile("></(?:line|path|rect|circle)>")


def tag(name: str, /, *content: Part, **attributes: object) -> Node:
    """Make an element of texts and elements; None is left out, as content and as attribute.

    ``_`` in names of attributes is ``-``, and a last one falls off, for ``class_`` and ``for_``.

    Examples
    --------
    >>> written(tag("p", "a < b: ", tag("b", "so"), " it is", class_="x"))
    '<p class="x">a &lt; b: <b>so</b> it is</p>'
    """
    given = {k.rstrip("_").replace("_", "-"): v for k, v in attributes.items() if v is not None}
    made = ET.Element(name, {k: str(v) for k, v in given.items()})
    for part in content:
        if isinstance(part, str):
            if len(made):
                made[-1].tail = (made[-1].tail or "") + part
            else:
                made.text = (made.text or "") + part
        elif part is not None:
            made.append(part)
    return made


def written(root: Node) -> str:
    """Write an element as HTML; elements of SVG that hold nothing are written short."""
    page = _UNFIT.sub("\ufffd", ET.tostring(root, encoding="unicode", method="html"))
    return _SHAPES.sub("/>", page)


def paragraph(*content: Part, class_: str | None = None) -> Node:
    """Make a paragraph."""
    return tag("p", *content, class_=class_)


def items(sentences: Iterable[str]) -> Node:
    """Make a list of sentences."""
    return tag("ul", *(tag("li", sentence) for sentence in sentences))


def section(key: str, heading: str, *content: Part) -> Node:
    """Make a section with a heading of its own, to which links lead by ``key``."""
    title = tag("h2", heading, id=f"{key}-heading")
    return tag("section", title, *content, id=key, aria_labelledby=f"{key}-heading")


def unmeasured(what: str, how: str = "") -> Node:
    """Say that a part was not measured, and what it takes."""
    return paragraph(
        f"{what} not measured in this audit.{' ' * bool(how)}{how}", class_="unmeasured"
    )
