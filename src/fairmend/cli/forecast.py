"""``fairmend forecast``."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fairmend.cli.console import progress, results, short, table_of
from fairmend.cli.design_options import design_options, joined
from fairmend.cli.options import PATH, example, force, given

if TYPE_CHECKING:
    from rich.table import Table


@click.command(
    short_help="Say from research data what a repair will leave in the archive.",
    epilog=example(
        "fairmend forecast research.csv --protected sex --unprotected college \\",
        "    --features age,hours -o forecast.json -o forecast.svg",
    ),
)
@click.argument("research", type=PATH, nargs=-1, required=True)
@click.option(
    "--archive-rows",
    type=click.IntRange(1),
    metavar="ROWS",
    help="Rows of the archive that will be audited: fewer leave more to chance.  [default: three "
    "times the research rows]",
)
@click.option(
    "--tolerance",
    type=click.FloatRange(0),
    metavar="E",
    help="E that can be tolerated, in nats.  [default: 0.02]",
)
@click.option(
    "--leak/--no-leak",
    default=True,
    help="Train an adversary on all features together, which takes most of the time.  "
    "[default: leak]",
)
@design_options
@click.option(
    "-o",
    "--out",
    type=PATH,
    multiple=True,
    help="Write the figures to this .json file, or the curves to this .svg; may be repeated.",
)
@force
def forecast(
    research: tuple[Path, ...], out: tuple[Path, ...], force: bool, **options: Any
) -> None:
    """Say what a repair by a plan from RESEARCH will leave in the archive, before it is touched.

    RESEARCH and most options are those of fairmend design. E is the dependence that is left, in
    nats, with the interval that should hold what fairmend audit will find. AUC is what an adversary
    reaches who sees this column alone. "2 × rows" is the E to expect from a plan of twice as many
    research rows of the same make-up; the sentences say whose rows are worth most.
    """
    from fairmend.files.forecast import forecast_file
    from fairmend.files.summaries import are_summaries

    options = given(joined(options, needed=not are_summaries(research)))
    with progress() as steps:
        found = forecast_file(research, out, force=force, tell=steps.tell, **options)
    content = found.to_dict()
    console = results()
    console.print(_features(content))
    for table in _strata(content):
        console.print(table)
    for sentence in found.sentences:
        console.print(f"- {sentence}")
    written = f"; wrote {', '.join(map(str, out))}" if out else ""
    steps.done(f"Forecast from {found.research_rows:,} research rows{written}")


def _features(content: Mapping[str, Any]) -> "Table":
    learning = ["½ rows", "2 × rows", "8 × rows"]
    columns = ["E before", "E expected", "95 % interval", "TV", "AUC", *learning]
    table = table_of(None, ["feature"], columns)
    for name, one in content["features"].items():
        if one["e"] is None:
            table.add_row(name, short(one["before"]), "unknown", *[""] * 6)
            continue
        steps = {step["times"]: step["e"]["value"] for step in one["learning"]}
        table.add_row(
            name,
            *_figures(one["before"], one["e"]),
            f"{one['tv']['value']:.3f}",
            f"{one['auc']['value']:.3f}",
            *(f"{steps[times]:.3f}" for times in (0.5, 2.0, 8.0)),
        )
    return table


def _strata(content: Mapping[str, Any]) -> "Iterator[Table]":
    """Lay out the strata, where there are several."""
    several = {n: f for n, f in content["features"].items() if len(f["by_stratum"]) > 1}
    if not several:
        return
    table = table_of("By stratum", ["feature", "where", "smallest group"], ["E", "95 % interval"])
    for name, one in several.items():
        for part in one["by_stratum"]:
            group = min(part["rows"], key=part["rows"].__getitem__)
            smallest = f"{group}, {part['rows'][group]:,} rows"
            if part["e"] is None:
                table.add_row(name, part["stratum"], smallest, "unknown", "")
            else:
                table.add_row(name, part["stratum"], smallest, *_figures(0.0, part["e"])[1:])
    yield table


def _figures(before: float, e: Mapping[str, float]) -> list[str]:
    return [f"{before:.3f}", f"{e['value']:.3f}", f"{e['low']:.3f} to {e['high']:.3f}"]
