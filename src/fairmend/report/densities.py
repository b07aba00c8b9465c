"""How each group is distributed, before and after: one plain dict for the figure and the report."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypedDict, cast

import numpy as np
from numpy.typing import NDArray

from fairmend.errors import FairmendError
from fairmend.frames.codec import UNSEEN_LEVEL
from fairmend.frames.roles import numbered_where_known
from fairmend.frames.table import Frame
from fairmend.measures.dependence import dependence
from fairmend.report.bins import bin_counts, bin_edges, holds_one_value
from fairmend.report.levels import level_bars, level_edges
from fairmend.report.pooling import FEWEST, pool_small
from fairmend.transport.bandwidth import bandwidth_of
from fairmend.transport.marginal import kde_marginal
from fairmend.transport.points import Points

if TYPE_CHECKING:
    from fairmend.plan.feature import Feature
    from fairmend.plan.plan import Plan
    from fairmend.transport.cell import Cell
    from fairmend.transport.kinds import Kind
    from fairmend.transport.support import Floats


class Curve(TypedDict):
    """One group in one panel; ``rows`` and ``share`` are None where it has fewer than 5 rows.

    ``pooled`` lists the (first, end) of bins that do not show their own count.
    """

    group: str
    rows: int | None
    share: list[float] | None
    pooled: list[tuple[int, int]]


class Side(TypedDict):
    """One panel before or after repair; ``dependence`` is E in nats."""

    dependence: float | None
    curves: list[Curve]


class Panel(TypedDict):
    """One feature in one stratum. A curve has a share for each bin between two ``edges``.

    ``single`` says that each bin holds one value, the middle of it. The bars of a category have
    ``levels``; edges are then mere places, and those of times are microseconds, as ``type`` says.
    """

    feature: str
    stratum: str
    kind: str
    type: str
    edges: list[float]
    levels: list[str] | None
    single: bool
    before: Side
    after: Side


class Densities(TypedDict):
    """All panels: features in the plan's order, and within each the strata."""

    protected: list[str]
    unprotected: list[str]
    groups: list[str]
    fewest: int
    panels: list[Panel]


@dataclass(frozen=True)
class _Cells:
    """A plan's groups, and which of its groups and strata each row is in."""

    names: list[str]
    group: NDArray[np.int64]
    stratum: NDArray[np.int64]


def densities(before: Any, after: Any, plan: "Plan") -> Densities:
    """Compute each group's distribution in each feature and stratum, before and after repair.

    Discrete and mixed features are counted into bins, one a value where there are at most 120, so
    that an atom is seen as one. Continuous features are smoothed by a Gaussian kernel with
    Silverman's bandwidth. Categories have a bar for each level, at most 12 with one for the rest.

    Parameters
    ----------
    before : pandas, polars or pyarrow table
        With the plan's protected, unprotected and feature columns.
    after : pandas, polars or pyarrow table
        The repaired rows in the same order; its protected columns are not used and may be left out.
    plan : Plan
        What repaired it.

    Returns
    -------
    dict
        Of strings, numbers and lists only, so that it can be written as JSON: see
        :class:`Densities`.

    Notes
    -----
    The dict tells nobody's value. Counts from 1 to 4 rows of a group are pooled before anything is
    drawn or smoothed (:func:`fairmend.report.pooling.pool_small`), groups of fewer than 5 rows in
    a panel are left out, and the bins follow from the plan: values of the archive beyond them are
    counted in the first and last bin. E is computed from the values themselves, as that of the
    plan's kind both before and after.

    Missing values are left out, and so are rows whose group, stratum or category the plan does not
    know.

    Examples
    --------
    >>> import fairmend
    >>> adult = fairmend.datasets.adult(complete=True)
    >>> plan = fairmend.design(adult, protected="sex", unprotected="college", features="age")
    >>> shown = densities(adult, plan.repair(adult, seed=7), plan)
    >>> panel = shown["panels"][0]
    >>> panel["feature"], panel["stratum"], panel["edges"][:2]
    ('age', 'college=False', [16.5, 17.5])
    >>> [(curve["group"], curve["rows"]) for curve in panel["before"]["curves"]]
    [('Female', 11330), ('Male', 22479)]
    """
    tables = Frame(before, "table before repair"), Frame(after, "table after repair")
    if len(tables[0]) != len(tables[1]):
        message = (
            f"The table before repair has {len(tables[0]):,} rows and the one after repair "
            f"{len(tables[1]):,}. Pass the same rows in the same order."
        )
        raise FairmendError(message)
    cells = _cells(tables[0], plan)
    for table in tables:
        table.require(plan.feature_names, "features of the plan")
    return {
        "protected": list(plan.protected),
        "unprotected": list(plan.unprotected),
        "groups": cells.names,
        "fewest": FEWEST,
        "panels": [
            panel for feature in plan.features for panel in _panels(feature, tables, cells, plan)
        ],
    }


