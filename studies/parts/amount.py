"""Dependence against damage.

What is left of E on the archive (in nats, mean of both features), against the root mean squared
change in standard deviations (mean of both). *Adult*: age and weekly hours, S = sex, U = college,
10,000 research rows; whole numbers with ties. *Simulation*: the paper's, 500 research and 5,000
archive rows, 50 support points; continuous, so that there is a choice of what is written: the
*support*'s points, values *dithered* between them, or those of the *Monge* map.

Along `amount` from 0 to 1, and along `t` from 0 (everybody moves to the law of the first group) to
1 (to the last's). The target is halfway between the groups; *by size* weighs them by their rows
(`target_weights="size"`), so that fewer people have far to go.

Other tools are those of the environment of `make peers`, each at its full repair, fitted within
each stratum of U on its research rows (AIF360's on the archive), as in {doc}`leak`. The *floor* is
E after our full repair with S shuffled within U. Means over random splits, and over simulations.
"""

import numpy as np
from drawing import Curve, chart
from elsewhere import absent as no_peers
from elsewhere import repaired_by, versions
from parts.adult import FEATURES, ROLES, shuffled, split
from peers import PEERS
from writing import grouped, markdown, spread

import fairmend
from fairmend.datasets import simulate

AMOUNTS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
TS = (0.0, 0.25, 0.5, 0.75, 1.0)
WAYS = {
    "support": {},
    "dithered": {"output": "dithered"},
    "monge": {"output": "monge"},
    "by size": {"target_weights": "size"},
}
OUTPUTS = {"Adult": ("support", "by size"), "simulation": tuple(WAYS)}
NAMES = {"Adult": FEATURES, "simulation": ("x1", "x2")}
KINDS = {"Adult": "discrete", "simulation": "continuous"}
"""As which E is measured, before and after alike."""


WORDS = {
    "Adult": """\
None of the other tools lowers E of these columns within the strata: a group that is shifted, or put
on quantiles of its own, keeps its ties at places of its own, and E is higher than without a repair.
E of columns that share few values is large and inexact; it would be infinite, were it not for the
half row that every value is given.""",
    "simulation": """\
Here values are continuous and groups differ by a shift alone, so that a shift is all there is to
learn and leaks nothing: fairlearn's is on our curve *by size*. The tools that map quantiles, from
few rows in the smallest group, leave more than ours. AIF360's is not off-sample: it looks at the
groups of the archive itself, so that nothing is left there, and cannot be applied to other
rows.""",
}
"""What came out, where the peers are there."""


def runs(quick):
    """List the runs."""
    tools = ["fairmend", *([] if no_peers() else PEERS)]
    seeds = {"Adult": 1 if quick else 5, "simulation": 2 if quick else 30}
    return [
        {"data": data, "tool": tool, "seed": seed}
        for data, n in seeds.items()
        for tool in tools
        for seed in range(n if data == "Adult" or tool == "fairmend" else min(n, 5))
    ]


def read(data, seed):
    """Give research rows, the archive, and how plans are designed."""
    if data == "Adult":
        return *split(seed), ROLES
    table = simulate(5_500, seed).rename_columns(["sex", "college", "x1", "x2"])
    roles = {**ROLES, "features": list(NAMES[data]), "n_support": 50}
    return table.slice(0, 500), table.slice(500), roles


def measure(data, tool, seed):
    """Repair one archive by one tool, in all ways it has."""
    research, archive, roles = read(data, seed)
    if tool != "fairmend":
        repaired, why = repaired_by(tool, research, archive, NAMES[data])
        left = {"why": why} if why else cost(archive, repaired, data)
        yield {"along": "tool", "at": 1.0, **left}
        return
    for output in OUTPUTS[data]:
        plan = fairmend.design(research, **roles, **WAYS[output])
        for amount in AMOUNTS:
            repaired = plan.with_amount(amount).repair(archive, seed=seed)
            along = {"along": "amount", "at": amount, "output": output}
            yield {**along, **cost(archive, repaired, data)}
        if output == "support":
            mixed = shuffled(repaired, seed)
            yield {"along": "floor", "at": 1.0, **cost(archive, mixed, data)}
    for t in TS:
        repaired = fairmend.design(research, **roles, t=t).repair(archive, seed=seed)
        yield {"along": "t", "at": t, **cost(archive, repaired, data)}


