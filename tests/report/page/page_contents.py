"""Contents to write pages from: one that is really measured, and some that are extreme."""

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier

import fairmend
from fairmend.frames.roles import numbered
from fairmend.frames.table import Frame
from fairmend.measures.arrays import Labels
from fairmend.measures.damage import damage
from fairmend.measures.drift.stationarity import stationarity
from fairmend.measures.inference.examine import examine
from fairmend.measures.inference.verdict import judge
from fairmend.measures.leak.pairs import binned, pair_aucs
from fairmend.measures.leak.parts import parts_of as parts_of_leak
from fairmend.report.densities import densities
from fairmend.report.facts import parts_of, shown

FEATURES = ["age", "hours-per-week", "capital-gain", "workclass"]
WITHIN, ABOVE = "within tolerance", "above tolerance"


def adult_content(n_research=4_000, n_archive=6_000, features=FEATURES):
    """Repair rows of Adult and measure what came of it."""
    adult = fairmend.datasets.adult(complete=True)
    research, archive = adult.slice(0, n_research), adult.slice(n_research, n_archive)
    plan = fairmend.design(research, protected="sex", unprotected="college", features=features)
    repaired = plan.repair(archive, seed=7)
    content = parts_of(plan, archive.num_rows, 3)
    content["densities"] = densities(archive, repaired, plan)
    frames = Frame(archive, "archive"), Frame(repaired, "repaired")
    values = [frame.finite_numbers(plan.codecs) for frame in frames]
    group, stratum = (numbered(frames[0], factor) for factor in (plan.groups, plan.strata))
    labels = (
        Labels(group, tuple(plan.groups.label(s) for s in range(2))),
        Labels(stratum, tuple(plan.strata.label(u) for u in range(2))),
    )
    content["dependence"] = dependence_part(values, labels, plan)
    content["leak"] = leak_part(archive, repaired, features)
    content["pairs"] = pairs_part(*values, group, stratum, plan)
    content["combinations"] = COMBINATIONS
    content["damage"] = damage_part(values, labels, plan)
    content["drift"] = stationarity(plan, values[0], 3 * stratum + group).to_dict()
    return content | OUTCOMES | WORDS


def dependence_part(values, labels, plan):
    kinds = {feature.name: feature.kind for feature in plan.features}
    before, after = (examine(x, *labels, kinds=kinds).features for x in values)
    rows = []
    for name in plan.feature_names:
        rows.append(dependence_row(name, None, before[name].total, after[name]))
        for old, new in zip(before[name].by_stratum, after[name].by_stratum, strict=True):
            rows.append(dependence_row(name, new.stratum, old.mean, new))
    reason = judge("e", 0, (0, 0), 1).reason
    return {
        "tolerance": 0.02, "tolerance_tv": 0.08, "reason": reason, "alpha": 0.05, "rows": rows,
    }  # fmt: skip


def dependence_row(name, stratum, before, found):
    after = found.total if stratum is None else found.mean
    e = found.verdicts["e"]
    return {
        "feature": name, "stratum": stratum, "groups": None, "rows": found.rows,
        "e": sides(before.e, after.e), "tv": sides(before.tv, after.tv),
        "ks": None if after.ks is None else sides(before.ks, after.ks),
        "verdict": e.words, "verdict_tv": found.verdicts["tv"].words,
        "detectable": found.detectable, "rows_to_decide": e.rows_to_decide,
    }  # fmt: skip


def sides(before, after):
    return {"before": distance(before), "after": distance(after)}


def distance(found):
    return {
        "value": found.value, "low": found.low, "high": found.high,
        "raw": found.raw, "floor": found.floor, "floor_high": found.floor_95,
    }  # fmt: skip


def leak_part(archive, repaired, features):
    quick = HistGradientBoostingClassifier(max_iter=8)
    others = ["relationship", "occupation", "sex", "college"]
    found = [
        fairmend.leak(
            table.select([*features, *others]), protected="sex", unprotected="college",
            features=features, max_rows=2_000, classifier=quick,
        )
        for table in (archive, repaired)
    ]  # fmt: skip
    rows = [
        leak_row("all features", "features", *(one.joint for one in found)),
        leak_row("all columns", "columns", *(one.all_columns for one in found)),
        leak_row("one by one", "alone", *(one.joint for one in found)) | {"verdict": None},
    ]
    before = {one.column: one.alone for one in found[0].columns}
    for one in found[1].columns:
        row = leak_row(one.column, "column", before[one.column], one.alone)
        rows.append(row | {"is_feature": one.is_feature, "drop": one.all_drop})
    return {
        "tolerance": 0.56, "reason": judge("auc", 0, (0, 0), 1).reason,
        "rows_used": found[1].rows_used, "rows": rows,
        "unseen": {"sex": "it is the protected attribute", "notes": "it has a type of its own"},
    }  # fmt: skip


