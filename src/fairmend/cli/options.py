"""Options that several commands share, and how lists and pairs are written."""

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from fairmend.errors import OptionError

PATH = click.Path(path_type=Path)
UNSEEN = click.Choice(["raise", "keep", "pool"])
OUT_OF_RANGE = click.Choice(["clip", "keep", "raise"])
STDOUT = Path("-")
ENTRY = re.compile(r'\s*"(?:[^"]|"")*"\s*(?=,|$)|[^,]+')
"""One name of a list: in double quotes, or up to the next comma."""

force = click.option("--force", is_flag=True, help="Replace outputs that exist.")


def example(*lines: str) -> str:
    """Write a command line as the end of a help page; click would otherwise fill its lines."""
    return "\n".join(("\b", "Example:", *(f"  {line}" for line in lines)))


def names(ctx: click.Context, param: click.Parameter, given: Sequence[str]) -> tuple[str, ...]:
    """Read names from a repeated option of comma-separated lists.

    A name with a comma, or with spaces around it, is put in double quotes, as in CSV.
    """
    found = (_unquoted(entry[0]) for one in given for entry in ENTRY.finditer(one))
    return tuple(name for name in found if name)


def pairs(ctx: click.Context, param: click.Parameter, given: Sequence[str]) -> dict[str, str]:
    """Read ``NAME=VALUE`` from a repeated option of comma-separated lists."""
    return dict(_pair(one, ctx, param) for one in names(ctx, param, given))


def number_pairs(
    ctx: click.Context, param: click.Parameter, given: Sequence[str]
) -> dict[str, float]:
    """Read ``NAME=NUMBER`` from a repeated option of comma-separated lists."""
    return {name: _number(value, ctx, param) for name, value in pairs(ctx, param, given).items()}


def lists(
    ctx: click.Context, param: click.Parameter, given: Sequence[str]
) -> dict[str, tuple[str, ...]]:
    """Read ``NAME=VALUE,..`` from a repeated option, one name at a time."""
    read = {}
    for one in given:
        name, sign, values = one.partition("=")
        found = names(ctx, param, [values])
        if not (sign and _unquoted(name) and found):
            message = f"{one!r} is not NAME=VALUE,VALUE,..."
            raise click.BadParameter(message, ctx, param)
        read[_unquoted(name)] = found
    return read


def combination(
    ctx: click.Context, param: click.Parameter, given: Sequence[str]
) -> tuple[dict[str, list[Any]], ...]:
    """Read ``COLUMN=VALUE,COLUMN=VALUE`` from a repeated option, one combination at a time.

    A column that is named again adds a value; ``LOW..HIGH`` is a range, an end of which may lack.
    """
    read = []
    for one in given:
        parts: dict[str, list[Any]] = {}
        for pair in names(ctx, param, [one]):
            name, value = _pair(pair, ctx, param)
            low, dots, high = value.partition("..")
            ends = {key: end for key, end in (("from", low), ("to", high)) if end}
            parts.setdefault(name, []).append(ends if dots and ends else value)
        read.append(parts)
    return tuple(read)


def bins(
    ctx: click.Context, param: click.Parameter, given: Sequence[str]
) -> dict[str, int | list[float]]:
    """Read ``COLUMN=CUT,..`` or ``COLUMN=N`` from a repeated option, one column at a time.

    A whole number alone is a number of bins; with a comma after it, it is a cut.
    """
    read: dict[str, int | list[float]] = {}
    for one in given:
        ((name, values),) = lists(ctx, param, [one]).items()
        alone = values[0].isdecimal() and "," not in one.partition("=")[2]
        read[name] = int(values[0]) if alone else [_number(v, ctx, param) for v in values]
    return read


def number_or_word(
    ctx: click.Context, param: click.Parameter, given: str | None
) -> float | str | None:
    """Read a number where it is one."""
    try:
        return None if given is None else float(given)
    except ValueError:
        return given


