"""One repaired column of a plan."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fairmend.frames.codec import Codec
from fairmend.kernel.table import Table, compile_table
from fairmend.plan.refined import Refined
from fairmend.transport.cell import Cell
from fairmend.transport.coupling import Coupling
from fairmend.transport.support import Floats


@dataclass(frozen=True)
class Feature:
    """A column's type and kind, why it is of that kind, and its cells.

    Attributes
    ----------
    name : str
        Column.
    codec : Codec
        How its values are written as numbers.
    kind, reason : str
        How it is repaired, and why.
    cells : tuple of Cell
        One a stratum.
    anywhere : Cell
        The cell of all strata together, for rows of a stratum that research did not show.
    lattice : float
        The step that all values are multiples of, or 0.
    shrinkage : float
        Pseudo-rows of the stratum's shape in each marginal.
    refined : Refined, optional
        In a joint repair, the leaves that each stratum is parted into, and their cells. ``cells``
        then are the strata as they would be repaired without leaves.
    """

    name: str
    codec: Codec
    kind: str
    reason: str
    cells: tuple[Cell, ...]
    anywhere: Cell
    lattice: float = 0.0
    shrinkage: float = 0.0
    refined: Refined | None = None

    @property
    def goes_part_of_the_way(self) -> bool:
        """Whether a partial repair may follow the geodesic: only without atoms or a lattice."""
        return self.kind == "continuous" and not self.lattice and self.cells[0].missing is None

    @cached_property
    def table(self) -> Table:
        """All cells with everybody as a last group, compiled for the kernel on first use."""
        everywhere = [cell.with_pooled() for cell in (*self.cells, self.anywhere)]
        return compile_table(everywhere, self.lattice)

    @cached_property
    def range(self) -> tuple[Floats, Floats]:
        """Lowest and highest support point of each stratum, and of all together."""
        supports = [cell.support for cell in (*self.cells, self.anywhere)]
        return np.array([s[0] for s in supports]), np.array([s[-1] for s in supports])

    def coupling(self, stratum: int, group: int) -> Coupling:
        """Say where a group's values go in a stratum, over all of its leaves."""
        if self.refined is None:
            return self.cells[stratum].coupling(group)
        return self.refined.coupling(stratum, group)
