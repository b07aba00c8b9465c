"""The rows by stratum and group, sorted once and then cut out for every feature."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Self

import numpy as np

from fairmend.measures import faults
from fairmend.measures.arrays import Codes, Floats, Labels
from fairmend.measures.sample import Sample


@dataclass(frozen=True)
class Cells:
    """Where the rows of each stratum and group are.

    Attributes
    ----------
    strata, groups : tuple
        Sorted levels.
    order : ndarray of shape (n,)
        Row numbers, sorted by stratum and then by group; rows of weight 0 are left out.
    starts : ndarray of shape (n_strata * n_groups + 1,)
        Where each cell begins in ``order``.
    weights : ndarray of shape (n,) or None
        Sample weights, in the rows' own order.
    """

    strata: tuple[Any, ...]
    groups: tuple[Any, ...]
    order: Codes
    starts: Codes
    weights: Floats | None

    @classmethod
    def of(cls, strata: Labels, groups: Labels, weights: Floats | None) -> Self:
        """Sort the rows."""
        cell = strata.codes * len(groups.levels) + groups.codes
        order = np.argsort(cell, kind="stable")
        if weights is not None:
            order = order[weights[order] > 0]
        n_cells = len(strata.levels) * len(groups.levels)
        starts = np.searchsorted(cell[order], np.arange(n_cells + 1))
        return cls(strata.levels, groups.levels, order, starts, weights)

    def samples(self, values: Floats) -> list[list[Sample]]:
        """Cut a feature into ``samples[stratum][group]``, without its missing values."""
        kept, starts = self._kept(values)
        weights = None if self.weights is None else self.weights[kept]
        found = values[kept]
        cuts = [slice(*at) for at in pairwise(starts)]
        flat = [Sample(found[at], None if weights is None else weights[at]) for at in cuts]
        n = len(self.groups)
        return [flat[i : i + n] for i in range(0, len(flat), n)]

    def require_pairs(self, features: dict[str, Floats]) -> None:
        """Refuse groups with fewer than 2 values in a stratum, in all features at once."""
        if len(self.groups) < 2:
            raise faults.too_few_groups(self.groups)
        small: dict[tuple[str, object, object], int] = {}
        for name, values in features.items():
            counts = np.diff(self._kept(values)[1])
            for cell in np.flatnonzero(counts < 2):
                stratum, group = divmod(int(cell), len(self.groups))
                small[name, self.strata[stratum], self.groups[group]] = int(counts[cell])
        if small:
            raise faults.small_cells(small)

    def _kept(self, values: Floats) -> tuple[Codes, Codes]:
        has = ~np.isnan(values[self.order])
        before = np.concatenate([[0], np.cumsum(has)])
        return self.order[has], before[self.starts]
