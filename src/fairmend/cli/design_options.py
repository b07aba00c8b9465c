"""Options that say how a plan is designed, for all commands that design one."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from fairmend.cli.options import combination, join, number_or_word, number_pairs, policies
from fairmend.cli.roles import checked_roles, roles

OPTIONS = (
    click.option(
        "--n-support",
        type=int,
        metavar="N",
        help="Points of a continuous support.  [default: two in the smallest bandwidth, 100 "
        "to 2000]",
    ),
    click.option(
        "--margin",
        type=float,
        help="Share of the research range added at each end of a continuous support.  "
        "[default: 0.1]",
    ),
    click.option(
        "--bandwidth",
        callback=number_or_word,
        metavar="silverman|scott|isj|WIDTH",
        help="Width of the kernels.  [default: silverman]",
    ),
    click.option(
        "--output",
        type=click.Choice(["support", "dithered", "monge"]),
        help="Where continuous values go: to a drawn support point, anywhere in its grid cell, or "
        "along a deterministic map.  [default: support]",
    ),
    click.option(
        "--t", type=float, help="Weight in the target of the second of two groups.  [default: 0.5]"
    ),
    click.option(
        "--target-weight",
        multiple=True,
        callback=number_pairs,
        metavar="GROUP=WEIGHT",
        help="Weight of a group in the target.  [default: equal weights]",
    ),
    click.option(
        "--target-weights",
        type=click.Choice(["equal", "size"]),
        help="Weights of all groups in the target: equal, or by their research rows.",
    ),
    click.option(
        "--amount",
        type=float,
        metavar="SHARE",
        help="Share of the full repair, from 0 to 1; see fairmend tradeoff.  [default: 1]",
    ),
    click.option(
        "--missing",
        type=click.Choice(["keep", "state"]),
        help="Missing values stay missing, or are a state that is repaired too.  [default: keep]",
    ),
    click.option(
        "--min-group-size",
        type=int,
        metavar="ROWS",
        help="Research rows of a group in a stratum below which it is small.  [default: 2]",
    ),
    click.option(
        "--small-groups",
        type=click.Choice(["raise", "pool", "shrink"]),
        help="Small groups: stop, learn them from all strata, or mix them with their "
        "stratum's law.  "
        "[default: raise]",
    ),
    click.option(
        "--shrinkage",
        callback=number_or_word,
        metavar="auto|ROWS",
        help="How many rows of its stratum's shared shape each group is mixed with.  "
        "[default: auto, by cross-validation]",
    ),
    click.option(
        "--min-atom-rows",
        type=int,
        metavar="ROWS",
        help="Values with fewer research rows are not named in the plan.  [default: 1]",
    ),
    click.option(
        "--solver",
        type=click.Choice(["exact", "sinkhorn"]),
        help="Exact couplings, or entropic ones by POT (extra ot), which blur.  [default: exact]",
    ),
    click.option(
        "--regularisation",
        type=float,
        metavar="STRENGTH",
        help="Strength of the entropic blur, in units of the variance.  [default: 0.05]",
    ),
    click.option(
        "--joint",
        type=click.Choice(["sequential"]),
        help="Repair each feature with regard to those repaired before it, so that what they tell "
        "together is repaired too, where held-out rows say that it helps.  "
        "[default: each by itself]",
    ),
    click.option(
        "--forbid",
        multiple=True,
        callback=combination,
        metavar="COLUMN=VALUE,COLUMN=VALUE",
        help="With --joint: a combination of values that no repair may produce. A column named "
        "again adds a value, LOW..HIGH is a range.",
    ),
    click.option(
        "--constraints",
        metavar="unseen-pairs|FILE.json",
        help="With --joint: forbid the combinations that a JSON file lists, or all pairs of values "
        "that no research row has.",
    ),
)


def design_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of a design, in their order."""
    decorated = policies(command)
    for option in reversed(OPTIONS):
        decorated = option(decorated)
    return roles(decorated)


def joined(options: dict[str, Any], *, needed: bool) -> dict[str, Any]:
    """Put options that are given in two ways into one each, as ``design`` has them.

    Parameters
    ----------
    needed : bool
        Whether the protected column has to be named, as it is for all but summaries.
    """
    checked_roles(options, needed=needed)
    join(options, "target_weights", "target_weight", "--target-weights and --target-weight")
    options["constraints"] = (*_constraints(options["constraints"]), *options.pop("forbid"))
    return options


def _constraints(given: str | None) -> list[Any]:
    """Read the file that lists combinations; a word stands for itself."""
    if given is None or not given.lower().endswith(".json"):
        return [] if given is None else [given]
    from fairmend.files.records import read_record

    found = read_record(Path(given))
    return found if isinstance(found, list) else [found]