def leak_row(name, sees, before, after):
    interval = after.low, after.high
    return {
        "name": name, "sees": sees, "is_feature": False,
        "before": auc(before), "after": auc(after), "drop": None,
        "worst_group": after.worst_group, "told_place": None, "told_auc": None,
        "verdict": judge("auc", after.auc, interval, 4_000).words,
    }  # fmt: skip


def auc(found):
    high = found.null + 1.645 * found.null_deviation
    return {
        "value": found.auc, "low": found.low, "high": found.high,
        "raw": found.auc, "floor": found.null, "floor_high": high,
    }  # fmt: skip


def pairs_part(before, after, group, stratum, plan):
    parts = parts_of_leak(group, stratum, plan.groups, plan.strata)
    levels = {feature.name: len(feature.codec.levels) for feature in plan.features}
    bins = {name: binned(before[name], after[name], n) for name, n in levels.items()}
    old, new = (
        pair_aucs({name: both[side] for name, both in bins.items()}, parts, 0) for side in (0, 1)
    )
    rows = [
        {
            "first": a, "second": b, "before": counted(old[a, b]), "after": counted(told),
            "beyond": None if a == b else told.auc - max(new[a, a].auc, new[b, b].auc),
        }
        for (a, b), told in new.items()
    ]  # fmt: skip
    return {"rows_used": group.size, "features": list(bins), "rows": rows}


def counted(told):
    return {
        "value": told.auc, "low": told.low, "high": told.high, "raw": told.auc,
        "floor": None, "floor_high": None,
    }  # fmt: skip


COMBINATIONS = {
    "unseen": [
        {"first": a, "second": b, "before": before, "after": after}
        for a, b, before, after in (
            ("age", "workclass", 0.004, 0.051), ("hours-per-week", "workclass", None, 0.02),
            ("age", "hours-per-week", 0.001, 0.003), ("age", "capital-gain", 0.0, 0.001),
            ("hours-per-week", "capital-gain", 0.0, 0.0), ("capital-gain", "workclass", 0.0, 0.0),
        )
    ],
    "constraints": [
        {"words": "workclass='Without-pay' and age below 18", "before": None, "after": 0.0},
        {"words": "workclass='Without-pay' and capital-gain above 0", "before": 0.01, "after": 0.0},
        {"words": "age from 80 and hours-per-week above 60", "before": 0.0, "after": 0.0},
    ],
    "forbidden": {"before": 0.0104, "after": 0.0},
}  # fmt: skip


def damage_part(values, labels, plan):
    groups, strata = labels
    rows = []
    everywhere = np.ones(groups.codes.size, dtype=bool)
    for feature in plan.features:
        places = [(None, None, everywhere)]
        for u, stratum in enumerate(strata.levels):
            here = strata.codes == u
            places.append((stratum, None, here))
            places += [
                (stratum, name, here & (groups.codes == s)) for s, name in enumerate(groups.levels)
            ]
        rows += [damage_row(feature, values, *place) for place in places]
    rows.sort(key=lambda row: row["stratum"] is not None)
    pairs = [("age", "hours-per-week", 0.08, 0.11), ("age", "capital-gain", 0.12, 0.1)]
    names = ("first", "second", "before", "after")
    correlations = [dict(zip(names, pair, strict=True)) for pair in pairs]
    return {"rows_used": groups.codes.size, "rows": rows, "correlations": correlations}


def damage_row(feature, values, stratum, group, here):
    old, new = (x[feature.name][here] for x in values)
    row = {"feature": feature.name, "stratum": stratum, "group": group, "unit": None}
    row |= {"rows": shown(int(here.sum())), "share_changed": float((old != new).mean())}
    if feature.codec.type == "category":
        sizes = (
            "rmse",
            "rmse_deviations",
            "w2",
            "mean_absolute",
            "p95_absolute",
            "rank_correlation",
        )
        return row | dict.fromkeys(sizes)
    found = damage(old, new).to_dict()
    found["rmse_deviations"] = found["rmse"] / float(old.std())
    found["rank_correlation"] = found["rank_correlation"] if len(set(new)) > 1 else None
    return row | {k: v for k, v in found.items() if k != "n"}


