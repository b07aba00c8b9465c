"""The demo: the paper's Adult study from data to picture, in a few seconds."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from shlex import quote
from shutil import which
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from fairmend.auditing.measure import audit
from fairmend.datasets import adult
from fairmend.errors import OutputError
from fairmend.measures.dependence import dependence
from fairmend.outputs import replacing
from fairmend.report.densities import densities
from fairmend.report.figure import to_svg
from fairmend.research import design

if TYPE_CHECKING:
    from rich.table import Table

    from fairmend.plan.plan import Plan

Tables = dict[str, Any]
Scale = Literal["nats", "paper"]

PROTECTED, UNPROTECTED = "sex", "college"
FEATURES = ("age", "hours-per-week")
RESEARCH_ROWS = 10_000
GRID = 500
"""Points of the paper's scale that reproduce the archive's figures of its Adult table."""

# The data is public and the figures should be the same for everybody, so nothing here is secret. A
# real repair takes the secret seed that it gets when none is named: plan, seed, row number and
# repaired value together give the protected attribute back.
REPAIR_SEED, FLOOR_SEED = 1, 2
SPLIT_SEED = 12
"""A usual split, not a lucky one: each of its figures is within a standard deviation of its mean
over 100 splits, whose spread is in the output."""
FLOOR_DRAWS = 5

LEAK_ROWS = 5_000
"""Rows for the report's adversaries: by default six times as many are drawn, and take as long."""

PAPER = {
    ("research", "age"): (1.108, 0.339),
    ("research", "hours-per-week"): (2.700, 0.532),
    ("archive", "age"): (0.546, 0.310),
    ("archive", "hours-per-week"): (1.311, 0.367),
}
"""E before and after distributional repair, from the paper's table of the Adult data."""

TITLE = "Adult: age and weekly hours by sex, before and after repair"

NOTE_FLOOR = (
    "Floor: E with sex shuffled within college, where only chance is left. The research rows get "
    "below it because the plan knows them."
)
NOTE_SPLITS = (
    "One split of many: over 100 of them the archive has 0.28 ± 0.02 (age) and 0.24 ± 0.02 (hours) "
    "after repair. The paper's research figures before it are out of reach of a random split (at "
    "most 0.95 and 1.76 in 100), so its research rows were chosen in another way."
)
NOTE_SEED = (
    "The seeds of this demo are fixed, so that everybody gets these figures. A real repair draws a "
    "secret seed: with the plan, the seed and the row number, a repaired value tells the sex again."
)
FILES = {
    "research.parquet": "the rows that the plan is designed on",
    "archive.parquet": "the others",
    "adult.plan.json": "the plan",
    "repaired.parquet": "the archive, repaired",
    "densities.svg": "the archive's picture, before and after",
    "audit.html": "the report on the repair: open it in a browser",
}
NEXT = (
    "{fairmend} inspect {out}/adult.plan.json",
    "{fairmend} repair {out}/archive.parquet --plan {out}/adult.plan.json -o {out}/again.parquet",
    "{fairmend} audit {out}/archive.parquet {out}/repaired.parquet --plan {out}/adult.plan.json "
    "--label income -o {out}/full.html",
)


@dataclass(frozen=True)
class Measured:
    """E of one feature in one table: before, after, and with the groups drawn anew (the floor)."""

    table: str
    feature: str
    before: float
    after: float
    floor: float


def run_demo(out: Path, force: bool) -> None:
    """Design a plan on 10,000 rows of Adult, repair the others, and say what that achieved.

    Writes ``research.parquet``, ``archive.parquet``, ``adult.plan.json``, ``repaired.parquet`` and
    ``densities.svg`` and ``audit.html``, and prints E of both features beside the paper's figures.

    Parameters
    ----------
    out : Path
        Folder to write to; made if it is not there.
    force : bool
        Whether files of an earlier demo may be replaced. Others in the folder are left alone.

    Raises
    ------
    OutputError
        If the folder is not empty and ``force`` is not given, or cannot be made.
    """
    _make_folder(out, force=force)
    before, after, plan = split_and_repair()
    _write(out, before, after, plan)
    report = audit(before["archive"], after["archive"], plan, leak_rows=LEAK_ROWS)
    report.to_html(out / "audit.html", force=True)
    _say(
        out,
        before,
        on_paper=list(measure(before, after, "paper")),
        in_nats=list(measure(before, after, "nats")),
    )


def split_and_repair(seed: int = SPLIT_SEED) -> tuple[Tables, Tables, "Plan"]:
    """Split Adult by a seed, and return research and archive, both of them repaired, and the plan.

    Parameters
    ----------
    seed : int
        Of the split. The repair's is always the same.
    """
    table = adult(complete=True)
    order = np.random.default_rng(seed).permutation(len(table))
    before = {
        "research": table.take(order[:RESEARCH_ROWS]),
        "archive": table.take(order[RESEARCH_ROWS:]),
    }
    plan = design(
        before["research"], protected=PROTECTED, unprotected=UNPROTECTED, features=FEATURES
    )
    # The research rows are numbered after the archive's, so that no two rows share their draws.
    after = {
        "research": plan.repair(before["research"], seed=REPAIR_SEED, first_row=len(table)),
        "archive": plan.repair(before["archive"], seed=REPAIR_SEED),
    }
    return before, after, plan


