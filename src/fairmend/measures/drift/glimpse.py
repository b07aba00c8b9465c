"""A glimpse: what a monitor needs of one batch, cut out in the thread that repairs the batch."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from fairmend.measures.drift.rows import Rows, sampled_rows
from fairmend.measures.drift.tally import Ints
from fairmend.transport.support import Floats


@dataclass
class Glimpse:
    """The rows of a batch that :func:`sampled_rows` chooses: all of the first, few of the later.

    A repair fills it in any thread; :meth:`fairmend.Monitor.see` takes it in the order of the rows.

    Attributes
    ----------
    first_row : int
        Number of the batch's first row among the rows that are watched.
    end : int
        Number of the row behind the batch.
    rows, cells : ndarray of shape (m,)
        Numbers of the rows chosen, and their cells.
    values : dict of str to ndarray of shape (m,)
        Their features before repair.
    """

    first_row: int
    end: int = field(init=False)
    rows: Rows = field(init=False)
    cells: Ints = field(init=False)
    values: dict[str, Floats] = field(init=False)

    def __post_init__(self) -> None:
        """Show no rows."""
        self.fill({}, np.empty(0, dtype=np.int64))

    def fill(self, values: Mapping[str, Floats], cells: Ints) -> None:
        """Take what is looked at from a batch."""
        self.end = self.first_row + cells.size
        self.rows = sampled_rows(self.first_row, cells.size)
        at = self.rows - self.first_row
        self.cells = cells[at]
        self.values = {name: x[at] for name, x in values.items()}
