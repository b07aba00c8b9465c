"""The part on dependence: each feature before and after, with what chance alone gives."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from fairmend.auditing.material import Material
from fairmend.auditing.tolerances import Tolerances
from fairmend.measures.arrays import Floats, Labels
from fairmend.measures.inference.examine import FEWEST_DRAWS, examine
from fairmend.measures.inference.results import (
    CellResult,
    Distances,
    Examination,
    FeatureResult,
    PairResult,
)
from fairmend.measures.inference.verdict import Measure, Verdict, among, judge
from fairmend.report.content import DependencePart, DependenceRow, Estimate, Sides
from fairmend.report.facts import shown
from fairmend.transport.kinds import atoms_of
from fairmend.transport.points import Points

if TYPE_CHECKING:
    from fairmend.measures.inference.estimate import Estimate as Found
    from fairmend.transport.kinds import Kind

MANY = 2
"""Groups beyond which pairs are told apart."""

Judged = tuple[Distances | None, int]
"""Distances, and the rows that they are from."""


def dependence_part(material: Material, tolerances: Tolerances, seed: int) -> DependencePart:
    """Examine every feature on all rows, before and after.

    Both are examined by the plan's kinds and by the atoms that the archive had: repaired values
    lie on support points, all of which would be taken for atoms.
    """
    sides = _sides(material)
    # Before the repair nothing is called detectable, so permutations for many cells are not needed.
    found = [
        _examined(material, sides[0], tolerances, seed, draws=FEWEST_DRAWS),
        _examined(material, sides[1], tolerances, seed),
    ]
    rows: list[DependenceRow] = []
    for name in material.plan.feature_names:
        rows += _Feature(found[0].features[name], found[1].features[name]).rows()
    _judge(rows, sum(map(_parts_looked_at, found[1].features.values())), tolerances)
    return {
        "tolerance": tolerances.e,
        "tolerance_tv": tolerances.tv,
        "reason": tolerances.reason("e"),
        "alpha": found[1].alpha,
        "rows": rows,
    }


def _sides(material: Material) -> list[dict[str, Floats]]:
    return [
        {name: material.comparable(x) for name, x in side.items()}
        for side in (material.old, material.new)
    ]


def _examined(
    material: Material,
    values: Mapping[str, Floats],
    tolerances: Tolerances,
    seed: int,
    draws: int | None = None,
) -> Examination:
    kinds = {one.name: cast("Kind", one.kind) for one in material.plan.features}
    atoms = {
        name: atoms_of(Points.of(old[~np.isnan(old)]), "mixed")
        for name, kind in kinds.items()
        if kind == "mixed" and not np.isnan(old := material.old[name]).all()
    }
    return examine(
        values,
        Labels(material.group, tuple(material.groups())),
        Labels(material.stratum, tuple(material.strata())),
        kinds=kinds,
        atoms=atoms,
        tolerances={"e": tolerances.e, "tv": tolerances.tv},
        draws=draws,
        seed=seed,
    )


class _Feature:
    """The rows of one feature."""

    def __init__(self, before: FeatureResult, after: FeatureResult):
        self.before, self.after = before, after
        self.many = len({g for pair in after.by_pair for g in pair.groups}) > MANY

    def rows(self) -> list[DependenceRow]:
        """List the whole, its pairs of groups where there are several, and the strata."""
        total = self._row((None, None), self.before.total, (self.after.total, self.after.rows))
        rows = [total | {"detectable": self.after.detectable}]
        if self.many:
            rows += self._pairs(None, self.before.by_pair, self.after.by_pair)
        if len(self.after.by_stratum) > 1:
            old = {cell.stratum: cell for cell in self.before.by_stratum}
            for cell in self.after.by_stratum:
                rows += self._stratum(old.get(cell.stratum), cell)
        return cast("list[DependenceRow]", rows)

    def _stratum(self, old: CellResult | None, new: CellResult) -> list[Any]:
        mean = None if old is None else old.mean
        row = self._row((new.stratum, None), mean, (new.mean, new.rows))
        rows = [row | {"detectable": new.detectable}]
        if self.many:
            worst = [pair for pair in new.by_pair if pair.groups == new.worst_pair]
            before = () if old is None else old.by_pair
            rows += self._pairs(new.stratum, before, worst)
        return rows

    def _pairs(self, stratum: str | None, before: Any, after: Any) -> list[Any]:
        old: dict[Any, PairResult] = {pair.groups: pair for pair in before}
        return [
            self._row(
                (stratum, " and ".join(pair.groups)),
                old[pair.groups].distances if pair.groups in old else None,
                (pair.distances, sum(pair.rows)),
            )
            for pair in after
        ]

    def _row(
        self, at: tuple[str | None, str | None], before: Distances | None, after: Judged
    ) -> Any:
        found, rows = after
        row: DependenceRow = {
            "feature": self.after.name,
            "stratum": at[0],
            "groups": at[1],
            "rows": shown(rows),
            "e": _both(before, found, "e"),
            "tv": _both(before, found, "tv"),
            "ks": _both(before, found, "ks"),
            "verdict": None,
            "verdict_tv": None,
            "detectable": None,
            "rows_to_decide": None,
        }
        return row


def _parts_looked_at(feature: FeatureResult) -> int:
    """Count the strata and pairs that could have been the worst, also those that are not listed."""
    strata, pairs = feature.by_stratum, feature.by_pair
    within = sum(1 + (len(cell.by_pair) if len(pairs) > 1 else 0) for cell in strata)
    return within + (len(pairs) if len(pairs) > 1 else 0)


def _judge(rows: list[DependenceRow], parts: int, tolerances: Tolerances) -> None:
    """Judge features among features, and strata and pairs of groups among all of these.

    What is above the tolerance must be so with allowance for how many were looked at.
    """
    features = len({row["feature"] for row in rows})
    for row in rows:
        n = features if row["stratum"] is row["groups"] is None else parts
        e = _verdict("e", row["e"]["after"], row["rows"], tolerances.e, n)
        tv = _verdict("tv", row["tv"]["after"], row["rows"], tolerances.tv, n)
        if e is not None and tv is not None:
            row["verdict"], row["verdict_tv"] = e.words, tv.words
            row["rows_to_decide"] = e.rows_to_decide


def _verdict(
    measure: Measure, found: Estimate | None, rows: int | None, tolerance: float, among_them: int
) -> Verdict | None:
    if found is None or found["value"] is None or found["low"] is None or found["high"] is None:
        return None
    interval = among(among_them, found["value"], (found["low"], found["high"]))
    return judge(measure, found["value"], interval, rows or 0, tolerance)


def _both(before: Distances | None, after: Distances | None, name: str) -> Sides:
    return {"before": _one(before, name), "after": _one(after, name)}


def _one(distances: Distances | None, name: str) -> Estimate | None:
    found: Found | None = None if distances is None else getattr(distances, name)
    if found is None:
        return None
    return {
        "value": found.value,
        "low": found.low,
        "high": found.high,
        "raw": found.raw,
        "floor": found.floor,
        "floor_high": found.floor_95,
    }
