"""Programs that are measured as processes of their own: their time, and their peak memory.

A process counts as its own what the one that starts it has taken until then: 150 MB here.
"""

import os
import subprocess
import sys
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

_POLARS = """
import sys, polars
polars.scan_parquet(sys.argv[1]).sink_parquet(sys.argv[2], compression="snappy")
"""
_PYARROW = """
import sys, pyarrow.parquet as pq
with pq.ParquetFile(sys.argv[1], pre_buffer=False) as file:
    with pq.ParquetWriter(sys.argv[2], file.schema_arrow, compression="snappy") as writer:
        for group in range(file.num_row_groups):
            writer.write_table(file.read_row_group(group))
"""
COPIES = {
    "Polars scan to sink": [sys.executable, "-c", _POLARS],
    "pyarrow by row groups": [sys.executable, "-c", _PYARROW],
}


class Measured(NamedTuple):
    """What a process took: by the clock, of the processor, and at most of memory."""

    seconds: float
    processor: float
    megabytes: float


def repair(plan: Path) -> list[str]:
    """Return the command line that repairs; archive and output follow."""
    fairmend = [sys.executable, "-m", "fairmend", "repair", "--plan", str(plan), "--force"]
    return [*fairmend, "--seed", "7"]


def written(path: Path, rows: int, seed: int) -> Path:
    """Write an archive by a process of its own: what this one takes counts for those it starts."""
    line = [sys.executable, Path(__file__).with_name("archives.py"), path, str(rows), str(seed)]
    subprocess.run(line, check=True)
    return path


def run(command: list[str], source: Path, out: Path) -> Measured:
    """Run a command to its end and remove what it wrote."""
    flags = ["-o"] if "fairmend" in command else []
    line = [*command, str(source), *flags, str(out)]
    # One thread of NumPy's is a setting of the benchmarks; programs choose theirs themselves.
    environment = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"}
    start = perf_counter()
    process = subprocess.Popen(line, stderr=subprocess.PIPE, env=environment)
    said = process.stderr.read()
    _, status, used = os.wait4(process.pid, 0)
    seconds = perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{' '.join(line)}\n{said.decode()}")
    out.unlink()
    unit = 1 if sys.platform == "darwin" else 1024
    return Measured(seconds, used.ru_utime + used.ru_stime, used.ru_maxrss * unit / 1e6)
