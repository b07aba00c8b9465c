"""Outcomes: what a decision makes of the repair, by the rule of four fifths."""

from fairmend.report.content import Estimate, OutcomePart, OutcomeRow
from fairmend.report.page.axis import Axis, highest
from fairmend.report.page.elements import paragraph, section, unmeasured
from fairmend.report.page.tables import Table, behind
from fairmend.report.page.tracks import Track, Tracks, figure, legend
from fairmend.report.page.wording import amount, fixed, level_of
from fairmend.report.svg import Node

MOST_TRACKS = 24
HEADING = "What a decision makes of it"
HOW = "It takes a label, a model, or a column of predictions."


def outcomes(part: OutcomePart | None, protected: list[str]) -> Node:
    """Write the section."""
    if part is None:
        return section("outcomes", HEADING, unmeasured("Outcomes were", HOW))
    whole = Table(
        "The decision as a whole", ("Measure", "#Before", "#After", "What it says"), most=9
    )
    whole.add(
        "Utility", fixed(part["utility_before"]), fixed(part["utility_after"]),
        f"AUC for {part['label']} = {part['favourable']}: how well the decision tells it",
    )  # fmt: skip
    whole.add(
        "Disparate treatment", fixed(part["treatment_before"]), fixed(part["treatment_after"]),
        "Largest difference between a group’s rate and its stratum’s",
    )  # fmt: skip
    return section(
        "outcomes",
        HEADING,
        paragraph(
            f"The favourable outcome is {part['label']} = {part['favourable']}. "
            f"Before and after, this decides: {part['decided_by'].rstrip('.')}. "
            "Disparate impact is a group’s rate of the favourable outcome "
            "over the reference group’s, in the same stratum: 1 is parity, and below "
            f"{amount(part['rule'])} is what the rule of four fifths objects to. "
            f"{part['rows_used']:,} rows were used."
        ),
        whole.node(),
        _figure(part, protected) if part["rows"] else None,
        behind("Table: disparate impact", _table(part)) if part["rows"] else None,
    )


def _figure(part: OutcomePart, protected: list[str]) -> Node:
    rows = part["rows"]
    if len(rows) > MOST_TRACKS:
        rows = sorted(rows, key=_after)[:MOST_TRACKS]
    ratios = [ratio for row in rows for ratio in (row["before"], row["after"])]
    tracks = Tracks(
        "outcomes-ratios",
        "Disparate impact by group and stratum",
        Axis.straight(0.0, min(highest(ratios, 1.1), 3.0)),
        {part["rule"]: f"rule: {amount(part['rule'])}"},
        [_track(row, protected) for row in rows],
    )
    left_out = len(part["rows"]) - len(rows)
    note = f" {left_out} higher ratios are in the table only." if left_out else ""
    caption = f"Rate of the favourable outcome, as a ratio to the reference group’s.{note}"
    return figure(tracks.node(), caption, *legend()[:2])


def _track(row: OutcomeRow, protected: list[str]) -> Track:
    said = f"{fixed(row['before'], 2)} → {fixed(row['after'], 2)}"
    sides = _bare(row["before"]), _bare(row["after"])
    return Track(level_of(row["group"], protected), said, *sides, where=row["stratum"] or "")


def _bare(ratio: float | None) -> Estimate | None:
    if ratio is None:
        return None
    return Estimate(value=ratio, low=None, high=None, raw=None, floor=None, floor_high=None)


def _table(part: OutcomePart) -> Node:
    table = Table(
        "Disparate impact: a group’s rate over the reference group’s",
        ("Group", "Stratum", "Reference", "#Before", "#After", f"Reaches {amount(part['rule'])}"),
    )
    for row in part["rows"]:
        reached = "–" if row["after"] is None else "yes" if row["after"] >= part["rule"] else "no"
        table.add(
            row["group"], row["stratum"] or "all", row["reference"],
            fixed(row["before"], 2), fixed(row["after"], 2), reached,
        )  # fmt: skip
    return table.node()


def _after(row: OutcomeRow) -> float:
    return row["after"] if row["after"] is not None else float("inf")
