"""``fairmend leak``."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fairmend.cli.console import figures, progress, show, table_of, warn
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
    help="The repaired columns, which an adversary sees one by one and together.",
)
@click.option(
    "--exclude",
    multiple=True,
    callback=names,
    metavar="COLUMN,..",
    help="Columns that will not be handed on, so that no adversary sees them.",
)
@click.option("--each/--no-each", default=True, help="Test each column alone too.  [default: each]")
@click.option(
    "--all-columns/--no-all-columns",
    default=True,
    help="Test all columns of the file too, the untouched ones included.  [default: all-columns]",
)
@click.option(
    "--permutations",
    type=click.IntRange(0),
    metavar="N",
    default=1,
    show_default=True,
    help="Runs with the groups shuffled, which show what chance looks like.",
)
@click.option(
    "--max-rows",
    type=click.IntRange(10),
    metavar="N",
    default=30_000,
    show_default=True,
    help="A larger table is sampled.",
)
@as_json
def leak(table: Path, out: Path | None, force: bool, **options: Any) -> None:
    """Train adversaries to tell the protected attribute of TABLE from its columns.

    One sees the features together, one every column of the file, and one each column alone. AUC is
    the chance that it ranks a member of a group above another row of the same stratum,
    cross-validated: 0.5 is chance and 1 is certainty; for more than two groups, the mean of each
    against the rest. Beside it are its 95 % interval and the AUC with the groups shuffled, which is
    0.5 up to chance. "Falls by" is what the adversary that sees all features, or all columns, loses
    when the column is shuffled.
    """
    from fairmend.files.leak import leak_file

    with progress() as steps, figures(out, table, force=force) as found:
        found |= leak_file(table, tell=steps.tell, **options)
    tables = [_adversaries(found)]
    if len(found["joint"]["by_group"]) > 2:
        tables.append(_groups(found))
    if options["each"]:
        tables.append(_columns(found))
    show(found, out, *tables)
    for name, reason in found["unseen"].items():
        warn(f"no adversary saw {name!r}: {reason}. It may give the groups away all the same.")
    used = found["rows_used"]
    some = "" if used == found["rows"] else f" of {found['rows']:,}"
    gaps = found["rows_unlabelled"]
    without = f"; {gaps:,} left out, without a group or stratum" if gaps else ""
    steps.done(f"Tested {used:,}{some} rows{without}")


def _adversaries(found: Mapping[str, Any]) -> "Table":
    """Lay out the adversaries that see several columns, with the strata of the first."""
    table = table_of(None, ["the adversary sees"], ["AUC", "95 % interval", "shuffled"])
    n = len(found["features"])
    sees = "the feature" if n == 1 else f"the {n} features together"
    table.add_row(sees, *_cells(found["joint"]))
    if len(found["joint"]["by_stratum"]) > 1:
        for stratum, one in found["joint"]["by_stratum"].items():
            table.add_row(f"  where {stratum}", *_cells(one))
    if found["all_columns"] is not None:
        table.add_row("all columns", *_cells(found["all_columns"]))
    return table


def _groups(found: Mapping[str, Any]) -> "Table":
    both = found["all_columns"] is not None
    columns = ["AUC", "95 % interval", *(["AUC, all columns", "95 % interval"] if both else [])]
    table = table_of("Each group against the rest", ["group"], columns)
    joint = found["joint"]["by_group"]
    for group in sorted(joint, key=lambda name: -joint[name]["auc"]):
        cells = _cells(joint[group])[:2]
        if both:
            cells += _cells(found["all_columns"]["by_group"][group])[:2]
        table.add_row(group, *cells)
    return table


def _columns(found: Mapping[str, Any]) -> "Table":
    """Lay out the columns, the most telling first."""
    falls = ["falls by, features", "falls by, all"]
    table = table_of(
        "Each column alone", ["column", ""], ["AUC", "95 % interval", "shuffled", *falls]
    )
    for one in found["columns"]:
        drops = ("" if x is None else f"{x:.3f}" for x in (one["joint_drop"], one["all_drop"]))
        kind = "feature" if one["is_feature"] else "untouched"
        table.add_row(one["column"], kind, *_cells(one["alone"]), *drops)
    return table


def _cells(one: Mapping[str, Any]) -> list[str]:
    null = one.get("null")
    shuffled = "" if null is None else f"{null:.3f} ± {one['null_deviation']:.3f}"
    return [f"{one['auc']:.3f}", f"{one['low']:.3f} to {one['high']:.3f}", shuffled]
