"""Feature by feature: each group's law before and after, and how values were moved between."""

from fairmend.report import panel as one
from fairmend.report.content import Content, MapPart
from fairmend.report.densities import Panel
from fairmend.report.page.elements import paragraph, section, tag, unmeasured
from fairmend.report.page.groups import Groups, chosen
from fairmend.report.page.picture import BASE, LEFT, picture, titled
from fairmend.report.page.shares import share_table
from fairmend.report.page.shift import change_said, changes, shift_picture, value_said
from fairmend.report.page.tables import Table, behind
from fairmend.report.page.wording import NONE, change, fixed, place, share
from fairmend.report.svg import Node

HEADING = "Feature by feature"
MOST_CURVES = 90
"""Curves on a side of all panels together; more make the page large, and tables tell as much."""

MOST_POINTS = 16
MOST_SAID = 3
"""Of more groups only the range is said in a sentence."""

Where = tuple[str, str]


def features(content: Content) -> Node:
    """Write the section: pictures of the features and strata with most dependence before."""
    maps = {(part["feature"], part["stratum"]): part for part in content["maps"]}
    data = content["densities"]
    panels = {(p["feature"], p["stratum"]): p for p in data["panels"]} if data else {}
    places = list(dict.fromkeys([*panels, *maps]))
    if not places:
        said = unmeasured("Densities and transport maps were")
        return section("features", HEADING, said)
    groups = Groups.of(content)
    most = max(6, MOST_CURVES // len(groups.shown))
    drawn = [places[at] for at in chosen([_before(panels.get(at)) for at in places], most)]
    left_out = len(places) - len(drawn)
    note = (
        f"{len(drawn)} of {len(places)} are drawn, those with most dependence before the repair; "
        "the tables of the other sections have all."
    )
    written = [
        _feature(name, [at for at in drawn if at[0] == name], panels, maps, content, groups)
        for name in dict.fromkeys(name for name, _ in drawn)
    ]
    return section(
        "features",
        HEADING,
        paragraph(
            "Groups that agree after the repair run along the same line. The third picture says "
            "how: the mean change of a group’s values, at each value. A bar that is much higher "
            "than the others is cut, and its shares are written beside it."
        ),
        paragraph(note, class_="note") if left_out > 0 else None,
        groups.legend(),
        *written,
    )


def _feature(
    name: str,
    places: list[Where],
    panels: dict[Where, Panel],
    maps: dict[Where, MapPart],
    content: Content,
    groups: Groups,
) -> Node:
    alike = [panels[at]["edges"] for at in panels if at[0] == name]
    ends = (min(e[0] for e in alike), max(e[-1] for e in alike)) if alike else None
    index = [feature["name"] for feature in content["plan"]["features"]]
    strata = content["plan"]["strata"]
    written = []
    for at in places:
        number = f"{index.index(name) if name in index else 'x'}-"
        number += f"{strata.index(at[1]) if at[1] in strata else 'x'}"
        written.append(_stratum(at, number, panels.get(at), maps.get(at), ends, content, groups))
    return tag("div", tag("h3", name), *written, class_="feature")


def _stratum(
    at: Where,
    number: str,
    panel: Panel | None,
    part: MapPart | None,
    ends: tuple[float, float] | None,
    content: Content,
    groups: Groups,
) -> Node:
    pictures, tables = [], []
    if panel is not None and ends is not None:
        pictures += _sides(panel, number, ends, groups)
        tables.append(share_table(panel, groups))
    if part is not None and part["points"]:
        name = (
            "How values were moved" if part["levels"] is None else "Share that keeps its category"
        )
        pictures.append(titled(name, shift_picture(f"map-{number}", part, ends, groups)))
        tables.append(_map_table(part, groups))
    said = _said(at, content, panel)
    heading = tag("h4", at[1] or "All rows", " ", tag("span", said, class_="e") if said else None)
    stays = _stays(part, groups) if part is not None else None
    tables_behind = behind("Tables behind these pictures", *tables, fine=True) if tables else None
    return tag("div", heading, tag("div", *pictures, class_="pictures"), stays, tables_behind)


def _sides(panel: Panel, number: str, ends: tuple[float, float], groups: Groups) -> list[Node]:
    shown = {**panel, "before": groups.only(panel["before"]), "after": groups.only(panel["after"])}
    axes = one.Axes.of(shown, *ends)  # type: ignore[arg-type]
    where = place(panel["feature"], panel["stratum"])
    drawn = []
    for name, side in (("Before", panel["before"]), ("After", panel["after"])):
        key = f"{name.lower()}-{number}"
        title = f"{name} repair: each group’s distribution of {where}"
        rows = "; ".join(
            f"{groups.names[at]}: {_rows(side['curves'][at]['rows'])}" for at in groups.shown
        )
        nats = fixed(side["dependence"])
        curves = one.draw_panel(panel, groups.only(side), axes, LEFT, BASE, numbered=True)
        said = f"E as seen {nats} nats. {rows}. The table below has the shares."
        slanted = one.aslant(panel)
        drawn.append(titled(name, picture(key, title, said, curves, slanted=slanted)))
    return drawn


def _rows(rows: int | None) -> str:
    return "too few rows to be drawn" if rows is None else f"{rows:,} rows"


def _said(at: Where, content: Content, panel: Panel | None) -> str | None:
    """Write E of this place: corrected for chance where that was measured."""
    found = content["dependence"]
    for row in found["rows"] if found else []:
        if (row["feature"], row["stratum"]) == at and row["groups"] is None:
            return f"E {change(row['e'])} nats"
    if panel is None:
        return None
    before, after = (fixed(panel[side]["dependence"]) for side in ("before", "after"))
    return f"E as seen {before} → {after} nats"


def _before(panel: Panel | None) -> float:
    return 0.0 if panel is None else panel["before"]["dependence"] or 0.0


def _stays(part: MapPart, groups: Groups) -> Node:
    shares = [part["groups"][at]["stays"] for at in groups.shown]
    if len(shares) > MOST_SAID:
        ends = f"{share(min(shares), 0)} to {share(max(shares), 0)} of each group"
        return paragraph(f"Keep their value by the plan: {ends}.", class_="note")
    named = (
        f"{share(kept, 0)} of {groups.names[at]}"
        for at, kept in zip(groups.shown, shares, strict=True)
    )
    return paragraph(f"Keep their value by the plan: {', '.join(named)}.", class_="note")


def _map_table(part: MapPart, groups: Groups) -> Node:
    where = place(part["feature"], part["stratum"])
    levels = part["levels"]
    what = "Share of each category that keeps it" if levels else "Mean change at each value"
    heads = [f"#{groups.names[at]}" for at in groups.shown]
    table = Table(f"{what}: {where}", ("Value", *heads))
    n = len(part["points"])
    # Evenly chosen points, the first and the last among them.
    kept = sorted(
        {round(k * (n - 1) / max(min(n, MOST_POINTS) - 1, 1)) for k in range(MOST_POINTS)}
    )
    for at in (k for k in kept if k < n):
        if levels:
            cells = [_kept(part["groups"][group]["means"][at]) for group in groups.shown]
        else:
            cells = [change_said(part, changes(part, group)[at]) for group in groups.shown]
        table.add(levels[at] if levels else value_said(part, part["points"][at]), *cells)
    return table.node()


def _kept(kept: float | None) -> str:
    return NONE if kept is None else share(kept)
