"""Options that several commands share, and how lists and pairs are written."""

import csv
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

PATH = click.Path(path_type=Path)
UNSEEN = click.Choice(["raise", "keep"])
OUT_OF_RANGE = click.Choice(["clip", "keep", "raise"])

force = click.option("--force", is_flag=True, help="Replace outputs that exist.")


def example(*lines: str) -> str:
    """Write a command line as the end of a help page; click would otherwise fill its lines."""
    return "\n".join(("\b", "Example:", *(f"  {line}" for line in lines)))


def names(ctx: click.Context, param: click.Parameter, given: Sequence[str]) -> tuple[str, ...]:
    """Read names from a repeated option of comma-separated lists.

    A name with a comma is put in double quotes, as in CSV.
    """
    lists = csv.reader(given, skipinitialspace=True)
    return tuple(name.strip() for one in lists for name in one if name.strip())


def pairs(ctx: click.Context, param: click.Parameter, given: Sequence[str]) -> dict[str, str]:
    """Read ``NAME=VALUE`` from a repeated option of comma-separated lists."""
    read = {}
    for pair in names(ctx, param, given):
        name, sign, value = pair.rpartition("=")
        if not (sign and name and value):
            message = f"{pair!r} is not NAME=VALUE."
            raise click.BadParameter(message, ctx, param)
        read[name] = value
    return read


def number_pairs(
    ctx: click.Context, param: click.Parameter, given: Sequence[str]
) -> dict[str, float]:
    """Read ``NAME=NUMBER`` from a repeated option of comma-separated lists."""
    numbers = {}
    for name, value in pairs(ctx, param, given).items():
        try:
            numbers[name] = float(value)
        except ValueError as error:
            message = f"{value!r} is not a number."
            raise click.BadParameter(message, ctx, param) from error
    return numbers


def number_or_word(
    ctx: click.Context, param: click.Parameter, given: str | None
) -> float | str | None:
    """Read a number where it is one."""
    try:
        return None if given is None else float(given)
    except ValueError:
        return given


def policies(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options for rows that the research data did not foresee."""
    unseen = click.option(
        "--unseen", type=UNSEEN, help="Rows of a group or stratum without a plan: stop, or keep."
    )
    beyond = click.option(
        "--out-of-range",
        type=OUT_OF_RANGE,
        help="Values beyond the research range: move to its end, keep, or stop.",
    )
    return unseen(beyond(command))


def given(options: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out the options that were not given, so that the defaults are written once, below."""
    return {name: value for name, value in options.items() if value not in (None, (), {})}
