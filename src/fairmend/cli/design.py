"""``fairmend design``."""

from pathlib import Path
from typing import Any

import click

from fairmend.cli.console import progress, warn
from fairmend.cli.design_options import design_options, joined
from fairmend.cli.options import PATH, example, force, given

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
@design_options
@click.option("-o", "--out", type=PATH, required=True, help="The plan file to write.")
@force
def design(research: tuple[Path, ...], out: Path, force: bool, **options: Any) -> None:
    """Design a plan from RESEARCH, a file with the protected attribute.

    RESEARCH is also a folder of such files, a quoted pattern, or the summaries that fairmend
    summarise has made of it at one site or several; these know their columns themselves. Parquet
    and Arrow IPC are read in one pass and constant memory; with --joint all rows are kept in
    memory.

    The plan holds no research row, but it does show the range of each feature and how many rows
    each group had. Lists are comma-separated, and options may be repeated; a name with a comma,
    or with a space before or after it, goes in double quotes within the list: --features
    'age,"pay, net"'. --unseen and --out-of-range become the plan's defaults.

    The suffix tells the format: Parquet (.parquet), Arrow IPC (.arrow, .feather, .arrows), CSV
    (.csv) or NDJSON (.ndjson, .jsonl), the last two also as .gz and .zst. There, a feature of
    numbers only is one of numbers, one of ISO dates or times is one of times, and any other is
    categorical.
    """
    from fairmend.files.design import design_file, smallest_group
    from fairmend.files.summaries import are_summaries

    summaries = are_summaries(research)
    options = given(joined(options, needed=not summaries))
    with progress() as steps:
        plan, rows = design_file(research, out, force=force, tell=steps.tell, **options)
    kinds = ", ".join(f"{feature.name} ({feature.kind})" for feature in plan.features)
    fewest, smallest = smallest_group(plan)
    sites = f" in {len(research)} summaries" if summaries else ""
    steps.done(
        f"Designed {out} from {rows:,} rows{sites}: "
        f"{len(plan.groups)} groups in {len(plan.strata)} "
        f"{'stratum' if len(plan.strata) == 1 else 'strata'}; {kinds}; smallest group: {smallest}, "
        f"{fewest:,} rows"
    )
    if plan.options.joint and not plan.is_joint:
        warn(
            "the plan repairs each feature by itself: of these research rows a joint repair would "
            "leave more to tell the groups by, or they are too few to say. See fairmend inspect."
        )
    keys = [one.name for one in plan.features if len(one.codec.levels) > 0.5 * rows]
    if keys:
        warn(
            f"{', '.join(map(repr, keys))}: hardly a value occurs twice. Keys and names are no "
            f"features: the plan shows them, and a repair would swap them. Name the columns to "
            f"repair in --features, or leave these out with --exclude."
        )
    if fewest < FEW:
        warn(
            f"the group {smallest} has {fewest:,} research rows only, too few to know its "
            f"distribution well. Add research rows, name a coarser column in --unprotected, or "
            f"pass --small-groups and --min-group-size."
        )
