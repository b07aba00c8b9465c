"""Laws of the purpose: groups come closer, and no adversary finds them better than before."""

import numpy as np

from fairmend.testing.law import Make, require
from fairmend.testing.tables import Table, fitted, gap, numbers, people

CLOSER = 1 / 3
"""Share of the groups' distance that may be left. A repair leaves far less; no repair, all."""

MORE = 0.03
"""By how much an AUC may be above another one and be called no higher: five standard errors."""


def groups_come_closer_on_new_rows(make: Make) -> None:
    """On rows that were not in the research data, the groups' laws come closer.

    This is what it is all for: the archive is what is used.
    """
    archive = people(4_000, seed=1)
    found = fitted(make, people(4_000), ["x"]).transform(archive)
    _closer(archive, found, "x")


def binary_columns_are_merged_and_not_swapped(make: Make) -> None:
    """Two groups' rates of a yes-or-no column meet, and the column stays yes or no.

    Rates that change places, .68 and .11 to .12 and .66, are the same dependence again; and where
    nobody or everybody is left with a yes, the column says nothing any more.
    """
    archive = people(4_000, seed=1)
    values = numbers(fitted(make, people(4_000), ["flag"]).transform(archive), "flag")
    require(
        set(np.unique(values)) <= {0, 1}, f"there are {np.unique(values).size} values, and not 2"
    )
    before, after = (
        [float(v[archive["s"] == s].mean()) for s in (0, 1)] for v in (archive["flag"], values)
    )
    require(
        np.ptp(after) < CLOSER * np.ptp(before)
        and min(before) - MORE < np.mean(after) < max(before) + MORE,
        f"rates of {before[0]:.2f} and {before[1]:.2f} became {after[0]:.2f} and {after[1]:.2f}",
    )


def whole_numbers_are_repaired(make: Make) -> None:
    """Groups come closer in columns of whole numbers with heaps, as in smooth ones.

    Hours, ages, counts and scores are most of what tables hold.
    """
    archive = people(4_000, seed=1)
    found = fitted(make, people(4_000), ["hours", "age"]).transform(archive)
    for name in ("hours", "age"):
        _closer(archive, found, name)


def adversary_finds_groups_no_better(make: Make) -> None:
    """Gradient boosting tells the groups from whole numbers no better after than before.

    A shift of each group's own leaves equal means, and tells S by the digits after the point.
    """
    archive = people(4_000, seed=1)
    found = fitted(make, people(4_000), ["hours", "age"]).transform(archive)
    before, after = (told(table, archive["s"], ["hours", "age"]) for table in (archive, found))
    require(after < before + MORE, f"AUC for S was {before:.3f} and is {after:.3f}")


def half_a_repair_tells_no_more_than_none(make: Make) -> None:
    """Gradient boosting tells the groups after half a repair no better than before.

    Half-way between its own values and the common ones, each group has values of its own.
    """
    archive = people(4_000, seed=1)
    found = fitted(make, people(4_000), ["hours", "age"], amount=0.5).transform(archive)
    before, after = (told(table, archive["s"], ["hours", "age"]) for table in (archive, found))
    require(after < before + MORE, f"AUC for S was {before:.3f} and is {after:.3f} at amount 0.5")


def strata_are_repaired_each_by_itself(make: Make) -> None:
    """Groups come closer within each level of U, also where they differ there in opposite ways.

    Over all strata such groups look alike, and nobody sees who is treated unlike in which.
    """
    research, archive = (
        t.assign(x=t["x"] - 4 * t["s"] * t["u"]) for t in (people(4_000), people(4_000, seed=1))
    )
    found = fitted(make, research, ["x"], unprotected="u").transform(archive)
    for u in (0, 1):
        rows = (archive["u"] == u).to_numpy()
        _closer(archive[rows], found[rows], "x")


def three_groups_are_repaired(make: Make) -> None:
    """Three groups come closer, in whatever order their values are.

    People are of more than two kinds, and these have no order.
    """
    research, archive = (_of_three_groups(seed) for seed in (2, 3))
    found = fitted(make, research, ["x"]).transform(archive)
    _closer(archive, found, "x")


def told(table: Table, groups: object, names: list[str]) -> float:
    """Find how well boosting tells two groups from columns: cross-validated AUC."""
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.metrics import roc_auc_score
    from sklearn.model_selection import cross_val_predict
    from threadpoolctl import threadpool_limits

    x = np.column_stack([numbers(table, name) for name in names])
    s = np.asarray(groups)
    with threadpool_limits(1):
        model = HistGradientBoostingClassifier(max_iter=40, random_state=0)
        scores = cross_val_predict(model, x, s, cv=3, method="predict_proba")[:, 1]
    return float(roc_auc_score(s, scores))


def _closer(before: Table, after: Table, name: str) -> None:
    was, left = (gap(before["s"], numbers(table, name)) for table in (before, after))
    require(
        left < CLOSER * was,
        f"{name}: the groups' distribution functions were {was:.2f} apart, and are {left:.2f}",
    )


def _of_three_groups(seed: int) -> Table:
    table = people(4_000, seed)
    rng = np.random.default_rng(seed)
    s = rng.integers(0, 3, len(table))
    return table.assign(s=s, x=rng.normal(np.array([0.0, 3.0, 1.0])[s]))


LAWS = (
    groups_come_closer_on_new_rows,
    binary_columns_are_merged_and_not_swapped,
    whole_numbers_are_repaired,
    adversary_finds_groups_no_better,
    half_a_repair_tells_no_more_than_none,
    strata_are_repaired_each_by_itself,
    three_groups_are_repaired,
)
