"""Dependence against damage.

Adult, age and weekly hours, S = sex, U = college, 10,000 research rows: what is left of E on the
archive (in nats, mean of both features), against the root mean squared change in standard
deviations (mean of both). Along `amount` from 0 to 1, and along `t` from 0 (everybody moves to the
law of the first group) to 1. Beside them the rule of removers of correlation: each group is shifted
to the common mean.
"""

import numpy as np
from drawing import Curve, chart
from parts.adult import FEATURES, ROLES, split
from writing import grouped, markdown, spread

import fairmend

AMOUNTS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
TS = (0.0, 0.25, 0.5, 0.75, 1.0)


def runs(quick):
    """List the runs."""
    return [{"seed": seed} for seed in range(1 if quick else 5)]


def measure(seed):
    """Repair one split along both curves."""
    research, archive = split(seed)
    plan = fairmend.design(research, **ROLES)
    for amount in AMOUNTS:
        repaired = plan.with_amount(amount).repair(archive, seed=seed)
        yield {"along": "amount", "at": amount, **cost(archive, repaired)}
    for t in TS:
        repaired = fairmend.design(research, **ROLES, t=t).repair(archive, seed=seed)
        yield {"along": "t", "at": t, **cost(archive, repaired)}
    for name, shift in SHIFTS.items():
        repaired = shifted(archive, shift)
        yield {"along": name, "at": 1.0, **cost(archive, repaired)}


def mean_shift(values, mean, everybody):
    """Subtract what the group's mean explains, as a linear regression on S does."""
    return values - mean + everybody


SHIFTS = {"each group shifted to the common mean": mean_shift}


def shifted(archive, shift):
    """Shift each group of each column, the way that removers of correlation do."""
    sex = np.array(archive["sex"].to_pylist())
    for name in FEATURES:
        values = archive[name].to_numpy().astype(float)
        moved = values.copy()
        for level in np.unique(sex):
            moved[sex == level] = shift(
                values[sex == level], values[sex == level].mean(), values.mean()
            )
        archive = archive.set_column(archive.column_names.index(name), name, [moved])
    return archive


def cost(before, after):
    """Measure both sides of the trade."""
    es, damages = [], []
    for name in FEATURES:
        e = fairmend.dependence(after[name], after["sex"], after["college"], kind="discrete")
        es.append(e)
        sd = np.std(before[name].to_numpy())
        damages.append(fairmend.damage(before[name], after[name]).rmse / sd)
    return {"E": float(np.mean(es)), "damage": float(np.mean(damages))}


def figure(table):
    """Draw E against damage."""
    e, damage = (grouped(table, value, "along", "at") for value in ("E", "damage"))
    curves = []
    for along in ("amount", "t"):
        keys = [key for key in e if key[0] == along]
        x = np.array([damage[key].mean() for key in keys])
        y = np.array([e[key].mean() for key in keys])
        curves.append(Curve(f"along {along}", x, y, joined=along == "amount"))
    return chart(
        "Dependence left against damage done",
        curves,
        x_label="damage: root mean squared change, in standard deviations",
        y_label="E in nats, archive, mean of both features",
    )


def page(table):
    """Lay out both curves."""
    e, damage = (grouped(table, value, "along", "at") for value in ("E", "damage"))
    rows = [[along, f"{at:g}", spread(e[along, at]), spread(damage[along, at])] for along, at in e]
    top = max((key for key in e if key[0] in SHIFTS), key=lambda key: e[key].mean())
    return (
        f"{markdown(['along', 'at', 'E', 'damage'], rows)}\n\nA shift by group is not on the "
        f"picture: it leaves E at {e[top].mean():.1f} nats, since it puts the groups' whole "
        f"numbers at places of their own."
    )
