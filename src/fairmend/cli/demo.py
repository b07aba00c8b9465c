"""``fairmend demo``."""

from pathlib import Path

import click

from fairmend.cli.options import PATH, example, force


@click.command(
    short_help="See it all on UCI Adult, shipped with fairmend.",
    epilog=example("fairmend demo --out demo"),
)
@click.option(
    "--out",
    type=PATH,
    default=Path("demo"),
    show_default=True,
    metavar="FOLDER",
    help="Where to write the plan, the repaired file, the report and the picture.",
)
@force
def demo(out: Path, force: bool) -> None:
    """Design a plan from 10,000 rows of UCI Adult, repair the others, and show what it did."""
    from fairmend.demo import run_demo

    run_demo(out, force=force)
