"""The leak test, peers beside us.

Can an adversary recover S from the repaired archive? Adult, S = sex, U = college, 10,000 research
rows; each method repairs the five numeric columns and, where it can, four categorical ones. Then
gradient boosting guesses S within U, three-fold cross-validated (`fairmend.leak`), from the columns
named: AUC, 0.5 is chance and 1 is certainty. *Income* is the AUC for the label from all nine
columns, which is the utility that is left. The peers are fitted on the research rows and applied to
the archive; AIF360's remover cannot be, and is fitted on the archive itself; EquiPy is made for
scores, and takes each column for one. They live in an environment of their own (`make peers`) and
talk to this study by files.
"""

import os
import subprocess
import tempfile
from pathlib import Path

import pyarrow.parquet as pq
from parts.adult import split
from writing import grouped, markdown, spread

import fairmend

NUMBERS = ["age", "hours-per-week", "education-num", "capital-gain", "capital-loss"]
CATEGORIES = ["marital-status", "relationship", "occupation", "workclass"]
ROLES = {"protected": "sex", "unprotected": "college"}
SETS = {"age, hours, education": NUMBERS[:3], "5 numeric": NUMBERS, "all 9": NUMBERS + CATEGORIES}
PEERS = ("fairlearn", "scikit-fair", "aif360", "aequitas", "fairpipe", "equipy")
PYTHON = Path(os.environ.get("PEERS_PYTHON", ".venv-peers/bin/python"))


def absent():
    """Say what is not there."""
    return None if PYTHON.exists() else f"{PYTHON} is not there; `make peers` makes it"


def runs(quick):
    """List the runs."""
    methods = ("none", "fairmend", *PEERS)
    return [{"method": m, "seed": seed} for m in methods for seed in range(1 if quick else 5)]


def measure(method, seed):
    """Repair one split by one method, and run the adversary."""
    research, archive = split(seed)
    if method == "fairmend":
        plan = fairmend.design(research, **ROLES, features=NUMBERS + CATEGORIES)
        archive = plan.repair(archive, seed=seed, unseen="keep")
    elif method in PEERS:
        archive, why = by_peer(method, research, archive)
        if archive is None:
            yield {"columns": "none", "why": why}
            return
    for name, features in SETS.items():
        if method not in PEERS or not set(features) & set(CATEGORIES):
            told = fairmend.leak(archive, **ROLES, features=features, permutations=0)
            yield {"columns": name, "AUC": told.auc}
    told = fairmend.leak(archive, protected="income", features=NUMBERS + CATEGORIES, permutations=0)
    yield {"columns": "income", "AUC": told.auc}


def by_peer(peer, research, archive):
    """Let a peer repair the numeric columns of the archive, or say why it cannot."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{name}.parquet" for name in ("research", "archive", "out")]
        for table, path in zip((research, archive), paths, strict=False):
            pq.write_table(table.select([*NUMBERS, "sex", "income"]), path)
        worker = Path(__file__).parents[1] / "leak_peer.py"
        done = subprocess.run(
            [PYTHON, worker, peer, *map(str, paths)], capture_output=True, text=True, check=False
        )
        if done.returncode:
            return None, done.stderr.strip().splitlines()[-1][:200]
        repaired = pq.read_table(paths[-1])
    for name in NUMBERS:
        at = archive.schema.get_field_index(name)
        archive = archive.set_column(at, name, repaired[name])
    return archive, None


def page(table):
    """Lay out the adversary's AUC by method."""
    auc = grouped(table, "AUC", "method", "columns")
    methods = list(dict.fromkeys(row["method"] for row in table))
    rows = [
        [method, *(spread(auc.get((method, name))) for name in (*SETS, "income"))]
        for method in methods
    ]
    failed = {row["method"]: row["why"] for row in table if row.get("why")}
    said = "".join(f"\n- {method} ended with an error: `{why}`" for method, why in failed.items())
    return markdown(["method", *SETS, "income"], rows) + (f"\n\n{said}" if said else "")
