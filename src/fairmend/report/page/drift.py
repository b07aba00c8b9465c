"""Drift: whether the archive looks like the research data that the plan was learnt from."""

from typing import Any

from fairmend.report.content import Estimate
from fairmend.report.page.axis import Axis, highest
from fairmend.report.page.elements import paragraph, section, tag, unmeasured
from fairmend.report.page.tables import Table, behind
from fairmend.report.page.tracks import Track, Tracks, figure, legend
from fairmend.report.page.verdicts import chip
from fairmend.report.page.wording import amount, count, fixed, level_of, place, share, signed
from fairmend.report.svg import Node

MOST_TRACKS = 12
HEADING = "Whether the archive looks like the research data"

Found = dict[str, Any]


def drift(part: Found | None, protected: list[str], fewest: int) -> Node:
    """Write the section; ``part`` is a stationarity report's plain content."""
    if part is None:
        return section("drift", HEADING, unmeasured("Drift was"))
    cells = part["cells"]
    periods = part["periods"]
    return section(
        "drift",
        HEADING,
        paragraph(chip(part["verdict"]), " ", part["words"]),
        paragraph(
            "A plan moves the archive by laws learnt from research, so its promise ends where they "
            f"differ. A distance up to {amount(part['tolerance'])} counts as the same: that is, if "
            f"{amount(100 * part['tolerance'])} rows in 100 lie on another side of some value than "
            "research said. All intervals hold at once in at least 95 %, and count chance in both "
            "samples."
        ),
        _figure(part, cells, protected) if cells else None,
        behind("Table: each feature, stratum and group", _cells(part, cells, fewest)),
        behind("Table: the mix of groups and strata", _mix(part["mix"])),
        behind("Table: periods", _periods(periods, fewest)) if periods else None,
    )


def _figure(part: Found, cells: list[Found], protected: list[str]) -> Node:
    known = sorted((c for c in cells if c["distance"] is not None), key=_distance, reverse=True)
    rows = known[:MOST_TRACKS]
    ends = [row["interval"][1] for row in rows]
    tracks = Tracks(
        "drift-distances",
        "Distance of the archive from the research data",
        Axis.straight(0.0, min(1.0, highest(ends, 2 * part["tolerance"]))),
        {part["tolerance"]: f"tolerance {amount(part['tolerance'])}"},
        [_track(row, protected) for row in rows],
    )
    left_out = len(cells) - len(rows)
    note = f" The {len(rows)} largest of {len(cells)}." if left_out > 0 else ""
    caption = f"Distance between the archive before repair and research.{note}"
    marks = legend(chance="as far as chance alone reaches, in 19 of 20 cells")[1:]
    marks[0][0].tail = "distance"
    return figure(tracks.node(), caption, *marks)


def _track(row: Found, protected: list[str]) -> Track:
    low, high = row["interval"]
    found = Estimate(
        value=row["distance"], low=low, high=high, raw=None, floor=None, floor_high=None
    )
    group = level_of(row["group"], protected)
    where = ", ".join(part for part in (row["stratum"], group) if part)
    said, chance = fixed(row["distance"]), (0.0, float(row["chance"]))
    return Track(row["feature"], said, None, found, chance, row["verdict"], where)


def _cells(part: Found, cells: list[Found], fewest: int) -> Node:
    table = Table(
        f"Distance from the research data, tolerance {amount(part['tolerance'])}",
        ("Feature", "Group", "#Research rows", "#Rows", "#Distance", "#Interval", "#By chance",
         "#Mean higher by (sd)", "#Out of range", "#Unseen", "#Missing", "Verdict"),
        key="the largest distances",
    )  # fmt: skip
    for row in sorted(cells, key=_distance, reverse=True):
        interval = " to ".join(fixed(end) for end in row["interval"])
        table.add(
            place(row["feature"], row["stratum"]), row["group"],
            _rows(row["research_rows"], fewest), _rows(row["rows"], fewest),
            fixed(row["distance"]), interval, fixed(row["chance"]), signed(row["shift"], 2),
            share(row["out_of_range"]), share(row["unseen"]), share(row["missing"]),
            chip(row["verdict"]),
        )  # fmt: skip
    note = (
        "The distance is Kolmogorov’s and Smirnov’s, of categories total variation; By chance is "
        "what chance alone exceeds in 1 of 20 cells like this one."
    )
    return tag("div", table.node(), paragraph(note, class_="note"))


def _mix(mix: Found) -> Node:
    table = Table(
        "Shares of groups and strata; another mix is no drift, for each law is compared by itself",
        ("Stratum", "Group", "#Research", "#Archive"),
    )
    for row in mix["cells"]:
        table.add(
            row["stratum"] or "all", row["group"], share(row["research"]), share(row["archive"])
        )
    return table.node()


def _periods(periods: list[Found], fewest: int) -> Node:
    table = Table(
        "Parts of the archive", ("Part", "#Rows", "#Largest distance", "Departs from research")
    )
    for period in periods:
        known = [cell["distance"] for cell in period["cells"] if cell["distance"] is not None]
        detected = "yes" if period["detected"] else "not detectably"
        table.add(
            period["name"], _rows(period["rows"], fewest), fixed(max(known, default=None)), detected
        )
    return table.node()


def _rows(rows: int | None, fewest: int) -> str:
    """Hide a small count here too, for this part comes from a measure that shows counts."""
    return count(None if rows is not None and 0 < rows < fewest else rows, fewest)


def _distance(row: Found) -> float:
    distance = row["distance"]
    return -1.0 if distance is None else float(distance)
