"""Verdicts where many cells are looked at: noise is not taken for a leak, nor a leak for noise."""

import numpy as np
import pyarrow as pa

import fairmend


def many_cells(seed, rows=480, features=6, strata=12):
    """Draw features that do not depend on the group, and a plan that leaves them as they are."""
    rng = np.random.default_rng(seed)
    table = pa.table(
        {
            "g": rng.choice(["a", "b"], rows),
            "u": rng.integers(0, strata, rows),
            **{f"x{i}": rng.integers(0, 6, rows) for i in range(features)},
        }
    )
    names = [f"x{i}" for i in range(features)]
    return table, fairmend.design(table, protected="g", unprotected="u", features=names)


def test_noise_in_many_small_cells_is_not_above_tolerance():
    table, plan = many_cells(0)
    content = fairmend.audit(table, table, plan, leak=False).content
    rows = content["dependence"]["rows"]
    lows = [row["e"]["after"]["low"] for row in rows]
    assert max(lows) > 0.02, "of so many intervals one lies above the tolerance"
    assert content["summary"]["verdict"] == "insufficient evidence"


def test_one_stratum_that_was_not_repaired_is_above_tolerance_among_many():
    table, plan = many_cells(0, rows=6_000)
    g, u = (table[name].to_numpy() for name in ("g", "u"))
    x = np.where((u == 3) & (g == "b"), 5, table["x0"].to_numpy())
    table = table.set_column(2, "x0", pa.array(x))
    content = fairmend.audit(table, table, plan, leak=False).content
    above = [row for row in content["dependence"]["rows"] if row["verdict"] == "above tolerance"]
    assert {(row["feature"], row["stratum"]) for row in above} >= {("x0", "u=3")}
    assert {row["feature"] for row in above} == {"x0"}
    assert content["summary"]["verdict"] == "above tolerance"


def test_a_small_stratum_in_which_groups_are_told_is_not_averaged_away():
    rng = np.random.default_rng(1)
    n = 6_000
    g, u = rng.integers(0, 2, n), (rng.random(n) < 0.05).astype(int)
    features = {f"x{i}": rng.integers(0, 2, n) for i in range(2)}
    features["x1"] = np.where(u == 1, features["x0"] ^ g, features["x1"])  # told by both together
    table = pa.table({"g": np.array(["a", "b"])[g], "u": u, **features})
    plan = fairmend.design(table, protected="g", unprotected="u", features=["x0", "x1"])
    content = fairmend.audit(table, table, plan, tolerances={"e": 10.0, "tv": 1.0}).content
    together = content["leak"]["rows"][0]
    assert together["after"]["high"] < 0.56, "on average the groups are not told"
    assert together["verdict"] == content["summary"]["verdict"] == "above tolerance"
    assert (together["told_place"], together["told_auc"]) == ("in u=1", 1.0)
    assert "AUC 1.00 in u=1" in " ".join(content["summary"]["sentences"])
