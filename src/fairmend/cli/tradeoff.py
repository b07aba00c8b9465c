"""``fairmend tradeoff``."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fairmend.cli.console import figures, short, show, table_of
from fairmend.cli.options import PATH, as_json, example

if TYPE_CHECKING:
    from rich.table import Table


@click.command(
    short_help="Show dependence against damage over the amount of repair.",
    epilog=example("fairmend tradeoff plan.json"),
)
@click.argument("plan", type=PATH)
@click.option(
    "--points",
    type=click.IntRange(2),
    metavar="N",
    default=11,
    show_default=True,
    help="Amounts from 0 to 1.",
)
@as_json
def tradeoff(plan: Path, points: int, out: Path | None, force: bool) -> None:
    """Show for amounts from 0 to 1 what a repair by PLAN leaves and costs, on the plan's own laws.

    E is the dependence that is left, in nats. Damage is the root mean squared change in standard
    deviations of the feature, for categories the share of rows changed; both are means over the
    features. Pass the amount that you choose to fairmend repair --amount.
    """
    from fairmend.files.describe import tradeoff_of_plan_file

    with figures(out, plan, force=force) as found:
        found |= tradeoff_of_plan_file(plan, points)
    show(found, out, _table(found))


def _table(found: Mapping[str, Any]) -> "Table":
    names = found["features"] if len(found["features"]) > 1 else []
    each = [f"{what} {name}" for name in names for what in ("E", "damage")]
    table = table_of(None, [], ["amount", "E", "damage", *each])
    for point in found["curve"]:
        parts = [point, *(point["by_feature"][name] for name in names)]
        cells = (short(part[what]) for part in parts for what in ("dependence", "damage"))
        table.add_row(short(point["amount"]), *cells)
    return table
