"""``fairmend repair``."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from fairmend.cli.console import percent, progress, warn
from fairmend.cli.options import (
    PATH,
    estimates,
    every,
    example,
    force,
    format_named,
    given,
    names,
    policies,
    size,
)

MANY = 0.05
"""A larger share of values out of range is no accident."""


@click.command(
    short_help="Apply a plan to an archive.",
    epilog=example("fairmend repair archive.parquet --plan plan.json -o repaired.parquet --key id"),
)
@click.argument("archive", type=PATH)
@click.option("--plan", type=PATH, required=True, help="The plan file.")
@click.option(
    "-o",
    "--out",
    type=PATH,
    help="The repaired file to write, folder for many, or - for standard output.  "
    "[default: -, for standard input]",
)
@click.option(
    "--key",
    multiple=True,
    callback=names,
    metavar="COLUMN,..",
    help="Columns that tell rows apart, whatever their order; keys must identify rows.  "
    "[default: the row's number]",
)
@click.option("--seed", type=int, metavar="N", help="For tests and re-runs.  [default: fresh bits]")
@click.option(
    "--seed-file",
    type=PATH,
    help="A file that holds the seed, or the JSON of an earlier --summary, so that the list of "
    "processes does not show it.",
)
@click.option(
    "--save-seed",
    type=PATH,
    help="Draw a fresh seed and write it to this private file before any work, to --resume with.",
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
    "--columns-out",
    multiple=True,
    callback=names,
    metavar="COLUMN,..",
    help="Columns of the repaired file.  [default: all]",
)
@click.option(
    "--format",
    "to",
    callback=format_named,
    metavar="NAME",
    help="Format of the results of a folder, such as csv, and of standard output: csv, ndjson or "
    "arrow.  [default: each source's own]",
)
@click.option(
    "--from",
    "come_as",
    callback=format_named,
    metavar="NAME",
    help="Format of standard input: csv, ndjson or arrow.  [default: told from its first bytes]",
)
@click.option(
    "--flush-every",
    callback=every,
    metavar="ROWS|SECONDSs",
    help="Gather so many rows of standard input, or for so long (0.5s), before they are repaired. "
    "[default: rows are repaired as they come]",
)
@click.option(
    "--resume", is_flag=True, help="Go on with an interrupted run over many files, with its seed."
)
@click.option("--workers", type=click.IntRange(1), metavar="N", help="Threads.  [default: cores]")
@click.option(
    "--memory",
    callback=size,
    metavar="SIZE",
    help="About what batches under way may take, such as 500MB.  [default: 1GB]",
)
@click.option(
    "--summary",
    type=PATH,
    help="Write counts and the seed to this private JSON file.  [default: the seed is forgotten]",
)
@click.option(
    "--monitor",
    type=PATH,
    help="Watch the archive for drift from the research data, and write what was seen to this JSON "
    "file: at an alarm, at the end, and once a minute.",
)
@click.option(
    "--stop-on-drift",
    is_flag=True,
    help="End the run at an alarm, with exit code 4: complete files stay, no other appears.",
)
@estimates
@click.option(
    "--write-labels",
    metavar="COLUMN",
    help="Add a column with the groups that rows were repaired as: guesses about people, which "
    "are as sensitive as the groups.  [default: not written]",
)
@force
def repair(
    archive: Path,
    plan: Path,
    out: Path | None,
    **options: Any,
) -> None:
    """Repair ARCHIVE by a plan: a file, a folder of files, a quoted pattern, or - for a pipe.

    The suffix tells the format: Parquet (.parquet), Arrow IPC (.arrow, .feather, .arrows), CSV
    (.csv) or NDJSON (.ndjson, .jsonl), the last two also as .gz and .zst; the result may have
    another one.

    From a pipe come CSV, NDJSON or Arrow IPC. Rows are repaired as they come and written at once,
    so nothing can be taken back: the exit code says whether all went well. Only the summary, the
    seed and the monitor's record are files.

    Rows, order, types and all other columns stay as they are; missing values stay missing, unless
    the plan was designed with --missing state. In CSV and NDJSON, repaired columns are written in
    one spelling (1.0 as 1), moved or not, so that the text does not tell who was moved. All other
    characters of an NDJSON line stay; in a CSV file a byte order mark is dropped, and line ends
    become LF. The plan's own policies and amount hold unless
    --unseen, --out-of-range or --amount say otherwise.

    Files of any size are repaired in constant memory, and each result appears when it is complete.
    The files of a folder are numbered as one, in the order of their names, and repaired into the
    folder OUT; folders named column=value give that column. A run with --save-seed FILE that is
    interrupted goes on with --seed-file FILE --resume.

    --monitor and --stop-on-drift watch the rows before repair, at little cost. In an archive that
    follows the research data the alarm goes off with a chance of at most 1 %, however long it is.
    Rows must come in an order that has nothing to do with the features.

    THE SEED IS A SECRET: from it, the plan and the repaired file, anybody can compute most of the
    protected attribute back. It is never printed. Pass --summary to keep it, for re-runs.
    """
    from fairmend.files.pipes import PIPE
    from fairmend.files.repair import repair_file

    if out is None:
        if archive != PIPE:
            message = "Missing option '-o' / '--out': name the repaired file, or - for a pipe."
            raise click.UsageError(message)
        out = PIPE
    with progress() as steps:
        done = repair_file(archive, plan, out, tell=steps.tell, warn=warn, **given(options))
    rows, features = done["rows"], done["features"]
    files = f" in {done['files']:,} files" if "files" in done else ""
    steps.done(
        f"Repaired {rows:,} rows{files} into {_name(out)}; {counts_in_words(features, rows)}"
    )
    for name, counts in features.items():
        beyond, known = counts["out_of_range"], rows - counts["missing"]
        if beyond > MANY * known:
            warn(
                f"{percent(beyond, known)} of {name!r} is outside the plan's support: is the "
                f"archive in the same units as the research data?"
            )


def _name(out: Path) -> str:
    return "standard output" if str(out) == "-" else str(out)


def counts_in_words(features: Mapping[str, Mapping[str, int]], rows: int) -> str:
    """Say what was not foreseen, by feature, and its share of the rows.

    Examples
    --------
    >>> features = {"age": {"missing": 3, "out_of_range": 1200}, "hours": {"missing": 0}}
    >>> counts_in_words(features, 4800)
    'age: 3 missing (0.06 %), 1,200 out of range (25 %)'
    >>> counts_in_words({"age": {"missing": 0}}, 10)
    'nothing missing, out of range or unseen'
    """
    said = []
    for name, counts in features.items():
        some = [
            f"{n:,} {policy.replace('_', ' ')} ({percent(n, rows)})"
            for policy, n in counts.items()
            if n
        ]
        if some:
            said.append(f"{name}: {', '.join(some)}")
    return "; ".join(said) or "nothing missing, out of range or unseen"
