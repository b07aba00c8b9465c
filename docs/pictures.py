"""Draw the pictures of the explanations: `make pictures`. All of Adult, fixed seeds, same bytes."""

from pathlib import Path

import numpy as np

import fairmend
from fairmend.auditing.material import Material
from fairmend.auditing.pairs import pairs_part
from fairmend.datasets import adult
from fairmend.report.panel import COLOURS
from fairmend.report.scales import Scale, ticks
from fairmend.report.svg import document, line, node, path, text

IMAGES = Path(__file__).parent / "images"
INK, FAINT, GRID = "#1f2328", "#59636e", "#e3e7eb"
WOMEN, MEN, BOTH = COLOURS[0], COLOURS[1], COLOURS[2]
FONT = "system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif"
WIDTH = 720.0


def axis(x, base, label):
    """Draw a horizontal axis with its numbers."""
    yield line((x.first, base), (x.last, base), stroke=FAINT)
    for at in ticks(x.low, x.high, 7):
        yield line((x(at), base), (x(at), base + 4), stroke=FAINT)
        yield text(f"{at:g}", x(at), base + 17, text_anchor="middle", font_size=11, fill=FAINT)
    yield text(label, x.last, base + 32, text_anchor="end", font_size=11, fill=FAINT)


def bars(x, y, values, shares, **look):
    """Draw a law on whole numbers as one outline."""
    points = [(x(values[0] - 0.5), y(0.0))]
    for value, share in zip(values, shares, strict=True):
        points += [(x(value - 0.5), y(share)), (x(value + 0.5), y(share))]
    return path([*points, (x(values[-1] + 0.5), y(0.0))], **look)


def sheet(name, height, title, description, parts):
    """Write a picture."""
    body = node("g", *parts, fill=INK, font_family=FONT, font_size=13)
    svg = document(WIDTH, height, 900, title, description, body)
    (IMAGES / name).write_text(svg, encoding="utf-8")


def key(entries, left, top):
    """Name the colours."""
    for name, look in entries:
        yield node("rect", x=left, y=top - 9, width=14, height=10, **look)
        yield text(name, left + 20, top, font_size=12)
        left += 34 + 7.2 * len(name)


def spread(law, support, values):
    """Give every whole number its share, most of them none."""
    shares = np.zeros(values.size)
    shares[support.astype(int)] = law
    return shares


def filled(colour):
    """Look of an area."""
    return {"fill": colour, "fill_opacity": "0.75"}


def outlined(colour):
    """Look of a line."""
    return {"fill": "none", "stroke": colour, "stroke_width": 1.6}


def transport():
    """Two groups' laws of weekly hours, their quantile functions, and the law half-way between."""
    table = adult(complete=True)
    table = table.filter(table["college"])
    plan = fairmend.design(table, protected="sex", features="hours-per-week", shrinkage=0.0)
    cell = plan.features[0].cells[0]
    hours = np.arange(101)
    women, men, target = (
        spread(law, cell.support, hours) for law in (*cell.marginals, cell.target)
    )
    parts = []
    x = Scale(0.0, 100.0, 44.0, 352.0)
    entries = (("women", filled(WOMEN)), ("men", outlined(MEN)), ("target", filled(BOTH)))
    parts += key(entries, 44.0, 46.0)
    for top, laws, label in (
        (74.0, ((women, filled(WOMEN)), (men, outlined(MEN))), "1. each group's law"),
        (254.0, ((target, filled(BOTH)),), "3. the law half-way between: the barycentre"),
    ):
        y = Scale(0.0, 0.5, top + 120, top + 10)
        parts.append(text(label, 44.0, top, font_weight=600))
        for share in (0.2, 0.4):
            parts.append(line((x.first, y(share)), (x.last, y(share)), stroke=GRID))
            parts.append(
                text(
                    f"{share:.0%}", 38.0, y(share) + 4, text_anchor="end", font_size=11, fill=FAINT
                )
            )
        parts += [bars(x, y, hours, law, **look) for law, look in laws]
        parts += axis(x, top + 120, "hours a week")
    x, y = Scale(0.0, 1.0, 430.0, 700.0), Scale(0.0, 100.0, 374.0, 88.0)
    parts.append(text("2. the value at each rank", 430.0, 74.0, font_weight=600))
    for at in (0, 20, 40, 60, 80, 100):
        parts.append(line((430.0, y(at)), (700.0, y(at)), stroke=GRID))
        parts.append(text(str(at), 424.0, y(at) + 4, text_anchor="end", font_size=11, fill=FAINT))
    ranks = np.linspace(0.0005, 0.9995, 1000)
    for law, colour in ((women, WOMEN), (men, MEN), (target, BOTH)):
        upto = np.minimum(np.searchsorted(np.cumsum(law), ranks), hours.size - 1)
        points = [(x(r), y(h)) for r, h in zip(ranks, hours[upto], strict=True)]
        parts.append(path(points, fill="none", stroke=colour, stroke_width=2))
    for at in (0.0, 0.25, 0.5, 0.75, 1.0):
        parts.append(
            text(f"{at:.0%}", x(at), 391.0, text_anchor="middle", font_size=11, fill=FAINT)
        )
    parts.append(
        text("rank within the group", 700.0, 406.0, text_anchor="end", font_size=11, fill=FAINT)
    )
    title = "From two laws to the one half-way between"
    parts.insert(0, text(title, 16.0, 24.0, font_size=17, font_weight=600))
    said = (
        "Weekly hours of women and men with a college degree in Adult. Left above: the two laws, "
        "both with nearly half of the people at 40. Right: their quantile functions, and the mean "
        "of the two at every rank. Left below: the law that has that mean as its quantile function."
    )
    sheet("transport.svg", 424.0, title, said, parts)


