"""``fairmend repair``."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from fairmend.cli.console import progress
from fairmend.cli.options import PATH, example, force, given, names, policies
from fairmend.errors import InputError, OptionError


@click.command(
    short_help="Apply a plan to an archive.",
    epilog=example("fairmend repair archive.parquet --plan plan.json -o repaired.parquet --key id"),
)
@click.argument("archive", type=PATH)
@click.option("--plan", type=PATH, required=True, help="The plan file.")
@click.option("-o", "--out", type=PATH, required=True, help="The repaired file to write.")
@click.option(
    "--key",
    multiple=True,
    callback=names,
    metavar="COLUMN,..",
    help="Columns that tell rows apart, whatever their order.  [default: the row's number]",
)
@click.option("--seed", type=int, metavar="N", help="For tests and re-runs.  [default: fresh bits]")
@click.option(
    "--seed-file",
    type=PATH,
    help="A file that holds the seed, so that the list of processes does not show it.",
)
@policies
@click.option(
    "--amount",
    type=float,
    metavar="SHARE",
    help="Share of the full repair, from 0 to 1.  [default: the plan's]",
)
@click.option(
    "--drop-protected", is_flag=True, help="Leave the protected columns out of the repaired file."
)
@click.option(
    "--summary",
    type=PATH,
    help="Write counts and the seed to this private JSON file.  [default: the seed is forgotten]",
)
@force
def repair(
    archive: Path,
    plan: Path,
    out: Path,
    seed: int | None,
    seed_file: Path | None,
    **options: Any,
) -> None:
    """Repair ARCHIVE, a Parquet or CSV file, by a plan.

    Rows, order, types and all other columns stay as they are; missing values stay missing, unless
    the plan was designed with --missing state. The plan's own policies and amount hold unless
    --unseen, --out-of-range or --amount say otherwise.

    THE SEED IS A SECRET: from it, the plan and the repaired file, anybody can compute most of the
    protected attribute back. It is never printed. Pass --summary to keep it, for re-runs.
    """
    from fairmend.files.repair import repair_file

    if seed_file is not None:
        seed = _seed_from(seed_file, seed)
    with progress() as steps:
        done = repair_file(archive, plan, out, seed=seed, tell=steps.tell, **given(options))
    steps.done(f"Repaired {done['rows']:,} rows into {out}; {counts_in_words(done['features'])}")


def _seed_from(path: Path, seed: int | None) -> int:
    if seed is not None:
        message = "--seed and --seed-file both give the seed. Pass one of them."
        raise OptionError(message)
    try:
        return int(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError.damaged(path, "a seed", error.strerror or str(error)) from error
    except ValueError:
        # Without its cause, whose words would show what the file holds.
        raise InputError.damaged(path, "a seed", "it is not one whole number") from None


def counts_in_words(features: Mapping[str, Mapping[str, int]]) -> str:
    """Say what was not foreseen, by feature.

    Examples
    --------
    >>> counts_in_words({"age": {"missing": 3, "out_of_range": 1200}, "hours": {"missing": 0}})
    'age: 3 missing, 1,200 out of range'
    >>> counts_in_words({"age": {"missing": 0}})
    'nothing missing, out of range or unseen'
    """
    said = []
    for name, counts in features.items():
        some = [f"{n:,} {policy.replace('_', ' ')}" for policy, n in counts.items() if n]
        if some:
            said.append(f"{name}: {', '.join(some)}")
    return "; ".join(said) or "nothing missing, out of range or unseen"
