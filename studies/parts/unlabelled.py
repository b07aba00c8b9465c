"""Archives in which S was never recorded.

*Simulation*: the paper's settings with the archive's labels hidden: 500 research and 5,000 archive
rows, 50 support points, E in nats on the archive's true labels, mean of both features. Each
feature's E is 0.5 by design. "truth" is the true posterior with plans from 200,000 rows: no
estimate can be better on average. *Marginals*: normal laws of every group and stratum from n_R rows
alone, and from them with 5,000 that have no group, in W2 to the truth, beside the plan's own.
*Real tables*: Adult (S = sex, U = college, 10,000 research rows; `also` adds occupation and
workclass) and the law school survey (S = race1, U = family income of 4 or more, 5,000; `also`
adds tier and fulltime), whole, and with 14 % and
46 % of the labels hidden at random. Mean ± standard deviation over seeds.
"""

import functools

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from drawing import Curve, chart
from parts.tables import BESIDE, read, shuffled
from writing import grouped, markdown, spread, standard_error

import fairmend
from fairmend.datasets import simulate
from fairmend.datasets.simulated import MEANS, PR_S0

WORKERS = 2
ROLES = {"protected": "s", "unprotected": "u", "features": ["x1", "x2"]}
DRAWS = ("map", "sample", "expected")
BUDGETS = (0.25, 0.4, 0.55, 0.7, 0.85)
SIZES = (100, 250, 2_000)
REAL = {
    "Adult": {
        "protected": "sex",
        "unprotected": "college",
        "features": ["age", "hours-per-week"],
        "also": ["occupation", "workclass"],
        "n_R": 10_000,
    },
    "law school": {
        "protected": "race1",
        "unprotected": "affluent",
        "features": ["lsat", "ugpa", "zfygpa"],
        "also": ["tier", "fulltime"],
        "n_R": 5_000,
    },
}
SHARES = (1.0, 0.46, 0.14)


def runs(quick):
    """List the runs."""
    few = 1 if quick else 50
    yield from ({"part": "simulation", "seed": seed} for seed in range(few))
    sizes = SIZES[:1] if quick else SIZES
    some = 1 if quick else 30
    yield from ({"part": "marginals", "n": n, "seed": s} for n in sizes for s in range(some))
    for name in [] if quick else REAL:
        yield from ({"part": "real", "table": name, "seed": seed} for seed in range(5))


def measure(part, seed, n=None, table=None):
    """Run one."""
    if part == "simulation":
        yield from simulated(seed)
    elif part == "marginals":
        yield from marginals(n, seed)
    else:
        yield from real(table, seed)


class Truth:
    """Labels from the true posterior, in the form that a repair takes them."""

    def __init__(self, groups):
        self.groups = groups
        self.columns = ("u", "x1", "x2")
        self.codecs = {}

    def posterior(self, frame):
        """Give Bayes' rule on the laws that the data is drawn from."""
        u, x1, x2 = (frame.arrow(name).to_numpy() for name in self.columns)
        x = np.column_stack([x1, x2])
        density = [np.exp(-0.5 * ((x - MEANS[u, s]) ** 2).sum(axis=1)) for s in (0, 1)]
        weighed = [PR_S0[u] * density[0], (1 - PR_S0[u]) * density[1]]
        return np.column_stack(weighed) / (weighed[0] + weighed[1])[:, None]


@functools.cache
def oracle():
    """Design from so many rows that their laws are the true ones."""
    return fairmend.design(simulate(200_000, 77), **ROLES, n_support=50, shrinkage=0.0)


def simulated(seed):
    """Repair one simulated archive in every way."""
    table = simulate(5_500, seed)
    research, archive = table.slice(0, 500), table.slice(500)
    hidden = archive.drop(["s"])
    plan = fairmend.design(research, **ROLES, n_support=50)
    model = fairmend.LabelModel(**ROLES).fit(research, hidden)
    truth = Truth(plan.groups)

    def figures(way, repaired):
        e = [
            fairmend.dependence(repaired[f], archive["s"], archive["u"], kind="continuous")
            for f in ROLES["features"]
        ]
        damage = [fairmend.damage(archive[f], repaired[f]).rmse for f in ROLES["features"]]
        return {"way": way, "E": float(np.mean(e)), "damage": float(np.mean(damage))}

    yield figures("none", archive)
    yield figures("known", plan.repair(archive, seed=seed))
    for draw in DRAWS:
        yield figures(draw, plan.repair(hidden, labels=model, draw=draw, seed=seed))
        told = oracle().repair(hidden, labels=truth, draw=draw, seed=seed)
        yield figures(f"{draw}, truth", told)
    for share in SHARES[1:]:
        gaps = with_gaps(archive, "s", share, seed)
        yield figures(f"{share:.0%} hidden, sample", plan.repair(gaps, labels=model, seed=seed))
    for budget in BUDGETS:
        blind = plan.blind(budget).repair(hidden, seed=seed)
        yield figures(f"blind {budget:g}", blind)
        if budget == 0.55:
            told = best_blind(budget).repair(hidden, seed=seed)
            yield figures(f"blind {budget:g}, truth", told)


