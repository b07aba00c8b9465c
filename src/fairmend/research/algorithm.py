"""Algorithm 1: design a plan from the research data."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from fairmend.errors import CellError, DataError
from fairmend.frames.bins import Bins, BinSpec
from fairmend.frames.codec import Codec
from fairmend.frames.levels import Factor
from fairmend.frames.roles import encoded_roles, numbered
from fairmend.frames.table import Frame
from fairmend.kernel.move import Output
from fairmend.plan.options import (
    Missing,
    Options,
    OutOfRange,
    Policies,
    SmallCells,
    SmallGroups,
    Unseen,
)
from fairmend.plan.plan import Plan
from fairmend.research.assemble import assemble
from fairmend.research.cells import Sample, refuse_small
from fairmend.research.columns import Given, Kinds, checked_kinds, codec_of, column_of
from fairmend.research.roles import Names, Roles
from fairmend.transport.layout import Resolution
from fairmend.transport.points import Points
from fairmend.transport.support import Floats


def design(
    research: Any,
    *,
    protected: str | Sequence[str],
    unprotected: Names = None,
    features: Names = None,
    exclude: str | Sequence[str] = (),
    kinds: Kinds | None = None,
    unprotected_bins: Mapping[str, BinSpec] | None = None,
    sample_weight: str | None = None,
    n_support: int | None = None,
    margin: float = 0.1,
    bandwidth: str | float = "silverman",
    output: Output = "support",
    t: float = 0.5,
    target_weights: Mapping[str, float] | Sequence[float] | str | None = None,
    amount: float = 1.0,
    missing: Missing = "keep",
    unseen: Unseen = "raise",
    out_of_range: OutOfRange = "clip",
    min_group_size: int = 2,
    small_groups: SmallGroups = "raise",
    shrinkage: str | float = "auto",
    min_atom_rows: int = 1,
    solver: Literal["exact", "sinkhorn"] = "exact",
    regularisation: float = 0.05,
) -> Plan:
    """Design a plan from the research data (Algorithm 1).

    Parameters
    ----------
    research : pandas, polars or pyarrow table
        Rows that carry the protected attribute.
    protected : str or list of str
        S. Several columns are crossed into groups.
    unprotected : str, list of str or None
        U. Features are repaired within each of its levels; None is one stratum.
    features : list of str, optional
        Columns to repair. By default every column that is neither a role nor in ``exclude``.
    exclude : list of str
        Columns to leave alone.
    kinds : dict
        Overrides the kind found from the data: ``"continuous"``, ``"discrete"`` or ``"mixed"`` for
        numbers and times, ``"categorical"`` or ``"ordinal"`` for any column, or the list of a
        column's levels in order.
    unprotected_bins : dict
        Cuts numeric unprotected columns into strata: a number of quantile bins, a list of cut
        points, or names with bounds like ``{"young": (None, 30), "old": (30, None)}``.
    sample_weight : str, optional
        Column of weights of the research rows.
    n_support : int, optional
        Points of a continuous support, n_Q. By default two points in the smallest bandwidth,
        between 100 and 2,000. Discrete columns have their values as support.
    margin : float
        Share of the research range by which a continuous support is widened at each end;
        0 is the paper's Algorithm 1.
    bandwidth : {"silverman", "scott", "isj"} or float
        Rule for the kernels' width, scaled by the data, or the width itself.
    output : {"support", "dithered", "monge"}
        Where continuous values go: to a drawn support point (Algorithm 2); spread evenly over that
        point's grid cell, so that they do not look quantised; or along the deterministic monotone
        map. The map is refused for columns with atoms or a lattice, where it would give each group
        values of its own.
    t : float
        Weight in the target of the second of two groups, in sorted order.
    target_weights : dict, list of float, "equal" or "size", optional
        Weights of the groups in the target; equal by default.
    amount : float
        Share of the full repair, see :meth:`Plan.with_amount`.
    missing : {"keep", "state"}
        Whether missing values stay missing, or are a state that is repaired too: where missing
        itself depends on the group, some values are emptied and some filled by draws.
    unseen, out_of_range : str
        Default policies of :meth:`Plan.repair`.
    min_group_size : int
        Research rows below which a group of a cell is small.
    small_groups : {"raise", "pool", "shrink"}
        What to do with small groups: stop; learn them from their rows in all strata; or mix them
        with their stratum's law, which then weighs as much as ``min_group_size`` rows.
    shrinkage : "auto" or float
        Pseudo-rows of the stratum's shared shape, moved to where the group lies, that each group's
        marginal is mixed with. ``"auto"`` chooses by cross-validation, once for the table.
    min_atom_rows : int
        Values with fewer research rows are not named in the plan.
    solver : {"exact", "sinkhorn"}
        Exact couplings in closed form, or entropic ones by POT (extra ``ot``), which blur.
    regularisation : float
        Strength of the entropic blur, in units of the stratum's variance.

    Returns
    -------
    Plan

    Notes
    -----
    Missing feature values are left out of the marginals. A feature that is constant is repaired as
    itself.

    Examples
    --------
    >>> import fairmend
    >>> adult = fairmend.datasets.adult(complete=True)
    >>> plan = fairmend.design(adult, protected="sex", unprotected="college",
    ...                        features=["age", "workclass"])
    >>> [(feature.name, feature.kind) for feature in plan.features]
    [('age', 'discrete'), ('workclass', 'categorical')]

    A name that is not there is answered with the nearest one that is:

    >>> fairmend.design(adult, protected="Sex", features=["age"])
    Traceback (most recent call last):
        ...
    fairmend.errors.ColumnError: The research data has no column 'Sex', named by protected=. ...
    """
    frame = Frame(research, "research data")
    options = Options(
        resolution=Resolution(n_support, margin, bandwidth),
        small=SmallCells(min_group_size, small_groups, shrinkage, min_atom_rows),
        policies=Policies(unseen, out_of_range),
        t=t,
        target_weights=target_weights,
        output=output,
        amount=amount,
        missing=missing,
        solver=solver,
        regularisation=regularisation,
    )
    roles = Roles.of(
        frame,
        protected=protected,
        unprotected=unprotected,
        features=features,
        exclude=exclude,
        weight=sample_weight,
    )
    kinds = checked_kinds(kinds, roles.features)
    if len(frame) == 0:
        raise DataError.empty(frame.name)
    frame.refuse_missing((*roles.protected, *roles.unprotected))
    groups = _factor(frame, roles.protected, {})
    strata = _factor(frame, roles.unprotected, unprotected_bins or {})
    if len(groups) < 2:
        raise CellError.one_group(groups.label(0))
    codecs = {name: codec_of(frame, name, kinds.get(name)) for name in roles.features}
    values = frame.finite_numbers(codecs)
    weights = _row_weights(frame, roles.weight)
    cell = numbered(frame, strata) * len(groups) + numbered(frame, groups)
    shape = (len(strata), len(groups))
    samples = {name: Sample.of(x, weights, cell, shape) for name, x in values.items()}
    refuse_small(samples, groups, strata, options)
    columns = {
        name: column_of(
            name,
            frame,
            codecs[name],
            Points.together(sample.everybody()),
            Given(kinds.get(name), output, min_atom_rows),
        )
        for name, sample in samples.items()
    }
    sizes = np.bincount(cell % len(groups), weights, len(groups)).astype(np.float64)
    shares = options.weights(groups, sizes)
    return assemble(groups, strata, columns, codecs, samples, shares, options)


def _factor(frame: Frame, columns: Sequence[str], specs: Mapping[str, BinSpec]) -> Factor:
    for name in specs:
        if name not in columns:
            message = f"unprotected_bins= names {name!r}, which is not in unprotected=."
            raise DataError(message)
    bins = {
        name: Bins.of(name, spec, frame.finite_numbers({name: Codec("number")})[name])
        for name, spec in specs.items()
    }
    return Factor.of(columns, encoded_roles(frame, columns, bins), bins)


def _row_weights(frame: Frame, name: str | None) -> Floats | None:
    """Read the sample weights, which must be finite, known and not negative."""
    if name is None:
        return None
    weights = frame.finite_numbers({name: Codec("number")})[name]
    bad = int((~(weights >= 0)).sum())
    if bad or not weights.sum() > 0:
        raise DataError.bad_weights(name, bad)
    return weights
