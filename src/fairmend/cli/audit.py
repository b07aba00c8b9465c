"""``fairmend audit``."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fairmend.cli.console import progress, results, table_of
from fairmend.cli.options import PATH, example, force

if TYPE_CHECKING:
    from rich.table import Table


@click.command(
    short_help="Measure what a repair achieved and cost.",
    epilog=example("fairmend audit archive.parquet repaired.parquet --plan plan.json"),
)
@click.argument("before", type=PATH)
@click.argument("after", type=PATH)
@click.option("--plan", type=PATH, required=True, help="The plan file.")
@click.option("--json", "out", type=PATH, help="Write the figures to this JSON file too.")
@click.option(
    "--paper-grid",
    type=click.IntRange(2),
    metavar="POINTS",
    help="Show dependence on the scale of the paper's tables too: 500 points for its Adult table, "
    "100 for its simulation.",
)
@force
def audit(before: Path, after: Path, plan: Path, out: Path | None, **options: Any) -> None:
    """Compare the archive BEFORE with the repaired file AFTER: the same rows in the same order.

    E says how far the groups' distributions of a feature are apart within the strata, in nats: 0
    where they agree, and a little more by chance. RMSE is in the feature's own units.
    """
    from fairmend.files.audit import audit_files

    with progress() as steps:
        found = audit_files(before, after, plan, out=out, tell=steps.tell, **options)
    results().print(_table(found))
    unseen = f"; {found['unseen']:,} unseen and not measured" if found["unseen"] else ""
    steps.done(f"Audited {found['rows']:,} rows{unseen}")


def _table(found: Mapping[str, Any]) -> "Table":
    columns = {"E before": "nats_before", "E after": "nats_after"}
    if found["paper_grid"] is not None:
        columns |= {"paper E before": "paper_before", "paper E after": "paper_after"}
    columns |= {"RMSE": "rmse"}
    table = table_of(None, ["feature"], [*columns, "changed"])
    for feature in found["features"]:
        cells = (_short(feature[name]) for name in columns.values())
        share = feature["share_changed"]
        table.add_row(feature["name"], *cells, "none" if share is None else f"{share:.1%}")
    return table


def _short(number: float | None) -> str:
    """Write three digits, or the whole part where it has more."""
    if number is None:
        return "none"
    return f"{number:,.0f}" if abs(number) >= 1_000 else f"{number:.3g}"
