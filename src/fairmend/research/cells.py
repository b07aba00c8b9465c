"""Cells of one feature: its points by stratum and group, drawn, shrunk and brought together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from fairmend.errors import CellError
from fairmend.frames.levels import Factor
from fairmend.plan.options import Options
from fairmend.transport.cell import Cell, target_of
from fairmend.transport.layout import Column, Layout
from fairmend.transport.points import Points
from fairmend.transport.shape import effects
from fairmend.transport.shrinkage import shrunk
from fairmend.transport.support import Floats
from fairmend.transport.tally import Tally


@dataclass(frozen=True)
class Sample:
    """Research values of one feature.

    Attributes
    ----------
    points : list of list of Points
        By stratum and group.
    missing : ndarray of shape (strata, groups)
        Share of missing values.
    step : float or None
        The lattice's step, where the points are bins and do not show it.
    """

    points: list[list[Points]]
    missing: Floats
    step: float | None = None

    @classmethod
    def of(cls, tally: Tally, weights: Floats) -> "Sample":
        """Lay out a feature's counts.

        Parameters
        ----------
        tally : Tally
            By ``stratum * groups + group``.
        weights : ndarray of shape (strata, groups)
            Summed weights of all rows.
        """
        points, groups = tally.points(), weights.shape[1]
        rows = [points[at : at + groups] for at in range(0, len(points), groups)]
        gone = tally.missing_weights.reshape(weights.shape)
        missing = np.divide(gone, weights, out=np.zeros_like(weights), where=weights > 0)
        return cls(rows, missing, tally.lattice.step if tally.binned else None)

    @cached_property
    def everybody(self) -> list[Points]:
        """Add up the strata: the points of each group in all of them."""
        return [Points.together(groups) for groups in zip(*self.points, strict=True)]


def refuse_small(
    samples: Mapping[str, Sample], groups: Factor, strata: Factor, options: Options
) -> None:
    """Raise for all groups with too few rows at once, unless they may lean on others."""
    if options.small.small_groups != "raise":
        return
    small = [
        (name, strata.label(u), groups.label(s), points.size)
        for name, sample in samples.items()
        for u, row in enumerate(sample.points)
        for s, points in enumerate(row)
        if points.size < options.small.min_group_size
    ]
    if small:
        raise CellError.too_small(small, options.small.min_group_size)


Drawn = tuple[Layout, list[Points]]
"""A cell before its marginals are drawn: where they lie, and the points of each group."""


def layouts_of(column: Column, sample: Sample, options: Options) -> list[Drawn]:
    """Lay out the support of each stratum, and decide whose points each group is learnt from."""
    everybody = sample.everybody
    laid = []
    for u, row in enumerate(sample.points):
        groups = list(row)
        if options.small.small_groups == "pool":
            groups = [
                everybody[s] if points.size < options.small.min_group_size else points
                for s, points in enumerate(row)
            ]
        layout = Layout.over(column, groups, options.resolution)
        others = [other for v, other in enumerate(sample.points) if v != u]
        if column.kind == "categorical" and others:
            elsewhere = [Points.together(parts) for parts in zip(*others, strict=True)]
            layout = replace(layout, effects=effects(layout.atoms, elsewhere))
        laid.append((layout, groups))
    return laid


def design_cell(
    layout: Layout,
    groups: Sequence[Points],
    own_rows: Sequence[Points],
    weights: Floats,
    options: Options,
    strength: float,
) -> Cell:
    """Draw, shrink and bring together the groups of one stratum (Algorithm 1, lines 7–11)."""
    least = options.small.min_group_size
    own = [layout.marginal(points) if points.size else None for points in groups]
    drawn = [mass for mass in own if mass is not None]
    known = [points for points in groups if points.size]
    if not drawn:
        raise CellError.no_rows()
    sizes = np.array([points.effective for points in known])
    totals = np.array([points.total for points in known])
    pooled: Floats = totals @ np.array(drawn) / totals.sum()
    references = layout.references(known, drawn)
    lean = iter(shrunk(drawn, references, sizes, strength))
    marginals = np.array([pooled if mass is None else next(lean) for mass in own])
    borrowed = [""] * len(groups)
    for s, points in enumerate(own_rows):
        if points.size >= least:
            continue
        if options.small.small_groups == "pool" and groups[s].size >= least:
            borrowed[s] = f"its rows in all strata ({groups[s].size:,})"
        else:
            n = groups[s].effective
            marginals[s] = (n * marginals[s] + least * pooled) / (n + least)
            borrowed[s] = "its stratum's law"
    return Cell(
        kind=layout.column.kind,
        grid=layout.grid,
        atoms=layout.values,
        marginals=marginals,
        target=target_of(layout.column.kind, layout.support, marginals, weights),
        counts=np.array([points.size for points in own_rows]),
        borrowed=tuple(borrowed) if any(borrowed) else (),
    )
