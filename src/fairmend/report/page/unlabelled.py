"""The page of an audit by estimated groups."""

from fairmend.report.content import Estimate
from fairmend.report.page.axis import Axis, highest
from fairmend.report.page.closing import glossary
from fairmend.report.page.damage import change_table
from fairmend.report.page.document import contents, page_of
from fairmend.report.page.elements import Part, items, paragraph, section, tag, unmeasured
from fairmend.report.page.plan import plan
from fairmend.report.page.tables import Table, behind
from fairmend.report.page.tracks import Track, Tracks, figure, legend
from fairmend.report.page.verdicts import LOOKS, sign
from fairmend.report.page.wording import amount, fixed, plural, share
from fairmend.report.svg import Node
from fairmend.report.unlabelled import Burden, Ends, EstimatedFeature, UnlabelledContent

MOST_TRACKS = 24
CONTENTS = {
    "unknowable": "What cannot be known",
    "dependence": "Dependence",
    "leak": "Leak test",
    "damage": "Damage",
    "model": "Label model",
    "plan": "Plan",
    "reading": "How to read",
}


def to_html(content: UnlabelledContent) -> str:
    """Write the page: one document without scripts and requests, as of every audit."""
    fewest = content["fewest"]
    sections = (
        _opening(content),
        contents(CONTENTS),
        section("unknowable", "What cannot be known", items(content["unknowable"])),
        _dependence(content),
        _leak(content),
        _damage(content),
        _model(content),
        plan(content["plan"], fewest),
        glossary(fewest),
    )
    return page_of(content, "fairmend audit: no verdict, groups are estimated", sections)


def _opening(content: UnlabelledContent) -> Node:
    look, part = LOOKS[None], content["plan"]
    verdict = tag(
        "div",
        paragraph(sign(None), " No verdict: groups are estimated", class_="verdict"),
        *(paragraph(sentence) for sentence in content["sentences"]),
        class_=f"answer {look.name}",
    )
    facts: list[tuple[str, Part]] = [
        ("Features", items([feature["name"] for feature in part["features"]])),
        ("Protected (S), estimated", " × ".join(part["protected"])),
        ("Within (U)", " × ".join(part["unprotected"]) or "all rows together"),
        ("Archive", f"{content['rows']:,} rows"),
        ("Without a recorded group", share(content["estimated"])),
        ("Plan", tag("code", part["sha256"][:12])),
    ]
    listed = [tag("div", tag("dt", name), tag("dd", fact)) for name, fact in facts]
    heading = f"Audit of a repair without groups: {plural(len(part['features']), 'feature')}"
    return tag(
        "section",
        tag("h1", heading, id="verdict"),
        tag("div", verdict, class_="main-column"),
        tag("div", tag("h2", "What was repaired"), tag("dl", *listed), class_="facts"),
        class_="opening",
        aria_labelledby="verdict",
    )


def _dependence(content: UnlabelledContent) -> Node:
    features = sorted(content["features"], key=lambda one: one["after"]["value"], reverse=True)
    shown = features[:MOST_TRACKS]
    sides = [side for one in shown for side in (one["before"], one["after"])]
    axis = Axis.roots(highest([side["high"] or side["value"] for side in sides], 0.02))
    title = "E of each feature over all strata, by estimated groups, in nats"
    picture = Tracks("dependence-all", title, axis, {}, [_track(one) for one in shown])
    note = "" if len(shown) == len(features) else " Those with less left are in the table only."
    caption = f"{title}. The axis is one of square roots: equal steps are equal shifts.{note}"
    table = Table(title, ("Feature", "#Before", "#95 %", "#After", "#95 %"))
    strata = Table("E in each stratum, by estimated groups", ("Feature", "#Before", "#After"))
    for one in features:
        table.add(one["feature"], *_cells(one["before"]), *_cells(one["after"]))
        for cell in one["strata"]:
            where = f"{one['feature']}, {cell['stratum']}"
            strata.add(where, fixed(cell["before"]), fixed(cell["after"]))
    return section(
        "dependence",
        "How much the features depend on the group",
        paragraph(
            "E says how far apart the groups’ laws of a feature are, within each stratum. Here "
            "every row counts for each group by its probability. What chance adds is not taken off."
        ),
        figure(picture.node(), caption, *legend()),
        behind("Table: dependence over all strata", table.node()),
        behind("Table: dependence in each stratum", strata.node()) if strata.rows else None,
    )


def _track(one: EstimatedFeature) -> Track:
    said = f"{fixed(one['before']['value'])} → {fixed(one['after']['value'])}"
    return Track(one["feature"], said, _estimate(one["before"]), _estimate(one["after"]))


def _estimate(ends: Ends) -> Estimate:
    return {**ends, "raw": None, "floor": None, "floor_high": None}


def _cells(ends: Ends, digits: int = 3) -> tuple[str, str]:
    low, high = ends["low"], ends["high"]
    interval = "–" if low is None else f"{fixed(low, digits)} to {fixed(high, digits)}"
    return fixed(ends["value"], digits), interval


def _leak(content: UnlabelledContent) -> Node:
    heading, found = "Whether the group can still be told", content["leak"]
    if found is None:
        return section("leak", heading, unmeasured("The leak was"))
    heads = ("An adversary who sees", "#Before", "#95 %", "#After", "#95 %")
    table = Table("AUC for estimated groups within strata", heads)
    table.add("all features together", *_cells(found["before"]), *_cells(found["after"]))
    return section(
        "leak",
        heading,
        paragraph(
            "An adversary learns groups that are drawn from their probabilities, apart from those "
            "of the repair. It reaches what one who knew the true ones would reach, if the "
            f"probabilities are right. 0.5 is guessing. {found['rows_used']:,} rows were used; "
            "intervals are of the rows, and not of the probabilities."
        ),
        table.node(),
    )


def _damage(content: UnlabelledContent) -> Node:
    changes = [one["change"] for one in content["features"]]
    table = Table(
        "Change of each estimated group",
        ("Feature", "Group", "#Rows to expect", "#Mean change", "#Rows changed",
         "#Missing before", "#Missing after"),
    )  # fmt: skip
    for one in content["features"]:
        for group in one["groups"]:
            table.add(one["feature"], group["group"], *_burden(group, one["change"]["unit"]))
    return section(
        "damage",
        "What the repair changed",
        paragraph("Amounts are in the feature’s own units. What is said of all rows is exact."),
        change_table("Change of each feature", changes, content["fewest"]).node(),
        behind("Table: change of each estimated group", table.node()),
    )


def _burden(group: Burden, unit: str | None) -> tuple[str, ...]:
    rows = group["rows"]
    return (
        "–" if rows is None else f"{rows:,.0f}",
        amount(group["mean_absolute"], unit),
        *(share(group[name]) for name in ("share_changed", "missing_before", "missing_after")),
    )


def _model(content: UnlabelledContent) -> Node:
    model = content["model"]
    table = Table("What held-out research rows say of it", ("Figure", "#Value"))
    table.add("Log-loss, in nats", fixed(model["log_loss"], 4))
    table.add("Log-loss where only the stratum is known", fixed(model["chance"], 4))
    table.add("Told of what the strata leave open", share(model["told"]))
    table.add("Likeliest group is right", share(model["accuracy"]))
    table.add("Mean distance of predicted and observed shares", fixed(model["calibration_error"]))
    return section(
        "model",
        "What estimates the groups",
        paragraph(f"Method: {model['method']}. It reads {', '.join(model['columns'])}."),
        table.node(),
    )
