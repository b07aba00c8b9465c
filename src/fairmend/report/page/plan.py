"""The plan's facts: what was repaired, by what, learnt from how many; never the seed."""

import json

from fairmend.report.content import PlanPart
from fairmend.report.page.elements import paragraph, section, tag
from fairmend.report.page.tables import Table, behind
from fairmend.report.page.wording import count, plural
from fairmend.report.svg import Node

HEADING = "The plan"


def plan(part: PlanPart, fewest: int) -> Node:
    """Write the section."""
    features = Table(
        "Repaired features", ("Feature", "Type", "Kind", "Found by", "#Support points")
    )
    for one in part["features"]:
        features.add(one["name"], one["type"], one["kind"], one["reason"], f"{one['points']:,}")
    research = Table("Research rows", ("Stratum", "Group", "#Rows"))
    for cell in part["research"]:
        research.add(cell["stratum"] or "all", cell["group"], count(cell["rows"], fewest))
    options = Table("Options", ("Option", "Value"))
    for name, value in part["options"].items():
        if name == "constraints":  # which have a section of their own
            options.add(name, f"{plural(len(value), 'combination')} that the plan forbids")
            continue
        options.add(name, tag("code", json.dumps(value, ensure_ascii=False)))
    facts = (
        ("SHA-256", tag("code", part["sha256"], class_="hash")),
        ("Made by", f"{part['creator']}, format version {part['format_version']}"),
        ("Protected (S)", ", ".join(part["protected"])),
        ("Unprotected (U)", ", ".join(part["unprotected"]) or "none"),
    )
    return section(
        "plan",
        HEADING,
        paragraph(
            "Who has the plan file can check by this hash that it is the one that was examined. "
            "The seed of the repair is a secret and is not in this report."
        ),
        tag("dl", *(tag("div", tag("dt", k), tag("dd", v)) for k, v in facts), class_="pairs"),
        features.node(),
        behind("Table: research rows by group and stratum", research.node()),
        behind("Table: options of the plan", options.node()),
    )
