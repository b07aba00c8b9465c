"""Reproduce the paper's tables and figures, and ours beside them: `make studies`.

`python studies [STUDY …]` runs the studies named, or all, at full size, and writes each one's
page, figure and figures as CSV to `docs/studies/`. With `--quick` run counts are small and the
pages go to `build/studies/`. What has been run is kept in `build/runs/`, so that an interrupted
study goes on where it was; `--fresh` runs it anew. It takes the cores that it is given: `taskset`
makes them fewer.

A study is a module in `parts/`: its docstring is a heading and what is measured how; `runs(quick)`
lists what is to be run, as dicts of plain values; `measure(**run)` runs one, in any process, and
returns rows of figures; `page(table)` says what came out as Markdown, and `figure(table)` draws it,
as one picture or a list of them. Results are kept as long as the code of `measure` stays as it is:
words, pictures and numbers of runs may change.
"""

import argparse
from importlib import import_module

from running import run_all
from writing import write_page

STUDIES = (
    "simulation",
    "research_size",
    "support_size",
    "adult",
    "tables",
    "amount",
    "leak",
    "unlabelled",
    "joint",
    "conformance",
)


def main() -> None:
    """Run the studies asked for."""
    parser = argparse.ArgumentParser(prog="studies", description="Reproduce tables and figures.")
    parser.add_argument("studies", nargs="*", metavar="STUDY", help=", ".join(STUDIES))
    parser.add_argument("--quick", action="store_true", help="few runs, to see that all works")
    parser.add_argument(
        "--fresh", action="store_true", help="forget all that was run before, quick or full"
    )
    asked = parser.parse_args()
    unknown = set(asked.studies) - set(STUDIES)
    if unknown:
        parser.error(f"there is no study {sorted(unknown)}; there are {list(STUDIES)}")
    for name in asked.studies or STUDIES:
        study = import_module(f"parts.{name}")
        missing = study.absent() if hasattr(study, "absent") else None
        if missing:
            print(f"{name} is skipped: {missing}")
            continue
        runs = run_all(name, study, quick=asked.quick, fresh=asked.fresh)
        write_page(name, study, runs, quick=asked.quick)


if __name__ == "__main__":
    main()
