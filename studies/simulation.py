"""Reproduce the simulation table of the paper (section V-A): `make simulation`.

200 runs at the paper's settings: 500 research and 5,000 archive rows, 50 support points. E is on
the paper's scale, 100 grid points (see `dependence`). Printed: mean ± standard deviation over runs,
the standard error of the mean, and the paper's row.
"""

import sys
from collections import defaultdict

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

import fairmend
from fairmend.datasets import simulate

RUNS, N_RESEARCH, N_ARCHIVE, N_SUPPORT, GRID = 200, 500, 5_000, 50, 100
FEATURES = ("x1", "x2")
PAPER = {
    ("none", "research"): ("7.486 ± 1.445", "7.271 ± 1.475"),
    ("none", "archive"): ("6.279 ± 0.543", "6.377 ± 0.522"),
    ("distributional", "research"): ("0.0899 ± 0.0373", "0.0926 ± 0.0368"),
    ("distributional", "archive"): ("0.3926 ± 0.1671", "0.4443 ± 0.2028"),
    ("geometric", "research"): ("0.0071 ± 0.0030", "0.0073 ± 0.0033"),
}


def paper_e(table, feature):
    """Measure E of one feature on the paper's scale."""
    return fairmend.dependence(table[feature], table["s"], table["u"], scale="paper", grid=GRID)


def one_run(seed):
    """Simulate, repair and measure once."""
    table = simulate(N_RESEARCH + N_ARCHIVE, seed)
    research, archive = table.slice(0, N_RESEARCH), table.slice(N_RESEARCH)
    plan = fairmend.design(
        research, protected="s", unprotected="u", features=FEATURES, n_support=N_SUPPORT
    )
    geometric = fairmend.GeometricRepair(
        protected="s", unprotected="u", features=FEATURES, drop_protected=False
    )
    tables = {
        ("none", "research"): research,
        ("none", "archive"): archive,
        ("distributional", "research"): plan.repair(research, seed=2 * seed),
        ("distributional", "archive"): plan.repair(archive, seed=2 * seed + 1),
        ("geometric", "research"): geometric.fit_transform(research),
    }
    measured = {(row, f): paper_e(table, f) for row, table in tables.items() for f in FEATURES}
    repaired = tables["distributional", "archive"]
    for feature in FEATURES:
        moved = fairmend.damage(archive[feature], repaired[feature])
        measured["rmse", feature] = moved.rmse
    return measured


def main():
    """Run, collect, and print the table."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else RUNS
    results = defaultdict(list)
    console = Console(stderr=True)
    for seed in track(range(runs), "simulating", console=console, disable=not console.is_terminal):
        for row, value in one_run(seed).items():
            results[row].append(value)
    table = Table(title=f"Paper-E, {runs} runs, n_R = {N_RESEARCH}, n_A = {N_ARCHIVE}")
    for column in ("repair", "data", "feature", "fairmend", "standard error", "paper"):
        table.add_column(column)
    for (repair, data), said in PAPER.items():
        for feature, paper in zip(FEATURES, said, strict=True):
            values = np.array(results[(repair, data), feature])
            error = values.std(ddof=1) / np.sqrt(runs)
            mean = f"{values.mean():.4f} ± {values.std(ddof=1):.4f}"
            table.add_row(repair, data, feature, mean, f"{error:.4f}", paper)
    Console().print(table)
    for repair, data in PAPER:
        both = np.array([results[(repair, data), feature] for feature in FEATURES]).mean(axis=0)
        error = both.std(ddof=1) / np.sqrt(runs)
        print(f"{repair}, {data}, mean of both features: {both.mean():.4f} ± {error:.4f} (s.e.)")
    rmse = np.mean([results["rmse", feature] for feature in FEATURES])
    print(f"root mean squared change of an archive value: {rmse:.4f}")
    print(
        "Where this differs from the paper: the 'none' rows agree within a standard deviation. The\n"
        "paper's geometric 0.007 is not reached by its two equations on these samples (0.06 here):\n"
        "with 0.3 : 0.7 and 0.1 : 0.9 splits the two groups' repaired points are means of different\n"
        "numbers of partners. The paper's archive 0.39 and 0.44 need better marginals than a kernel\n"
        "density of about 25 rows, the size of the smallest group."
    )


if __name__ == "__main__":
    main()
