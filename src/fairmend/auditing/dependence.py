"""The part on dependence: each feature before and after, with what chance alone gives."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from fairmend.auditing.material import Material
from fairmend.auditing.tolerances import Tolerances
from fairmend.measures.arrays import Floats, Labels
from fairmend.measures.inference.examine import examine
from fairmend.measures.inference.results import (
    CellResult,
    Distances,
    Examination,
    FeatureResult,
    PairResult,
)
from fairmend.measures.inference.verdict import judge
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
    found = [_examined(material, values, tolerances, seed) for values in _sides(material)]
    rows: list[DependenceRow] = []
    for name in material.plan.feature_names:
        rows += _Feature(found[0].features[name], found[1].features[name], tolerances).rows()
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
    material: Material, values: Mapping[str, Floats], tolerances: Tolerances, seed: int
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
        seed=seed,
    )


class _Feature:
    """The rows of one feature."""

    def __init__(self, before: FeatureResult, after: FeatureResult, tolerances: Tolerances):
        self.before, self.after, self.tolerances = before, after, tolerances
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
        if found is not None:
            e = judge("e", found.e.value, (found.e.low, found.e.high), rows, self.tolerances.e)
            tv = judge(
                "tv", found.tv.value, (found.tv.low, found.tv.high), rows, self.tolerances.tv
            )
            row["verdict"], row["verdict_tv"] = e.words, tv.words
            row["rows_to_decide"] = e.rows_to_decide
        return row


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
