"""The leak test, peers beside us.

Can an adversary recover S from the repaired archive? Adult, S = sex, U = college, 10,000 research
rows; each method repairs the five numeric columns and, where it can, four categorical ones. Then
gradient boosting guesses S within U, three-fold cross-validated (`fairmend.leak`), from the columns
named: AUC, 0.5 is chance and 1 is certainty. *Income* is the AUC for the label from all nine
columns, which is the utility that is left; the peers leave the categorical ones as they are. Mean ±
standard deviation over random splits.

The peers are those of PyPI; they run in an environment of their own (`make peers`) and talk to
this study by files. None of them takes U: each is fitted within each stratum, on the research rows,
and applied to the archive. AIF360's remover cannot be, and is fitted on the archive itself; EquiPy
is made for scores, and takes each column for one; aequitas's repairer is loaded without the
package's extra `flow`, which it does not use. *Published* are the designs of the code that is
public for the paper, see {doc}`simulation`, on the first three columns.
"""

from authors import design_as_published
from dots import Dots, dots
from elsewhere import absent, repaired_by, versions
from parts.adult import split
from peers import PEERS
from writing import grouped, markdown, spread

import fairmend

__all__ = ["absent"]

NUMBERS = ["age", "hours-per-week", "education-num", "capital-gain", "capital-loss"]
CATEGORIES = ["marital-status", "relationship", "occupation", "workclass"]
ROLES = {"protected": "sex", "unprotected": "college"}
SETS = {
    "age, hours, education": NUMBERS[:3],
    "5 numeric": NUMBERS,
    "all 9": NUMBERS + CATEGORIES,
}
OURS = {"fairmend": None, "fairmend, joint": "sequential"}
PUBLISHED = {"published, narrow": False, "published, wide": True}
ONE = {"permutations": 0, "each": False, "all_columns": False}
"""One adversary, who sees the features together."""


def runs(quick):
    """List the runs."""
    methods = ("none", *OURS, *PEERS, *PUBLISHED)
    return [{"method": m, "seed": seed} for m in methods for seed in range(1 if quick else 3)]


def measure(method, seed):
    """Repair one split by one method, and run the adversary."""
    research, archive = split(seed)
    sets = SETS
    if method in OURS:
        every = NUMBERS + CATEGORIES
        plan = fairmend.design(research, **ROLES, features=every, joint=OURS[method])
        archive = plan.repair(archive, seed=seed, unseen="keep")
    elif method in PEERS:
        archive, why = repaired_by(method, research, archive, NUMBERS)
        if archive is None:
            yield {"columns": "none", "why": why}
            return
        sets = {name: SETS[name] for name in ("age, hours, education", "5 numeric")}
    elif method in PUBLISHED:
        sets = {"age, hours, education": SETS["age, hours, education"]}
        roles = {**ROLES, "features": NUMBERS[:3]}
        plan = design_as_published(research, roles, 250, wide=PUBLISHED[method])
        archive = plan.repair(archive, seed=seed)
    for name, features in sets.items():
        told = fairmend.leak(archive, **ROLES, features=features, **ONE)
        yield {"columns": name, "AUC": told.auc}
    if method not in PUBLISHED:
        told = fairmend.leak(archive, protected="income", features=NUMBERS + CATEGORIES, **ONE)
        yield {"columns": "income", "AUC": told.auc}


def methods_in(table):
    """Name the methods, in their order."""
    return list(dict.fromkeys(row["method"] for row in table))


def figure(table):
    """Draw the adversary's AUC by method."""
    auc = grouped(table, "AUC", "columns", "method")
    series = [
        Dots(
            name,
            {
                m: (v.mean(), v.std())
                for m in methods_in(table)
                if (v := auc.get((name, m))) is not None
            },
            colour,
        )
        for colour, name in enumerate(SETS)
    ]
    return dots(
        "What an adversary finds of sex in repaired columns of Adult",
        series,
        x_label="AUC for S within U; 0.5 is chance, 1 is certainty",
        low=0.5,
        high=1.0,
    )


def page(table):
    """Lay out the adversary's AUC by method."""
    auc = grouped(table, "AUC", "method", "columns")
    rows = [
        [method, *(spread(auc.get((method, name))) for name in (*SETS, "income"))]
        for method in methods_in(table)
    ]
    failed = {row["method"]: row["why"] for row in table if row.get("why")}
    said = "".join(f"\n\n*{method}* gave no table: `{why}`." for method, why in failed.items())
    before, *_ = auc["none", "5 numeric"]
    worse = [m for m in PEERS if (m, "5 numeric") in auc and auc[m, "5 numeric"].mean() > before]
    names = ", ".join(worse) or "none"
    return f"""\
{markdown(["method", *SETS, "income"], rows)}{said}

After repair by {names} an adversary tells women from men better than before. Adult's numeric
columns are whole numbers with ties. A tool that moves each group by an amount of its own, or onto
quantiles of its own, leaves each group's values at places where nobody of the other group is: the
column's mean or law looks repaired, and its digits say S. {{doc}}`../explanation/leaks` shows it in
a picture.

Versions: {versions()}."""
