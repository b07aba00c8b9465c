"""``fairmend leak``."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fairmend.cli.console import figures, progress, show, table_of
from fairmend.cli.options import PATH, as_json, example, names

if TYPE_CHECKING:
    from rich.table import Table


@click.command(
    short_help="Test whether the features tell the protected attribute.",
    epilog=example(
        "fairmend leak repaired.csv --protected sex --unprotected college --features age,hours"
    ),
)
@click.argument("table", type=PATH)
@click.option(
    "--protected",
    required=True,
    multiple=True,
    callback=names,
    metavar="COLUMN,..",
    help="The protected attribute; several columns are crossed into groups.",
)
@click.option(
    "--unprotected",
    multiple=True,
    callback=names,
    metavar="COLUMN,..",
    help="Attributes that may matter: the adversary is tested within each of their levels.",
)
@click.option(
    "--features",
    required=True,
    multiple=True,
    callback=names,
    metavar="COLUMN,..",
    help="What the adversary sees.",
)
@click.option(
    "--permutations",
    type=click.IntRange(0),
    metavar="N",
    default=3,
    show_default=True,
    help="Runs with the groups shuffled, which show what chance looks like.",
)
@click.option(
    "--max-rows",
    type=click.IntRange(10),
    metavar="N",
    default=50_000,
    show_default=True,
    help="A larger table is sampled.",
)
@as_json
def leak(table: Path, out: Path | None, force: bool, **options: Any) -> None:
    """Train an adversary to tell the protected attribute of TABLE from its features.

    AUC is the chance that it ranks a member of a group above another row of the same stratum,
    cross-validated: 0.5 is chance and 1 is certainty. Beside it is the AUC with the groups
    shuffled, which is 0.5 up to chance.
    """
    from fairmend.files.leak import leak_file

    with progress() as steps, figures(out, table, force=force) as found:
        found |= leak_file(table, tell=steps.tell, **options)
    show(found, out, _table(found))
    steps.done(f"Tested {found['rows']:,} rows")


def _table(found: Mapping[str, Any]) -> "Table":
    table = table_of(None, ["stratum"], ["AUC", "shuffled"])
    for stratum, auc in found["by_stratum"].items():
        table.add_row(stratum, f"{auc:.3f}", "")
    null, deviation = found["null"], found["null_deviation"]
    spread = "" if deviation is None else f" ± {deviation:.3f}"
    table.add_row("all", f"{found['auc']:.3f}", "none" if null is None else f"{null:.3f}{spread}")
    return table
