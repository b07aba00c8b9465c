"""``fairmend summarise``."""

from pathlib import Path
from typing import Any

import click

from fairmend.cli.console import progress
from fairmend.cli.options import PATH, example, force, given
from fairmend.cli.roles import checked_roles, roles


@click.command(
    short_help="Count research data, for a design elsewhere.",
    epilog=example(
        "fairmend summarise research.parquet --protected sex --unprotected college \\",
        "    --features age,hours -o site1.json",
        "fairmend design site1.json site2.json -o plan.json",
    ),
)
@click.argument("research", type=PATH)
@roles
@click.option("-o", "--out", type=PATH, required=True, help="The summary file to write.")
@force
def summarise(research: Path, out: Path, force: bool, **options: Any) -> None:
    """Count RESEARCH by value, group and stratum: a file, a folder of files, or a quoted pattern.

    Sites that may not share rows each summarise their own, with the same options, and fairmend
    design makes of all summaries the plan that it would make of all rows. Parquet and Arrow IPC are
    read in one pass and constant memory; text files are read whole, since what a column holds
    follows from all of its fields.

    A SUMMARY IS FOR WHO DESIGNS: it holds no row, but it shows how many rows of each group and
    stratum have each value, also those that a single person has.
    """
    from fairmend.files.summaries import summarise_file

    checked_roles(options)
    with progress() as steps:
        done = summarise_file(research, out, force=force, tell=steps.tell, **given(options))
    strata = len(done.strata)
    steps.done(
        f"Counted {done.n_rows:,} rows into {out}: {len(done.groups)} groups in {strata} "
        f"{'stratum' if strata == 1 else 'strata'}; {', '.join(done.feature_names)}"
    )