def _make_folder(out: Path, *, force: bool) -> None:
    try:
        out.mkdir(parents=True, exist_ok=True)
        empty = not any(out.iterdir())
    except OSError as error:
        message = f"{out} cannot be made a folder ({error.strerror or error}). Name another one."
        raise OutputError(message) from error
    if not empty and not force:
        message = (
            f"{out} is not empty. Name another folder, or pass --force (force=True) to replace the "
            f"files of an earlier demo in it."
        )
        raise OutputError(message)


def _write(out: Path, before: Tables, after: Tables, plan: "Plan") -> None:
    import pyarrow.parquet as pq

    tables = before | {"repaired": after["archive"]}
    for name, table in tables.items():
        with replacing(out / f"{name}.parquet", force=True) as path:
            pq.write_table(table, path)
    plan.save(out / "adult.plan.json", force=True)
    picture = to_svg(densities(before["archive"], after["archive"], plan), TITLE)
    with replacing(out / "densities.svg", force=True) as path:
        path.write_text(picture, encoding="utf-8")


def measure(before: Tables, after: Tables, scale: Scale) -> Iterator[Measured]:
    """Measure each feature of each table before and after repair, and its floor.

    Parameters
    ----------
    before, after : dict of str to pyarrow.Table
        The same tables in the same order.
    scale : {"paper", "nats"}
        Of E.
    """
    for name, table in before.items():
        groups, strata = (table[role].to_numpy() for role in (PROTECTED, UNPROTECTED))
        for feature in FEATURES:
            x, repaired = (t[feature].to_numpy() for t in (table, after[name]))
            rng = np.random.default_rng(FLOOR_SEED)
            drawn = [_permuted(groups, strata, rng) for _ in range(FLOOR_DRAWS)]
            yield Measured(
                name,
                feature,
                before=_e(x, groups, strata, scale),
                after=_e(repaired, groups, strata, scale),
                floor=float(np.mean([_e(x, other, strata, scale) for other in drawn])),
            )


def _e(values: NDArray[Any], groups: NDArray[Any], strata: NDArray[Any], scale: Scale) -> float:
    return float(dependence(values, groups, strata, scale=scale, grid=GRID))


def _permuted(groups: NDArray[Any], strata: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
    """Shuffle the groups within each stratum: then nothing depends on them but by chance."""
    shuffled = groups.copy()
    for stratum in np.unique(strata):
        shuffled[strata == stratum] = rng.permutation(groups[strata == stratum])
    return shuffled


def _say(
    out: Path, tables: Tables, on_paper: Sequence[Measured], in_nats: Sequence[Measured]
) -> None:
    from rich.console import Console
    from rich.markup import escape

    console = Console(highlight=False)
    sizes = " and ".join(f"{len(table):,} {name}" for name, table in tables.items())
    names = " and ".join(FEATURES)
    console.print(f"[bold]UCI Adult[/], {sizes} rows: {names} repaired on sex, within college.\n")
    console.print(_table("E on the paper's scale (500 points)", on_paper, paper=True))
    console.print(f"{NOTE_FLOOR}\n{NOTE_SPLITS}\n", style="dim")
    console.print(_table("E in nats", in_nats, paper=False))
    console.print(f"{NOTE_SEED}\n", style="dim")
    console.print(f"Written to [bold]{escape(str(out))}[/]")
    for name, what in FILES.items():
        console.print(f"  {name:18}[dim]{what}[/]")
    console.print("Try next")
    for command in NEXT:
        line = command.format(fairmend=as_invoked(), out=quote(str(out)))
        console.print("  " + escape(line), soft_wrap=True)


def as_invoked() -> str:
    """Name the command so that a shell finds it: by its path, where it is not on the PATH."""
    if which("fairmend"):
        return "fairmend"
    called = Path(sys.argv[0]).absolute()
    if called.stem == "fairmend" and called.is_file():
        return quote(_from_here(called))
    return f"{quote(_from_here(Path(sys.executable)))} -m fairmend"


def _from_here(path: Path) -> str:
    """Write a path from the working directory on, if it is below it."""
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


def _table(title: str, measured: Sequence[Measured], *, paper: bool) -> "Table":
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(title=title, title_justify="left", title_style="bold", box=SIMPLE_HEAD)
    table.add_column("data")
    table.add_column("feature")
    paper_column = ["[dim]paper[/]"] if paper else []
    for name in ("before", *paper_column, "after", *paper_column, "floor"):
        table.add_column(name, justify="right")
    for one in measured:
        theirs = [f"[dim]{e:.3f}[/]" for e in PAPER[one.table, one.feature]] if paper else ["", ""]
        cells = (f"{one.before:.3f}", theirs[0], f"[bold]{one.after:.3f}[/]", theirs[1])
        shown = [cell for cell in cells if cell]
        table.add_row(one.table, one.feature, *shown, f"{one.floor:.3f}")
    return table