def shifts():
    """Show a whole-number column shifted by group, and moved by fairmend."""
    rng = np.random.default_rng(3)
    n = 20_000
    sex = rng.random(n) < 0.5
    years = np.clip(np.rint(np.where(sex, 6.7, 5.0) + 2.2 * rng.standard_normal(n)), 0, 13)
    import pyarrow as pa

    table = pa.table({"sex": np.where(sex, "men", "women"), "years": years})
    middle = years.mean()
    shifted = years + np.where(sex, middle - years[sex].mean(), middle - years[~sex].mean())
    plan = fairmend.design(table, protected="sex", features="years")
    repaired = plan.repair(table, seed=1)["years"].to_numpy()
    auc = {}
    for name, values in (("before", years), ("shifted", shifted), ("repaired", repaired)):
        told = fairmend.leak(
            pa.table({"sex": table["sex"], "years": values}), protected="sex", features=["years"]
        )
        auc[name] = told.auc
    parts = [
        text("A whole-number column after two repairs", 16.0, 24.0, font_size=17, font_weight=600)
    ]
    looks = (("women, upwards", filled(WOMEN)), ("men, downwards", filled(MEN)))
    parts += key(looks, 44.0, 46.0)
    rows = (
        ("before", years, "before"),
        ("shifted", shifted, "each group shifted, so that the means agree"),
        ("repaired", repaired, "moved by fairmend"),
    )
    x = Scale(-1.2, 13.5, 44.0, 700.0)
    for row, (name, values, label) in enumerate(rows):
        top = 78.0 + 150 * row
        parts.append(text(label, 44.0, top, font_weight=600))
        said = f"an adversary finds the group with AUC {auc[name]:.2f}"
        parts.append(text(said, 700.0, top, text_anchor="end", font_size=12))
        y = Scale(-0.2, 0.2, top + 100, top + 10)
        for group, colour, sign in ((~sex, WOMEN, 1.0), (sex, MEN, -1.0)):
            found, counts = np.unique(np.round(values[group], 3), return_counts=True)
            for value, share in zip(found, sign * counts / group.sum(), strict=True):
                ends = sorted((y(0.0), y(share)))
                look = {"y": ends[0], "height": ends[1] - ends[0], **filled(colour)}
                parts.append(node("rect", x=x(value) - 4, width=8, **look))
        parts.append(line((x.first, y(0.0)), (x.last, y(0.0)), stroke=GRID))
        parts += list(axis(x, top + 100, "years" if row == 2 else ""))
    said = (
        f"Three rows of bars, women's above the line and men's below. Before: AUC "
        f"{auc['before']:.2f}. Shifted: the women's values and the men's lie at different "
        f"fractions, AUC {auc['shifted']:.2f}. Moved by fairmend: both at the same whole numbers "
        f"in the same shares, AUC {auc['repaired']:.2f}."
    )
    sheet("shifts.svg", 520.0, "A whole-number column after two repairs", said, parts)


