"""One repaired column of a plan."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from fairmend.kernel.table import Table, compile_table
from fairmend.transport.cell import Cell
from fairmend.transport.support import Floats


@dataclass(frozen=True)
class Feature:
    """A column's kind, why it is of that kind, and its cells, one a stratum."""

    name: str
    kind: str
    reason: str
    cells: tuple[Cell, ...]

    @cached_property
    def table(self) -> Table:
        """The cells, compiled for the kernel on first use."""
        return compile_table(self.cells)

    @cached_property
    def range(self) -> tuple[Floats, Floats]:
        """Lowest and highest support point of each stratum."""
        return (
            np.array([cell.support[0] for cell in self.cells]),
            np.array([cell.support[-1] for cell in self.cells]),
        )