OUTCOMES = {
    "missing": [
        {
            "feature": "workclass", "stratum": stratum, "before": before, "after": after,
            "groups": [
                {"group": "sex='Female'", "before": 0.071, "after": 0.071},
                {"group": "sex='Male'", "before": 0.071 - before, "after": 0.071 - after},
            ],
        }
        for stratum, before, after in (
            (None, 0.021, 0.001), ("college=False", 0.024, 0.001), ("college=True", 0.013, 0.0),
        )
    ],
    "paper": {
        "grid": 500,
        "rows": [
            {"feature": "age", "before": 0.56, "after": 0.36},
            {"feature": "hours-per-week", "before": 1.22, "after": 0.29},
        ],
    },
    "outcomes": {
        "label": "income",
        "favourable": ">50K",
        "decided_by": "gradient boosting, learnt from all columns and cross-validated",
        "rows_used": 6_000,
        "rule": 0.8,
        "rows": [
            {
                "stratum": stratum, "group": "sex='Female'", "reference": "sex='Male'",
                "before": before, "after": after,
            }
            for stratum, before, after in (
                ("college=False", 0.24, 0.71), ("college=True", 0.43, 0.86),
            )
        ],
        "treatment_before": 0.19,
        "treatment_after": 0.05,
        "utility_before": 0.887,
        "utility_after": 0.861,
    },
}  # fmt: skip

WORDS = {
    "summary": {
        "verdict": ABOVE,
        "sentences": [
            "The repaired features hardly depend on sex any more: E of the worst one fell from "
            "0.239 to 0.007 nats, within the tolerance of 0.02.",
            "But whoever gets the whole archive still tells sex: from all columns that are handed "
            "on an adversary reaches an AUC of 0.92, most of it from relationship, which was not "
            "repaired.",
        ],
        "findings": [
            {
                "question": "Do the repaired features still depend on the group?",
                "answer": "Hardly. 4 of 4 features are within tolerance; the most is left in "
                "hours-per-week, E = 0.007 nats.",
                "verdict": WITHIN,
            },
            {
                "question": "Can the group be told from all repaired features together?",
                "answer": "A little: AUC 0.575 (0.553 to 0.597), where guessing gives 0.5.",
                "verdict": "insufficient evidence",
            },
            {
                "question": "Can the group be told from everything that is handed on?",
                "answer": "Yes: AUC 0.92. Columns that tell most: relationship, occupation.",
                "verdict": ABOVE,
            },
            {
                "question": "What did it cost?",
                "answer": "31 % of the values were changed; hours-per-week by 2.1 on average.",
                "verdict": None,
            },
            {
                "question": "Does the archive look like the research data?",
                "answer": "No departure is detectable in 16 comparisons.",
                "verdict": WITHIN,
            },
        ],
    },
    "limits": [
        "Features were repaired one at a time: several together can still tell of the group.",
        "Columns that were not repaired can give the group away.",
        "The promise holds for an archive that looks like the research data.",
        "An adversary is no proof: another one may find more.",
    ],
    "article_10": [
        {
            "heading": "What was examined",
            "sentences": ["The features age, hours-per-week, capital-gain and workclass."],
        },
        {
            "heading": "With what data",
            "sentences": ["6,000 rows of the archive, and a plan learnt from 4,000 rows."],
        },
        {"heading": "What was found", "sentences": ["See the findings on the first screen."]},
        {"heading": "What was done", "sentences": ["Values were moved to a common law."]},
        {"heading": "What remains", "sentences": ["The column relationship tells sex."]},
    ],
}  # fmt: skip


def empty_content(content):
    """Take out all that can be missing."""
    nothing = (
        *("densities", "dependence", "leak", "pairs", "combinations", "damage", "paper"),
        *("outcomes", "drift"),
    )
    plan = content["plan"] | {"unprotected": [], "strata": [""]}
    return content | dict.fromkeys(nothing) | {
        "maps": [], "missing": [], "limits": [], "article_10": [], "plan": plan, "unseen": None,
        "summary": {"verdict": None, "sentences": [], "findings": []},
    }  # fmt: skip