def floor():
    """Show E of data without any dependence, over the number of rows."""
    sizes = (50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000)
    rng = np.random.default_rng(7)
    x, y = Scale(np.log10(40), np.log10(12_000), 60.0, 700.0), Scale(0.0, 0.3, 300.0, 60.0)
    title = "E of data without any dependence is not 0"
    parts = [text(title, 16.0, 24.0, font_size=17, font_weight=600)]
    for at in (0.0, 0.1, 0.2, 0.3):
        parts.append(line((60.0, y(at)), (700.0, y(at)), stroke=GRID))
        parts.append(text(f"{at:g}", 54.0, y(at) + 4, text_anchor="end", font_size=11, fill=FAINT))
    means = []
    for n in sizes:
        draws = []
        for _ in range(40):
            group = np.repeat([0, 1], n // 2)
            draws.append(fairmend.dependence(rng.standard_normal(n), group))
        low, middle, high = np.quantile(draws, [0.05, 0.5, 0.95])
        at = x(np.log10(n))
        parts.append(line((at, y(high)), (at, y(low)), stroke=MEN, stroke_width=2))
        parts.append(node("circle", cx=at, cy=y(middle), r=4, fill=MEN))
        parts.append(text(f"{n:,}", at, 318.0, text_anchor="middle", font_size=11, fill=FAINT))
        means.append(f"{n:,} rows: {middle:.3f}")
    parts.append(
        text(
            "rows in all, half of them in each group",
            700.0,
            336.0,
            text_anchor="end",
            font_size=11,
            fill=FAINT,
        )
    )
    parts.append(text("E in nats: median and 5 % to 95 % of 40 draws", 60.0, 46.0, font_size=12))
    sheet("floor.svg", 350.0, title, "Median E: " + "; ".join(means) + ".", parts)


def forecast():
    """Forecast three columns from 4,000 rows of Adult."""
    found = fairmend.forecast(
        adult(complete=True).slice(0, 4_000),
        protected="sex",
        unprotected="college",
        features=["age", "hours-per-week", "fnlwgt"],
        leak=False,
    )
    (IMAGES / "forecast.svg").write_text(found.to_svg(), encoding="utf-8")


def joint():
    """Two groups whose features agree one by one, and not together: before, alone and jointly."""
    import pyarrow as pa

    rng = np.random.default_rng(11)
    n = 12_000
    man = rng.random(n) < 0.5
    x, noise = rng.normal(size=(2, n))
    y = np.where(man, 0.8, -0.8) * x + 0.6 * noise
    table = pa.table({"s": man, "x": x, "y": y})
    research, archive = table[:6_000], table[6_000:]
    panels, said = [], []
    for title, way in (
        ("before", None),
        ("each by itself", {}),
        ("jointly", {"joint": "sequential"}),
    ):
        rows = archive
        if way is not None:
            plan = fairmend.design(research, protected="s", output="dithered", **way)
            rows = plan.repair(archive, seed=1)
        told = fairmend.leak(rows, protected="s", features=["x", "y"], permutations=0, each=False)
        panels.append((title, rows, told.auc))
        said.append(f"{title}: AUC {told.auc:.2f}")
    parts = list(key((("one group", filled(WOMEN)), ("the other", filled(MEN))), 16.0, 46.0))
    for at, (title, rows, auc) in enumerate(panels):
        left = 16.0 + 236.0 * at
        across, up = Scale(-3.0, 3.0, left, left + 216.0), Scale(-3.0, 3.0, 300.0, 84.0)
        parts.append(node("rect", x=left, y=84, width=216, height=216, fill="none", stroke=GRID))
        parts.append(text(f"{title}: AUC {auc:.2f}", left, 74.0, font_weight=600))
        some = rows[:320]
        for s, a, b in zip(*(some[name].to_pylist() for name in "sxy"), strict=True):
            if abs(a) < 3 and abs(b) < 3:
                look = {"fill": MEN if s else WOMEN, "fill_opacity": "0.65"}
                parts.append(
                    node("circle", cx=round(across(a), 1), cy=round(up(b), 1), r=2.5, **look)
                )
    title = "What two features tell together, and neither by itself"
    parts.insert(0, text(title, 16.0, 24.0, font_size=17, font_weight=600))
    words = (
        "Three scatter plots of two groups. Each feature has the same law in both groups; one "
        "group's rises where the other's falls. What an adversary finds: "
    )
    sheet("joint.svg", 316.0, title, words + "; ".join(said) + ".", parts)


NINE = [
    *("age", "hours-per-week", "education-num", "capital-gain", "capital-loss"),
    *("marital-status", "relationship", "occupation", "workclass"),
]
ACCENT = "#5a3d9a"


def cell(left, top, size, shade, said):
    """Draw a square, the darker the more, with a number in it."""
    look = {"fill": ACCENT, "fill_opacity": f"{shade:.2f}", "stroke": GRID}
    ink = "#fff" if shade > 0.62 else INK
    wide, high = size
    yield node("rect", x=left, y=top, width=wide - 1, height=high - 1, **look)
    at = {"text_anchor": "middle", "font_size": 10, "fill": ink}
    yield text(said, left + wide / 2, top + high / 2 + 3.5, **at)


def shuffled_adult():
    """Part all of Adult at random: 10,000 research rows, and the archive."""
    table = adult(complete=True)
    rows = np.random.default_rng(3).permutation(len(table))
    return table.take(rows[:10_000]), table.take(rows[10_000:])


def pairs():
    """Which pairs of nine columns of Adult tell sex: before, each by itself, and jointly."""
    research, archive = shuffled_adult()
    roles = {"protected": "sex", "unprotected": "college"}
    plan = fairmend.design(research, **roles, features=NINE, joint="sequential")
    panels = []
    for title, way in (("each by itself", plan.without_joint()), ("jointly", plan)):
        content = pairs_part(Material.of(archive, way.repair(archive, seed=1), way), 0)
        if not panels:
            panels.append(("before", content, "before"))
        panels.append((title, content, "after"))
    parts, said = [], []
    names = panels[-1][1]["features"]
    for at, name in enumerate(names):
        parts.append(text(f"{at + 1} {name}", 16.0, 83.0 + 20 * at, font_size=11))
    for panel, (title, content, side) in enumerate(panels):
        left = 140.0 + 194.0 * panel
        parts.append(text(title, left, 46.0, font_weight=600))
        worst = max(content["rows"], key=lambda row: row[side]["value"])
        both = f"{worst['first']} and {worst['second']}"
        said.append(f"{title}, most by {both}: AUC {worst[side]['value']:.2f}")
        for at in range(len(names)):
            look = {"text_anchor": "middle", "font_size": 10, "fill": FAINT}
            parts.append(text(str(at + 1), left + 20 * at + 10, 62.0, **look))
        for row in content["rows"]:
            i, j = sorted(names.index(row[end]) for end in ("first", "second"))
            value = row[side]["value"]
            shade = max(2 * (value - 0.5), 0.0) ** 0.5
            number = f"{value:.2f}".removeprefix("0")
            parts += cell(left + 20 * i, 68.0 + 20 * j, (20, 20), shade, number)
    title = "What two columns of Adult tell of sex: AUC"
    parts.insert(0, text(title, 16.0, 24.0, font_size=17, font_weight=600))
    sheet("pairs.svg", 262.0, title, "; ".join(said) + ".", parts)


def constraints():
    """Count marital status and relationship in Adult: before, jointly, and with constraints."""
    research, archive = shuffled_adult()
    features = ["age", "marital-status", "relationship"]
    roles = {"protected": "sex", "unprotected": "college", "features": features}
    panels = [("before", archive)]
    for title, more in (("jointly", ()), ("jointly, with constraints", "unseen-pairs")):
        plan = fairmend.design(research, **roles, joint="sequential", constraints=more)
        panels.append((title, plan.repair(archive, seed=1)))
    rows = sorted(set(archive["marital-status"].to_pylist()))
    columns = sorted(set(archive["relationship"].to_pylist()))
    known = set(
        zip(*(research[n].to_pylist() for n in ("marital-status", "relationship")), strict=True)
    )
    parts, said = [], []
    for j, name in enumerate(rows):
        parts.append(text(name, 16.0, 104.0 + 22 * j, font_size=11))
    for panel, (title, table) in enumerate(panels):
        left = 166.0 + 184.0 * panel
        parts.append(text(title, left, 46.0, font_weight=600))
        found = list(
            zip(*(table[n].to_pylist() for n in ("marital-status", "relationship")), strict=True)
        )
        unseen = sum(pair not in known for pair in found) / len(found)
        said.append(f"{title}: {unseen:.1%} of the rows have a pair that no research row has")
        for i, column in enumerate(columns):
            look = {"text_anchor": "middle", "font_size": 10, "fill": FAINT}
            parts.append(text(str(i + 1), left + 28 * i + 14, 80.0, **look))
            for j, row in enumerate(rows):
                share = found.count((row, column)) / len(found)
                number = "" if not share else f"{100 * share:.1f}".removeprefix("0")
                parts += cell(left + 28 * i, 88.0 + 22 * j, (28, 22), share**0.5, number)
                if (row, column) not in known:
                    box = {"x": left + 28 * i, "y": 88.0 + 22 * j, "width": 27, "height": 21}
                    parts.append(node("rect", **box, fill="none", stroke="#a3271d"))
    title = "Marital status and relationship in Adult: per cent of the rows"
    parts.insert(0, text(title, 16.0, 24.0, font_size=17, font_weight=600))
    numbered = ", ".join(f"{i + 1} {column}" for i, column in enumerate(columns))
    words = "Framed: pairs that no research row has"
    for at, said_below in enumerate((numbered, words)):
        parts.append(text(said_below, 16.0, 264.0 + 18 * at, font_size=11, fill=FAINT))
    sheet("constraints.svg", 296.0, title, f"{words}. {'; '.join(said)}.", parts)


if __name__ == "__main__":
    transport()
    shifts()
    floor()
    forecast()
    joint()
    pairs()
    constraints()
