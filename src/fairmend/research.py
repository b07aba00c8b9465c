"""Algorithm 1: design a plan from the research data."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from fairmend.errors import CellError, ColumnError, DataError, FairmendError, OptionError
from fairmend.frames.levels import Factor
from fairmend.frames.table import Frame
from fairmend.plan.feature import Feature
from fairmend.plan.options import Options, OutOfRange, Output, Policies, Unseen
from fairmend.plan.plan import Plan
from fairmend.transport.cell import Column, Resolution, design_cell
from fairmend.transport.kinds import Kind, atoms_of, kind_of, lattice_step
from fairmend.transport.support import Floats

Names = str | Sequence[str] | None


def design(
    research: Any,
    *,
    protected: str | Sequence[str],
    unprotected: Names = None,
    features: Names = None,
    exclude: str | Sequence[str] = (),
    kinds: Mapping[str, Kind] | None = None,
    n_support: int | None = None,
    margin: float = 0.1,
    bandwidth: str | float = "silverman",
    output: Output = "support",
    t: float = 0.5,
    target_weights: Mapping[str, float] | Sequence[float] | None = None,
    unseen: Unseen = "raise",
    out_of_range: OutOfRange = "clip",
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
    kinds : dict of str to {"continuous", "discrete", "mixed"}
        Overrides the kind found from the data.
    n_support : int, optional
        Points of a continuous support, n_Q. By default two points in the smallest bandwidth,
        between 100 and 2,000. Discrete columns have their values as support.
    margin : float
        Share of the research range by which a continuous support is widened at each end;
        0 is the paper's Algorithm 1.
    bandwidth : {"silverman", "scott"} or float
        Rule for the kernels' width, scaled by the data, or the width itself.
    output : {"support", "monge"}
        Where continuous values go: to a drawn support point (Algorithm 2), or along the
        deterministic monotone map. The map is refused for columns with atoms or a lattice, where
        it would give each group values of its own.
    t : float
        Weight in the target of the second of two groups, in sorted order.
    target_weights : dict or list of float, optional
        Weights of more groups; equal by default.
    unseen, out_of_range : str
        Default policies of :meth:`Plan.repair`.

    Returns
    -------
    Plan

    Notes
    -----
    Missing feature values are left out of the design. Every group needs at least two values in
    every stratum and feature. A feature that is constant is repaired as itself.

    Examples
    --------
    >>> import fairmend
    >>> adult = fairmend.datasets.adult(complete=True)
    >>> plan = fairmend.design(adult, protected="sex", unprotected="college",
    ...                        features=["age", "hours-per-week"])
    >>> [(feature.name, feature.kind) for feature in plan.features]
    [('age', 'discrete'), ('hours-per-week', 'discrete')]

    A name that is not there is answered with the nearest one that is:

    >>> fairmend.design(adult, protected="Sex", features=["age"])
    Traceback (most recent call last):
        ...
    fairmend.errors.ColumnError: The research data has no column 'Sex', named by protected=. ...
    """
    frame = Frame(research, "research data")
    options = Options(
        resolution=Resolution(n_support, margin, bandwidth),
        t=t,
        target_weights=target_weights,
        output=output,
        policies=Policies(unseen, out_of_range),
    )
    groups_of, strata_of = _names(protected), _names(unprotected)
    if not groups_of:
        message = "protected= names no column. Name the column of the protected attribute."
        raise OptionError(message)
    wanted = _features(frame, groups_of, strata_of, features, _names(exclude))
    kinds = _checked_kinds(kinds or {}, wanted)
    if len(frame) == 0:
        raise DataError.empty(frame.name)
    encoded = frame.encoded_without_missing([*groups_of, *strata_of])
    groups = Factor.of(groups_of, encoded[: len(groups_of)])
    strata = Factor.of(strata_of, encoded[len(groups_of) :])
    if len(groups) < 2:
        message = (
            f"The research data has one group only, {groups.label(0)}. A repair needs at least two "
            f"groups to bring together."
        )
        raise CellError(message)
    weights = options.weights(groups)
    values = frame.finite_numbers(wanted)
    cell_of_row = strata.encode(encoded[len(groups_of) :], len(frame)) * len(
        groups
    ) + groups.encode(encoded[: len(groups_of)], len(frame))
    by_cell = {
        name: _by_cell(x, cell_of_row, len(groups) * len(strata)) for name, x in values.items()
    }
    _refuse_small(by_cell, groups, strata)
    designed = []
    for name in wanted:
        column = _column(name, values[name], kinds.get(name), output)
        parts = by_cell[name]
        cells = [
            design_cell(column, parts[at : at + len(groups)], weights, options.resolution)
            for at in range(0, len(parts), len(groups))
        ]
        designed.append(Feature(name, column.kind, column.reason, tuple(cells)))
    return Plan(groups=groups, strata=strata, features=tuple(designed), options=options)


