"""``fairmend audit``."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fairmend.cli.audit_unlabelled import audit_by_estimates
from fairmend.cli.console import MOST_BESIDE, progress, results, short, table_of, warn
from fairmend.cli.options import PATH, example, force, names, number_pairs

if TYPE_CHECKING:
    from rich.table import Table

    from fairmend.auditing.result import Audit
    from fairmend.report.content import Content


WHEN = ("before", "after")


class Failed(click.ClickException):
    """The audit was done, and what it found is not what was asked for."""

    exit_code = 3

    def show(self, file: Any = None) -> None:
        """Say which gates are closed, on stderr."""
        click.echo(f"fairmend: {self.format_message()}", err=True)


@click.command(
    short_help="Measure what a repair achieved and cost.",
    epilog=example(
        "fairmend audit archive.parquet repaired.parquet --plan plan.json \\",
        "    -o audit.html --fail-if 'leak>0.6' --fail-if 'E>0.02'",
    ),
)
@click.argument("before", type=PATH)
@click.argument("after", type=PATH)
@click.option("--plan", type=PATH, required=True, help="The plan file.")
@click.option(
    "-o",
    "--out",
    "outs",
    type=PATH,
    multiple=True,
    metavar="FILE",
    help="Write the report to this file, as its suffix says: .html or .json. Repeatable.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON instead.")
@click.option(
    "--fail-if",
    "gates",
    multiple=True,
    metavar="CONDITION",
    help="Exit with code 3 where this holds after the repair: E, tv, ks, leak, leak_all, damage, "
    "changed, missing, drift, di, treatment or utility, a sign and a number; or verdict, unless "
    "it is 'within tolerance' (verdict=above: only if above). Repeatable.",
)
@click.option(
    "--tolerance",
    "tolerances",
    multiple=True,
    callback=number_pairs,
    metavar="NAME=NUMBER,..",
    help="What verdicts tolerate. Defaults: E=0.02, tv=0.08, leak=0.56 (AUC), drift=0.08, the "
    "figures of two normal laws 0.2 standard deviations apart, a small effect; impact=0.8, the "
    "four-fifths rule.",
)
@click.option(
    "--label",
    metavar="COLUMN",
    help="An outcome: a model learns it before and after, and its decisions are compared.",
)
@click.option("--favourable", metavar="VALUE", help="The outcome that people want.")
@click.option(
    "--predictions",
    metavar="COLUMN",
    help="Decisions or probabilities in both files, compared instead of a model's.",
)
@click.option(
    "--reference",
    metavar="GROUP",
    help="The group that others are compared with.  [default: the one ahead before the repair]",
)
@click.option(
    "--time", metavar="COLUMN", help="Dates or labels: look for drift period by period too."
)
@click.option(
    "--exclude",
    multiple=True,
    callback=names,
    metavar="COLUMN,..",
    help="Columns that will not be handed on, so that no adversary sees them.",
)
@click.option(
    "--leak/--no-leak",
    default=True,
    help="Train adversaries, which takes most of the time.  [default: leak]",
)
@click.option(
    "--research",
    type=PATH,
    metavar="FILE",
    help="The research data: count rows with a pair of values that no research row has. With "
    "--labels, give E intervals, by fitting the model anew; that takes longer.",
)
@click.option(
    "--paper-grid",
    type=click.IntRange(2),
    metavar="POINTS",
    help="Show dependence on the scale of the paper's tables too: 500 points for its Adult table, "
    "100 for its simulation.",
)
@click.option(
    "--labels",
    type=PATH,
    help="A label model (see fairmend label-model): audit an archive without groups by estimated "
    "ones. There is no verdict then, and no gate.",
)
@force
def audit(
    before: Path,
    after: Path,
    plan: Path,
    outs: tuple[Path, ...],
    as_json: bool,
    gates: tuple[str, ...],
    labels: Path | None,
    force: bool,
    **options: Any,
) -> None:
    """Compare the archive BEFORE with its repair AFTER: the same rows in the same order.

    Each is a file, a folder of files or a quoted pattern. Rows whose group or stratum is missing,
    or not in the plan, are left out and counted.

    E says how far the groups' distributions of a feature are apart within the strata, in nats, with
    what chance adds taken off; beside it are its 95 % interval and whether what is left is
    detectable at all. Adversaries try to tell the groups: AUC 0.5 is a guess, 1 is certainty. RMSE
    is in the feature's own units; categories have none.

    If groups were never recorded, pass --labels. What can be said then is less, and is said with
    what cannot be known.
    """
    if labels is not None:
        how = {"as_json": as_json, "force": force}
        audit_by_estimates(before, after, plan, labels, outs, {**options, "gates": gates}, **how)
        return
    from fairmend.auditing.gates import Gate, refuse_unmeasured
    from fairmend.auditing.on_disk import audit_files
    from fairmend.auditing.result import check_suffixes
    from fairmend.files.formats import check_outputs

    asked = [Gate.of(gate) for gate in gates]
    decides = options["label"] or options["predictions"]
    refuse_unmeasured(asked, leak=options["leak"], decisions=decides is not None)
    check_suffixes(outs)
    check_outputs(*outs, inputs=(before, after, plan), force=force)
    with progress() as steps:
        found = audit_files(before, after, plan, tell=steps.tell, **options)
        for out in outs:
            steps.tell(f"Writing {out.name}")
            found.save(out, force=force)
    _show(found, as_json=as_json)
    _warn_of_sides(found.content)
    rows, unseen = found.content["rows"], found.content["unseen"]
    said = (
        ""
        if unseen == 0
        else f"; {_count(unseen)} left out, without a group or stratum of the plan"
    )
    steps.done(f"Audited {rows:,} rows{said}")
    closed = [why for gate in asked if (why := gate.fails(found.content))]
    if closed:
        raise Failed("the audit fails. " + "; ".join(closed) + ".")


def _show(found: "Audit", *, as_json: bool) -> None:
    if as_json:
        click.echo(found.to_json())
        return
    content = found.content
    for sentence in content["summary"]["sentences"]:
        results().print(sentence, soft_wrap=False)
    results().print(_features(content))
    tables = _adversaries, _pairs, _combinations, _missing, _outcomes
    for table in (one(content) for one in tables):
        if table is not None:
            results().print(table)


def _warn_of_sides(content: "Content") -> None:
    """Say where BEFORE and AFTER may not be what they were taken for."""
    damage, dependence = content["damage"], content["dependence"]
    assert damage is not None
    assert dependence is not None
    if damage["rows"] and all(row["share_changed"] == 0.0 for row in damage["rows"]):
        warn("no feature differs between BEFORE and AFTER: is AFTER the repaired file?")
    whole = [row["e"] for row in dependence["rows"] if row["stratum"] is row["groups"] is None]
    before = sum(e["before"]["value"] or 0.0 for e in whole if e["before"] is not None)
    after = sum(e["after"]["value"] or 0.0 for e in whole if e["after"] is not None)
    if after > max(2 * before, before + dependence["tolerance"]):
        warn("E rose: is BEFORE the archive, and AFTER its repair?")


def _features(content: "Content") -> "Table":
    head = ["E before", "E after", "95 % interval", "by chance"]
    on_paper = [] if content["paper"] is None else content["paper"]["rows"]
    paper: dict[str, Mapping[str, Any]] = {row["feature"]: row for row in on_paper}
    head += ["paper E before", "paper E after"] if content["paper"] is not None else []
    table = table_of(None, ["feature"], [*head, "RMSE", "changed"])
    table.add_column("verdict", overflow="fold")
    assert content["dependence"] is not None
    assert content["damage"] is not None
    damage = {row["feature"]: row for row in reversed(content["damage"]["rows"])}
    for row in content["dependence"]["rows"]:
        if row["stratum"] is not None or row["groups"] is not None:
            continue
        name = row["feature"]
        cells = [
            _value(row["e"]["before"]),
            *_interval(row["e"]["after"]),
            _floor(row["e"]["after"]),
        ]
        if content["paper"] is not None:
            cells += [short(paper[name][when]) if name in paper else "–" for when in WHEN]
        table.add_row(name, *cells, *_cost(damage.get(name)), row["verdict"] or "not measured")
    return table


def _cost(row: Mapping[str, Any] | None) -> list[str]:
    if row is None:
        return ["none", "none"]
    rmse = "–" if row["rmse"] is None else short(row["rmse"])
    unit = f" {row['unit']}" if row["unit"] and row["rmse"] is not None else ""
    return [rmse + unit, _percent(row["share_changed"])]


def _adversaries(content: "Content") -> "Table | None":
    if content["leak"] is None:
        return None
    title = "AUC of an adversary for the groups"
    table = table_of(title, ["it sees"], ["before", "after", "95 % interval"])
    table.add_column("verdict", overflow="fold")
    for row in content["leak"]["rows"]:
        kind = "" if row["sees"] != "column" or row["is_feature"] else " (untouched)"
        cells = [_value(row["before"], ".3f"), *_interval(row["after"], ".3f")]
        table.add_row(row["name"] + kind, *cells, row["verdict"] or "")
    return table


MOST_PAIRS = 5
"""Pairs of features on the screen; the report has all."""


def _pairs(content: "Content") -> "Table | None":
    """Lay out the pairs of features that tell most together."""
    found = content["pairs"]
    rows = [row for row in found["rows"] if row["beyond"] is not None] if found else []
    if not rows:
        return None
    rows.sort(key=lambda row: -(row["after"] or {"value": 0.0})["value"])  # type: ignore[operator]
    title = "AUC for the groups of two features that tell most after the repair, in bins"
    table = table_of(title, ["features"], ["before", "after", "95 % interval", "beyond either"])
    for row in rows[:MOST_PAIRS]:
        cells = [_value(row["before"], ".3f"), *_interval(row["after"], ".3f")]
        table.add_row(f"{row['first']}, {row['second']}", *cells, f"{row['beyond']:+.3f}")
    return table


def _combinations(content: "Content") -> "Table | None":
    """Lay out the pairs of features with most pairs of values that nobody has."""
    found = content["combinations"]
    if found is None:
        return None
    table = table_of("Rows with a combination of values", ["that"], ["before", "after"])
    for row in (found["unseen"] or [])[:MOST_PAIRS]:
        names = f"no research row has: {row['first']}, {row['second']}"
        table.add_row(names, _rows(row["before"]), _rows(row["after"]))
    if found["forbidden"] is not None:
        ends = found["forbidden"]
        table.add_row("the plan forbids", _rows(ends["before"]), _rows(ends["after"]))
    return table


def _rows(share: float | None) -> str:
    return "a few" if share is None else f"{share:.2%}"


def _missing(content: "Content") -> "Table | None":
    """Lay out by how much the groups differ in missing values, and their shares."""
    rows = [row for row in content["missing"] if row["stratum"] is None]
    if not rows:
        return None
    groups = content["plan"]["groups"]
    shown = groups if len(groups) <= MOST_BESIDE else []
    columns = ["differ before", "differ after", *shown]
    table = table_of("Missing values by group", ["feature"], columns)
    for row in rows:
        shares = [f"{_percent(g['before'])} → {_percent(g['after'])}" for g in row["groups"]]
        differ = _percent(row["before"]), _percent(row["after"])
        table.add_row(row["feature"], *differ, *shares[: len(shown)])
    return table


def _outcomes(content: "Content") -> "Table | None":
    found = content["outcomes"]
    if found is None:
        return None
    title = f"Disparate impact on {found['label']}, favourable: {found['favourable']}"
    table = table_of(title, ["stratum", "group", "over"], ["before", "after"])
    for row in found["rows"]:
        ratios = (short(row["before"]), short(row["after"]))
        table.add_row(row["stratum"] or "all together", row["group"], row["reference"], *ratios)
    return table


def _value(found: Mapping[str, Any] | None, digits: str = ".3g") -> str:
    return "none" if found is None else format(found["value"], digits)


def _interval(found: Mapping[str, Any] | None, digits: str = ".3g") -> list[str]:
    if found is None:
        return ["none", ""]
    ends = (format(found[end], digits) for end in ("low", "high"))
    return [format(found["value"], digits), " to ".join(ends)]


def _floor(found: Mapping[str, Any] | None) -> str:
    return "none" if found is None else short(found["floor"])


def _count(rows: int | None) -> str:
    return "a few" if rows is None else f"{rows:,}"


def _percent(share: float | None) -> str:
    return "none" if share is None else f"{share:.1%}"
