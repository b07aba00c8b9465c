"""Research rows as arrays: what a joint design looks at, and a summary cannot hold."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from fairmend.frames.levels import Codes
from fairmend.frames.table import Frame
from fairmend.plan.apply import cells_of
from fairmend.plan.options import Policies
from fairmend.plan.plan import Plan
from fairmend.research.cells import Sample
from fairmend.research.reading import NAME, row_weights
from fairmend.transport.points import Points
from fairmend.transport.support import Floats


@dataclass(frozen=True)
class Rows:
    """Research rows in an order that follows from their content.

    Attributes
    ----------
    values : mapping of str to ndarray of shape (n,)
        Each feature, NaN where missing.
    stratum, group : ndarray of shape (n,)
        Codes.
    weights : ndarray of shape (n,)
        Sample weights, with mean 1.
    weighted : bool
        Whether they differ.
    """

    values: Mapping[str, Floats]
    stratum: Codes
    group: Codes
    weights: Floats
    weighted: bool

    @classmethod
    def of(cls, research: Any, plan: Plan, weight: str | None) -> Self:
        """Read a table as a plan writes it; rows without weight are left out."""
        frame = Frame(research, NAME)
        values = frame.finite_numbers(plan.codecs)
        cells = cells_of(plan, frame, Policies("keep"))
        weights = row_weights(frame, weight)
        known = (cells >= 0) if weights is None else (cells >= 0) & (weights > 0)
        # Draws are numbered by row: the order of the table must not decide about the plan.
        own = np.ones(cells.size) if weights is None else weights
        order = np.lexsort((own, *(np.nan_to_num(x, nan=-np.inf) for x in values.values()), cells))
        order = order[known[order]]
        own, cells = own[order], cells[order]
        stratum, group = np.divmod(cells, len(plan.groups) + 1)
        values = {name: x[order] for name, x in values.items()}
        return cls(values, stratum, group, own / own.mean(), weights is not None)

    def __len__(self) -> int:
        return self.stratum.size

    def only(self, chosen: NDArray[Any]) -> Self:
        """Keep some of the rows."""
        return type(self)(
            {name: x[chosen] for name, x in self.values.items()},
            self.stratum[chosen],
            self.group[chosen],
            self.weights[chosen],
            self.weighted,
        )

    def totals(self, strata: int, groups: int) -> Floats:
        """Add up the weights by stratum and group."""
        cell = self.stratum * groups + self.group
        totals: Floats = np.bincount(cell, self.weights, strata * groups).astype(np.float64)
        return totals.reshape(strata, groups)

    def sample(self, name: str, strata: int, groups: int) -> Sample:
        """Count the values of a feature by stratum and group."""
        x = self.values[name]
        totals = self.totals(strata, groups)
        points: list[list[Points]] = [[] for _ in range(strata)]
        gone = np.zeros_like(totals)
        for u in range(strata):
            for s in range(groups):
                at = (self.stratum == u) & (self.group == s)
                points[u].append(Points.of(x[at], self.weights[at] if self.weighted else None))
                gone[u, s] = self.weights[at & np.isnan(x)].sum()
        missing = np.divide(gone, totals, out=np.zeros_like(totals), where=totals > 0)
        return Sample(points, missing)
