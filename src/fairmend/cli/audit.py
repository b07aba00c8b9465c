"""``fairmend audit``."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fairmend.cli.console import MOST_BESIDE, progress, short, show, table_of
from fairmend.cli.options import PATH, STDOUT, as_json, example

if TYPE_CHECKING:
    from rich.table import Table


@click.command(
    short_help="Measure what a repair achieved and cost.",
    epilog=example("fairmend audit archive.parquet repaired.parquet --plan plan.json"),
)
@click.argument("before", type=PATH)
@click.argument("after", type=PATH)
@click.option("--plan", type=PATH, required=True, help="The plan file.")
@click.option(
    "--paper-grid",
    type=click.IntRange(2),
    metavar="POINTS",
    help="Show dependence on the scale of the paper's tables too: 500 points for its Adult table, "
    "100 for its simulation.",
)
@as_json
def audit(before: Path, after: Path, plan: Path, out: Path | None, **options: Any) -> None:
    """Compare the archive BEFORE with the repaired file AFTER: the same rows in the same order.

    E says how far the groups' distributions of a feature are apart within the strata, in nats: 0
    where they agree, and a little more by chance. The floor is what chance alone gives: E after
    repair with the groups shuffled within the strata. RMSE is in the feature's own units;
    categories have none. A second table shows, where values are missing, by how much the groups'
    shares of missing values differ within the strata.
    """
    from fairmend.files.audit import audit_files

    with progress() as steps:
        file = None if out == STDOUT else out
        found = audit_files(before, after, plan, out=file, tell=steps.tell, **options)
    some = any(feature["missing"] for feature in found["features"])
    show(found, out, _table(found), *([_missing(found)] if some else []))
    unseen = f"; {found['unseen']:,} unseen and not measured" if found["unseen"] else ""
    steps.done(f"Audited {found['rows']:,} rows{unseen}")


def _table(found: Mapping[str, Any]) -> "Table":
    columns = {"E before": "nats_before", "E after": "nats_after", "floor": "floor_after"}
    if found["paper_grid"] is not None:
        columns |= {"paper E before": "paper_before", "paper E after": "paper_after"}
    columns |= {"RMSE": "rmse"}
    table = table_of(None, ["feature"], [*columns, "changed"])
    for feature in found["features"]:
        cells = [short(feature[name]) for name in columns.values()]
        if feature["type"] == "category":
            cells[-1] = "–"
        elif feature["unit"] and feature["rmse"] is not None:
            cells[-1] += f" {feature['unit']}"
        table.add_row(feature["name"], *cells, _percent(feature["share_changed"]))
    return table


def _missing(found: Mapping[str, Any]) -> "Table":
    """Lay out by how much the groups differ in missing values, and their shares."""
    groups = found["groups"] if len(found["groups"]) <= MOST_BESIDE else []
    columns = ["differ before", "differ after", *groups]
    table = table_of("Missing values depend on the group", ["feature"], columns)
    for feature in found["features"]:
        if feature["missing"] is None:
            continue
        before, after = feature["missing"]["before"], feature["missing"]["after"]
        shares = (
            f"{_percent(old)} → {_percent(new)}"
            for old, new, _ in zip(before["groups"], after["groups"], groups, strict=False)
        )
        differ = (_percent(side["difference"]) for side in (before, after))
        table.add_row(feature["name"], *differ, *shares)
    return table


def _percent(share: float | None) -> str:
    return "none" if share is None else f"{share:.1%}"
