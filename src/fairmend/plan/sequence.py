"""The sequence of a joint repair: each feature after those that its trees ask of."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fairmend.kernel.table import Table
from fairmend.plan.constraints import Constraint, bins_of_constraints
from fairmend.plan.feature import Feature
from fairmend.plan.forest import Bins, Forest, Ints, Seen
from fairmend.plan.guard import Guard, guards_of
from fairmend.plan.tree import Tree


@dataclass(frozen=True)
class Step:
    """One feature in the sequence.

    Attributes
    ----------
    feature : Feature
        What is repaired.
    table : Table
        What the kernel applies: a cell for each stratum, or for each leaf.
    forest : Forest or None
        Finds the leaf; None where strata are not refined.
    bins : Bins or None
        Tells the repaired values apart for later features; None where none asks.
    guard : Guard or None
        Keeps out what constraints forbid; None where none ends in this feature.
    marks : Bins or None
        Tells the repaired values apart for the guards of this and later features.
    """

    feature: Feature
    table: Table
    forest: Forest | None = None
    bins: Bins | None = None
    guard: Guard | None = None
    marks: Bins | None = None

    def refined(self, cells: Ints, n_groups: int, seen: Mapping[str, Seen]) -> Ints:
        """Turn ``stratum * n_groups + group`` into ``leaf * n_groups + group``."""
        if self.forest is None:
            return cells
        stratum, group = np.divmod(cells, n_groups)
        leaf = self.forest.leaf(stratum, seen)
        leaf *= n_groups
        leaf += group
        return leaf


def steps_of(
    features: Sequence[Feature], constraints: Sequence[Constraint] = ()
) -> tuple[Step, ...]:
    """Compile features for their repair one after the other."""
    trees = [tree for one in features if one.refined for tree in one.refined.trees]
    bins = {one.name: bins_of(one, trees) for one in features}
    asked = {split.feature for tree in trees for split in tree.splits}
    guards = guards_of(features, constraints)
    marks = bins_of_constraints({one.name: one.codec for one in features}, constraints)
    return tuple(
        Step(
            one,
            one.table if one.refined is None else one.refined.table(one.anywhere, one.lattice),
            # Rows of a stratum that research did not show are not parted.
            None if one.refined is None else Forest.of((*one.refined.trees, Tree()), bins),
            bins[one.name] if one.name in asked else None,
            guard,
            marks.get(one.name),
        )
        for one, guard in zip(features, guards, strict=True)
    )


def bins_of(feature: Feature, trees: Sequence[Tree]) -> Bins:
    """Tell the bins of a feature that some trees ask of."""
    levels = len(feature.codec.levels)
    return Bins.asked(feature.name, trees, levels=levels, ordered=feature.kind != "categorical")
