"""``fairmend design``."""

from pathlib import Path
from typing import Any

import click

from fairmend.cli.console import progress, warn
from fairmend.cli.options import (
    PATH,
    example,
    force,
    given,
    join,
    number_or_word,
    number_pairs,
    policies,
)
from fairmend.cli.roles import checked_roles, roles

FEW = 30
"""Fewer research rows than this make a rough marginal."""


@click.command(
    short_help="Design a plan from research data.",
    epilog=example(
        "fairmend design research.csv --protected sex --unprotected college \\",
        "    --features age,hours --kind age=discrete -o plan.json",
    ),
)
@click.argument("research", type=PATH, nargs=-1, required=True)
@roles
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
    metavar="silverman|scott|isj|WIDTH",
    help="Width of the kernels.  [default: silverman]",
)
@click.option(
    "--output",
    type=click.Choice(["support", "dithered", "monge"]),
    help="Where continuous values go: to a drawn support point, anywhere in its grid cell, or "
    "along a deterministic map.  [default: support]",
)
@click.option(
    "--t", type=float, help="Weight in the target of the second of two groups.  [default: 0.5]"
)
@click.option(
    "--target-weight",
    multiple=True,
    callback=number_pairs,
    metavar="GROUP=WEIGHT",
    help="Weight of a group in the target.  [default: equal weights]",
)
@click.option(
    "--target-weights",
    type=click.Choice(["equal", "size"]),
    help="Weights of all groups in the target: equal, or by their research rows.",
)
@click.option(
    "--amount",
    type=float,
    metavar="SHARE",
    help="Share of the full repair, from 0 to 1; see fairmend tradeoff.  [default: 1]",
)
@click.option(
    "--missing",
    type=click.Choice(["keep", "state"]),
    help="Missing values stay missing, or are a state that is repaired too.  [default: keep]",
)
@click.option(
    "--min-group-size",
    type=int,
    metavar="ROWS",
    help="Research rows of a group in a stratum below which it is small.  [default: 2]",
)
@click.option(
    "--small-groups",
    type=click.Choice(["raise", "pool", "shrink"]),
    help="Small groups: stop, learn them from all strata, or mix them with their stratum's law.  "
    "[default: raise]",
)
@click.option(
    "--shrinkage",
    callback=number_or_word,
    metavar="auto|ROWS",
    help="How many rows of its stratum's shared shape each group is mixed with.  "
    "[default: auto, by cross-validation]",
)
@click.option(
    "--min-atom-rows",
    type=int,
    metavar="ROWS",
    help="Values with fewer research rows are not named in the plan.  [default: 1]",
)
@click.option(
    "--solver",
    type=click.Choice(["exact", "sinkhorn"]),
    help="Exact couplings, or entropic ones by POT (extra ot), which blur.  [default: exact]",
)
@click.option(
    "--regularisation",
    type=float,
    metavar="STRENGTH",
    help="Strength of the entropic blur, in units of the variance.  [default: 0.05]",
)
@policies
@click.option("-o", "--out", type=PATH, required=True, help="The plan file to write.")
@force
def design(research: tuple[Path, ...], out: Path, force: bool, **options: Any) -> None:
    """Design a plan from RESEARCH, a file with the protected attribute.

    RESEARCH is also a folder of such files, a quoted pattern, or the summaries that fairmend
    summarise has made of it at one site or several; these know their columns themselves. Parquet
    and Arrow IPC are read in one pass and constant memory.

    The plan holds no research row, but it does show the range of each feature and how many rows
    each group had. Lists are comma-separated, and options may be repeated. --unseen and
    --out-of-range become the plan's defaults.

    The suffix tells the format: Parquet (.parquet), Arrow IPC (.arrow, .feather, .arrows) or CSV
    (.csv, .csv.gz, .csv.zst). In a CSV file a feature of numbers only is one of numbers, one of
    ISO dates or times is one of times, and any other is categorical.
    """
    from fairmend.files.design import design_file, smallest_group
    from fairmend.files.summaries import are_summaries

    summaries = are_summaries(research)
    checked_roles(options, needed=not summaries)
    join(options, "target_weights", "target_weight", "--target-weights and --target-weight")

    with progress() as steps:
        plan, rows = design_file(research, out, force=force, tell=steps.tell, **given(options))
    kinds = ", ".join(f"{feature.name} ({feature.kind})" for feature in plan.features)
    fewest, smallest = smallest_group(plan)
    sites = f" in {len(research)} summaries" if summaries else ""
    steps.done(
        f"Designed {out} from {rows:,} rows{sites}: "
        f"{len(plan.groups)} groups in {len(plan.strata)} "
        f"{'stratum' if len(plan.strata) == 1 else 'strata'}; {kinds}; smallest group: {smallest}, "
        f"{fewest:,} rows"
    )
    if fewest < FEW:
        warn(
            f"the group {smallest} has {fewest:,} research rows only, too few to know its "
            f"distribution well. Add research rows, name a coarser column in --unprotected, or "
            f"pass --small-groups and --min-group-size."
        )
