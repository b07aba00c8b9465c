"""The part on damage: what the repair did to each feature, in each stratum and to each group."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import cast

import numpy as np

from fairmend.auditing.material import Material, Places
from fairmend.auditing.numbers import finite
from fairmend.frames.levels import Codes
from fairmend.measures.damage import Damage, damage, rank_correlation
from fairmend.plan.feature import Feature
from fairmend.report.content import CorrelationRow, DamagePart, DamageRow
from fairmend.report.facts import shown
from fairmend.report.pooling import FEWEST
from fairmend.transport.support import Floats

MOST_ROWS = 500_000
"""Rows drawn for each figure: of so many a 95th percentile is off by a thousandth or two."""

UNITS = {"datetime": (86_400e6, "days"), "duration": (1e6, "seconds")}
"""Microseconds of the unit in which changes of times are said."""


@dataclass(frozen=True)
class _Place:
    """Rows of all or one stratum, and of all or one group, that are measured."""

    stratum: int | None
    group: int | None
    rows: Places

    def of(self, counts: Codes) -> int:
        """Add up how many rows it has."""
        its = counts if self.stratum is None else counts[[self.stratum]]
        return int(its.sum() if self.group is None else its[:, self.group].sum())


def damage_part(material: Material, seed: int) -> DamagePart:
    """Measure every feature over all rows, by group, by stratum, and by stratum and group.

    Rows of a group or stratum that the plan does not know are left out. Figures are of at most
    500,000 rows, drawn for each of them; counts are of all.
    """
    places = list(_places(material, seed))
    rows = [
        row
        for feature in material.plan.features
        for row in _rows(material, feature, places)
        if row["rows"] is not None
    ]
    return {
        "rows_used": int(places[0].rows.size),
        # Whole features first.
        "rows": sorted(
            rows, key=lambda row: row["stratum"] is not None or row["group"] is not None
        ),
        "correlations": _correlations(material, places[0].rows),
    }


def _places(material: Material, seed: int) -> Iterator[_Place]:
    rng = np.random.default_rng(seed)
    n_strata, n_groups = material.shape
    order = np.argsort(material.cell, kind="stable")
    starts = np.searchsorted(material.cell[order], np.arange(n_strata * n_groups + 1))
    by_cell = [
        [order[slice(*starts[at : at + 2])] for at in range(u * n_groups, (u + 1) * n_groups)]
        for u in range(n_strata)
    ]

    def place(stratum: int | None, group: int | None) -> _Place:
        strata = by_cell if stratum is None else [by_cell[stratum]]
        parts = [one for its in strata for one in (its if group is None else [its[group]])]
        rows = np.concatenate(parts)
        if rows.size > MOST_ROWS:
            rows = rng.choice(rows, MOST_ROWS, replace=False)
        return _Place(stratum, group, rows)

    within = range(n_strata) if n_strata > 1 else ()
    for stratum in (None, *within):
        for group in (None, *range(n_groups)):
            yield place(stratum, group)


def _rows(material: Material, feature: Feature, places: Sequence[_Place]) -> Iterator[DamageRow]:
    old, new = material.old[feature.name], material.new[feature.name]
    counts = material.counts(~(np.isnan(old) & np.isnan(new)))
    for place in places:
        sides = old[place.rows], new[place.rows]
        rows = place.of(counts)
        row = change_of(feature, sides, material.stratum[place.rows], rows)
        if place.stratum is not None:
            row["stratum"] = material.plan.strata.label(place.stratum)
        if place.group is not None:
            row["group"] = material.plan.groups.label(place.group)
        yield row


def change_of(
    feature: Feature, sides: tuple[Floats, Floats], strata: Codes, rows: int | None = None
) -> DamageRow:
    """Measure what a repair did to a feature, on these rows; few rows stay without figures.

    Parameters
    ----------
    feature : Feature
        Says what its values are.
    sides : tuple of ndarray of shape (n,)
        Before and after, NaN where missing.
    strata : ndarray of shape (n,)
        Within which laws are compared.
    rows : int, optional
        How many rows these were drawn from; by default they are all.
    """
    if rows is None:
        rows = int((~(np.isnan(sides[0]) & np.isnan(sides[1]))).sum())
    row: DamageRow = {
        "feature": feature.name,
        "stratum": None,
        "group": None,
        "rows": shown(rows) or None,
        "unit": None,
        "rmse": None,
        "rmse_deviations": None,
        "w2": None,
        "mean_absolute": None,
        "p95_absolute": None,
        "share_changed": None,
        "rank_correlation": None,
    }
    if row["rows"] is not None:
        row["share_changed"] = _share_changed(*sides)
        _measure(row, feature, sides, strata)
    return row


def _share_changed(old: Floats, new: Floats) -> float | None:
    """Count values that are not what they were, also those emptied or filled."""
    gone = np.isnan(old) & np.isnan(new)
    return float(((old != new) & ~gone).sum() / (~gone).sum()) if not gone.all() else None


def _measure(row: DamageRow, feature: Feature, sides: tuple[Floats, Floats], strata: Codes) -> None:
    """Say how far values went, on the rows that have one on both sides; categories have no far."""
    both = ~np.isnan(sides[0]) & ~np.isnan(sides[1])
    if feature.codec.type == "category" or both.sum() < FEWEST:
        return
    size, row["unit"] = UNITS.get(feature.codec.type, (1.0, None))
    old, new = (side[both] for side in sides)
    cost = cast("Damage", damage(old, new, strata[both]))
    row["rmse"], row["w2"] = cost.rmse / size, cost.w2 / size
    row["mean_absolute"], row["p95_absolute"] = cost.mean_absolute / size, cost.p95_absolute / size
    row["rank_correlation"] = finite(cost.rank_correlation)
    spread = float(old.std())
    row["rmse_deviations"] = cost.rmse / spread if spread > 0 else None


def _correlations(material: Material, rows: Places) -> list[CorrelationRow]:
    """Correlate the ranks of every two features with an order, where both have values."""
    named = [one.name for one in material.plan.features if one.kind != "categorical"]
    return [
        {
            "first": first,
            "second": second,
            "before": _correlation(material.old[first][rows], material.old[second][rows]),
            "after": _correlation(material.new[first][rows], material.new[second][rows]),
        }
        for first, second in combinations(named, 2)
    ]


def _correlation(first: Floats, second: Floats) -> float | None:
    both = ~np.isnan(first) & ~np.isnan(second)
    if both.sum() < FEWEST:
        return None
    return finite(rank_correlation(first[both], second[both]))
