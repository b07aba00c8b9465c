"""The first screen: the verdict in plain words, what was found, and what was repaired."""

from fairmend.report.content import Content, Finding, Summary
from fairmend.report.page.elements import Part, items, paragraph, tag
from fairmend.report.page.tables import behind
from fairmend.report.page.verdicts import LOOKS, chip, sign
from fairmend.report.page.wording import amount, change, fixed, plural, value_of
from fairmend.report.svg import Node

MOST_NAMED = 12
JOINT = {"features": "from all features", "columns": "from all columns"}
MOST_LETTERS = 280
"""Of an answer on the first screen."""


def opening(content: Content) -> Node:
    """Write the first screen."""
    summary, plan = content["summary"], content["plan"]
    look = LOOKS[summary["verdict"]]
    sentences = [paragraph(sentence) for sentence in _said_once(summary)]
    verdict = tag(
        "div",
        paragraph(sign(summary["verdict"]), f" {look.heading}", class_="verdict"),
        *(sentences or [paragraph("Nothing was measured in this audit.")]),
        class_=f"answer {look.name}",
    )
    found = [_finding(one) for one in summary["findings"]]
    findings = tag("div", tag("h2", "Findings"), tag("dl", *found), class_="findings")
    return tag(
        "section",
        tag("h1", f"Audit of a repair: {plural(len(plan['features']), 'feature')}", id="verdict"),
        tag("div", verdict, findings if found else None, class_="main-column"),
        tag("div", *_figures(content), *_repaired(content), class_="facts"),
        class_="opening",
        aria_labelledby="verdict",
    )


def _said_once(summary: Summary) -> list[str]:
    """Leave out what the heading or a finding says in the same words."""
    heading = f"{LOOKS[summary['verdict']].heading}: "
    answers = [found["answer"] for found in summary["findings"]]
    kept = [one for one in summary["sentences"] if not any(one in answer for answer in answers)]
    cut = [one.removeprefix(heading) for one in kept]
    return [one[:1].upper() + one[1:] for one in cut]


def _finding(found: Finding) -> Node:
    words = chip(found["verdict"])
    return tag(
        "div",
        tag("dt", found["question"]),
        tag("dd", *_briefly(found["answer"]), class_="answer-words"),
        tag("dd", words, class_="answer-verdict") if words is not None else None,
    )


def _briefly(answer: str) -> tuple[Part, ...]:
    """Fold an answer's later sentences away, for a first screen is one screen."""
    end = answer.rfind(". ", 0, MOST_LETTERS) + 1 or answer.find(". ") + 1
    if len(answer) <= MOST_LETTERS or not end:
        return (answer,)
    return answer[:end], behind("The rest of this answer", paragraph(answer[end + 1 :]))


def _figures(content: Content) -> list[Node]:
    """Write the figures that the verdict rests on."""
    found: list[tuple[str, str, float]] = []
    dependence, leak = content["dependence"], content["leak"]
    if dependence is not None:
        whole = [r["e"] for r in dependence["rows"] if not (r["stratum"] or r["groups"])]
        ends = [[value_of(e[side]) for e in whole] for side in ("before", "after")]
        before, after = (max((x for x in end if x is not None), default=None) for end in ends)
        said = f"{fixed(before)} → {fixed(after)}"
        found.append(("E of the worst feature, in nats", said, dependence["tolerance"]))
    for row in leak["rows"] if leak is not None else []:
        if leak is not None and row["sees"] in JOINT:
            said = change({"before": row["before"], "after": row["after"]})
            found.append((f"AUC for the group, {JOINT[row['sees']]}", said, leak["tolerance"]))
    listed = [
        tag(
            "div",
            tag("dt", name),
            tag("dd", tag("b", said), tag("span", f"tolerance {amount(limit)}", class_="limit")),
        )
        for name, said, limit in found
    ]
    return [tag("h2", "Before → after"), tag("dl", *listed, class_="figures")] if found else []


def _repaired(content: Content) -> list[Node]:
    plan = content["plan"]
    names = [feature["name"] for feature in plan["features"]]
    left_out = len(names) - MOST_NAMED
    more = [f"and {left_out} more"] if left_out > 0 else []
    unseen = content["unseen"]
    by, within = (" × ".join(plan[role]) for role in ("protected", "unprotected"))
    within = (
        f"{within}: {plural(len(plan['strata']), 'stratum')}" if within else "all rows together"
    )
    facts: list[tuple[str, Part]] = [
        ("Features", items([*names[:MOST_NAMED], *more])),
        ("Protected (S)", f"{by}: {plural(len(plan['groups']), 'group')}"),
        ("Within (U)", within),
        ("Archive", f"{content['rows']:,} rows"),
        ("Learnt from", f"{plan['research_rows']:,} research rows"),
        ("Plan", tag("code", plan["sha256"][:12])),
    ]
    if unseen != 0:
        rows = f"fewer than {content['fewest']}" if unseen is None else f"{unseen:,}"
        said = f"{rows} rows, whose group or stratum is missing or unknown to the plan"
        facts.insert(4, ("Left out", said))
    listed = [tag("div", tag("dt", name), tag("dd", fact)) for name, fact in facts]
    return [tag("h2", "What was repaired"), tag("dl", *listed)]