def cost(before, after, data):
    """Measure both sides of the trade."""
    es, damages = [], []
    for name in NAMES[data]:
        s, u = after["sex"], after["college"]
        es.append(fairmend.dependence(after[name], s, u, kind=KINDS[data]))
        sd = np.std(before[name].to_numpy())
        damages.append(fairmend.damage(before[name], after[name]).rmse / sd)
    return {"E": float(np.mean(es)), "damage": float(np.mean(damages))}


def points(table, value, **where):
    """Collect one figure's mean at each place of a curve."""
    rows = [row for row in table if all(row.get(name) == at for name, at in where.items())]
    found = grouped(rows, value, "at")
    return np.array([values.mean() for values in found.values()])


def figure(table):
    """Draw E against damage, a picture for each of the two tables."""
    return [drawn(table, data) for data in OUTPUTS]


def drawn(table, data):
    """Draw one; what is far below the floor is drawn at the edge, with its figure."""
    own = [row for row in table if row["data"] == data]
    floor = points(own, "E", along="floor").repeat(2)
    low = 0.4 * floor[0]
    curves = []
    for output in OUTPUTS[data]:
        where = {"along": "amount", "output": output}
        words = "along amount" + (f", {output}" if output != "support" else "")
        curves.append(Curve(words, points(own, "damage", **where), points(own, "E", **where)))
    curves.append(
        Curve(
            "along t",
            points(own, "damage", along="t"),
            points(own, "E", along="t"),
            called=tuple(f"t = {t:g}" if t in (0, 1) else "" for t in TS),
        )
    )
    tools = [tool for tool in PEERS if len(points(own, "E", along="tool", tool=tool))]
    if tools:
        x, y = (
            np.concatenate([points(own, value, along="tool", tool=tool) for tool in tools])
            for value in ("damage", "E")
        )
        called = (
            f"{tool} ({e:.1g})" if e < low else tool for tool, e in zip(tools, y, strict=True)
        )
        curves.append(Curve("other tools", x, y, joined=False, called=tuple(called)))
    most = max(curve.x.max() for curve in curves)
    curves.append(Curve("floor", np.array([0.0, most]), floor, dashed=True))
    return chart(
        f"Dependence left against damage done, {data}",
        curves,
        x_label="damage: root mean squared change, in standard deviations",
        y_label="E in nats, archive, mean of both features",
        log_y=True,
        low=low,
    )


def page(table):
    """Lay out the curves, and the other tools beside ours at the same damage."""
    parts = []
    for data in OUTPUTS:
        own = [row for row in table if row["data"] == data]
        by = ("along", "output", "tool", "at")
        full = [{"output": None, **row} for row in own]
        e, damage = (grouped(full, value, *by) for value in ("E", "damage"))
        rows = [
            [name(along, output, tool), f"{at:g}", spread(values, 4), spread(damage[key], 4)]
            for key, values in e.items()
            for along, output, tool, at in [key]
        ]
        lines = markdown(["along", "at", "E", "damage"], rows)
        parts.append(f"## {data.capitalize()}\n\n{lines}\n\n{beside(own)}")
        if not no_peers():
            parts.append(f"*Ours* is the lowest of our curves along amount. {WORDS[data]}")
    if not no_peers():
        parts.append(f"Versions: {versions()}.")
    return "\n\n".join(parts)


def name(along, output, tool):
    """Say what a row of the table is of."""
    if along == "tool":
        return tool
    return f"{along}, {output}" if output else along


def beside(own):
    """Compare each tool with our curves at the damage that the tool does."""
    rows = []
    for tool in PEERS:
        at, e = (points(own, value, along="tool", tool=tool) for value in ("damage", "E"))
        if len(e):
            rows.append([tool, f"{at[0]:.2f}", f"{e[0]:.3f}", f"{front(own, at[0]):.3f}"])
    said = markdown(["tool", "its damage", "its E", "ours at that damage"], rows) if rows else ""
    for tool, why in {row["tool"]: row["why"] for row in own if row.get("why")}.items():
        said += f"\n\n{tool} gave no table: `{why}`."
    return said


def front(own, damage):
    """Interpolate the lowest of our curves."""
    found = []
    for output in WAYS:
        where = {"along": "amount", "output": output}
        if len(x := points(own, "damage", **where)):
            found.append(np.interp(damage, x, points(own, "E", **where)))
    return min(found)