NASTY = [
    "<script>alert(1)</script>",
    "a\" onload='x' &amp; </title></svg></style>",
    "https://example.org/url(x)",
    "größe 身長 الطول \u202e💥",
    "nul\x00 and \ud800 half",
    "a_very_long_name_" * 15,
]


def renamed(content, names):
    """Give columns, groups and strata other names, wherever they stand."""
    if isinstance(content, dict):
        return {renamed(k, names): renamed(v, names) for k, v in content.items()}
    if isinstance(content, list):
        return [renamed(one, names) for one in content]
    return names.get(content, content) if isinstance(content, str) else content


def nasty_content(content):
    """Give everything that comes from a table a name that means mischief."""
    given = [*FEATURES, "relationship", "occupation"]
    labels = ["Female", "Male", *content["plan"]["groups"], *content["plan"]["strata"], "income"]
    names = {name: NASTY[at % len(NASTY)] + str(at) for at, name in enumerate([*given, *labels])}
    levels = (p["levels"] for p in content["densities"]["panels"] if p["levels"])
    for known in levels:
        names |= {level: f"{NASTY[at % len(NASTY)]}{level}" for at, level in enumerate(known)}
    return renamed(content, names)


def large_content(content, n_features=30, n_strata=12, n_groups=8):
    """Blow a measured content up to many features, strata and groups."""
    features = [f"feature-number-{k:02d}" for k in range(n_features)]
    strata = [f"region='{u:02d}', level='upper {u}'" for u in range(n_strata)]
    groups = [f"race='group {s}', sex='F'" for s in range(n_groups)]
    old = content["plan"]
    plan = old | {
        "groups": groups, "strata": strata,
        "features": [old["features"][k % 4] | {"name": name} for k, name in enumerate(features)],
        "research": [
            {"stratum": u, "group": s, "rows": 40 + 10 * k}
            for u in strata for k, s in enumerate(groups)
        ],
    }  # fmt: skip
    model, places = content["densities"], [(f, u) for f in features for u in strata]
    panels, maps, dependence, moved = [], [], [], []
    measured, hurt = content["dependence"]["rows"], content["damage"]["rows"]
    for k, (feature, stratum) in enumerate(places):
        at = {"feature": feature, "stratum": stratum}
        one = model["panels"][2 * (features.index(feature) % 4) + k % 2]
        panels.append(one | at | {s: wider(one[s], groups) for s in ("before", "after")})
        part = content["maps"][2 * (features.index(feature) % 4) + k % 2]
        arrows = [part["groups"][s % 2] | {"group": name} for s, name in enumerate(groups)]
        maps.append(part | at | {"groups": arrows})
        dependence.append(measured[1 + k % 2] | at)
        moved += [hurt[len(hurt) // 2] | at | {"group": group} for group in groups]
    whole = [measured[0] | {"feature": name} for name in features]
    pairs = [
        measured[0] | {"feature": f, "groups": f"{a} and {b}"}
        for f in features for i, a in enumerate(groups) for b in groups[:i]
    ]  # fmt: skip
    everywhere = [hurt[0] | {"feature": name} for name in features]
    columns = [content["leak"]["rows"][2] | {"name": f"column {k}"} for k in range(60)]
    drift = content["drift"]
    cells = [
        drift["cells"][0] | {"feature": f, "stratum": u, "group": g}
        for f, u in places for g in groups
    ]  # fmt: skip
    return content | {
        "plan": plan,
        "densities": model | {"groups": groups, "panels": panels},
        "maps": maps,
        "dependence": content["dependence"] | {"rows": whole + pairs + dependence},
        "damage": content["damage"] | {"rows": everywhere + moved},
        "leak": content["leak"] | {"rows": content["leak"]["rows"][:2] + columns},
        "drift": drift | {"cells": cells},
        "outcomes": content["outcomes"] | {
            "rows": [
                content["outcomes"]["rows"][0] | {"stratum": u, "group": g}
                for u in strata for g in groups[1:]
            ]
        },
    }  # fmt: skip


def wider(side, groups):
    curves = [side["curves"][s % 2] | {"group": name} for s, name in enumerate(groups)]
    return side | {"curves": curves}
