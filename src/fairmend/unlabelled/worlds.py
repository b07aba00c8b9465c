"""Worlds like the one that the research data came from: its rows drawn again, twice over.

In each world the research data itself, with chance weights, is the population. Research rows and an
archive are drawn from it, so that what a repair achieves there is known, and varies from world to
world as it may vary in truth.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from fairmend.frames.table import Frame
from fairmend.plan.plan import Plan
from fairmend.transport.bandwidth import bandwidth_of
from fairmend.transport.points import Points
from fairmend.transport.support import Floats
from fairmend.unlabelled.tellers import Research

TRIES = 100


@dataclass(frozen=True)
class Worlds:
    """What worlds are made of.

    Attributes
    ----------
    research : Research
        All research rows.
    values : mapping of str to ndarray of shape (n,)
        The continuous features, which are drawn from kernels and not repeated.
    means, widths : mapping of str to ndarray of shape (n,)
        Of the cell that each row is in: mean, and the kernel's width and the factor by which a
        drawn value is brought in to keep the cell's spread.
    """

    research: Research
    values: Mapping[str, Floats]
    means: Mapping[str, Floats]
    widths: Mapping[str, tuple[Floats, Floats]]

    @classmethod
    def of(cls, research: Research, plan: Plan) -> Self:
        """Find the kernels of all continuous features."""
        cell = research.stratum * len(research.groups) + research.group
        values: dict[str, Floats] = {}
        means: dict[str, Floats] = {}
        widths: dict[str, tuple[Floats, Floats]] = {}
        smooth = [f.name for f in plan.features if f.codec.type == "number" and _is_smooth(f)]
        numbers = research.frame.finite_numbers({n: research.codecs[n] for n in smooth})
        for name, x in numbers.items():
            mean, width, factor = np.zeros_like(x), np.zeros_like(x), np.ones_like(x)
            for code in np.unique(cell):
                rows = np.flatnonzero(cell == code)
                points = Points.of(x[rows])
                if points.size < 2 or points.deviation == 0.0:
                    continue
                h = bandwidth_of(points, "silverman")
                mean[rows], width[rows] = points.mean, h
                factor[rows] = 1.0 / np.sqrt(1.0 + (h / points.deviation) ** 2)
            values[name], means[name], widths[name] = x, mean, (width, factor)
        return cls(research, values, means, widths)

    def draw(self, archive_rows: int, repeats: int, seed: int) -> Iterator[tuple[Any, Any]]:
        """Yield research data and an archive of each world, both with their groups."""
        rng = np.random.default_rng(seed)
        n = self.research.group.size
        for _ in range(repeats):
            for _ in range(TRIES):
                weights = rng.standard_exponential(n)
                chance = weights / weights.sum()
                known, rest = (rng.choice(n, size, p=chance) for size in (n, archive_rows))
                if all(self._is_whole(rows) for rows in (known, rest)):
                    yield self._table(known, rng), self._table(rest, rng)
                    break

    def _is_whole(self, rows: "np.typing.NDArray[np.intp]") -> bool:
        """Tell whether every group has two different rows in each stratum that it is in."""
        n_groups = len(self.research.groups)
        cell = self.research.stratum * n_groups + self.research.group
        there = np.unique(cell)
        kept = np.bincount(cell[np.unique(rows)], minlength=int(cell.max()) + 1)
        return bool((kept[there] >= 2).all())

    def _table(self, rows: "np.typing.NDArray[np.intp]", rng: np.random.Generator) -> Any:
        frame = self.research.frame.rows(rows)
        after = {}
        for name, x in self.values.items():
            mean = self.means[name][rows]
            width, factor = (one[rows] for one in self.widths[name])
            noise = width * rng.standard_normal(rows.size)
            after[name] = mean + (x[rows] + noise - mean) * factor
        before = {name: self.values[name][rows] for name in after}
        codecs = {name: self.research.codecs[name] for name in after}
        return Frame(frame.native, frame.name).replaced(before, after, codecs)


def _is_smooth(feature: Any) -> bool:
    return bool(feature.kind == "continuous" and not feature.lattice)
