"""Measure fairmend against plain copies and its peers: `make benchmarks`.

`python benchmarks [SECTION …]` runs the sections named, or all, prints their tables and writes them
to RESULTS.md, where the other sections stay. With `--rows` a section is made small: that is for
trying it, and only prints. Sections that need programs of other environments say so in their notes.
Where other work cannot be stopped, `chrt -f 1 taskset -c 1` before the line keeps it off one core;
the results say so.

A section is a module in `sections/`: its docstring is a heading and what is measured how, `ROWS`
and `SEED` its size, and `section(rows)` yields the rows of its table, dicts with the same keys.
"""

import argparse
import os
import platform
import sys
from datetime import UTC, datetime
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from rich.console import Console
from rich.markdown import Markdown

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "studies"))
RESULTS = HERE / "RESULTS.md"
SECTIONS = sorted(path.stem for path in (HERE / "sections").glob("[a-z]*.py"))
PACKAGES = ("fairmend", "numpy", "pyarrow", "polars", "pandas", "duckdb", "POT")
INTRODUCTION = """\
# Benchmarks

Written by `make benchmarks`. Times are the fewest seconds of several runs, contenders in turn: read
the ratios, the rest is the machine's.
"""


def main() -> None:
    """Run the sections asked for."""
    parser = argparse.ArgumentParser(prog="benchmarks", description="Print tables of ratios.")
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=", ".join(SECTIONS))
    parser.add_argument("--rows", type=int, help="size, to try a section: nothing is written")
    asked = parser.parse_args()
    unknown = set(asked.sections) - set(SECTIONS)
    if unknown:
        parser.error(f"there is no section {sorted(unknown)}; there are {SECTIONS}")
    for name in asked.sections or SECTIONS:
        text = run(name, asked.rows)
        Console().print(Markdown(text))
        if asked.rows is None:
            write(name, text)


def run(name: str, rows: int | None) -> str:
    """Run one section and write it down as Markdown."""
    module = import_module(f"sections.{name}")
    rows = rows or module.ROWS
    title, _, notes = module.__doc__.partition("\n")
    table = list(module.section(rows))
    lines = [table[0].keys(), ["---"] * len(table[0]), *(row.values() for row in table)]
    said = "\n".join(f"| {' | '.join(map(shown, line))} |" for line in lines)
    conditions = f"{rows:,} rows, seed {module.SEED}; {machine()}."
    return f"## {title.rstrip('.')}\n\n{notes.strip()}\n\n{conditions}\n\n{said}\n"


def shown(value: object) -> str:
    """Write a number with three digits."""
    return f"{float(f'{value:.3g}'):,g}" if isinstance(value, float) else str(value)


def machine() -> str:
    """Name the day, the versions, and how busy the machine was."""
    versions = [f"Python {platform.python_version()}"]
    for package in PACKAGES:
        try:
            versions.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            continue
    today = datetime.now(UTC).date()
    busy = f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
    if hasattr(os, "sched_getscheduler") and os.sched_getscheduler(0) != os.SCHED_OTHER:
        busy += ", but one core at real-time priority"
    return f"{today}; {', '.join(versions)}; {platform.machine()}, {busy}"


def write(name: str, text: str) -> None:
    """Put a section into the results in the place of its last run."""
    mark = "<!-- section: {} -->\n"
    old = RESULTS.read_text(encoding="utf-8") if RESULTS.exists() else ""
    parts = {}
    for part in old.split("<!-- section: ")[1:]:
        its_name, _, its_text = part.partition(" -->\n")
        parts[its_name] = its_text.rstrip() + "\n"
    parts[name] = text
    kept = [mark.format(one) + parts[one] for one in SECTIONS if one in parts]
    RESULTS.write_text("\n".join([INTRODUCTION, *kept]), encoding="utf-8")


if __name__ == "__main__":
    main()
