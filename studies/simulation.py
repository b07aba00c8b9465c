"""Reproduce the simulation table of the paper (section V-A): `make simulation`.

200 runs at the paper's settings: 500 research and 5,000 archive rows, 50 support points. E is on
the paper's scale, 100 grid points (see `dependence`). Printed for each row, by feature: mean and
standard deviation over runs, with the paper's below; then the mean of both features with its
standard error. "plain" draws each group's marginal from its own rows alone, as the paper does;
"default" is what `design` does unasked, which leans small groups on their stratum's shape.
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
    ("plain", "research"): ("0.0899 ± 0.0373", "0.0926 ± 0.0368"),
    ("plain", "archive"): ("0.3926 ± 0.1671", "0.4443 ± 0.2028"),
    ("default", "research"): ("0.0899 ± 0.0373", "0.0926 ± 0.0368"),
    ("default", "archive"): ("0.3926 ± 0.1671", "0.4443 ± 0.2028"),
    ("geometric", "research"): ("0.0071 ± 0.0030", "0.0073 ± 0.0033"),
}
WHY = """\
Where this differs from the paper: the rows without repair agree within a standard deviation. The
paper's geometric 0.007 is not reached by its two equations on these samples: with groups of 0.3 to
0.7 and 0.1 to 0.9 the repaired points of the two are means of different numbers of partners. The
paper's archive rows are out of reach of a kernel density drawn from about 25 rows, the size of the
smallest group ("plain"), but not of one that leans on the shape of its stratum ("default")."""


def paper_e(table, feature):
    """Measure E of one feature on the paper's scale."""
    return fairmend.dependence(table[feature], table["s"], table["u"], scale="paper", grid=GRID)


def one_run(seed):
    """Simulate, repair and measure once."""
    table = simulate(N_RESEARCH + N_ARCHIVE, seed)
    research, archive = table.slice(0, N_RESEARCH), table.slice(N_RESEARCH)
    roles = {"protected": "s", "unprotected": "u", "features": FEATURES}
    geometric = fairmend.GeometricRepair(**roles, drop_protected=False)
    tables = {
        ("none", "research"): research,
        ("none", "archive"): archive,
        ("geometric", "research"): geometric.fit_transform(research),
    }
    moved = {}
    for name, shrinkage in (("plain", 0.0), ("default", "auto")):
        plan = fairmend.design(research, **roles, n_support=N_SUPPORT, shrinkage=shrinkage)
        tables[name, "research"] = plan.repair(research, seed=2 * seed)
        tables[name, "archive"] = plan.repair(archive, seed=2 * seed + 1)
        damages = [fairmend.damage(archive[f], tables[name, "archive"][f]).rmse for f in FEATURES]
        moved["damage", name] = float(np.mean(damages))
    return {
        (row, feature): paper_e(table, feature)
        for row, table in tables.items()
        for feature in FEATURES
    } | moved


def main():
    """Run, collect, and print the table."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else RUNS
    results = defaultdict(list)
    errors = Console(stderr=True)
    for seed in track(range(runs), "simulating", console=errors, disable=not errors.is_terminal):
        for row, value in one_run(seed).items():
            results[row].append(value)
    table = Table(title=f"Paper-E, {runs} runs, n_R = {N_RESEARCH}, n_A = {N_ARCHIVE}")
    for column in ("repair", "data", *FEATURES, "both ± s.e."):
        table.add_column(column, no_wrap=True)
    for row, said in PAPER.items():
        values = np.array([results[row, feature] for feature in FEATURES])
        cells = [f"{v.mean():.4f} ± {v.std(ddof=1):.4f}" for v in values]
        both = values.mean(axis=0)
        error = both.std(ddof=1) / np.sqrt(runs)
        table.add_row(*row, *cells, f"{both.mean():.4f} ± {error:.4f}")
        table.add_row("", "paper", *said, "", style="dim", end_section=True)
    Console().print(table)
    for name in ("plain", "default"):
        rmse = np.mean(results["damage", name])
        print(f"root mean squared change of an archive value, {name}: {rmse:.4f}")
    print(WHY)


if __name__ == "__main__":
    main()
