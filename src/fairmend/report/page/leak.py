"""The leak test: how well an adversary tells the group, and from what."""

from fairmend.report.content import LeakPart, LeakRow
from fairmend.report.page.axis import Axis
from fairmend.report.page.elements import paragraph, section, tag, unmeasured
from fairmend.report.page.tables import Table, behind
from fairmend.report.page.tracks import Track, Tracks, figure, legend
from fairmend.report.page.verdicts import chip
from fairmend.report.page.wording import amount, between, change, fixed, plural, signed, value_of
from fairmend.report.svg import Node

MOST_TRACKS = 16
HEADING = "Whether the group can still be told"
CHANCE = "where chance alone ends"


def leak(part: LeakPart | None) -> Node:
    """Write the section."""
    if part is None:
        return section("leak", HEADING, unmeasured("The leak was"))
    rows = part["rows"]
    return section(
        "leak",
        HEADING,
        paragraph(
            "An adversary is trained to tell the group from the data, within each stratum. AUC is "
            "the chance that it ranks a member of the group above another row: 0.5 is guessing, 1 "
            "is certainty. Passed-through columns count too, for who gets the archive sees them. "
            f"The tolerance is {amount(part['tolerance'])}: {part['reason']}. "
            f"{part['rows_used']:,} rows were used."
        ),
        _figure(part),
        behind("Table: what each adversary reaches", _table(part, rows)),
        _compared(rows),
        _unseen(part["unseen"]),
    )


def _figure(part: LeakPart) -> Node:
    rows = part["rows"][:MOST_TRACKS]
    sides = [side for row in rows for side in (row["before"], row["after"]) if side is not None]
    low = min([0.5, *(side["low"] for side in sides if side["low"] is not None)])
    tracks = Tracks(
        "leak-bars",
        "AUC of adversaries that tell the group",
        Axis.straight(max(0.0, low - 0.01), 1.0),
        {part["tolerance"]: f"tolerance {amount(part['tolerance'])}"},
        [_track(row) for row in rows],
        base=0.5,
    )  # fmt: skip
    left_out = len(part["rows"]) - len(rows)
    only = f" Only in the table: {plural(left_out, 'less telling column')}."
    note = only if left_out > 0 else ""
    caption = f"AUC for the group within its stratum, before and after repair.{note}"
    return figure(tracks.node(), caption, *legend(chance=CHANCE, bars=True))


def _track(row: LeakRow) -> Track:
    after = row["after"]
    chance = None
    if after is not None and after["floor"] is not None and after["floor_high"] is not None:
        ends = after["floor"], after["floor_high"]
        chance = min(0.5, *ends), max(ends)
    said = change({"before": row["before"], "after": after})
    return Track(_name(row), said, row["before"], after, chance, row["verdict"])


def _name(row: LeakRow) -> str:
    if row["sees"] == "features":
        return "All features together"
    if row["sees"] == "columns":
        return "All columns handed on"
    if row["sees"] == "alone":
        return "Features one at a time"
    return row["name"]


def _kind(row: LeakRow) -> str:
    if row["sees"] != "column":
        return "joint"
    return "repaired" if row["is_feature"] else "passed through"


def _table(part: LeakPart, rows: list[LeakRow]) -> Node:
    table = Table(
        f"AUC for the group, tolerance {amount(part['tolerance'])}",
        ("Adversary sees", "Column is", "#Before", "#95 %", "#After", "#95 %", "#By chance",
         "#Chance, 95 %", "#Worth to all", "Told best", "Verdict"),
        key="joint adversaries, then the most telling columns",
    )  # fmt: skip
    for row in rows:
        before, after = row["before"], row["after"]
        floor = None if after is None else after["floor"]
        high = None if after is None else after["floor_high"]
        table.add(
            _name(row), _kind(row), fixed(value_of(before)), between(before),
            fixed(value_of(after)), between(after), fixed(floor), fixed(high),
            signed(row["drop"]), row["worst_group"] or "–", chip(row["verdict"]),
        )  # fmt: skip
    note = (
        "Worth to all: by how much the adversary that sees all columns after the repair falls when "
        "this one is shuffled; columns that say the same share it. Told best: the group that is "
        "told from the others best, after the repair."
    )
    return tag("div", table.node(), paragraph(note, class_="note"))


def _compared(rows: list[LeakRow]) -> Node | None:
    """Say what a joint plan is compared with."""
    if not any(row["sees"] == "alone" for row in rows):
        return None
    return paragraph(
        "Features one at a time: what the same rows would tell if the plan had repaired "
        "each feature without regard to the others. They were repaired so for this figure only.",
        class_="note",
    )


def _unseen(unseen: dict[str, str]) -> Node | None:
    """List columns that nobody looked at, which is no word about their leaking nothing."""
    if not unseen:
        return None
    table = Table("Columns that no adversary saw, which may leak all the same", ("Column", "Why"))
    for name, reason in unseen.items():
        table.add(name, reason)
    return behind(f"Table: columns that no adversary saw ({len(unseen)})", table.node())
