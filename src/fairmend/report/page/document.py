"""The page of an audit: one HTML file that needs nothing but itself."""

from collections.abc import Iterable, Mapping
from functools import cache
from html import escape
from importlib.resources import files

from fairmend.report.content import Content
from fairmend.report.page.closing import article_10, glossary, limits
from fairmend.report.page.combinations import combinations
from fairmend.report.page.damage import damage
from fairmend.report.page.dependence import dependence
from fairmend.report.page.drift import drift
from fairmend.report.page.elements import tag, written
from fairmend.report.page.features import features
from fairmend.report.page.leak import leak
from fairmend.report.page.missing import missing
from fairmend.report.page.opening import opening
from fairmend.report.page.outcomes import outcomes
from fairmend.report.page.pairs import pairs
from fairmend.report.page.plan import plan
from fairmend.report.page.verdicts import LOOKS
from fairmend.report.svg import Node
from fairmend.report.unlabelled import UnlabelledContent

POLICY = "default-src 'none'; style-src 'unsafe-inline'"
"""The browser itself is told to fetch nothing and run nothing, whatever a name may hold."""

IN_A_FRAME = "about:srcdoc"
"""What links within a page are relative to in a frame; else they would lead to the notebook's own
address, and show the notebook in its cell."""

CELL_HEIGHT = 640

CONTENTS = {
    "dependence": "Dependence",
    "leak": "Leak test",
    "pairs": "Pairs",
    "features": "Features",
    "damage": "Damage",
    "combinations": "Combinations",
    "missing": "Missing values",
    "outcomes": "Outcomes",
    "drift": "Drift",
    "plan": "Plan",
    "limits": "Limits",
    "article-10": "Article 10",
    "reading": "How to read",
}


def to_html(content: Content) -> str:
    """Write an audit's page.

    Parameters
    ----------
    content : dict
        All that the page may say.

    Returns
    -------
    str
        A document with neither scripts nor anything to be fetched, so that it opens offline, in
        print and in browsers without JavaScript. The same content gives the same text.

    Notes
    -----
    Names of columns and levels come from somebody's table. They are escaped like all text, and a
    content security policy in the page forbids scripts and requests besides.
    """
    return _page(content)


def to_cell(content: Content) -> str:
    """Write an audit's page for a cell of a notebook.

    An ``iframe`` with the whole page in it: a fragment would need its styles kept from the
    notebook's and the notebook's from it, and its ids from those of a second audit in the next
    cell. The frame may run and fetch nothing.
    """
    page = escape(_page(content, base=IN_A_FRAME))
    style = f"width: 100%; height: {CELL_HEIGHT}px; border: 1px solid #8886; resize: vertical"
    return f'<iframe title="fairmend audit" sandbox style="{style}" srcdoc="{page}"></iframe>'


def _page(content: Content, base: str | None = None) -> str:
    fewest, summary = content["fewest"], content["summary"]
    protected = content["plan"]["protected"]
    sections = (
        dependence(content["dependence"], content["paper"], fewest),
        leak(content["leak"]),
        pairs(content["pairs"]),
        features(content),
        damage(content["damage"], protected, fewest),
        combinations(content["combinations"], fewest),
        missing(content["missing"]),
        outcomes(content["outcomes"], protected),
        drift(content["drift"], protected, fewest),
        plan(content["plan"], fewest),
        limits(content["limits"]),
        article_10(content["article_10"]),
        glossary(fewest),
    )
    verdict = LOOKS[summary["verdict"]].heading.lower()
    title = f"fairmend audit: {verdict}"
    return page_of(content, title, [opening(content), contents(CONTENTS), *sections], base)


def page_of(
    content: Content | UnlabelledContent,
    title: str,
    main: Iterable[Node],
    base: str | None = None,
) -> str:
    """Put sections into a page, the first of which holds ``#verdict``."""
    body = tag(
        "body",
        tag("a", "Skip to the verdict", href="#verdict", class_="skip"),
        tag(
            "header",
            tag("span", "fairmend audit", class_="brand"),
            tag("span", tag("time", content["made"], datetime=content["made"])),
        ),
        tag("main", *main),
        tag("footer", tag("p", _footer(content))),
    )
    root = tag("html", _head(title, base), body, lang="en")
    return f"<!doctype html>\n{written(root)}\n"


def _head(title: str, base: str | None) -> Node:
    return tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("base", href=base) if base else None,
        tag("meta", http_equiv="Content-Security-Policy", content=POLICY),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", title),
        tag("style", _style()),
    )


def contents(names: Mapping[str, str]) -> Node:
    """Link to the sections, by their keys."""
    links = (tag("li", tag("a", name, href=f"#{key}")) for key, name in names.items())
    return tag("nav", tag("ul", *links), aria_label="Contents")


def _footer(content: Content | UnlabelledContent) -> str:
    return (
        f"Made by {content['creator']} on {content['made']}. Content format {content['format']}, "
        f"version {content['version']}. The report’s JSON holds the same content."
    )


@cache
def _style() -> str:
    return files("fairmend.report.page").joinpath("page.css").read_text("utf-8")
