"""``fairmend design``."""

from pathlib import Path
from typing import Any

import click

from fairmend.cli.console import progress
from fairmend.cli.options import (
    PATH,
    example,
    force,
    given,
    names,
    number_or_word,
    number_pairs,
    pairs,
    policies,
)


@click.command(
    short_help="Design a plan from research data.",
    epilog=example(
        "fairmend design research.csv --protected sex --unprotected college \\",
        "    --features age,hours --kind age=discrete -o plan.json",
    ),
)
@click.argument("research", type=PATH)
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
    help="Attributes that may matter: features are repaired within each of their levels.",
)
@click.option(
    "--features",
    multiple=True,
    callback=names,
    metavar="COLUMN,..",
    help="Columns to repair.  [default: all without a role]",
)
@click.option(
    "--exclude", multiple=True, callback=names, metavar="COLUMN,..", help="Columns to leave alone."
)
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    callback=pairs,
    metavar="COLUMN=KIND",
    help="Say that a feature is continuous, discrete or mixed.  [default: found from the data]",
)
@click.option(
    "--n-support",
    type=int,
    metavar="N",
    help="Points of a continuous support.  [default: two in the smallest bandwidth, 100 to 2000]",
)
@click.option(
    "--margin",
    type=float,
    help="Share of the research range added at each end of a continuous support.  [default: 0.1]",
)
@click.option(
    "--bandwidth",
    callback=number_or_word,
    metavar="silverman|scott|WIDTH",
    help="Width of the kernels.  [default: silverman]",
)
@click.option(
    "--output",
    type=click.Choice(["support", "monge"]),
    help="Where continuous values go: to a drawn support point, or along a deterministic map.  "
    "[default: support]",
)
@click.option(
    "--t", type=float, help="Weight in the target of the second of two groups.  [default: 0.5]"
)
@click.option(
    "--target-weight",
    "target_weights",
    multiple=True,
    callback=number_pairs,
    metavar="GROUP=WEIGHT",
    help="Weight of a group in the target.  [default: equal weights]",
)
@policies
@click.option("-o", "--out", type=PATH, required=True, help="The plan file to write.")
@force
def design(research: Path, out: Path, force: bool, **options: Any) -> None:
    """Design a plan from RESEARCH, a Parquet or CSV file with the protected attribute.

    The plan holds no research row, but it does show the range of each feature and how many rows
    each group had. Lists are comma-separated, and options may be repeated. --unseen and
    --out-of-range become the plan's defaults.
    """
    from fairmend.files.design import design_file

    with progress() as steps:
        plan, rows = design_file(research, out, force=force, tell=steps.tell, **given(options))
    kinds = ", ".join(f"{feature.name} ({feature.kind})" for feature in plan.features)
    steps.done(
        f"Designed {out} from {rows:,} rows: {len(plan.groups)} groups in {len(plan.strata)} "
        f"{'stratum' if len(plan.strata) == 1 else 'strata'}; {kinds}"
    )
