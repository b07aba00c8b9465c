"""What an adversary still finds of sex in the repaired Adult archive, peers beside us.

`make leak-study`: five seeds, 10,000 research rows, S = sex, U = education-num > 12. Each method
repairs the five numeric columns (and, where it can, four categorical ones); then gradient boosting
guesses S within U, three-fold cross-validated (`fairmend.leak`). The peers are fitted on the
research rows and applied to the archive, where they can be; one that cannot keeps its own way. They
live in an environment of their own, which the Makefile makes, and talk to this script by files.
"""

import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from rich.console import Console
from rich.progress import track
from rich.table import Table

import fairmend

SEEDS, N_RESEARCH = 5, 10_000
NUMBERS = ["age", "hours-per-week", "education-num", "capital-gain", "capital-loss"]
CATEGORIES = ["marital-status", "relationship", "occupation", "workclass"]
ROLES = {"protected": "sex", "unprotected": "college"}
SETS = {"age, hours, education": NUMBERS[:3], "5 numeric": NUMBERS, "all 9": NUMBERS + CATEGORIES}
PEERS = ("fairlearn", "scikit-fair")


def auc_for_sex(table, features):
    """Run the adversary without its null."""
    return fairmend.leak(table, **ROLES, features=features, permutations=0).auc


def auc_for_income(table, features):
    """Measure what utility is left: AUC for the label from the same columns."""
    return fairmend.leak(table, protected="income", features=features, permutations=0).auc


def by_peer(peer, python, research, archive):
    """Let a peer repair the numeric columns of the archive in its own environment."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{name}.parquet" for name in ("research", "archive", "out")]
        for table, path in zip((research, archive), paths, strict=False):
            pq.write_table(table.select([*NUMBERS, "sex"]), path)
        worker = Path(__file__).with_name("leak_peer.py")
        subprocess.run([python, worker, peer, *map(str, paths)], check=True)
        repaired = pq.read_table(paths[-1])
    for name in NUMBERS:
        at = archive.schema.get_field_index(name)
        archive = archive.set_column(at, name, repaired[name])
    return archive


def one_seed(seed, python):
    """Measure every method on one split."""
    adult = fairmend.datasets.adult(complete=True)
    rows = np.random.default_rng(seed).permutation(adult.num_rows)
    research = adult.take(pa.array(rows[:N_RESEARCH]))
    archive = adult.take(pa.array(rows[N_RESEARCH:]))
    plan = fairmend.design(research, **ROLES, features=NUMBERS + CATEGORIES)
    ours = plan.repair(archive, seed=seed, unseen="keep")
    repaired = {"none": archive, "fairmend": ours}
    if python:
        repaired |= {peer: by_peer(peer, python, research, archive) for peer in PEERS}
    results = {}
    for method, table in repaired.items():
        for name, features in SETS.items():
            if method in PEERS and set(features) & set(CATEGORIES):
                continue
            results[method, name] = auc_for_sex(table, features)
        results[method, "income"] = auc_for_income(table, NUMBERS + CATEGORIES)
    return results


def main():
    """Run all seeds and print the means."""
    python = sys.argv[1] if len(sys.argv) > 1 else None
    errors = Console(stderr=True)
    results = defaultdict(list)
    for seed in track(range(SEEDS), "measuring", console=errors, disable=not errors.is_terminal):
        for key, value in one_seed(seed, python).items():
            results[key].append(value)
    table = Table(title=f"AUC for sex in the archive, mean ± sd of {SEEDS} seeds; 0.5 is chance")
    table.add_column("method", no_wrap=True)
    for name in (*SETS, "income"):
        table.add_column(f"{name}: AUC" if name == "income" else name)
    for method in dict.fromkeys(method for method, _ in results):
        cells = [
            f"{np.mean(v):.3f} ± {np.std(v, ddof=1):.3f}"
            if (v := results.get((method, n)))
            else "–"
            for n in (*SETS, "income")
        ]
        table.add_row(method, *cells)
    Console(width=100).print(table)


if __name__ == "__main__":
    main()
