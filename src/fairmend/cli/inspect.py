"""``fairmend inspect``."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fairmend.cli.console import results, table_of
from fairmend.cli.options import PATH, example

if TYPE_CHECKING:
    from rich.table import Table


@click.command(short_help="Say what a plan holds.", epilog=example("fairmend inspect plan.json"))
@click.argument("plan", type=PATH)
def inspect(plan: Path) -> None:
    """Show roles, groups, strata, features, options and hash of PLAN.

    A damaged plan, or one of another version, is refused.
    """
    from fairmend.files.describe import describe_plan_file

    said = describe_plan_file(plan)
    console = results()
    console.print(f"{plan}, designed by {said['creator']}")
    console.print(f"sha256       {said['sha256']}")
    console.print(f"protected    {', '.join(said['protected'])}")
    console.print(f"unprotected  {', '.join(said['unprotected']) or 'none: one stratum'}")
    options = (f"{name}={value!r}" for name, value in said["options"].items())
    console.print(f"options      {', '.join(options)}", soft_wrap=True)
    console.print(_strata(said))
    console.print(_features(said))


def _strata(said: Mapping[str, Any]) -> "Table":
    table = table_of("Research rows", ["stratum"], said["groups"])
    for stratum in said["strata"]:
        table.add_row(stratum["stratum"], *(f"{rows:,}" for rows in stratum["rows"]))
    return table


def _features(said: Mapping[str, Any]) -> "Table":
    table = table_of("Features", ["feature", "stratum", "kind"], ["points", "low", "high"])
    table.add_column("why this kind", overflow="fold")
    for feature in said["features"]:
        for cell in feature["cells"]:
            numbers = f"{cell['points']:,}", f"{cell['low']:,.10g}", f"{cell['high']:,.10g}"
            table.add_row(
                feature["name"], cell["stratum"], feature["kind"], *numbers, feature["reason"]
            )
    return table
