"""Run what a study lists, by all cores, and keep each result as it comes."""

import hashlib
import json
import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor, as_completed
from importlib import import_module
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

import fairmend

RUNS = Path("build/runs")
COLUMNS = (
    TextColumn("{task.description}"),
    BarColumn(),
    MofNCompleteColumn(),
    TimeRemainingColumn(),
)


def run_all(name, study, *, quick, fresh):
    """Run what has not been run yet, and return all rows of figures in the order of the runs.

    A result is kept under a hash of the study's source and the package's version, so that an edited
    study does not take up the results of another one.
    """
    runs = list(study.runs(quick))
    RUNS.mkdir(parents=True, exist_ok=True)
    source = Path(study.__file__).read_bytes() + fairmend.__version__.encode()
    kept = RUNS / f"{name}-{hashlib.sha256(source).hexdigest()[:12]}.jsonl"
    if fresh:
        kept.unlink(missing_ok=True)
    done = dict(_kept(kept))
    left = [run for run in runs if _key(run) not in done]
    # Forked threads of BLAS may hang, and each process has one core.
    context = multiprocessing.get_context("spawn")
    workers = getattr(study, "WORKERS", os.cpu_count())
    console = Console(stderr=True)
    with (
        ProcessPoolExecutor(workers, context, initializer=_one_thread) as pool,
        kept.open("a", encoding="utf-8") as file,
        Progress(*COLUMNS, console=console, disable=not console.is_terminal) as progress,
    ):
        bar = progress.add_task(name, total=len(runs), completed=len(runs) - len(left))
        started = {pool.submit(_measured, name, run): run for run in left}
        for future in as_completed(started):
            run, rows = started[future], future.result()
            done[_key(run)] = rows
            file.write(json.dumps({"run": run, "rows": rows}) + "\n")
            file.flush()
            progress.advance(bar)
    return [{**run, **row} for run in runs for row in done[_key(run)]]


def _one_thread():
    os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"


def _measured(name, run):
    return list(import_module(f"parts.{name}").measure(**run))


def _key(run):
    return json.dumps(run, sort_keys=True)


def _kept(path):
    """Read what was run; a line that was torn by an end in the middle is run again."""
    if path.exists():
        for line in path.read_text(encoding="utf-8").splitlines(keepends=True):
            if line.endswith("\n"):
                content = json.loads(line)
                yield _key(content["run"]), content["rows"]
