"""``fairmend label-model``."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fairmend.cli.console import progress, results, table_of
from fairmend.cli.options import PATH, example, force, given
from fairmend.cli.roles import clues

if TYPE_CHECKING:
    from rich.table import Table

    from fairmend.unlabelled.calibration import Calibration


@click.command(
    "label-model",
    short_help="Learn to estimate groups that were not recorded.",
    epilog=example(
        "fairmend label-model research.parquet --protected sex --unprotected college \\",
        "    --features age,hours --also occupation --archive archive.parquet -o model.json",
    ),
)
@click.argument("research", type=PATH)
@clues
@click.option(
    "--method",
    type=click.Choice(["auto", "bayes", "mixture"]),
    help="The plan's own marginals multiplied, or normal laws that also learn from the archive.  "
    "[default: the better one on held-out rows]",
)
@click.option("-o", "--out", type=PATH, required=True, help="The model file to write.")
@force
def label_model(research: Path, out: Path, **options: Any) -> None:
    """Learn from RESEARCH how likely each group is for a row whose own was never recorded.

    RESEARCH and the archive are files, folders of files or quoted patterns. Prints what held-out
    research rows say of the model: the log-loss of each method beside that of knowing the strata
    alone, and whether a probability of 0.3 means three in ten. The file holds marginals or means,
    and no person's row.

    Estimates of a protected attribute may be personal data of a special kind. Whether you may make
    them is a question of law, and whether you should is one of judgement.
    """
    from fairmend.files.label_model import label_model_file

    with progress() as steps:
        model, rows = label_model_file(research, out, tell=steps.tell, **given(options))
    results().print(_table(model.calibration))
    steps.done(f"Fitted {model.chosen} to {rows:,} rows and wrote {out}")


def _table(calibration: "Calibration") -> "Table":
    tried = ", ".join(f"{name} {loss:.4f}" for name, loss in calibration.by_method.items())
    title = (
        f"Log-loss on held-out rows: {tried}; with the strata alone {calibration.chance:.4f}.\n"
        f"The likeliest group is right for {calibration.accuracy:.1%}."
    )
    table = table_of(title, ["group", "probability"], ["rows", "predicted", "observed"])
    for one in calibration.bins:
        ends = f"{one.low:.1f} to {one.high:.1f}"
        shares = f"{one.predicted:.3f}", f"{one.observed:.3f}"
        table.add_row(one.group, ends, f"{one.rows:,}", *shares)
    return table
