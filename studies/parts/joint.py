"""The vector, not only its coordinates.

Joint repair (`design(..., joint="sequential")`) beside the repair of each feature by itself. *S* is
the AUC of gradient boosting that guesses S within U from all features of the repaired archive
together (three-fold cross-validated, 30,000 rows at most); 0.5 is chance. *Y* is the same for the
label, from the same columns: the utility that is left. *Changed* is the share of values changed,
*unseen* the share of rows with a pair of values that no research row has, of the worst pair of
features, *gap* the difference between the groups' correlations. Adult: S = sex, U = education-num >
12, nine columns. ACS: New York, S = SEX, U = SCHL > 20, seven columns, occupations by their first
two digits. Law school: S = race1. Gaussians: equal marginals, opposite correlations in the two
groups, so that nothing is to be repaired in either feature by itself.
"""

import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from drawing import Curve, chart
from writing import grouped, markdown, spread, standard_error

import fairmend

BESIDE = Path(__file__).parents[3] / "shared" / "data"
ADULT = [
    *("age", "hours-per-week", "education-num", "capital-gain", "capital-loss"),
    *("marital-status", "relationship", "occupation", "workclass"),
]
ACS = ["AGEP", "WKHP", "PINCP", "SCHL", "COW", "MAR", "OCCP"]
METHODS = ("none", "alone", "joint")
FIGURES = {"S": "S", "Y": "Y", "changed": "changed", "unseen": "unseen pairs", "gap": "gap"}


def runs(quick):
    """List the runs."""
    seeds = range(1 if quick else 5)
    sizes = {
        "Adult": [1_000] if quick else [500, 1_000, 3_000, 10_000, 30_000],
        "Gaussians, r = 0.8": [1_000] if quick else [5_000],
        "Gaussians, r = 0.4": [] if quick else [5_000],
    }
    if (BESIDE / "law_school.parquet").exists() and not quick:
        sizes |= {"ACS": [10_000], "Law school": [5_000]}
    return [
        {"data": data, "n_R": n, "seed": seed}
        for seed in seeds  # all of one seed first: what is interrupted has figures for all tables
        for data, all_n in sizes.items()
        for n in all_n
    ]


def measure(data, n_R, seed):
    """Repair one split both ways, and run the adversaries."""
    table, roles, features, label = read(data, seed)
    rows = np.random.default_rng(seed).permutation(len(table))
    research, archive = (table.take(pa.array(at)) for at in (rows[:n_R], rows[n_R:]))
    options = {**roles, "features": features, "small_groups": "shrink"}
    for method in METHODS:
        repaired, more = archive, {}
        if method != "none":
            start = time.perf_counter()
            plan = fairmend.design(
                research, **options, joint="sequential" if method == "joint" else None
            )
            more = {"design": time.perf_counter() - start, "held out": held_out(plan)}
            if method == "joint":
                more["is joint"] = plan.is_joint
            seconds = []
            for _ in range(3):
                start = time.process_time()
                repaired = plan.repair(archive, seed=seed, unseen="keep")
                seconds.append(time.process_time() - start)
            more["repair"] = min(seconds)
        yield {
            "method": method,
            **figures(repaired, archive, research, roles, features, label),
            **more,
        }


def held_out(plan):
    """Give what the design found in held-out rows."""
    return None if plan.held_out is None else [plan.held_out.alone, plan.held_out.joint]


def figures(repaired, archive, research, roles, features, label):
    """Measure one repaired archive."""
    quick = {"permutations": 0, "each": False, "all_columns": False, "features": features}
    found = {"S": fairmend.leak(repaired, **roles, **quick).auc}
    if label:
        found["Y"] = fairmend.leak(repaired, protected=label, **quick).auc
    found["changed"] = float(
        np.mean([pc.mean(pc.not_equal(repaired[f], archive[f])).as_py() for f in features])
    )
    pairs = fairmend.unseen_pairs(repaired, research, features=features)
    found["unseen"] = max(pairs.values())
    if features == ["x", "y"]:
        s, x, y = (repaired[name].to_numpy() for name in ("s", "x", "y"))
        one, other = (np.corrcoef(x[s == at], y[s == at])[0, 1] for at in (0, 1))
        found["gap"] = abs(one - other)
    return found


