"""All that an audit counts in an archive: a vector that parts of the archive add up."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from fairmend.measures.drift.tally import Counts as DriftCounts
from fairmend.measures.drift.tally import Tally
from fairmend.spark.places import Ints, Places
from fairmend.transport.support import Floats

if TYPE_CHECKING:
    from fairmend.plan.plan import Plan


@dataclass(frozen=True)
class ArchiveCounts:
    """Counts of an archive before and after its repair.

    Attributes
    ----------
    tally : Tally
        The rows before repair on the plan's own laws, for drift.
    before, after : dict of str to list of ndarray
        By feature and stratum: rows by group and place.
    gaps : dict of str to ndarray of shape (2,)
        Rows without a value before, and rows with one whose group or stratum has no plan.
    moved : dict of str to ndarray of shape (4,)
        Rows with a value before and after, the sums of the squared and of the absolute changes, and
        the rows whose value changed.
    filled : dict of str to ndarray of shape (1,)
        Rows that have a value only before or only after.
    """

    tally: Tally
    before: dict[str, list[Ints]]
    after: dict[str, list[Ints]]
    gaps: dict[str, Floats]
    moved: dict[str, Floats]
    filled: dict[str, Floats]

    @classmethod
    def of(
        cls,
        plan: "Plan",
        cells: Ints,
        before: Mapping[str, Floats],
        after: Mapping[str, Floats],
    ) -> Self:
        """Count rows.

        Parameters
        ----------
        plan : Plan
            Whose places they are counted at.
        cells : ndarray of shape (n,)
            As :func:`fairmend.plan.apply.cells_of` gives them, −1 for rows without a plan.
        before, after : mapping of str to ndarray of shape (n,)
            Each feature, NaN where missing.
        """
        n_groups = len(plan.groups)
        rows = [np.flatnonzero(cells // (n_groups + 1) == u) for u in range(len(plan.strata))]
        groups = [cells[at] % (n_groups + 1) for at in rows]
        found: dict[str, list[list[Ints]]] = {"before": [], "after": []}
        for feature in plan.features:
            places = [Places.of(cell) for cell in feature.cells]
            for when, values in (("before", before), ("after", after)):
                x = values[feature.name]
                found[when].append(
                    [
                        one.counted(x[at], group, n_groups)
                        for one, at, group in zip(places, rows, groups, strict=True)
                    ]
                )
        names = plan.feature_names
        return cls(
            Tally.of(plan, before, cells),
            dict(zip(names, found["before"], strict=True)),
            dict(zip(names, found["after"], strict=True)),
            {name: _gaps(before[name], cells) for name in names},
            {name: _moved(before[name], after[name]) for name in names},
            {name: _filled(before[name], after[name]) for name in names},
        )

    @classmethod
    def empty(cls, plan: "Plan") -> Self:
        """Count no rows."""
        nothing = {name: np.empty(0) for name in plan.feature_names}
        return cls.of(plan, np.empty(0, dtype=np.int64), nothing, nothing)

    def vector(self) -> Floats:
        """Lay all numbers in one row; the vectors of parts add up to that of the whole.

        All but two sums are whole numbers, or whole parts of 2^20, and exact in any order.
        """
        return np.concatenate([array.ravel().astype(np.float64) for array in self._arrays()])

    def filled_with(self, vector: Floats) -> "ArchiveCounts":
        """Take the numbers from a vector of counts of the same plan."""
        arrays = list(self._arrays())
        ends = np.cumsum([array.size for array in arrays])
        parts = np.split(vector, ends[:-1])
        taken: Iterator[Any] = iter(
            part.reshape(array.shape).astype(array.dtype)
            for part, array in zip(parts, arrays, strict=True)
        )
        tally = Tally(
            next(taken),
            {name: DriftCounts(*(next(taken) for _ in range(5))) for name in self.tally.features},
        )
        before, after = (
            {name: [next(taken) for _ in tables] for name, tables in when.items()}
            for when in (self.before, self.after)
        )
        gaps, moved, filled = (
            {name: next(taken) for name in one} for one in (self.gaps, self.moved, self.filled)
        )
        return ArchiveCounts(tally, before, after, gaps, moved, filled)

    def _arrays(self) -> Iterator[Floats | Ints]:
        yield self.tally.cells
        for one in self.tally.features.values():
            yield from (one.exact, one.between, one.missing, one.unseen, one.beyond)
        for when in (self.before, self.after):
            for tables in when.values():
                yield from tables
        for each in (self.gaps, self.moved, self.filled):
            yield from each.values()


def added(vectors: Sequence[Floats]) -> Floats:
    """Add up the vectors of several parts."""
    total: Floats = np.sum(vectors, axis=0)
    return total


def _gaps(x: Floats, cells: Ints) -> Floats:
    gone = np.isnan(x)
    return np.array([gone.sum(), (~gone & (cells < 0)).sum()], dtype=np.float64)


def _moved(x: Floats, y: Floats) -> Floats:
    both = ~(np.isnan(x) | np.isnan(y))
    change = y[both] - x[both]
    return np.array([change.size, change @ change, np.abs(change).sum(), (change != 0.0).sum()])


def _filled(x: Floats, y: Floats) -> Floats:
    return np.array([(np.isnan(x) != np.isnan(y)).sum()], dtype=np.float64)
