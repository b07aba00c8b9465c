"""From columns and samples to the cells of a plan."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from fairmend.frames.codec import Codec
from fairmend.frames.levels import Factor
from fairmend.plan.feature import Feature
from fairmend.plan.options import Options
from fairmend.plan.plan import Plan
from fairmend.research.cells import Drawn, Sample, design_cell, layouts_of
from fairmend.transport.cell import Cell
from fairmend.transport.heap import keep_freed_memory
from fairmend.transport.layout import Column, Layout
from fairmend.transport.points import Points
from fairmend.transport.shrinkage import choose_strength
from fairmend.transport.support import Floats


def assemble(
    groups: Factor,
    strata: Factor,
    columns: Mapping[str, Column],
    codecs: Mapping[str, Codec],
    samples: Mapping[str, Sample],
    shares: Floats,
    options: Options,
    strengths: Mapping[str, float] | None = None,
) -> Plan:
    """Choose the shrinkage over all cells, unless it is given, then design each."""
    keep_freed_memory()
    laid = {name: layouts_of(columns[name], sample, options) for name, sample in samples.items()}
    strengths = _strengths(columns, laid, options) if strengths is None else strengths
    features = []
    for name, sample in samples.items():
        column, everybody = columns[name], sample.everybody
        cells = cells_of(laid[name], sample, shares, options, strengths[name])
        layout = Layout.over(column, everybody, options.resolution)
        anywhere = _cell(
            layout,
            everybody,
            everybody,
            sample.missing.mean(axis=0),
            shares,
            options,
            strengths[name],
        )
        features.append(
            Feature(
                name,
                codecs[name],
                column.kind,
                column.reason,
                tuple(cells),
                anywhere,
                column.lattice,
                strengths[name],
            )
        )
    return Plan(groups=groups, strata=strata, features=tuple(features), options=options)


def cells_of(
    laid: Sequence[Drawn], sample: Sample, shares: Floats, options: Options, strength: float
) -> list[Cell]:
    """Design the cells of one feature, one a stratum, with a shrinkage that is known."""
    return [
        _cell(layout, points, row, missing, shares, options, strength)
        for (layout, points), row, missing in zip(laid, sample.points, sample.missing, strict=True)
    ]


def _cell(
    layout: Layout,
    points: Sequence[Points],
    row: Sequence[Points],
    missing: Floats,
    shares: Floats,
    options: Options,
    strength: float,
) -> Cell:
    cell = design_cell(layout, points, row, shares, options, strength)
    if options.solver == "sinkhorn":
        from fairmend.research.entropic import entropic

        cell = entropic(cell, shares, options.regularisation)
    if options.missing == "keep":
        return cell
    return replace(cell, missing=np.append(missing, shares @ missing))


def _strengths(
    columns: Mapping[str, Column], laid: Mapping[str, list[Drawn]], options: Options
) -> dict[str, float]:
    """Give each feature its shrinkage: one for all ordered columns, one for all categories.

    They lean on different things, the stratum's shape and the other strata, so what suits one says
    nothing about the other.
    """
    if options.small.shrinkage != "auto":
        return dict.fromkeys(columns, float(options.small.shrinkage))
    chosen = {}
    for categorical in (False, True):
        names = [n for n, c in columns.items() if (c.kind == "categorical") == categorical]
        strength = choose_strength([cell for name in names for cell in laid[name]])
        chosen.update(dict.fromkeys(names, strength))
    return {name: chosen[name] for name in columns}
