"""What stands at the end: limits, documentation for Article 10, and how to read the page."""

from fairmend.report.content import Chapter
from fairmend.report.page.elements import items, paragraph, section, tag
from fairmend.report.svg import Node

WORDS = {
    "Protected attribute, group": "S: what the features are not to tell, such as sex; its values "
    "are groups.",
    "Unprotected attribute, stratum": "U: what legitimately explains differences, such as "
    "education; its values are strata, and groups are compared within each.",
    "Research data, archive": "The small sample that the plan was learnt from, and the data that "
    "was repaired with it.",
    "E": "How far the groups’ laws of a feature are apart: a symmetrised Kullback-Leibler "
    "divergence, in nats, corrected for chance. 0 is independence. Two equal bells a fifth of a "
    "standard deviation apart have E = 0.02, one standard deviation apart 0.5.",
    "Total variation": "The largest difference between two groups in the probability of anything "
    "that can be said of a value, from 0 to 1.",
    "Kolmogorov-Smirnov distance": "The largest difference between two groups in the share of "
    "values below some value, from 0 to 1.",
    "AUC": "The chance that an adversary ranks a member of a group above another row of the same "
    "stratum. 0.5 is guessing.",
    "By chance, permutation": "The same measure with groups dealt out at random within each "
    "stratum: what a sample of this size shows where there is nothing to be found.",
    "95 % interval": "Where the true value lies in 95 of 100 samples like this one.",
    "Verdict": "Within tolerance: the whole interval is below the tolerance. Above tolerance: the "
    "whole interval is above, also when it is made wide enough for all that were looked at, since "
    "of many some lie above by chance. Insufficient evidence: neither, and more rows would have to "
    "decide.",
    "RMSE, W₂": "Root of the mean squared change of a row; and how far the law of all rows has "
    "moved, which is less where changes of rows cancel out.",
    "Nat": "The unit of E: a logarithm to the base e.",
    "–": "Not measured, or too few rows to be shown.",
}


def limits(sentences: list[str]) -> Node:
    """Write what the method does not promise."""
    return section(
        "limits", "What this does not promise", items(sentences) if sentences else _empty()
    )


def article_10(chapters: list[Chapter]) -> Node:
    """Write the section for the documentation that Article 10 of the EU AI Act asks for."""
    heading = "Documentation for Article 10 of the EU AI Act"
    if not chapters:
        return section("article-10", heading, _empty())
    written = (
        tag(
            "div",
            tag("h3", f"{at}. {chapter['heading']}"),
            *(paragraph(sentence) for sentence in chapter["sentences"]),
        )
        for at, chapter in enumerate(chapters, 1)
    )
    return section("article-10", heading, *written)


def glossary(fewest: int) -> Node:
    """Explain how to read the page."""
    words = (tag("div", tag("dt", word), tag("dd", meaning)) for word, meaning in WORDS.items())
    return section(
        "reading",
        "How to read this page",
        paragraph(
            "Numbers are estimates from a sample, so they come with an interval and with what "
            "chance alone gives. Tables behind pictures open at their names, and are open in "
            f"print. No count of fewer than {fewest} rows is shown."
        ),
        tag("dl", *words, class_="words"),
    )


def _empty() -> Node:
    return paragraph("Nothing was written for this section.", class_="unmeasured")
