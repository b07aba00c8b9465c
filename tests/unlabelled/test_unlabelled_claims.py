"""What the documentation says of archives without groups, measured again at smaller size."""

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hidden_groups import ROLES

import fairmend
from fairmend.datasets import simulate
from fairmend.datasets.simulated import MEANS

pytestmark = pytest.mark.slow


def distance(research, archive):
    """Measure W2 of a mixture's normal laws to the true ones."""
    model = fairmend.LabelModel(**ROLES, method="mixture").fit(research, archive)
    off = []
    for k, name in enumerate(ROLES["features"]):
        mean, deviation = model.fitted_.teller.moments(name)
        off.append(np.sqrt((mean - MEANS[:, :, k]) ** 2 + (deviation - 1.0) ** 2))
    return float(np.mean(off))


@pytest.mark.parametrize(("rows", "most"), [(100, -0.05), (250, -0.03), (2_000, 0.0)])
def test_an_archive_without_groups_helps_a_small_sample_and_harms_no_large_one(rows, most):
    gained = []
    for seed in range(6):
        table = simulate(rows + 5_000, 300 + seed)
        research, hidden = table.slice(0, rows), table.slice(rows).drop(["s"])
        gained.append(distance(research, hidden) - distance(research, None))
    assert np.mean(gained) < most


def test_each_way_takes_away_what_the_manual_says():
    left = {way: [] for way in ("none", "known", "sample", "map", "expected", "blind")}
    for seed in range(6):
        table = simulate(5_500, 400 + seed)
        research, archive = table.slice(0, 500), table.slice(500)
        hidden = archive.drop(["s"])
        plan = fairmend.design(research, **ROLES, n_support=50)
        model = fairmend.LabelModel(**ROLES).fit(research, hidden)
        tables = {"none": archive, "known": plan.repair(archive, seed=seed)}
        for draw in ("sample", "map", "expected"):
            tables[draw] = plan.repair(hidden, labels=model, draw=draw, seed=seed)
        tables["blind"] = plan.blind(0.7).repair(hidden, seed=seed)
        for way, one in tables.items():
            e = [
                fairmend.dependence(one[name], archive["s"], archive["u"], kind="continuous")
                for name in ROLES["features"]
            ]
            left[way].append(np.mean(e))
    removed = {way: 1 - np.mean(e) / np.mean(left["none"]) for way, e in left.items()}
    assert removed["known"] > 0.88
    assert removed["sample"] > 0.36
    assert removed["map"] > 0.33
    assert removed["expected"] > 0.24
    assert removed["blind"] > 0.55


FIGURES = ("e", "damage", "leak")


def found_and_expected(seed):
    """Expect each way's figures from 500 research rows, and find them in an archive of 5,000."""
    table = simulate(5_500, 6_000 + seed)
    research, archive = table.slice(0, 500), table.slice(500)
    hidden = archive.drop(["s"])
    expected = fairmend.expect_unlabelled(
        research, hidden, **ROLES, n_support=50, repeats=10, budgets=[0.5], seed=seed
    )
    plan = fairmend.design(research, **ROLES, n_support=50)
    model = fairmend.LabelModel(**ROLES).fit(research, hidden)
    gap = np.random.default_rng(seed).random(archive.num_rows) < 0.46
    gaps = archive.set_column(0, "s", pa.array(archive["s"].to_numpy(), mask=gap))
    tables = {
        "none": archive,
        "labelled": plan.repair(archive, seed=1),
        "46% unlabelled, sample": plan.repair(gaps, labels=model, seed=1),
        "blind 0.5": plan.blind(0.5).repair(hidden, seed=1),
    }
    for draw in ("sample", "map", "expected"):
        tables[draw] = plan.repair(hidden, labels=model, draw=draw, seed=1)
    for way, one in tables.items():
        yield way, figures(archive, one), expected[way]


def figures(archive, repaired):
    s, u = archive["s"], archive["u"]
    names = ROLES["features"]
    e = [fairmend.dependence(repaired[f], s, u, kind="continuous") for f in names]
    moved = [
        fairmend.damage(archive[f], repaired[f]).rmse / archive[f].to_numpy().std() for f in names
    ]
    seen = pa.table({"s": s, "u": u, **{f: repaired[f] for f in names}})
    told = fairmend.leak(seen, **ROLES, each=False, all_columns=False, permutations=0)
    return {"e": np.mean(e), "damage": np.mean(moved), "leak": told.auc}


def ends(expected, figure):
    prefix = "" if figure == "e" else f"{figure}_"
    return getattr(expected, f"{prefix}low"), getattr(expected, f"{prefix}high")


def test_intervals_hold_in_85_of_100_repeats():
    held = Counter()
    for seed in range(100):
        for way, found, expected in found_and_expected(seed):
            for figure in FIGURES:
                low, high = ends(expected, figure)
                held[way, figure] += low <= found[figure] <= high
    assert len(held) == 7 * len(FIGURES)
    assert min(held.values()) >= 85, held
