"""``fairmend expect-unlabelled``."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fairmend.cli.console import progress, results, table_of
from fairmend.cli.options import PATH, example, force, given, names
from fairmend.cli.roles import clues

if TYPE_CHECKING:
    from rich.table import Table

    from fairmend.unlabelled.expected import Expectation


def shares(ctx: click.Context, param: click.Parameter, given: Sequence[str]) -> tuple[float, ...]:
    """Read shares from a repeated option of comma-separated lists: 46% or 0.46."""
    return tuple(_share(one, ctx, param) for one in names(ctx, param, given))


def numbers(ctx: click.Context, param: click.Parameter, given: Sequence[str]) -> tuple[float, ...]:
    """Read numbers from a repeated option of comma-separated lists."""
    try:
        return tuple(float(one) for one in names(ctx, param, given))
    except ValueError as error:
        message = f"{', '.join(given)!r} is no list of numbers."
        raise click.BadParameter(message, ctx, param) from error


@click.command(
    "expect-unlabelled",
    short_help="Say what each way to repair an archive without groups would leave.",
    epilog=example(
        "fairmend expect-unlabelled research.parquet --protected sex --unprotected college \\",
        "    --features age,hours --also occupation --archive archive.parquet --hidden 14%,46%",
    ),
)
@click.argument("research", type=PATH)
@clues
@click.option(
    "--archive-rows",
    type=click.IntRange(1),
    metavar="ROWS",
    help="Rows of the archive.  [default: those of --archive, or 4,000]",
)
@click.option(
    "--hidden",
    multiple=True,
    callback=shares,
    metavar="SHARE,..",
    help="Shares of the groups that are missing, for archives that hold the others.  "
    "[default: 46%]",
)
@click.option(
    "--damage",
    "budgets",
    multiple=True,
    callback=numbers,
    metavar="BUDGET,..",
    help="Budgets of blind repairs, as for fairmend blind.  [default: what a repair with groups "
    "costs, and half as much again]",
)
@click.option("--n-support", type=click.IntRange(2), help="As for fairmend design.")
@click.option(
    "--worlds",
    "repeats",
    type=click.IntRange(2),
    metavar="N",
    help="Worlds that are drawn: more are steadier, and take longer.  [default: 30]",
)
@click.option(
    "--leak/--no-leak",
    default=True,
    help="Train adversaries, who see all features together.  [default: leak]",
)
@click.option("-o", "--out", type=PATH, help="Write the figures to this .json file.")
@force
def expect_unlabelled(research: Path, out: Path | None, **options: Any) -> None:
    """Say from RESEARCH what to expect of an archive whose groups were never recorded.

    RESEARCH and the archive are files, folders of files or quoted patterns. Tried are a repair with
    groups, with a part of them, with estimated ones (map: the likeliest; sample: drawn by their
    probabilities; expected: the mean of the groups' maps) and without any (blind). E is the
    dependence to expect in the archive, in nats, mean of the features; damage the root mean squared
    change in standard deviations; AUC what an adversary reaches who sees all features together.

    All of it assumes that the archive is like the research data, and that nothing but chance
    decides whose group is missing.
    """
    from fairmend.files.expectation import expect_unlabelled_file

    with progress() as steps:
        found = expect_unlabelled_file(research, out, tell=steps.tell, **given(options))
    results().print(_table(found))
    for sentence in found.sentences:
        results().print(f"- {sentence}")
    written = "" if out is None else f" and wrote {out}"
    steps.done(f"Tried {len(found.ways)} ways of repair{written}")


def _table(found: "Expectation") -> "Table":
    from fairmend.unlabelled.expected import cells

    figures = ["E expected", "95 % interval", "damage", "AUC", "95 % interval"]
    table = table_of(None, ["repair"], figures)
    for one in found.ways:
        table.add_row(*cells(one))
    return table


def _share(text: str, ctx: click.Context, param: click.Parameter) -> float:
    try:
        share = float(text.removesuffix("%")) / (100.0 if text.endswith("%") else 1.0)
    except ValueError:
        share = -1.0
    if not 0.0 < share < 1.0:
        message = f"{text!r} is no share. Pass one such as 46% or 0.46."
        raise click.BadParameter(message, ctx, param)
    return share
