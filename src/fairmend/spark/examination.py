"""What an archive's counts say: dependence before and after, damage and drift."""

import zlib
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from fairmend.measures.arrays import Labels
from fairmend.measures.drift.stationarity import Stationarity, judged
from fairmend.measures.holm import holm
from fairmend.measures.inference.assemble import Stated, feature_result
from fairmend.measures.inference.cells import Cell, measure_cell
from fairmend.measures.inference.comparable import FEWEST_ROWS, Comparable, Part
from fairmend.measures.inference.examine import draws_for
from fairmend.measures.inference.results import Examination, Excluded
from fairmend.measures.sample import Sample
from fairmend.spark.counts import ArchiveCounts
from fairmend.spark.places import Places

if TYPE_CHECKING:
    from fairmend.frames.levels import Factor
    from fairmend.plan.feature import Feature
    from fairmend.plan.plan import Plan
    from fairmend.spark.places import Ints

ALPHA = 0.05


@dataclass(frozen=True)
class Damage:
    """How far a feature was moved, as far as sums can say it, in the feature's own units.

    Attributes
    ----------
    rmse, mean_absolute : float or None
        Of the change of a row; None for categories, which have no distance.
    share_changed : float
        Share of rows whose value is not exactly what it was.
    n : int
        Rows with a value before and after.
    filled_or_emptied : int
        Rows that have a value only before or only after.
    """

    rmse: float | None
    mean_absolute: float | None
    share_changed: float
    n: int
    filled_or_emptied: int


@dataclass(frozen=True)
class ArchiveAudit:
    """What :func:`fairmend.spark.audit` found.

    Attributes
    ----------
    before, after : Examination
        E, total variation and Kolmogorov-Smirnov by feature, stratum and pair of groups, with
        floors, tests and intervals, as from :func:`fairmend.measures.inference.examine`.
    damage : dict of str to Damage
        By feature.
    drift : Stationarity
        How well the archive followed the research data before its repair.
    rows : int
        Rows that are in both tables.
    unmatched : dict of str to int
        Rows of either table whose key the other has not.
    """

    before: Examination
    after: Examination
    damage: dict[str, Damage]
    drift: Stationarity
    rows: int
    unmatched: dict[str, int]

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain values that JSON has."""
        return {
            "rows": self.rows,
            "unmatched": dict(self.unmatched),
            "before": self.before.to_dict(),
            "after": self.after.to_dict(),
            "damage": {name: vars(one) for name, one in self.damage.items()},
            "drift": self.drift.to_dict(),
        }


def audit_of(
    plan: "Plan",
    counts: ArchiveCounts,
    unmatched: dict[str, int],
    draws: int | None = None,
    seed: int = 0,
) -> ArchiveAudit:
    """Say what counts mean."""
    return ArchiveAudit(
        before=_examined(plan, counts.before, counts, draws, seed),
        after=_examined(plan, counts.after, counts, draws, seed),
        damage={feature.name: _damage(feature, counts) for feature in plan.features},
        drift=judged(plan, counts.tally),
        rows=counts.tally.rows,
        unmatched=unmatched,
    )


def _examined(
    plan: "Plan",
    tables: "dict[str, list[Ints]]",
    counts: ArchiveCounts,
    draws: int | None,
    seed: int,
) -> Examination:
    """Do what :func:`examine` does, from counts instead of rows, with the same random numbers."""
    found = [_comparable(one, tables[one.name], counts) for one in plan.features]
    n_cells = sum(len(one.parts) for one in found)
    draws, further = draws_for(n_cells, ALPHA, draws)
    cells = [
        _cells(feature, one, tables[feature.name], (draws, further), seed)
        for feature, one in zip(plan.features, found, strict=True)
    ]
    adjusted = iter(holm(np.array([cell.p for one in cells for cell in one])).tolist())
    roles = _labels(plan.groups), _labels(plan.strata)
    stated = Stated(ALPHA, {})
    results = {
        one.name: feature_result(one, its, [next(adjusted) for _ in its], roles, stated)
        for one, its in zip(found, cells, strict=True)
    }
    return Examination(results, draws, seed, ALPHA)


def _comparable(feature: "Feature", tables: "list[Ints]", counts: ArchiveCounts) -> Comparable:
    sizes = [table.sum(axis=1).tolist() for table in tables]
    parts = []
    for stratum, rows in enumerate(sizes):
        groups = [g for g, n in enumerate(rows) if n >= FEWEST_ROWS]
        if len(groups) > 1:
            parts.append(Part(stratum, groups, [_of_rows(rows[g]) for g in groups]))
    gone, unlabelled = counts.gaps[feature.name].astype(int).tolist()
    known = sum(sum(rows) for rows in sizes)
    excluded = Excluded(gone, unlabelled, known - sum(part.rows for part in parts))
    return Comparable(feature.name, feature.kind, np.empty(0), parts, excluded)  # type: ignore[arg-type]


def _of_rows(n: int) -> Sample:
    """Stand for rows of which only the number is asked; the array takes no memory."""
    return Sample(np.broadcast_to(np.float64(0.0), (n,)))


def _cells(
    feature: "Feature",
    found: Comparable,
    tables: "list[Ints]",
    draws: tuple[int, int | None],
    seed: int,
) -> list[Cell]:
    named = zlib.crc32(feature.name.encode())
    return [
        measure_cell(
            Places.of(feature.cells[part.stratum]).table(tables[part.stratum][part.groups]),
            draws[0],
            np.random.default_rng([seed, named, part.stratum]),
            ordered=found.ordered,
            further=draws[1],
        )
        for part in found.parts
    ]


def _labels(factor: "Factor") -> Labels:
    """Name levels as an audit does; no factor at all is one stratum without a name."""
    levels = [c[0] if len(c) == 1 else (c or None) for c in factor.combinations]
    return Labels(np.empty(0, dtype=np.int64), levels)  # type: ignore[arg-type]


def _damage(feature: "Feature", counts: ArchiveCounts) -> Damage:
    n, squares, absolute, changed = counts.moved[feature.name].tolist()
    filled = int(counts.filled[feature.name][0])
    share = changed / n if n else float("nan")
    if feature.codec.type == "category":
        return Damage(None, None, share, int(n), filled)
    rmse, mean = (sqrt(squares / n), absolute / n) if n else (float("nan"),) * 2
    return Damage(rmse, mean, share, int(n), filled)
