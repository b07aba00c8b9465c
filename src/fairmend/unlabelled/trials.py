"""All ways of repair tried on an archive whose groups are known, and what each achieved."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from fairmend.frames.levels import Codes
from fairmend.frames.table import Frame
from fairmend.measures.damage import Damage, damage
from fairmend.measures.dependence import dependence
from fairmend.plan.plan import Plan
from fairmend.research import design
from fairmend.transport.support import Floats
from fairmend.unlabelled.model import LabelModel, refitted
from fairmend.unlabelled.reading import read
from fairmend.unlabelled.tellers import Research

DRAWS = ("map", "sample", "expected")


@dataclass(frozen=True)
class Tried:
    """What one way achieved.

    Attributes
    ----------
    e, damage : float
        Mean over the features.
    chance : float
        E where groups are shuffled, after the repair with groups: what chance adds.
    """

    e: float
    damage: float
    chance: float


@dataclass(frozen=True)
class Trial:
    """What is tried.

    Attributes
    ----------
    model : LabelModel
        As it was chosen from all research data; it is fitted anew.
    plan : Plan
        From all research data: names, kinds and codecs of the features.
    options : dict
        Of :func:`fairmend.design`.
    hidden : tuple of float
        Shares of labels that are missing.
    budgets : tuple of float
        Damage of blind repairs.
    """

    model: LabelModel
    plan: Plan
    options: dict[str, Any]
    hidden: tuple[float, ...]
    budgets: tuple[float, ...]

    def repaired(
        self, taught: pa.Table, archive: pa.Table, seed: int, free: Any = None
    ) -> dict[str, pa.Table]:
        """Repair an archive in every way by what some rows teach.

        Parameters
        ----------
        taught, archive : pyarrow.Table
            Both with their groups.
        seed : int
            Of all draws.
        free : table, optional
            Rows without groups that the label model learns from; by default the archive's.
        """
        protected, unprotected = self.plan.protected, self.plan.unprotected
        roles: dict[str, Any] = {"protected": protected, "unprotected": unprotected}
        plan = design(taught, **roles, features=self.plan.feature_names, **self.options)
        blank = without(archive, protected, np.ones(archive.num_rows, dtype=bool))
        labels = refitted(self.model, taught, blank if free is None else free)
        rng = np.random.default_rng(seed)
        common: dict[str, Any] = {"seed": seed, "first_row": 0, "unseen": "pool"}
        done = {"none": archive, "labelled": plan.repair(archive, **common)}
        for share in self.hidden:
            gaps = without(archive, protected, rng.random(archive.num_rows) < share)
            done[f"{share:.0%} unlabelled, sample"] = plan.repair(gaps, labels=labels, **common)
        for draw in DRAWS:
            done[draw] = plan.repair(blank, labels=labels, draw=cast("Any", draw), **common)
        for budget in self.budgets:
            done[f"blind {budget:g}"] = plan.blind(budget).repair(archive, **common)
        return done

    def measured(self, taught: pa.Table, archive: pa.Table, seed: int) -> dict[str, Tried]:
        """Try every way, and measure it."""
        done = self.repaired(taught, archive, seed)
        truth = read(self.model, Frame(archive, "archive"))
        mixed = shuffled(truth, np.random.default_rng([seed, 1]))
        chance = self.dependence(done["labelled"], mixed, truth.stratum)
        return {
            way: Tried(
                self.dependence(table, truth.group, truth.stratum),
                self._damage(archive, table),
                chance,
            )
            for way, table in done.items()
        }

    def values(self, table: Any) -> dict[str, Floats]:
        """Read the features as numbers."""
        return Frame(table, "archive").finite_numbers(self.plan.codecs)

    def dependence(self, table: Any, group: Codes, stratum: Codes) -> float:
        """Measure E, mean of the features, each by its kind."""
        values = self.values(table)
        found = [
            dependence(values[f.name], group, stratum, kind=cast("Any", f.kind))
            for f in self.plan.features
        ]
        return float(np.mean(found))

    def _damage(self, before: Any, after: Any) -> float:
        sides = [self.values(table) for table in (before, after)]
        parts = []
        for feature in self.plan.features:
            old, new = (side[feature.name] for side in sides)
            if feature.kind == "categorical":
                parts.append(float(np.mean(old != new)))
                continue
            deviation = float(np.nanstd(old))
            moved = cast("Damage", damage(old, new))
            parts.append(moved.rmse / deviation if deviation > 0 else 0.0)
        return float(np.mean(parts))


def without(table: pa.Table, names: Sequence[str], hidden: NDArray[np.bool_]) -> pa.Table:
    """Hide what is recorded of some rows; of all rows, as if it had never been."""
    if hidden.all():
        return table.drop_columns(list(names))
    for name in names:
        column = pc.if_else(pa.array(hidden), None, table[name])
        table = table.set_column(table.column_names.index(name), name, column)
    return table


def shuffled(research: Research, rng: np.random.Generator) -> Codes:
    """Shuffle groups within strata."""
    group = research.group.copy()
    for code in np.unique(research.stratum):
        rows = np.flatnonzero(research.stratum == code)
        group[rows] = rng.permutation(group[rows])
    return group