def _cells(frame: Frame, plan: "Plan") -> _Cells:
    frame.require(plan.protected, "protected")
    frame.require(plan.unprotected, "unprotected")
    group, stratum = (numbered_where_known(frame, factor) for factor in (plan.groups, plan.strata))
    names = [", ".join(map(str, levels)) for levels in plan.groups.combinations]
    return _Cells(names, group, stratum)


@dataclass(frozen=True)
class _Axis:
    """The bins of one feature in one stratum, and where each value is put among them."""

    cell: "Cell"
    edges: "Floats"
    levels: list[str] | None = None
    bar_of: NDArray[np.int64] | None = None

    @classmethod
    def of(cls, feature: "Feature", cell: "Cell") -> "_Axis":
        if feature.codec.type != "category":
            return cls(cell, bin_edges(cell))
        names, bar_of = level_bars(feature)
        return cls(cell, level_edges(names), names, bar_of)

    def counts(self, values: "Floats") -> NDArray[np.int64]:
        """Count values into bins."""
        if self.bar_of is not None:
            values = self.bar_of[values.astype(np.intp)].astype(np.float64)
        return bin_counts(values, self.edges)

    @property
    def single(self) -> bool:
        return self.levels is None and holds_one_value(self.cell, self.edges)


def _panels(
    feature: "Feature", tables: tuple[Frame, Frame], cells: _Cells, plan: "Plan"
) -> list[Panel]:
    codec = {feature.name: feature.codec}
    values = [table.finite_numbers(codec)[feature.name] for table in tables]
    panels: list[Panel] = []
    for stratum, cell in enumerate(feature.cells):
        axis = _Axis.of(feature, cell)
        sides = []
        for x in values:
            known = ~np.isnan(x)
            if axis.levels is not None:
                known &= x != UNSEEN_LEVEL
            here = (cells.stratum == stratum) & (cells.group >= 0) & known
            sides.append(_side(x[here], cells.group[here], cells.names, axis))
        panels.append(
            {
                "feature": feature.name,
                "stratum": plan.strata.label(stratum),
                "kind": feature.kind,
                "type": feature.codec.type,
                "edges": axis.edges.tolist(),
                "levels": axis.levels,
                "single": axis.single,
                "before": sides[0],
                "after": sides[1],
            }
        )
    return panels


def _side(values: "Floats", group: NDArray[np.int64], names: list[str], axis: _Axis) -> Side:
    parts = [values[group == code] for code in range(len(names))]
    shown = np.array([part.size >= FEWEST for part in parts])
    many = shown[group]
    # The plan's kind, since a repair puts continuous values on points where they repeat.
    kind = cast("Kind", axis.cell.kind)
    nats = dependence(values[many], group[many], kind=kind) if shown.sum() > 1 else None
    curves = [_curve(name, part, axis) for name, part in zip(names, parts, strict=True)]
    return {"dependence": nats, "curves": curves}


def _curve(name: str, values: "Floats", axis: _Axis) -> Curve:
    if values.size < FEWEST:
        return {"group": name, "rows": None, "share": None, "pooled": []}
    pooled, runs = pool_small(axis.counts(values))
    share = pooled / values.size
    if axis.cell.kind == "continuous" and share.size > 1:
        # The pooled rows are smoothed, not the values: a lone value would show as a hump.
        centres = (axis.edges[:-1] + axis.edges[1:]) / 2
        rows = pooled.astype(np.int64)
        points = Points(centres, rows, rows.astype(np.float64), float(values.size))
        share = kde_marginal(points, centres, bandwidth_of(Points.of(values)))
    return {"group": name, "rows": values.size, "share": share.tolist(), "pooled": runs}