def _names(given: Names) -> tuple[str, ...]:
    if given is None:
        return ()
    return (given,) if isinstance(given, str) or not isinstance(given, Iterable) else tuple(given)


def _features(
    frame: Frame,
    protected: Sequence[str],
    unprotected: Sequence[str],
    features: Names,
    exclude: Sequence[str],
) -> tuple[str, ...]:
    """Resolve the features, and check that all names are there and have one role each."""
    frame.require(protected, "protected")
    frame.require(unprotected, "unprotected")
    frame.require(exclude, "exclude")
    roles = (*protected, *unprotected)
    if features is None:
        wanted = tuple(c for c in frame.columns if c not in roles and c not in exclude)
    else:
        wanted = _names(features)
        frame.require(wanted, "features")
    named = {"protected": protected, "unprotected": unprotected, "features": wanted}
    for name in (*roles, *wanted):
        having = [role for role, names in named.items() for n in names if n == name]
        if len(having) > 1:
            raise ColumnError.two_roles(name, having)
    not_text = [name for name in (*roles, *wanted) if not isinstance(name, str)]
    if not_text:
        raise ColumnError.not_text(frame.name, not_text)
    if not wanted:
        message = "No feature is left to repair. Name them in features=, or exclude fewer columns."
        raise FairmendError(message)
    return wanted


def _checked_kinds(kinds: Mapping[str, Kind], features: Sequence[str]) -> Mapping[str, Kind]:
    for name, kind in kinds.items():
        if name not in features:
            message = (
                f"kinds= names {name!r}, which is not a feature. The features are {list(features)}."
            )
            raise OptionError(message)
        if kind not in get_args(Kind):
            option = f"kinds[{name!r}]"
            raise OptionError.not_one_of(option, kind, get_args(Kind))
    return kinds


def _by_cell(values: Floats, cell: NDArray[np.int64], n_cells: int) -> list[Floats]:
    """Part a feature's values by stratum and group, missing values left out."""
    order = np.argsort(cell, kind="stable")
    parts = np.split(values[order], np.searchsorted(cell[order], np.arange(1, n_cells)))
    return [part[~np.isnan(part)] for part in parts]


def _refuse_small(by_cell: Mapping[str, list[Floats]], groups: Factor, strata: Factor) -> None:
    small = [
        (name, strata.label(at // len(groups)), groups.label(at % len(groups)), part.size)
        for name, parts in by_cell.items()
        for at, part in enumerate(parts)
        if part.size < 2
    ]
    if small:
        raise CellError.too_small(small)


def _column(name: str, values: Floats, kind: Kind | None, output: Output) -> Column:
    known = values[~np.isnan(values)]
    found, reason = kind_of(known) if kind is None else (kind, "given by kinds=")
    lattice = 0.0 if found == "discrete" else lattice_step(known)
    if output == "monge" and (found != "continuous" or lattice):
        what = f"is {found}" if found != "continuous" else f"comes in steps of {lattice:g}"
        message = (
            f"output='monge' would leak the groups of {name!r}, which {what}: each group's values "
            f"would move to places of their own. Use output='support', or name only continuous "
            f"features."
        )
        raise OptionError(message)
    return Column(found, reason, atoms_of(known, found), lattice)
