"""``fairmend blind``."""

from pathlib import Path

import click

from fairmend.cli.console import progress, results, short, table_of
from fairmend.cli.options import PATH, example, force


@click.command(
    short_help="Make a plan that needs no protected attribute.",
    epilog=example("fairmend blind plan.json --damage 0.5 -o blind.plan.json"),
)
@click.argument("plan", type=PATH)
@click.option(
    "--damage",
    type=click.FloatRange(0.0),
    required=True,
    metavar="BUDGET",
    help="Largest change of each feature: root mean squared, in its standard deviations; for "
    "categories, share of rows changed.",
)
@click.option("-o", "--out", type=PATH, required=True, help="The blind plan file to write.")
@force
def blind(plan: Path, damage: float, out: Path, force: bool) -> None:
    """Make of PLAN one that treats all groups alike, so that an archive needs no group at all.

    Each feature gets, in each stratum, the one randomised map that leaves the least dependence for
    the budget, in the mixture of groups of the research data. It costs more than a repair that
    knows the groups: the table shows what is left, on the plan's own laws.
    """
    from fairmend.files.formats import check_outputs
    from fairmend.plan.plan import Plan

    with progress() as steps:
        check_outputs(out, inputs=(plan,), force=force)
        steps.tell(f"Reading {plan.name}")
        whole = Plan.load(plan)
        steps.tell("Looking for the map")
        made = whole.blind(damage)
        made.save(out, force=force)
    table = table_of(None, ["feature"], ["E before", "E with groups", "E blind", "damage"])
    before, with_groups = whole.tradeoff([0.0, 1.0])
    after = made.tradeoff([1.0])[0]
    for name, (left, cost) in after.by_feature.items():
        ends = (point.by_feature[name][0] for point in (before, with_groups))
        table.add_row(name, *map(short, ends), short(left), short(cost))
    results().print(table)
    steps.done(f"Wrote {out}")
