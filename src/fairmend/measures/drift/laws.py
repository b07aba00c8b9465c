"""The laws that an archive is compared with: a plan's research marginals, one by one."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

from fairmend.frames.codec import Codec
from fairmend.frames.levels import Factor
from fairmend.kernel.table import Table
from fairmend.measures.drift.chance import Chance
from fairmend.transport.cell import Cell
from fairmend.transport.support import Floats

Places = NDArray[np.int64]

WIDEST, WIDER = 1.25, 1.2
"""Kernel widths run up to a little more than Silverman's, each this much wider than the last."""

FEWEST_PLACES = 10
"""Fewer points than this hold no smoothed density."""


class PlannedFeature(Protocol):
    """What is asked of a plan's feature; :class:`fairmend.plan.feature.Feature` is one."""

    @property
    def name(self) -> str:
        """Column."""

    @property
    def kind(self) -> str:
        """How it is repaired."""

    @property
    def codec(self) -> Codec:
        """How its values are written as numbers."""

    @property
    def cells(self) -> tuple[Cell, ...]:
        """One a stratum."""

    @property
    def anywhere(self) -> Cell:
        """All strata together."""

    @property
    def table(self) -> Table:
        """All cells, compiled for the kernel."""


class Planned(Protocol):
    """What is asked of a plan; :class:`fairmend.Plan` is one."""

    @property
    def groups(self) -> Factor:
        """S."""

    @property
    def strata(self) -> Factor:
        """U."""

    @property
    def features(self) -> Sequence[PlannedFeature]:
        """The repaired columns."""


@dataclass(frozen=True)
class Law:
    """One group's research marginal of one feature in one stratum.

    Attributes
    ----------
    feature : str
        Column.
    stratum, group : int
        Numbers.
    chance : Chance
        Research rows and expected shares: of the support points, then of *missing* where that is a
        state, then of categories that research did not show, which is 0. The points of categories
        have no order.
    borrowed : str
        What it leans on beside its own rows, where those were too few.
    points : ndarray of shape (points,)
        The support.
    first : int
        The cell's first row in the kernel's table.
    place : ndarray of shape (rows + 1,)
        The place of each of the kernel's rows, and that of unseen categories.
    smooth : slice
        The kernel's rows that hold the smoothed part of the law.
    warped : bool
        Whether that is a warped grid, which research leaves at its ends only where the range does.
    widths : ndarray
        Widths that the research kernel may have had, in steps of the grid.
    """

    feature: str
    stratum: int
    group: int
    chance: Chance
    borrowed: str
    points: Floats
    first: int
    place: Places
    smooth: slice
    warped: bool
    widths: Floats

    @classmethod
    def of(cls, feature: PlannedFeature, stratum: int, group: int) -> Self:
        """Lay out one cell and group in the order of the kernel's rows."""
        cell = feature.cells[stratum]
        place = np.searchsorted(cell.support, np.concatenate([cell.grid, cell.atoms]))
        mass, n = cell.marginals[group], int(cell.counts[group])
        if cell.missing is not None:
            share = float(cell.missing[group])
            place = np.append(place, cell.support.size)
            mass = np.append(mass * (1.0 - share), share)
        smooth = _smoothed(cell)
        flat = stratum * feature.table.n_groups + group
        return cls(
            feature=feature.name,
            stratum=stratum,
            group=group,
            chance=Chance(n, np.append(mass, 0.0), ordered=feature.kind != "categorical"),
            borrowed=cell.borrowed[group] if cell.borrowed else "",
            points=cell.support,
            first=int(feature.table.first_row[flat]),
            place=np.append(place, mass.size),
            smooth=smooth,
            warped=not cell.grid.size,
            widths=_widths(mass[place[smooth]], n),
        )

    @cached_property
    def upto(self) -> Floats:
        """Expected share up to each place."""
        return np.cumsum(self.chance.mass)


def laws_of(plan: Planned) -> list[Law]:
    """Lay out every law of a plan: by feature, then stratum, then group."""
    places = product(plan.features, range(len(plan.strata)), range(len(plan.groups)))
    return [Law.of(*place) for place in places]


def _smoothed(cell: Cell) -> slice:
    """Find the rows of the smoothed part: the grid, or the places of a warped one."""
    if cell.grid.size:
        return slice(0, cell.grid.size)
    warped = cell.kind in ("continuous", "mixed") and cell.atoms.size >= FEWEST_PLACES
    return slice(0, cell.atoms.size if warped else 0)


def _widths(mass: Floats, rows: int) -> Floats:
    """List the kernel widths to allow for: the plan keeps a law, not the kernel it was drawn with.

    From a little more than Silverman's rule, which is the likeliest, down to one step of the grid,
    below which no kernel is.
    """
    held = float(mass.sum())
    if not held or rows < 2:
        return np.empty(0)
    at = np.arange(mass.size)
    mean = float(mass @ at) / held
    deviation = np.sqrt(float(mass @ (at - mean) ** 2) / held)
    widest = max(1.0, WIDEST * deviation * (max(rows * held, 2.0)) ** -0.2)
    n = int(np.ceil(np.log(widest) / np.log(WIDER)))
    return np.geomspace(widest, 1.0, n + 1)
