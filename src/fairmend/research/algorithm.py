"""Algorithm 1: design a plan from the research data."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple, get_args

from fairmend.errors import CellError, ColumnError, DataError, SummaryError
from fairmend.frames.bins import BinSpec
from fairmend.frames.codec import Codec
from fairmend.frames.levels import Factor, Level
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
from fairmend.research.columns import Given, Kinds, checked_kinds, column_of
from fairmend.research.constraints import Constraints, listed
from fairmend.research.reading import NAME, is_stream, summarise
from fairmend.research.roles import Names
from fairmend.summaries.counted import Counted
from fairmend.summaries.summary import Summary
from fairmend.transport.kinds import Kind, NumericKind
from fairmend.transport.layout import Column, Resolution
from fairmend.transport.support import Floats


def design(
    research: Any,
    *,
    protected: Names = None,
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
    joint: Literal["sequential"] | None = None,
    constraints: Constraints = (),
) -> Plan:
    """Design a plan from the research data (Algorithm 1).

    Parameters
    ----------
    research : table, Arrow stream, iterable of tables, Summary or list of Summary
        Rows that carry the protected attribute: a pandas, polars or pyarrow table; anything of any
        size that :func:`fairmend.summarise` reads in one pass; or summaries of it, which say
        themselves which columns have which role.
    protected : str or list of str
        The attribute S. Several columns are crossed into groups.
    unprotected : str, list of str or None
        The attribute U. Features are repaired within each of its levels; None is one stratum.
    features : list of str, optional
        Columns to repair. By default every column that is neither a role nor in ``exclude``.
    exclude : list of str
        Columns to leave alone.
    kinds : dict
        Overrides the kind found from the data: ``"continuous"``, ``"discrete"`` or ``"mixed"`` for
        numbers and times, ``"categorical"`` or ``"ordinal"`` for any column, or the list of a
        column's levels in order. Of summaries, only the kinds of numbers and times.
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
    joint : {"sequential"}, optional
        Repair each feature with regard to those repaired before it, so that what several features
        tell together is repaired too. Needs the research rows in one table, and enough of them:
        where held-out rows say that features are better repaired each by itself, they are. The
        plan's ``held_out`` says what was found.
    constraints : list of dict, or "unseen-pairs", optional
        Combinations of features' values that a joint repair must not produce, such as
        ``{"relationship": "Husband", "marital-status": ["Never-married", "Divorced"]}`` or
        ``{"age": {"below": 18}, "workclass": "Without-pay"}``. A value is one, a list, or a range
        with one or both of the ends ``"from"`` or ``"above"`` and ``"to"`` or ``"below"``.
        ``"unseen-pairs"``, alone or in the list, stands for all pairs of values that no research
        row has, see :func:`fairmend.unseen_pairs`. Rows that come with such a combination are
        repaired like all others, and leave without it; missing values are part of none. What a
        policy or an ``amount`` below 1 leaves as it is, stays. The summary of a repair counts, at
        the last feature of the combination, the rows that came with one (``forbidden_before``) and
        that have one afterwards (``forbidden_left``).

    Returns
    -------
    Plan

    Notes
    -----
    Missing feature values are left out of the marginals. A feature that is constant is repaired as
    itself. All that is used of the research data is its :class:`fairmend.summaries.Summary`: how
    many rows of each group and stratum have each value. A feature with more than 262,144 values is
    rounded where it has most, to a small share of the value and of every bandwidth.

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
        joint=joint,
        constraints=listed(constraints),
    )
    if joint is not None:
        refuse_without_rows(research)
    summary = summary_of(
        research,
        protected=protected,
        unprotected=unprotected,
        features=features,
        exclude=exclude,
        kinds=kinds,
        unprotected_bins=unprotected_bins,
        sample_weight=sample_weight,
    )
    if joint is None:
        return design_from(summary, options)
    from fairmend.research.joint import joined

    return joined(research, prepared(summary, options), options, sample_weight)


class Prepared(NamedTuple):
    """Counts, ready for a design: what is found once from all research data.

    Attributes
    ----------
    groups, strata : Factor
        S and U.
    columns : dict of str to Column
        What kind of column each feature is.
    codecs : dict of str to Codec
        How each is written as numbers.
    samples : dict of str to Sample
        The counts.
    shares : ndarray of shape (groups,)
        Weights of the groups in the target.
    """

    groups: Factor
    strata: Factor
    columns: dict[str, Column]
    codecs: dict[str, Codec]
    samples: dict[str, Sample]
    shares: Floats


def design_from(summary: Summary, options: Options) -> Plan:
    """Design a plan from counts alone; kinds that were asked for are in the summary."""
    return assemble(*prepared(summary, options), options)


def prepared(summary: Summary, options: Options) -> Prepared:
    """Find kinds and atoms, and refuse what no plan can be designed from."""
    groups, strata = summary.groups, summary.strata
    if len(groups) < 2:
        raise CellError.one_group(groups.label(0))
    if summary.weight is not None and not summary.weights.sum() > 0:
        raise DataError.bad_weights(summary.weight, 0)
    features = {feature.name: feature.used() for feature in summary.features}
    codecs = {name: _codec(feature) for name, feature in features.items()}
    samples = {name: Sample.of(f.tally, summary.weights) for name, f in features.items()}
    refuse_small(samples, groups, strata, options)
    columns = {
        name: column_of(
            features[name],
            codecs[name],
            sample,
            Given(features[name].kind, options.output, options.small.min_atom_rows),
        )
        for name, sample in samples.items()
    }
    shares = options.weights(groups, summary.weights.sum(axis=0))
    return Prepared(groups, strata, columns, codecs, samples, shares)


def summary_of(research: Any, *, kinds: Kinds | None, **roles: Any) -> Summary:
    """Count rows, or add up summaries, of which nothing can be asked that only rows know."""
    if isinstance(research, Summary):
        research = [research]
    if not isinstance(research, list | tuple) or not any(
        isinstance(part, Summary) for part in research
    ):
        return summarise(research, kinds=kinds, **roles)
    if not all(isinstance(part, Summary) for part in research):
        raise SummaryError.mixed()
    given = [name for name, value in roles.items() if value is not None and len(value)]
    if given:
        raise SummaryError.decided(given)
    summary = Summary.together(research)
    checked = checked_kinds(kinds, summary.feature_names)
    return replace(
        summary,
        features=tuple(_of_kind(one, checked.get(one.name)) for one in summary.features),
    )


def refuse_without_rows(research: Any) -> None:
    """Raise for research data that does not show which values are one row's."""
    summaries = isinstance(research, Summary | list | tuple)
    if summaries or is_stream(research):
        raise SummaryError.no_rows("summaries" if summaries else "a stream, read once,")


def _of_kind(feature: Counted, kind: Kind | Sequence[Level] | None) -> Counted:
    if kind is None or kind == feature.kind:
        return feature
    number = feature.codec is not None and feature.codec.type != "category"
    if not isinstance(kind, str) or kind not in get_args(NumericKind) or not number:
        raise SummaryError.decided([f"kinds[{feature.name!r}]"])
    return replace(feature, kind=kind)  # type: ignore[arg-type]


def _codec(feature: Counted) -> Codec:
    if feature.codec is None:
        raise ColumnError.unsupported(NAME, feature.name, feature.dtype)
    return feature.codec