def size(ctx: click.Context, param: click.Parameter, given: str | None) -> int | None:
    """Read a number of bytes, such as ``1GB``, ``500MB`` or ``1.5 GiB``."""
    if given is None:
        return None
    found = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?) *([kmgt]?)(i?)b?", given.strip().lower())
    if not found:
        message = f"{given!r} is no size. Pass one such as 500MB or 1GB."
        raise click.BadParameter(message, ctx, param)
    number, unit, binary = found.groups()
    return int(float(number) * (1024 if binary else 1000) ** " kmgt".index(unit or " "))


def format_named(ctx: click.Context, param: click.Parameter, given: str | None) -> Any:
    """Find a format by its name or suffix."""
    from fairmend.files.formats import FORMATS

    if given is None:
        return None
    for form in FORMATS:
        if given.lower().lstrip(".") in (form.name.lower(), *(s[1:] for s in form.suffixes)):
            return form
    known = ", ".join(suffix[1:] for form in FORMATS for suffix in form.suffixes)
    message = f"{given!r} is no format. Pass one of {known}."
    raise click.BadParameter(message, ctx, param)


def every(ctx: click.Context, param: click.Parameter, given: str | None) -> Any:
    """Read a number of rows, or of seconds with an ``s`` behind it."""
    from fairmend.files.pump import Every

    if given is None:
        return None
    found = re.fullmatch(r"([0-9]+)|([0-9]*\.?[0-9]+) *s", given.strip())
    rows, seconds = (float(part or 0) for part in found.groups()) if found else (0.0, 0.0)
    if not (rows or seconds):
        message = f"{given!r} is neither rows nor seconds. Pass one such as 1000 or 0.5s."
        raise click.BadParameter(message, ctx, param)
    return Every(int(rows), seconds)


def policies(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options for rows that the research data did not foresee."""
    unseen = click.option(
        "--unseen",
        type=UNSEEN,
        help="Groups, strata or categories without a plan: stop, keep, or repair as anybody.",
    )
    beyond = click.option(
        "--out-of-range",
        type=OUT_OF_RANGE,
        help="Values beyond the research range: move to its end, keep, or stop.",
    )
    return unseen(beyond(command))


def estimates(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options for rows whose group was not recorded."""
    labels = click.option(
        "--labels",
        type=PATH,
        help="A label model (see fairmend label-model), which estimates groups that are missing.",
    )
    draw = click.option(
        "--draw",
        type=click.Choice(["sample", "map", "expected"]),
        help="Repair such rows by a group drawn from its probabilities, by the likeliest, or by "
        "the mean of the groups' maps.  [default: sample]",
    )
    return labels(draw(command))


def as_json(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the option for figures as JSON: to a file too, or instead of the table."""
    option = click.option(
        "--json",
        "out",
        type=PATH,
        is_flag=False,
        flag_value=STDOUT,
        metavar="[FILE]",
        help="Write the figures to this JSON file too; without a name, print them as JSON instead.",
    )
    return option(force(command))


def given(options: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out the options that were not given, so that the defaults are written once, below."""
    return {name: value for name, value in options.items() if value not in (None, (), {})}


def join(options: dict[str, Any], name: str, other: str, both: str) -> None:
    """Put two ways to give an option into one; saying the same thing twice is refused."""
    one, more = options[name], options.pop(other)
    if not (isinstance(one, dict) and one.keys().isdisjoint(more)) and one and more:
        message = f"{both} say the same thing twice. Pass one of them."
        raise OptionError(message)
    options[name] = one | more if isinstance(one, dict) else one or more


def _unquoted(entry: str) -> str:
    """Read one name of a list; only what stands in quotes keeps the spaces around it."""
    entry = entry.strip()
    quoted = len(entry) > 1 and entry[0] == entry[-1] == '"'
    return entry[1:-1].replace('""', '"') if quoted else entry


def _pair(text: str, ctx: click.Context, param: click.Parameter) -> tuple[str, str]:
    name, sign, value = text.rpartition("=")
    if not (sign and name and value):
        message = f"{text!r} is not NAME=VALUE."
        raise click.BadParameter(message, ctx, param)
    return name, value


def _number(value: str, ctx: click.Context, param: click.Parameter) -> float:
    try:
        return float(value)
    except ValueError as error:
        message = f"{value!r} is not a number."
        raise click.BadParameter(message, ctx, param) from error
