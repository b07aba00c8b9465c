"""Options that say what the columns of research data are."""

from collections.abc import Callable
from typing import Any

import click

from fairmend.cli.options import PATH, bins, join, lists, names, pairs

ROLES = (
    click.option(
        "--protected",
        multiple=True,
        callback=names,
        metavar="COLUMN,..",
        help="The protected attribute; several columns are crossed into groups.",
    ),
    click.option(
        "--unprotected",
        multiple=True,
        callback=names,
        metavar="COLUMN,..",
        help="Attributes that may matter: features are repaired within each of their levels.",
    ),
    click.option(
        "--features",
        multiple=True,
        callback=names,
        metavar="COLUMN,..",
        help="Columns to repair.  [default: all without a role]",
    ),
    click.option(
        "--exclude",
        multiple=True,
        callback=names,
        metavar="COLUMN,..",
        help="Columns to leave alone.",
    ),
    click.option(
        "--kind",
        "kinds",
        multiple=True,
        callback=pairs,
        metavar="COLUMN=KIND",
        help="Say that a feature is continuous, discrete, mixed, ordinal or categorical.  "
        "[default: found from the data]",
    ),
    click.option(
        "--levels",
        multiple=True,
        callback=lists,
        metavar="COLUMN=LEVEL,..",
        help="The levels of an ordinal feature in their order; for several features, repeat it.",
    ),
    click.option(
        "--bins",
        "unprotected_bins",
        multiple=True,
        callback=bins,
        metavar="COLUMN=CUT,..",
        help="Cut a numeric unprotected column into strata, or COLUMN=N for N quantile bins.",
    ),
    click.option(
        "--sample-weight",
        metavar="COLUMN",
        help="Weights of the research rows.  [default: all equal]",
    ),
)


CLUES = (
    click.option(
        "--protected",
        required=True,
        multiple=True,
        callback=names,
        metavar="COLUMN,..",
        help="The protected attribute; several columns are crossed into groups.",
    ),
    click.option(
        "--unprotected",
        multiple=True,
        callback=names,
        metavar="COLUMN,..",
        help="Attributes that may matter: groups are told within each of their levels.",
    ),
    click.option(
        "--features",
        required=True,
        multiple=True,
        callback=names,
        metavar="COLUMN,..",
        help="The repaired columns, which tell the group.",
    ),
    click.option(
        "--also",
        multiple=True,
        callback=names,
        metavar="COLUMN,..",
        help="Columns that tell it too and are not repaired, such as a postcode.",
    ),
    click.option(
        "--bins",
        "unprotected_bins",
        multiple=True,
        callback=bins,
        metavar="COLUMN=CUT,..",
        help="Cut points of a numeric unprotected column, as for fairmend design.",
    ),
    click.option(
        "--archive",
        type=PATH,
        help="Rows without a group, of which the mixture learns too: the archive or a sample of "
        "it.",
    ),
)


def clues(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options for what tells groups that were not recorded."""
    for option in reversed(CLUES):
        command = option(command)
    return command


def roles(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options for roles, features and their kinds."""
    for option in reversed(ROLES):
        command = option(command)
    return command


def checked_roles(options: dict[str, Any], *, needed: bool = True) -> None:
    """Put kinds and levels together, and miss the one column that no table can do without."""
    join(options, "kinds", "levels", "--kind and --levels")
    if needed and not options["protected"]:
        message = "Missing option '--protected'."
        raise click.UsageError(message)
