"""The same design on four real tables.

Adult, COMPAS, the law school survey and the American Community Survey, each with the features
repaired one by one as `fairmend.design` does unasked, with groups of fewer than two rows in a
stratum repaired as all strata together. E in nats on the archive, before and after, with its floor
(after repair, with S shuffled within U); AUC of a gradient-boosted adversary for S within U from
the features together, where 0.5 is chance. Mean ± standard deviation over random splits; of the
last survey, 60,000 rows of New York a split. S and U: sex and college (Adult), race and the degree
of the charge (COMPAS, African-American and Caucasian people), race and tier of the school (law
school), sex and a degree (ACS).
"""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from dots import Dots, dots
from writing import grouped, markdown, spread

import fairmend

BESIDE = Path(__file__).parents[3] / "shared" / "data"
TABLES = {
    "Adult": {
        "file": None,
        "n_R": 10_000,
        "roles": {"protected": "sex", "unprotected": "college"},
        "features": ["age", "hours-per-week"],
    },
    "COMPAS": {
        "file": "compas",
        "n_R": 2_000,
        "roles": {"protected": "race", "unprotected": "c_charge_degree"},
        "features": ["age", "priors_count", "decile_score"],
    },
    "law school": {
        "file": "law_school",
        "n_R": 5_000,
        "roles": {"protected": "race1", "unprotected": "tier"},
        "features": ["lsat", "ugpa", "zfygpa"],
    },
    "ACS New York": {
        "file": "acs_income_2024_ny_fl",
        "n_R": 10_000,
        "roles": {"protected": "SEX", "unprotected": "degree"},
        "features": ["AGEP", "WKHP", "PINCP"],
    },
}
MOST_ROWS = 60_000
ONE = {"permutations": 0, "each": False, "all_columns": False}
"""One adversary, who sees the features together."""


def absent():
    """Say what is not there."""
    return None if BESIDE.exists() else "its tables lie beside the checkout, not in it"


def runs(quick):
    """List the runs."""
    return [{"table": name, "seed": seed} for name in TABLES for seed in range(1 if quick else 5)]


def read(name):
    """Read a table and prepare its roles."""
    file = TABLES[name]["file"]
    if file is None:
        return fairmend.datasets.adult(complete=True)
    table = pq.read_table(BESIDE / f"{file}.parquet")
    if file == "compas":
        known = pc.is_in(table["race"], pa.array(["African-American", "Caucasian"]))
        table = table.filter(known)
    if file == "law_school":
        table = table.drop_null()
    if file.startswith("acs"):
        table = table.filter(pc.equal(table["STATE"], "36"))
        table = table.append_column("degree", pc.greater_equal(table["SCHL"], 21))
        table = table.filter(pc.is_valid(table["WKHP"])).filter(pc.is_valid(table["PINCP"]))
    return table


def measure(table, seed):
    """Repair one split and measure it."""
    about = TABLES[table]
    features, roles = about["features"], about["roles"]
    rows = read(table)
    order = np.random.default_rng(seed).permutation(rows.num_rows)[:MOST_ROWS]
    research = rows.take(pa.array(order[: about["n_R"]]))
    archive = rows.take(pa.array(order[about["n_R"] :]))
    plan = fairmend.design(
        research, **roles, features=features, min_group_size=2, small_groups="pool"
    )
    after = plan.repair(archive, seed=seed, unseen="keep")
    kinds = {feature.name: feature.kind for feature in plan.features}
    group, stratum = (archive[roles[name]] for name in ("protected", "unprotected"))
    mixed = shuffled(group, stratum, seed)
    sd = {
        f: float(np.nanstd(archive[f].to_numpy(zero_copy_only=False).astype(float)))
        for f in features
    }
    for feature in features:
        kind = kinds[feature]
        yield {
            "feature": feature,
            "kind": kind,
            "E_before": fairmend.dependence(archive[feature], group, stratum, kind=kind),
            "E_after": fairmend.dependence(after[feature], group, stratum, kind=kind),
            "floor": fairmend.dependence(after[feature], mixed, stratum, kind=kind),
            "damage": fairmend.damage(archive[feature], after[feature]).rmse / sd[feature],
        }
    for name, one in (("AUC_before", archive), ("AUC_after", after)):
        told = fairmend.leak(one, **roles, features=features, **ONE)
        yield {"feature": "together", name: told.auc}


def shuffled(group, stratum, seed):
    """Shuffle S within U."""
    rng = np.random.default_rng(10_000 + seed)
    s, u = np.array(group.to_pylist()), np.array(stratum.to_pylist())
    for level in np.unique(u):
        s[u == level] = rng.permutation(s[u == level])
    return s


def figure(table):
    """Draw E of each column before and after, and its floor."""
    names = {"E_before": "before", "E_after": "after repair", "floor": "floor"}
    series = []
    for colour, (value, words) in enumerate(names.items()):
        e = grouped(table, value, "table", "feature")
        values = {f"{t}: {feature}": (v.mean(), v.std()) for (t, feature), v in e.items()}
        series.append(Dots(words, values, colour))
    return dots(
        "Dependence in four tables, archive",
        series,
        x_label="E in nats ± standard deviation over splits",
        low=0.001,
        high=2.0,
        log=True,
    )


def page(table):
    """Lay out each table's features."""
    values = ("E_before", "E_after", "floor", "damage")
    by = {value: grouped(table, value, "table", "feature") for value in values}
    auc = {value: grouped(table, value, "table") for value in ("AUC_before", "AUC_after")}
    kinds = {(row["table"], row["feature"]): row.get("kind") for row in table}
    rows = []
    for name, about in TABLES.items():
        for feature in about["features"]:
            figures = [spread(by[value].get((name, feature))) for value in values]
            rows.append([f"{name}: {feature}, {kinds[name, feature]}", *figures])
    header = ["column", "E before", "E after", "floor", "damage in sd"]
    told = [
        [
            f"{name}: S = {about['roles']['protected']}, U = {about['roles']['unprotected']}",
            f"{about['n_R']:,}",
            *(spread(auc[value].get((name,))) for value in auc),
        ]
        for name, about in TABLES.items()
    ]
    beside = markdown(["table", "research rows", "AUC for S before", "AUC for S after"], told)
    gone = {
        f"{name}: {feature}": 1 - excess(by, (name, feature), "E_after") / before
        for name, feature in by["E_after"]
        if (before := excess(by, (name, feature), "E_before")) > 0
    }
    least, most = min(gone, key=gone.get), max(gone, key=gone.get)
    return f"""\
{markdown(header, rows)}

Of what is above the floor, between {gone[least]:.0%} ({least}) and {gone[most]:.0%} ({most}) is
gone after repair: most where much was to be repaired, least where groups were nearly alike or the
research rows are few. All features together:

{beside}

What an adversary still finds is in how features go together, which {{doc}}`joint repair <../joint>`
is for, and in groups that the research rows show too little of."""


def excess(by, key, value):
    """Measure what of E is above the floor."""
    return max(by[value][key].mean() - by["floor"][key].mean(), 0.0)
