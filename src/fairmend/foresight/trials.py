"""Trials: plans designed from part of the rows, tried on the others, many times."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import NamedTuple

import numpy as np

from fairmend.foresight.parting import Parted, drawn_again, part, rows_of
from fairmend.foresight.places import Places, Pushed, Ruler
from fairmend.foresight.push import Pusher
from fairmend.measures.arrays import Floats
from fairmend.plan.options import Options
from fairmend.research.assemble import cells_of
from fairmend.research.cells import Sample, layouts_of
from fairmend.transport.cell import Cell
from fairmend.transport.layout import Column
from fairmend.transport.points import Points

SHARES = (0.3, 0.5, 0.7)
"""Shares of a group's rows that a plan is designed from."""


@dataclass(frozen=True)
class Design:
    """All that designs one feature anew from other rows.

    Attributes
    ----------
    column : Column
        Kind and atoms, found once from all rows.
    sample : Sample
        All rows.
    weights : ndarray of shape (groups,)
        Of the groups in the target.
    options : Options
        Of the design.
    strength : float
        Pseudo-rows of the stratum's shape, chosen once from all rows.
    """

    column: Column
    sample: Sample
    weights: Floats
    options: Options
    strength: float

    def cells(self, sample: Sample, share: float = 1.0) -> list[Cell]:
        """Design from some of the rows; a group small among all is small among its share."""
        small = self.options.small
        least = 2 if small.small_groups == "raise" else max(2, round(share * small.min_group_size))
        options = replace(self.options, small=replace(small, min_group_size=least))
        laid = layouts_of(self.column, sample, options)
        return cells_of(laid, sample, self.weights, options, self.strength)

    @property
    def geodesic(self) -> bool:
        """Whether a partial repair goes part of the way, see ``Feature.goes_part_of_the_way``."""
        return (
            self.column.kind == "continuous"
            and not self.column.lattice
            and self.options.missing == "keep"
        )

    def pusher(self, cell: Cell, group: int, places: Places) -> Pusher:
        """Follow a group through a cell."""
        return Pusher(cell, group, places, self.options, geodesic=self.geodesic)


class Tried(NamedTuple):
    """Trials of one feature.

    Attributes
    ----------
    e, raw, tv, auc : ndarray of shape (trials, strata, pairs)
        As in :class:`fairmend.foresight.places.Apart`.
    one, other : ndarray of shape (trials, strata, pairs)
        Likewise: what a row of either group leaves to chance.
    taught, held : ndarray of shape (trials, strata, groups)
        Effective rows that plans were designed from, and tried on.
    """

    e: Floats
    raw: Floats
    tv: Floats
    auc: Floats
    one: Floats
    other: Floats
    taught: Floats
    held: Floats


Rulers = Sequence[Sequence[Ruler]]
"""By stratum and pair of groups."""


def pairs_of(n_groups: int) -> list[tuple[int, int]]:
    """List the pairs of groups."""
    return list(combinations(range(n_groups), 2))


def cross_fit(
    design: Design, places: Sequence[Places], rulers: Rulers, trials: int, rng: np.random.Generator
) -> Tried:
    """Design from part of the rows and try the plan on the others, over and over."""
    shares = [SHARES[trial % len(SHARES)] for trial in range(trials)]
    return _tried(design, places, rulers, [(part(design.sample, f, rng), f) for f in shares])


def redesign(
    design: Design, places: Sequence[Places], rulers: Rulers, trials: int, rng: np.random.Generator
) -> Tried:
    """Design from rows drawn again, and try the plan on those that they were drawn from.

    That shows by how much E varies with the research rows; its level is of no use.
    """
    again = [Parted(drawn_again(design.sample, rng), design.sample) for _ in range(trials)]
    return _tried(design, places, rulers, [(parted, 1.0) for parted in again])


def _tried(
    design: Design,
    places: Sequence[Places],
    rulers: Rulers,
    parts: Sequence[tuple[Parted, float]],
) -> Tried:
    n_strata, n_groups = len(design.sample.points), design.weights.size
    found = np.full((len(parts), n_strata, len(pairs_of(n_groups)), 6), np.nan)
    for trial, (parted, share) in enumerate(parts):
        for u, cell in enumerate(design.cells(parted.taught, share)):
            sides = [
                pushed(design.pusher(cell, s, places[u]), *both)
                for s, both in enumerate(
                    zip(parted.held.points[u], parted.taught.points[u], strict=True)
                )
            ]
            for p, (a, b) in enumerate(pairs_of(n_groups)):
                one, other = sides[a], sides[b]
                if one is not None and other is not None:
                    found[trial, u, p] = rulers[u][p].apart(one, other)
    rows = np.array([[rows_of(one) for one in parted] for parted, _ in parts])
    e, raw, tv, auc, one_row, other_row = np.moveaxis(found, -1, 0)
    return Tried(e, raw, tv, auc, one_row, other_row, rows[:, 0], rows[:, 1])


def pushed(pusher: Pusher, held: Points, taught: Points) -> Pushed | None:
    """Push a group's held-out rows, and with them those that the plan knows."""
    if not held.size:
        return None
    rows: Floats = pusher.rows(held.values, held.weights[None])[0]
    known = pusher.rows(taught.values, taught.weights[None])[0] if taught.size else 0 * rows
    everybody = (rows + known) @ pusher.matrix
    law: Floats = everybody / everybody.sum()
    shares: Floats = rows / held.total
    return Pushed(shares, pusher.matrix, held.effective, law)