def read(data, seed):
    """Read a table, its roles, its features and its label."""
    if data == "Adult":
        table = fairmend.datasets.adult(complete=True)
        return table, {"protected": "sex", "unprotected": "college"}, ADULT, "income"
    if data == "Law school":
        table = pq.read_table(BESIDE / "law_school.parquet")
        known = pc.and_(pc.is_valid(table["race1"]), pc.is_valid(table["pass_bar"]))
        return (
            table.filter(known),
            {"protected": "race1"},
            ["lsat", "ugpa", "zfygpa", "tier"],
            "pass_bar",
        )
    if data == "ACS":
        table = pq.read_table(
            BESIDE / "acs_income_2024_ny_fl.parquet", filters=[("STATE", "==", "36")]
        )
        group = pc.cast(
            pc.floor(pc.divide(pc.cast(table["OCCP"], pa.float64()), 100.0)), pa.int64()
        )
        for name, column in (("OCCP", group), ("COW", table["COW"]), ("MAR", table["MAR"])):
            at = table.column_names.index(name)
            table = table.set_column(at, name, pc.cast(column, pa.string()))
        table = table.append_column("degree", pc.greater(table["SCHL"], 20))
        rows = np.random.default_rng(100 + seed).permutation(len(table))[:50_000]
        return table.take(pa.array(rows)), {"protected": "SEX", "unprotected": "degree"}, ACS, None
    r, rng, n = float(data[-3:]), np.random.default_rng(200 + seed), 35_000
    s, x, noise = rng.integers(0, 2, n), rng.normal(size=n), rng.normal(size=n)
    y = np.where(s == 1, r, -r) * x + np.sqrt(1 - r**2) * noise
    return pa.table({"s": s, "x": x, "y": y}), {"protected": "s"}, ["x", "y"], None


def figure(table):
    """Draw the AUC for S in Adult against the research rows."""
    auc = grouped([row for row in table if row["data"] == "Adult"], "S", "method", "n_R")
    sizes = np.array(sorted({n for _, n in auc}))
    names = {"alone": "each feature by itself", "joint": "joint repair"}
    curves = [
        Curve(
            name,
            sizes,
            np.array([auc[method, n].mean() for n in sizes]),
            np.nan_to_num([standard_error(auc[method, n]) for n in sizes]),
        )
        for method, name in names.items()
    ]
    return chart(
        "What an adversary finds of sex in nine repaired columns of Adult",
        curves,
        x_label="research rows",
        y_label="AUC for S in the archive; 0.5 is chance",
        log=True,
        labels=[500, 1_000, 3_000, 10_000, 30_000],
        low=0.5,
    )


def page(table):
    """Lay out every table's figures, and what a design and a repair cost in time."""
    parts = []
    for data in dict.fromkeys(row["data"] for row in table):
        own = [row for row in table if row["data"] == data]
        shown = [name for name in FIGURES if any(row.get(name) is not None for row in own)]
        found = {name: grouped(own, name, "n_R", "method") for name in shown}
        lines = [
            [f"{n:,}", method, *(spread(found[name].get((n, method))) for name in shown)]
            for n in sorted({row["n_R"] for row in own})
            for method in METHODS
        ]
        head = ["research rows", "repair", *(FIGURES[name] for name in shown)]
        parts.append(f"## {data}\n\n{markdown(head, lines)}\n\n{asides(own)}")
    return "\n\n".join(parts)


def asides(own):
    """Say what joint repair adds, how often it was chosen, and how long things took."""
    joint = [row for row in own if row["method"] == "joint"]
    auc, seconds = grouped(own, "S", "n_R", "method"), grouped(own, "repair", "method")
    less = {n: auc[n, "joint"] - auc[n, "alone"] for n, method in auc if method == "joint"}
    added = "; ".join(
        f"{less[n].mean():+.3f} ± {standard_error(less[n]):.3f} from {n:,} rows"
        for n in sorted(less)
    )
    design = grouped(joint, "design", "n_R")
    ratio = seconds["alone",] / seconds["joint",]
    longest = max(design, key=lambda key: np.median(design[key]))
    return (
        f"S, joint less features by themselves (mean over seeds ± its standard error): {added}. "
        f"Joint repair was chosen in {sum(row['is joint'] for row in joint)} of {len(joint)} "
        f"designs. A table is repaired at {np.median(ratio):.0%} of the speed of features by "
        f"themselves (processor time, median of all runs); a design from {longest[0]:,} rows took "
        f"{np.median(design[longest]):.0f} s (median), beside other work."
    )
