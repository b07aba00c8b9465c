"""What goes to the terminal: results on stdout, progress and the last line on stderr."""

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fairmend.cli.options import STDOUT

if TYPE_CHECKING:
    from rich.console import Console
    from rich.status import Status
    from rich.table import Table

MOST_BESIDE = 4
"""More groups than this are no columns of a table, but rows."""
WIDE = 200
"""Columns of a table that nobody's terminal limits."""


@dataclass
class Progress:
    """Steps of a command, shown while they last, and the time since its start."""

    status: "Status | None"
    started: float = field(default_factory=time.perf_counter)

    def tell(self, step: str) -> None:
        """Show a step."""
        if self.status is not None:
            self.status.update(step)

    def done(self, what: str) -> None:
        """Write the line that stays."""
        click.echo(f"{what} ({time.perf_counter() - self.started:.1f} s)", err=True)


@contextmanager
def progress() -> Iterator[Progress]:
    """Show steps on stderr, unless it is no terminal."""
    from rich.console import Console

    console = Console(stderr=True, markup=False, highlight=False, emoji=False)
    if not console.is_terminal:
        yield Progress(None)
        return
    status = console.status("Starting")
    with status:
        yield Progress(status)


def results() -> "Console":
    """Return the console for results; column names in brackets are names, not colours."""
    from rich.console import Console

    console = Console(markup=False, highlight=False, emoji=False)
    if not console.is_terminal:
        console.width = WIDE
    return console


@contextmanager
def figures(out: Path | None, *inputs: Path, force: bool) -> Iterator[dict[str, Any]]:
    """Yield a dict to fill with figures; they go to a JSON file, or as JSON to stdout.

    Parameters
    ----------
    out : Path, optional
        The file, refused before any work if it cannot be written.
    *inputs : Path
        Files that are read, which it may not replace.
    force : bool
        Whether another existing file may be replaced.
    """
    from fairmend.files.formats import check_outputs
    from fairmend.files.records import write_record
    from fairmend.outputs import replacing

    path = None if out == STDOUT else out
    check_outputs(path, inputs=inputs, force=force)
    found: dict[str, Any] = {}
    yield found
    if path is not None:
        with replacing(path, force=force) as beside:
            write_record(found, beside)


def show(found: Mapping[str, Any], out: Path | None, *tables: "Table") -> None:
    """Print tables, or the figures themselves where JSON was asked for without a file."""
    if out == STDOUT:
        click.echo(json.dumps(found, indent=2, ensure_ascii=False, allow_nan=False))
        return
    for table in tables:
        results().print(table)


def warn(what: str) -> None:
    """Say on stderr what the user should know before going on."""
    click.echo(f"fairmend: warning: {what}", err=True)


def percent(part: int, whole: int) -> str:
    """Write a share with two decimals at most, and 0 or 100 only where it is that.

    Examples
    --------
    >>> percent(1, 3), percent(1, 2), percent(99_999, 100_000), percent(1, 10**6), percent(0, 5)
    ('33.33 %', '50 %', '>99.99 %', '<0.01 %', '0 %')
    """
    share = 100 * part / whole if whole else 0.0
    if 0 < share < 0.01:
        return "<0.01 %"
    if 99.99 < share < 100:
        return ">99.99 %"
    return f"{round(share, 2):g} %"


def short(number: float | None) -> str:
    """Write three digits, or the whole part where it has more."""
    if number is None:
        return "none"
    return f"{number:,.0f}" if abs(number) >= 1_000 else f"{number:.3g}"


def table_of(title: str | None, left: Sequence[str], right: Sequence[str]) -> "Table":
    """Return an empty table with columns of words, then of numbers."""
    from rich import box
    from rich.table import Table

    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD)
    for name in left:
        table.add_column(name, overflow="fold")
    for name in right:
        table.add_column(name, justify="right", overflow="fold")
    return table
