"""The simulation table.

Section V-A of the paper: two features, two groups in each of two strata, every law Gaussian with
variance 1, groups one unit apart; 500 research and 5,000 archive rows, 50 support points. E is on
the paper's scale with 100 grid points, on which the true E of 0.5 nats is about 6; see
{doc}`../explanation/dependence`. *Plain* draws each group's marginal from its own rows alone, as
the paper does. *Default* is what `fairmend.design` does unasked: small groups lean on the shape of
their stratum. *Floor* is the archive with S shuffled within U. The paper's figures are quoted with
all their digits.
"""

import numpy as np
from writing import grouped, markdown, spread, standard_error

import fairmend
from fairmend.datasets import simulate

N_RESEARCH, N_ARCHIVE, N_SUPPORT, GRID = 500, 5_000, 50, 100
FEATURES = ("x1", "x2")
ROLES = {"protected": "s", "unprotected": "u", "features": list(FEATURES)}
PAPER = {
    ("none", "research"): ("7.486 ± 1.445", "7.271 ± 1.475"),
    ("none", "archive"): ("6.279 ± 0.543", "6.377 ± 0.522"),
    ("distributional", "research"): ("0.0899 ± 0.0373", "0.0926 ± 0.0368"),
    ("distributional", "archive"): ("0.3926 ± 0.1671", "0.4443 ± 0.2028"),
    ("geometric", "research"): ("0.0071 ± 0.0030", "0.0073 ± 0.0033"),
}
ROWS = (
    ("none", "none"),
    ("floor", None),
    ("plain", "distributional"),
    ("default", "distributional"),
    ("geometric", "geometric"),
)
WHY = """\
Where this differs from the paper: the rows without repair agree within a standard deviation. The
paper's geometric 0.007 is not reached by its two equations on these samples: with groups of 0.3 to
0.7 and 0.1 to 0.9 the repaired points of the two are means of different numbers of partners, and
lie on different points. The paper's archive rows are out of reach of a kernel density drawn from
about 25 rows, which is the size of the smallest group (*plain*), but not of one that leans on the
shape of its stratum (*default*). That lean costs on the research rows, which it no longer follows
as closely."""


def runs(quick):
    """List the runs."""
    return [{"seed": seed} for seed in range(10 if quick else 200)]


def measure(seed):
    """Simulate, repair and measure once."""
    table = simulate(N_RESEARCH + N_ARCHIVE, seed)
    research, archive = table.slice(0, N_RESEARCH), table.slice(N_RESEARCH)
    geometric = fairmend.GeometricRepair(**ROLES, drop_protected=False)
    yield from figures("none", "research", research, research)
    yield from figures("none", "archive", archive, archive)
    yield from figures("geometric", "research", research, geometric.fit_transform(research))
    for name, shrinkage in (("plain", 0.0), ("default", "auto")):
        plan = fairmend.design(research, **ROLES, n_support=N_SUPPORT, shrinkage=shrinkage)
        yield from figures(name, "research", research, plan.repair(research, seed=2 * seed))
        yield from figures(name, "archive", archive, plan.repair(archive, seed=2 * seed + 1))
    yield from figures("floor", "archive", archive, shuffled(archive, seed))


def figures(repair, data, before, after):
    """Measure E on the paper's scale, and the damage."""
    for feature in FEATURES:
        e = fairmend.dependence(after[feature], after["s"], after["u"], scale="paper", grid=GRID)
        rmse = fairmend.damage(before[feature], after[feature]).rmse
        yield {"repair": repair, "data": data, "feature": feature, "paper_E": e, "rmse": rmse}


def shuffled(table, seed):
    """Shuffle S within U."""
    rng = np.random.default_rng(10_000 + seed)
    s, u = table["s"].to_numpy().copy(), table["u"].to_numpy()
    for level in (0, 1):
        s[u == level] = rng.permutation(s[u == level])
    return table.set_column(table.column_names.index("s"), "s", [s])


def page(table):
    """Lay out the paper's table, with ours beside it."""
    e = grouped(table, "paper_E", "repair", "data", "feature")
    rmse = grouped(table, "rmse", "repair", "data")
    lines = []
    for name, theirs in ROWS:
        for data in ("research", "archive"):
            if (name, data, "x1") not in e:
                continue
            ours = [e[name, data, feature] for feature in FEATURES]
            both = np.mean(ours, axis=0)
            lines.append(
                [
                    f"{name}, {data}",
                    *(spread(values, 4) for values in ours),
                    f"{both.mean():.4f} ± {standard_error(both):.4f}",
                    f"{rmse[name, data].mean():.3f}" if name not in ("none", "floor") else "–",
                    *PAPER.get((theirs, data), ("–", "–")),
                ]
            )
    header = [
        "repair",
        "k = 1",
        "k = 2",
        "mean of both ± s.e.",
        "RMSE",
        "paper, k = 1",
        "paper, k = 2",
    ]
    return f"{markdown(header, lines)}\n\n{WHY}"
