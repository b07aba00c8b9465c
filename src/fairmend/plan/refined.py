"""Strata refined by what is repaired already: the cells of one feature in a joint repair."""

from dataclasses import dataclass

import numpy as np

from fairmend.kernel.table import Table, compile_table
from fairmend.plan.tree import Tree
from fairmend.transport.cell import Cell
from fairmend.transport.coupling import Coupling


@dataclass(frozen=True)
class HeldOut:
    """What an adversary found in research rows that a design had not seen.

    Attributes
    ----------
    rows : int
        How many there were.
    alone, joint : float
        AUC for S, from features repaired each by itself and from features repaired jointly.
    error : float
        Standard error of each.
    """

    rows: int
    alone: float
    joint: float
    error: float

    @property
    def supports_joint(self) -> bool:
        """Whether nothing speaks against the joint repair but chance."""
        return self.joint <= self.alone + self.error


@dataclass(frozen=True)
class Refined:
    """A tree in each stratum over the features repaired before, and a cell in each leaf.

    Attributes
    ----------
    trees : tuple of Tree
        One a stratum.
    cells : tuple of tuple of Cell
        By stratum and leaf; on the support that the stratum has without leaves.
    pseudo_rows : float
        Rows of the law that its stratum and all groups let expect, in each leaf's marginal.
    """

    trees: tuple[Tree, ...]
    cells: tuple[tuple[Cell, ...], ...]
    pseudo_rows: float

    def table(self, anywhere: Cell, lattice: float) -> Table:
        """Compile all leaves for the kernel, and last the cell of all strata together."""
        flat = [cell for cells in self.cells for cell in cells]
        return compile_table([cell.with_pooled() for cell in (*flat, anywhere)], lattice)

    def coupling(self, stratum: int, group: int) -> Coupling:
        """Put the couplings of a stratum's leaves together: where the group's values go in all."""
        cells = self.cells[stratum]
        rows = np.array([cell.counts[group] for cell in cells], dtype=np.float64)
        share = rows / rows.sum() if rows.sum() > 0 else np.full(rows.size, 1.0 / rows.size)
        parts = [cell.coupling(group) for cell in cells]
        return Coupling(
            np.concatenate([part.source for part in parts]),
            np.concatenate([part.target for part in parts]),
            np.concatenate([part.mass * w for part, w in zip(parts, share, strict=True)]),
        )