@functools.cache
def best_blind(budget):
    """Make the blind plan of the true laws."""
    return oracle().blind(budget)


def with_gaps(table, name, share, seed):
    """Hide a share of a column at random."""
    mask = np.random.default_rng(1_000 + seed).random(table.num_rows) < share
    at = table.column_names.index(name)
    column = table[name].combine_chunks()
    return table.set_column(at, name, pa.array(column.to_pylist(), column.type, mask=mask))


def marginals(n, seed):
    """Learn the groups' laws with and without the archive."""
    table = next(
        table
        for at in range(100)
        for table in [simulate(n + 5_000, 1_000 * seed + at)]
        if smallest(table.slice(0, n)) >= 2
    )
    research, archive = table.slice(0, n), table.slice(n)
    for way, rest in (("research alone", None), ("with the archive", archive.drop(["s"]))):
        model = fairmend.LabelModel(**ROLES, method="mixture").fit(research, rest)
        off = []
        for k, name in enumerate(ROLES["features"]):
            mean, deviation = model.fitted_.teller.moments(name)
            off.append(np.sqrt((mean - MEANS[:, :, k]) ** 2 + (deviation - 1.0) ** 2))
        yield {"way": way, "W2": float(np.mean(off))}
    for way, shrinkage in (("the plan's", "auto"), ("kernels alone", 0.0)):
        plan = fairmend.design(research, **ROLES, shrinkage=shrinkage)
        yield {"way": way, "W2": float(np.mean([*distances(plan)]))}


def smallest(table):
    """Count the rows of the smallest group of a stratum."""
    cells = 2 * table["u"].to_numpy() + table["s"].to_numpy()
    return np.bincount(cells, minlength=4).min()


def distances(plan):
    """Measure each marginal's W2 to the normal law that it is drawn from."""
    share = (np.arange(4_000) + 0.5) / 4_000
    normal = np.sort(np.random.default_rng(0).standard_normal(400_000))[50::100]
    for k, feature in enumerate(plan.features):
        for u, cell in enumerate(feature.cells):
            for s in (0, 1):
                upto = np.cumsum(cell.marginals[s])
                found = np.interp(share, upto - 0.5 * cell.marginals[s], cell.support)
                yield float(np.sqrt(np.mean((found - MEANS[u, s, k] - normal) ** 2)))


def absent():
    """Say what is not there."""
    return None if BESIDE.exists() else "one of its tables lies beside the checkout, not in it"


def real(name, seed):
    """Repair one split of a real table in every way."""
    roles = {role: REAL[name][role] for role in ("protected", "unprotected", "features")}
    rows = read(name)
    if name == "law school":
        rows = rows.append_column("affluent", pc.greater_equal(rows["fam_inc"], 4))
    order = np.random.default_rng(seed).permutation(rows.num_rows)
    research = rows.take(pa.array(order[: REAL[name]["n_R"]]))
    archive = rows.take(pa.array(order[REAL[name]["n_R"] :]))
    s, u = (archive[roles[role]] for role in ("protected", "unprotected"))
    hidden = archive.drop([roles["protected"]])
    plan = fairmend.design(research, **roles, small_groups="pool")
    kinds = {feature.name: feature.kind for feature in plan.features}
    deviations = {f: float(np.std(archive[f].to_numpy())) for f in roles["features"]}

    def figures(way, repaired):
        e = [fairmend.dependence(repaired[f], s, u, kind=kinds[f]) for f in kinds]
        damage = [fairmend.damage(archive[f], repaired[f]).rmse / deviations[f] for f in kinds]
        return {"way": way, "E": float(np.mean(e)), "damage": float(np.mean(damage))}

    yield figures("none", archive)
    known = plan.repair(archive, seed=seed)
    yield figures("known", known)
    mixed = shuffled(s, u, seed)
    floor = [fairmend.dependence(known[f], mixed, u, kind=kinds[f]) for f in kinds]
    yield {"way": "floor: known, labels shuffled", "E": float(np.mean(floor)), "damage": None}
    for also in ([], REAL[name]["also"]):
        model = fairmend.LabelModel(**roles, also=also).fit(research, hidden)
        by = ", also" if also else ""
        loss, chance = model.calibration.log_loss, model.calibration.chance
        yield {"way": f"model{by}", "chosen": model.chosen, "told": 1.0 - loss / chance}
        for draw in DRAWS:
            repaired = plan.repair(hidden, labels=model, draw=draw, seed=seed)
            yield figures(f"{draw}{by}", repaired)
        for share in SHARES[1:]:
            gaps = with_gaps(archive, roles["protected"], share, seed)
            repaired = plan.repair(gaps, labels=model, seed=seed)
            yield figures(f"{share:.0%} hidden, sample{by}", repaired)
    for budget in (0.2, 0.5):
        yield figures(f"blind {budget:g}", plan.blind(budget).repair(hidden, seed=seed))


