"""What goes to the terminal: results on stdout, progress and the last line on stderr."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from rich.console import Console
    from rich.status import Status
    from rich.table import Table

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
