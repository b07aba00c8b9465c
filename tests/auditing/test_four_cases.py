"""Four repairs of Adult's numeric columns that an audit must tell apart, in numbers and in words.

Two rules shift each group by an amount of its own, one smooths heaped columns, and one is ours.
"""

import numpy as np
import pyarrow as pa
import pytest

import fairmend

FEATURES = ["age", "hours-per-week", "education-num", "capital-gain", "capital-loss"]
ROLES = {"protected": "sex", "unprotected": "college", "features": FEATURES}
RESEARCH = 10_000


def without_correlation(research, archive):
    """Take off the part of each column that is linear in the group, as fairlearn's remover does."""
    s, t = ((table["sex"].to_numpy() == "Male").astype(float) for table in (research, archive))
    moved = {}
    for name in FEATURES:
        x = research[name].to_numpy().astype(float)
        slope = np.cov(s, x)[0, 1] / s.var(ddof=1)
        moved[name] = archive[name].to_numpy() - slope * (t - s.mean())
    return replaced(archive, moved)


def at_the_median_quantile(research, archive):
    """Send each group's quantiles to their mean over groups, as disparate impact removers do."""
    s, t = (table["sex"].to_numpy() for table in (research, archive))
    levels = np.linspace(0, 1, 101)
    moved = {}
    for name in FEATURES:
        x, y = (table[name].to_numpy().astype(float) for table in (research, archive))
        law = {g: np.quantile(x[s == g], levels) for g in ("Female", "Male")}
        target = np.mean(list(law.values()), axis=0)
        moved[name] = y.copy()
        for g, own in law.items():
            # A heap's quantiles have one value, which goes to the middle of their targets.
            distinct, first, rows = np.unique(own, return_index=True, return_counts=True)
            middle = first + (rows - 1) / 2
            goal = np.interp(middle, np.arange(levels.size), target)
            moved[name][t == g] = np.interp(y[t == g], distinct, goal)
    return replaced(archive, moved)


def smoothed(research, archive):
    """Smooth every column by a kernel on 250 points, heaps and all."""
    kinds = dict.fromkeys(FEATURES, "continuous")
    plan = fairmend.design(research, **ROLES, kinds=kinds, n_support=250, shrinkage=0.0)
    as_floats = replaced(archive, {n: archive[n].to_numpy().astype(float) for n in FEATURES})
    return plan.repair(as_floats, seed=1, unseen="keep")


def ours(research, archive):
    return fairmend.design(research, **ROLES).repair(archive, seed=1)


CASES = (without_correlation, at_the_median_quantile, smoothed, ours)


def replaced(table, moved):
    for name, values in moved.items():
        table = table.set_column(table.column_names.index(name), name, pa.array(values))
    return table


@pytest.fixture(scope="module")
def audits():
    adult = fairmend.datasets.adult(complete=True).select([*FEATURES, "sex", "college"])
    rows = np.random.default_rng(0).permutation(len(adult))
    research, archive = adult.take(rows[:RESEARCH]), adult.take(rows[RESEARCH:])
    plan = fairmend.design(research, **ROLES)
    return {
        case.__name__: fairmend.audit(archive, case(research, archive), plan, leak_rows=12_000)
        for case in CASES
    }


def figures(audit):
    """Return AUC from the features, and E of each feature, before and after."""
    content = audit.content
    joint = content["leak"]["rows"][0]
    e = {
        row["feature"]: tuple(row["e"][when]["value"] for when in ("before", "after"))
        for row in content["dependence"]["rows"]
        if row["stratum"] is None
    }
    return joint["before"]["value"], joint["after"]["value"], e


@pytest.mark.slow
def test_a_report_tells_four_repairs_apart(audits):
    found = {name: figures(audit) for name, audit in audits.items()}
    assert found["without_correlation"][1] > 0.99
    assert "almost everybody's group can be read off" in str(audits["without_correlation"])
    for name in ("without_correlation", "at_the_median_quantile"):
        assert found[name][1] > 0.9
        assert "do not hand this on" in str(audits[name])
        assert audits[name].verdict == "above tolerance"
    before, after = found["smoothed"][2]["hours-per-week"]
    assert after > 2 * before
    assert "The repair made it worse" in str(audits["smoothed"])
    assert "hours-per-week" in str(audits["smoothed"])
    assert found["ours"][1] < 0.62 < found["ours"][0]
    assert all(after < before for before, after in found["ours"][2].values())
    assert "made it worse" not in str(audits["ours"])
    assert "do not hand this on" not in str(audits["ours"])
