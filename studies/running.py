"""Run what a study lists, by the cores there are, and keep each result as it comes."""

import json
import multiprocessing
import os
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from provenance import commit, fingerprint
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

RUNS = Path("build/runs")
COLUMNS = (
    TextColumn("{task.description}"),
    BarColumn(),
    MofNCompleteColumn(),
    TimeRemainingColumn(),
)


@dataclass
class Runs:
    """What runs have measured, row by row in their order, and where that comes from."""

    rows: list
    commits: list
    """Of the runs: more than one where a study was taken up again after a commit."""
    seconds: float
    """Processor time of all runs together, other processes that they started included."""
    count: int


def run_all(name, study, *, quick, fresh):
    """Run what has not been run yet, and return what all runs measured.

    A result is kept under a hash of the code it comes from, so that an edited study does not take
    up the results of another one, and beside the commit of the package that it was measured at.
    """
    runs = list(study.runs(quick))
    RUNS.mkdir(parents=True, exist_ok=True)
    kept = RUNS / f"{name}-{fingerprint(study)}.jsonl"
    if fresh:
        kept.unlink(missing_ok=True)
    done = dict(_kept(kept))
    left = [run for run in runs if _key(run) not in done]
    made_at, console = commit(), Console(stderr=True)
    with (
        kept.open("a", encoding="utf-8") as file,
        Progress(*COLUMNS, console=console, disable=not console.is_terminal) as progress,
    ):
        bar = progress.add_task(name, total=len(runs), completed=len(runs) - len(left))
        for run, rows, seconds in _measured_by_all(name, study, left):
            result = {"run": run, "rows": rows, "commit": made_at, "seconds": seconds}
            done[_key(run)] = result
            file.write(json.dumps(result) + "\n")
            file.flush()
            progress.advance(bar)
    results = [done[_key(run)] for run in runs]
    return Runs(
        rows=[{**result["run"], **row} for result in results for row in result["rows"]],
        commits=list(dict.fromkeys(result["commit"] for result in results)),
        seconds=sum(result["seconds"] for result in results),
        count=len(results),
    )


def _measured_by_all(name, study, runs):
    # Forked threads of BLAS may hang, and each process has one core.
    context = multiprocessing.get_context("spawn")
    workers = min(getattr(study, "WORKERS", cores()), cores())
    with ProcessPoolExecutor(workers, context, initializer=_one_thread) as pool:
        started = {pool.submit(_measured, name, run): run for run in runs}
        try:
            for future in as_completed(started):
                yield started[future], *future.result()
        except BaseException:
            # What went wrong is told now, not after the runs that are still to come.
            pool.shutdown(cancel_futures=True)
            raise


def cores():
    """Count the cores that this process may use, which `taskset` can make fewer."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count()


def _one_thread():
    os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"


def _measured(name, run):
    before = os.times()
    rows = list(import_module(f"parts.{name}").measure(**run))
    return rows, sum(os.times()[:4]) - sum(before[:4])


def _key(run):
    return json.dumps(run, sort_keys=True)


def _kept(path):
    """Read what was run; a line that was torn by an end in the middle is run again."""
    if path.exists():
        for line in path.read_text(encoding="utf-8").splitlines(keepends=True):
            if line.endswith("\n"):
                result = json.loads(line)
                yield _key(result["run"]), result
