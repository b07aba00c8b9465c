"""Dependence: what the groups' values say of the group, with what chance alone would say."""

from fairmend.report.content import DependencePart, DependenceRow, PaperPart, Sides, Words
from fairmend.report.page.axis import Axis, highest
from fairmend.report.page.elements import paragraph, section, tag, unmeasured
from fairmend.report.page.paper import paper
from fairmend.report.page.tables import Table, behind
from fairmend.report.page.tracks import Track, Tracks, figure, legend
from fairmend.report.page.verdicts import chip
from fairmend.report.page.wording import (
    amount,
    between,
    change,
    count,
    fixed,
    place,
    value_of,
)
from fairmend.report.svg import Node

MOST_TRACKS = 24
HEADING = "How much the features depend on the group"
CHANCE = "as far as chance alone reaches, in 95 of 100 permutations"


def dependence(part: DependencePart | None, scaled: PaperPart | None, fewest: int) -> Node:
    """Write the section; ``scaled`` is E on the scale of the paper's tables."""
    on_paper = paper(scaled) if scaled is not None else None
    if part is None:
        return section("dependence", HEADING, unmeasured("Dependence was"), on_paper)
    rows = part["rows"]
    whole = [row for row in rows if row["stratum"] is None and row["groups"] is None]
    strata = [row for row in rows if row["stratum"] is not None and row["groups"] is None]
    pairs = [row for row in rows if row["groups"] is not None]
    return section(
        "dependence",
        HEADING,
        paragraph(
            "E says how far apart the groups’ laws of a feature are, within each stratum: a "
            "symmetrised Kullback-Leibler divergence, in nats. 0 is independence. Total variation "
            "is the largest difference in the probability of anything. The tolerance is "
            f"{amount(part['tolerance'])} nats for E and {amount(part['tolerance_tv'])} for total "
            f"variation: {part['reason']}."
        ),
        _figure(part, whole, "dependence-all", "E of each feature over all strata, in nats"),
        _by_stratum(part, strata),
        behind(
            "Table: dependence of each feature over all strata",
            *_tables(part, whole, fewest, "over all strata"),
        ),
        behind("Table: dependence in each stratum", *_tables(part, strata, fewest, "by stratum"))
        if strata
        else None,
        behind("Table: pairs of groups", _pairs(part, pairs, fewest)) if pairs else None,
        on_paper,
    )


def _by_stratum(part: DependencePart, strata: list[DependenceRow]) -> Node | None:
    """Draw the strata where there is more than one."""
    if len({row["stratum"] for row in strata}) < 2:
        return None
    title = "E of each feature in each stratum, in nats"
    picture = _figure(part, strata, "dependence-strata", title)
    return tag("details", tag("summary", "Figure: by stratum"), picture)


def _figure(part: DependencePart, rows: list[DependenceRow], key: str, title: str) -> Node:
    shown = rows
    if len(rows) > MOST_TRACKS:
        most = sorted(rows, key=_left, reverse=True)[:MOST_TRACKS]
        shown = [row for row in rows if any(row is one for one in most)]
    sides = [side for row in shown for side in (row["e"]["before"], row["e"]["after"])]
    ends = [side["high"] or side["value"] for side in sides if side is not None]
    axis = Axis.roots(highest(ends, 2 * part["tolerance"]))
    picture = Tracks(
        key,
        title,
        axis,
        {part["tolerance"]: f"tolerance {amount(part['tolerance'])}"},
        [_track(row) for row in shown],
    )
    left_out = len(rows) - len(shown)
    note = f" {left_out} rows with less dependence left are in the table only." if left_out else ""
    caption = f"{title}. The axis is one of square roots: equal steps are equal shifts.{note}"
    return figure(picture.node(), caption, *legend(chance=CHANCE))


def _track(row: DependenceRow) -> Track:
    after = row["e"]["after"]
    chance = None
    if after is not None and after["floor"] is not None and after["floor_high"] is not None:
        chance = 0.0, max(0.0, after["floor_high"] - after["floor"])
    return Track(
        row["feature"], change(row["e"]), row["e"]["before"], after, chance, row["verdict"],
        row["stratum"] or "",
    )  # fmt: skip


