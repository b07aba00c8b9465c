"""The repair of one column against other tools.

One continuous column of a pandas table with a group column, one thread. Other tools run in the
environment that `make peers` fills, each by the calls of `studies/peers.py`, fitted on 10,000
research rows where they can be fitted; slow ones get fewer rows, and the ratio is of values a
second. The paper's code is not on PyPI: its row-by-row rule, which is Algorithm 2 in a loop over
rows with NumPy, is the baseline. What each tool does to the column differs, and so does what it
leaks: that is the leak study's matter, not this one's.
"""

import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow.parquet as pq
from row_by_row import repaired, rows_of
from timing import fastest
from torrent import torrent

import fairmend
from fairmend.frames.table import Frame
from fairmend.kernel import c_kernel, numpy_kernel
from fairmend.kernel.draws import mix, row_numbers
from fairmend.kernel.move import Move
from fairmend.plan.apply import cells_of

ROWS, SEED = 1_000_000, 3
RESEARCH_ROWS = 10_000
HERE = Path(__file__).resolve().parents[1]
PEERS = HERE.parent / ".venv-peers" / "bin" / "python"
SLOW = {"aif360": 20, "row by row": 50}
NAMES = ("fairlearn", "scikit-fair", "fairpipe", "aequitas", "equipy", "aif360")
TABLE = ["sex", "continuous"]


def section(rows):
    """Time fairmend, the row-by-row rule, and the peers that are there."""
    research, archive = (torrent(n, SEED + n).select(TABLE) for n in (RESEARCH_ROWS, rows))
    plan = fairmend.design(research, protected="sex")
    people = archive.to_pandas()
    few = archive.slice(0, max(rows // SLOW["row by row"], 1))
    seconds = fastest({"table": lambda: plan.repair(people, seed=SEED), **_kernels(plan, archive)})
    slow = fastest({"rows": lambda: row_by_row(plan, few)}, 2)["rows"]
    found = {
        "fairmend, kernel in C": (rows, seconds.get("C")),
        "fairmend, kernel in NumPy": (rows, seconds["NumPy"]),
        "fairmend, `Plan.repair` of a pandas table": (rows, seconds["table"]),
        **_peers(research, archive),
        "Algorithm 2 row by row": (len(few), slow),
    }
    baseline = len(few) / slow
    for name, (n, taken) in found.items():
        yield {
            "tool": name,
            "rows": f"{n:,}",
            "M values/s": "–" if taken is None else n / taken / 1e6,
            "× row by row": "–" if taken is None else n / taken / baseline,
        }


def _kernels(plan, archive):
    frame = Frame(archive, "archive")
    x = frame.finite_numbers(plan.codecs)["continuous"]
    cells = cells_of(plan, frame, plan.options.policies)
    keys, (feature,) = mix(row_numbers(0, len(x))), plan.features
    move = Move.of(SEED, feature.name)
    kernels = {"NumPy": numpy_kernel} | ({"C": c_kernel} if c_kernel.BUILT else {})
    return {
        name: lambda kernel=kernel: kernel.repair_values(feature.table, x, cells, keys, move)
        for name, kernel in kernels.items()
    }


def row_by_row(plan, archive):
    """Repair as Algorithm 2 reads, with NumPy."""
    (feature,) = plan.features
    (cell,) = feature.cells
    values, sexes = (archive[name].to_pylist() for name in ("continuous", "sex"))
    laws = {
        sex: rows_of(cell.every_row(number), cell.support.size)
        for number, sex in enumerate(sorted({*sexes}))
    }
    return repaired(cell.support, laws, values, sexes, np.random.default_rng(SEED))


def _peers(research, archive):
    if not PEERS.exists():
        return {}
    found = {}
    with TemporaryDirectory() as folder:
        pq.write_table(research, Path(folder, "research.parquet"))
        for name in NAMES:
            n = max(len(archive) // SLOW.get(name, 1), 1)
            pq.write_table(archive.slice(0, n), Path(folder, "archive.parquet"))
            line = [PEERS, HERE / "peer.py", name, folder]
            done = subprocess.run(line, capture_output=True, text=True, check=False)
            found[name] = (n, float(done.stdout.split()[-1]) if done.returncode == 0 else None)
    return found