def figure(table):
    """Draw E against damage for the simulation."""
    rows = [row for row in table if row["part"] == "simulation"]
    e, damage = (grouped(rows, value, "way") for value in ("E", "damage"))
    every = [("none",), *((f"blind {budget:g}",) for budget in BUDGETS)]
    curves = [
        Curve(
            "blind",
            np.array([damage[way].mean() for way in every]),
            np.array([e[way].mean() for way in every]),
        )
    ]
    for way in ("known", *DRAWS):
        curves.append(
            Curve(way, *(np.array([one[way,].mean()]) for one in (damage, e)), joined=False)
        )
    return chart(
        "Dependence left against damage done, groups of the archive unknown",
        curves,
        x_label="damage: root mean squared change, in the features' units (1 is a deviation)",
        y_label="E in nats, archive, mean of both features",
    )


def page(table):
    """Lay out the parts."""
    parts = [part for name in ("simulation", "real") for part in ways(table, name)]
    parts.append(between(table))
    w2 = grouped(table, "W2", "way", "n")
    sizes = sorted({n for _, n in w2})
    rows = [
        [way, *(spread(w2.get((way, n)), 4) for n in sizes)]
        for way in ("with the archive", "research alone", "the plan's", "kernels alone")
    ]
    header = ["W2 to the truth", *(f"n_R = {n:,}" for n in sizes)]
    parts.append(f"## Marginals\n\n{markdown(header, rows)}")
    told = grouped(table, "told", "table", "way")
    if told:
        lines = [[f"{t}: {way}", spread(values)] for (t, way), values in told.items()]
        parts.append(
            "How much of what S hides is told: 1 − log-loss / log-loss of the strata alone, on "
            f"held-out research rows.\n\n{markdown(['model', 'told'], lines)}"
        )
    return "\n\n".join(parts)


STEPS = (
    ("14 % hidden, over known", "known", "14% hidden, sample"),
    ("46 % hidden, over 14 %", "14% hidden, sample", "46% hidden, sample"),
    ("all hidden, over 46 %", "46% hidden, sample", "sample"),
)


def between(table):
    """Lay out what each step of hiding adds to E, seed by seed."""
    e = grouped([{"table": None, **row} for row in table], "E", "part", "table", "way")
    header = ["E added, mean ± s.e.", *(name for name, _, _ in STEPS)]
    cases = dict.fromkeys((row["part"], row.get("table")) for row in table if "way" in row)
    lines = []
    for part, name in cases:
        for by in ("", ", also"):
            known = e.get((part, name, "known"))
            steps = [
                (e.get((part, name, less + by), known), e.get((part, name, more + by)))
                for _, less, more in STEPS
            ]
            if known is None or any(more is None for _, more in steps):
                continue
            added = [more - less for less, more in steps]
            title = f"{name or 'Simulation'}{by}, {known.size} seeds"
            said = [f"{one.mean():+.4f} ± {standard_error(one):.4f}" for one in added]
            lines.append([title, *said])
    return (
        "## Partly labelled archives\n\nHow much more is left when more is hidden, paired by seed. "
        f'"also" is a label model with further columns.\n\n{markdown(header, lines)}'
    )


def ways(table, part):
    """Lay out E and damage of every way, for each table of a part."""
    rows = [row for row in table if row["part"] == part and row.get("E") is not None]
    for name in dict.fromkeys(row.get("table") for row in rows):
        own = [row for row in rows if row.get("table") == name]
        e, damage = (grouped(own, value, "way") for value in ("E", "damage"))
        before = e["none",].mean()
        lines = [
            [way, spread(values), f"{1 - values.mean() / before:.0%}", spread(damage.get((way,)))]
            for (way,), values in e.items()
        ]
        shown = markdown(["repaired by", "E", "removed", "damage"], lines)
        yield f"## {name or 'Simulation'}\n\n{shown}"