def _tables(
    part: DependencePart, rows: list[DependenceRow], fewest: int, where: str
) -> tuple[Node, Node]:
    """Write E, and beside it the distances that readers may know better."""
    rows = sorted(rows, key=_left, reverse=True) if len(rows) > MOST_TRACKS else rows
    most = "those with most dependence left"
    e = Table(
        f"E in nats {where}, tolerance {amount(part['tolerance'])}",
        ("Feature", "#Rows", "#Before", "#95 %", "#After", "#95 %", "#As seen", "#By chance",
         "#Chance, 95 %", "Detectable", "Verdict"),
        key=most,
    )  # fmt: skip
    other = Table(
        f"Total variation and Kolmogorov-Smirnov distance {where}, "
        f"tolerance of total variation {amount(part['tolerance_tv'])}",
        ("Feature", "#TV before", "#TV after", "#95 %", "#By chance", "Verdict on TV",
         "#KS before", "#KS after", "#95 %"),
        key=most,
    )  # fmt: skip
    for row in rows:
        name = place(row["feature"], row["stratum"])
        e.add(name, count(row["rows"], fewest), *_numbers(row["e"]), *_seen(row["e"]),
              _detectable(row), _verdict(row["verdict"], row["rows_to_decide"]))  # fmt: skip
        tv, ks = row["tv"], row["ks"] or Sides(before=None, after=None)
        floor = None if tv["after"] is None else tv["after"]["floor"]
        other.add(name, *_three(tv), fixed(floor), chip(row["verdict_tv"]), *_three(ks))
    note = (
        "As seen is E with chance included, and goes with the two columns after it: the mean and "
        "the 95 % quantile of the same with S permuted within U. Detectable: a permutation test at "
        f"the level {amount(part['alpha'])}, Holm’s correction over all cells. With enough rows "
        "every real repair is detectably imperfect, so the verdict compares with the tolerance."
    )
    return tag("div", e.node(), paragraph(note, class_="note")), other.node()


def _pairs(part: DependencePart, rows: list[DependenceRow], fewest: int) -> Node:
    table = Table(
        f"E and total variation of two groups, tolerance of E {amount(part['tolerance'])} nats",
        ("Feature", "Groups", "#Rows", "#E before", "#E after", "#95 %", "#TV before", "#TV after",
         "Verdict"),
        key="those with most dependence left",
    )  # fmt: skip
    for row in sorted(rows, key=_left, reverse=True):
        name = place(row["feature"], row["stratum"])
        tv = [fixed(value_of(side)) for side in (row["tv"]["before"], row["tv"]["after"])]
        table.add(name, row["groups"], count(row["rows"], fewest), *_three(row["e"]), *tv,
                  chip(row["verdict"]))  # fmt: skip
    return table.node()


def _numbers(sides: Sides) -> tuple[str, str, str, str]:
    before, after = sides["before"], sides["after"]
    return fixed(value_of(before)), between(before), fixed(value_of(after)), between(after)


def _three(sides: Sides) -> tuple[str, str, str]:
    before, after = sides["before"], sides["after"]
    return fixed(value_of(before)), fixed(value_of(after)), between(after)


def _seen(sides: Sides) -> tuple[str, str, str]:
    after = sides["after"]
    if after is None:
        return fixed(None), fixed(None), fixed(None)
    return fixed(after["raw"], 4), fixed(after["floor"], 4), fixed(after["floor_high"], 4)


def _detectable(row: DependenceRow) -> str:
    return {True: "yes", False: "no", None: "–"}[row["detectable"]]


def _verdict(words: Words | None, rows_to_decide: int | None) -> Node | None:
    said = chip(words)
    if said is None or rows_to_decide is None:
        return said
    return tag("span", said, f" about {rows_to_decide:,} rows would decide")


def _left(row: DependenceRow) -> float:
    return value_of(row["e"]["after"]) or 0.0
