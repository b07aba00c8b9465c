"""The kernel against a plain copy.

Repairing one column in memory, one thread, as a multiple of `np.copyto` of as many float64 in the
same run. The plan is designed from 10,000 research rows; rows' keys are mixed before.
"""

from functools import partial

import numpy as np
from timing import fastest
from torrent import FEATURES, ROLES, torrent

import fairmend
from fairmend.frames.table import Frame
from fairmend.kernel import c_kernel, numpy_kernel
from fairmend.kernel.draws import mix, row_numbers
from fairmend.kernel.move import Move
from fairmend.plan.apply import cells_of

ROWS, SEED = 10_000_000, 1
RESEARCH_ROWS = 10_000


def section(rows):
    """Time each kind of column with each kernel."""
    research = torrent(RESEARCH_ROWS, SEED)
    plan = fairmend.design(research, **ROLES, features=FEATURES, kinds={"ordinal": "ordinal"})
    archive = Frame(torrent(rows, SEED + 1), "archive")
    values = archive.finite_numbers(plan.codecs)
    cells = cells_of(plan, archive, plan.options.policies)
    keys = mix(row_numbers(0, rows))
    kernels = {"NumPy": numpy_kernel} | ({"C": c_kernel} if c_kernel.BUILT else {})
    for feature in plan.features:
        x, copied = values[feature.name], np.empty(rows)
        contenders = {"copy": partial(np.copyto, copied, x)}
        for name, kernel in kernels.items():
            move = Move.of(SEED, feature.name)
            repair = kernel.repair_values
            contenders[name] = partial(repair, feature.table, x, cells, keys, move)
        seconds = fastest(contenders)
        row = {"column": feature.name, "copy, M values/s": rows / seconds["copy"] / 1e6}
        for name in ("C", "NumPy"):
            row[f"{name}, M values/s"] = rows / seconds[name] / 1e6 if name in seconds else "–"
            row[f"{name}: × copy"] = seconds[name] / seconds["copy"] if name in seconds else "–"
        yield row
