"""Dependence E: how far the groups' laws of a feature are apart, given the stratum."""

from collections.abc import Sequence
from itertools import combinations
from typing import Any, Literal, NamedTuple, get_args, overload

import numpy as np

from fairmend.errors import OptionError
from fairmend.measures import faults
from fairmend.measures.arrays import (
    Column,
    Floats,
    Labels,
    Table,
    features,
    labels,
    numbers,
    one_stratum,
    require_finite,
    require_labels,
    require_rows,
)
from fairmend.measures.cells import Cells
from fairmend.measures.divergence import divergence
from fairmend.measures.paper_scale import paper_divergence
from fairmend.measures.sample import Sample
from fairmend.transport.kinds import Kind, atoms_of, kind_of
from fairmend.transport.points import Points

Scale = Literal["nats", "paper"]
By = Literal["feature", "stratum", "pair"]
GRID = 100


@overload
def dependence(
    values: Table | Column,
    groups: Column,
    strata: Column | None = None,
    *,
    scale: Scale = "nats",
    by: None = None,
    kind: Kind | Literal["auto"] = "auto",
    grid: int | None = None,
    weights: Column | None = None,
) -> float: ...
@overload
def dependence(
    values: Table | Column,
    groups: Column,
    strata: Column | None = None,
    *,
    scale: Scale = "nats",
    by: Literal["feature"],
    kind: Kind | Literal["auto"] = "auto",
    grid: int | None = None,
    weights: Column | None = None,
) -> dict[str, float]: ...
@overload
def dependence(
    values: Table | Column,
    groups: Column,
    strata: Column | None = None,
    *,
    scale: Scale = "nats",
    by: Literal["stratum", "pair"],
    kind: Kind | Literal["auto"] = "auto",
    grid: int | None = None,
    weights: Column | None = None,
) -> dict[Any, float]: ...
def dependence(
    values: Table | Column,
    groups: Column,
    strata: Column | None = None,
    *,
    scale: Scale = "nats",
    by: By | None = None,
    kind: Kind | Literal["auto"] = "auto",
    grid: int | None = None,
    weights: Column | None = None,
) -> float | dict[str, float] | dict[Any, float]:
    """Measure how much a feature depends on the group, given the stratum (Equation hat-kld-u).

    E is the symmetrised Kullback-Leibler divergence between the groups' laws within a stratum,
    averaged over strata by their shares Pr[u]. It is 0 exactly where the laws agree.

    Parameters
    ----------
    values : array-like of shape (n,) or table
        A feature, or a table of features: a 2-D NumPy array, or anything narwhals reads eagerly
        (pandas, Polars, PyArrow, …).
    groups : array-like of shape (n,)
        The protected attribute: labels of any one type, at least 2 of them.
    strata : array-like of shape (n,), optional
        The unprotected attribute; without it all rows are one stratum.
    scale : {"nats", "paper"}
        ``"paper"`` gives the scale of the paper's tables, which is not nats: a sum over ``grid``
        points without the grid's step. It depends on the units; see Notes.
    by : {"feature", "stratum", "pair"}, optional
        What to keep apart: ``{feature: E}``, ``{stratum: E_u}`` or ``{(group, group): E}``. For a
        table the last two are means over its features.
    kind : {"auto", "continuous", "discrete", "mixed"}
        The law to estimate, for every feature: a density, a probability mass, or masses at the
        values seen three times or more and a density elsewhere. ``"auto"`` tells it from repeats
        (:func:`fairmend.transport.kinds.kind_of`), for each feature from all its rows. To compare a
        feature before and after a repair, set it: a repair puts continuous values on support
        points, where they repeat.
    grid : int, optional
        Number of grid points for ``scale="paper"``: 100 (the default) for the paper's simulation,
        500 for its Adult table. In nats it is not used.
    weights : array-like of shape (n,), optional
        Sample weights of at least 0; a row of weight 0 is left out. Only in nats.

    Returns
    -------
    float or dict
        Nats, at least 0 and finite, the mean over features; or a dict, see ``by``. Without
        ``strata`` the one key of ``by="stratum"`` is None.

    Raises
    ------
    FairmendError
        If arguments differ in length, labels are missing, values are infinite or no numbers, there
        is one group only, or a group has fewer than 2 values in a stratum.

    See Also
    --------
    fairmend.measures.damage.damage : What the removal of dependence cost.

    Notes
    -----
    *E is not 0 on independent samples*: two samples of one law differ by chance, and the smaller
    they are, the more. Compare with the E of the same values after permuting the groups within
    strata.

    More than two groups: E is the mean over all pairs, each estimated as if the two were alone.

    Missing values (NaN, null) are left out of their feature, and Pr[u] is the share of the rows
    that have the value. A missing label is an error.

    Continuous values get a Gaussian kernel density for each group, with *one* bandwidth for the two
    groups compared, the geometric mean of both by Silverman's rule; a bandwidth each would show
    dependence where there is none. Smoothing by h lowers E: for normals of variance σ² to that of
    variance σ² + h². Where a group has no rows nearby, its density is that of one pseudo-row spread
    as a normal law about its mean, with a spread that covers the most remote value of both groups.
    There is no floor. So groups far apart have a large, finite E, and remote values in heavy tails
    do not run away with it. Two normals that are 1, 5 and 20 standard deviations apart (E is 0.5,
    12.5 and 200) come out at 0.50, 18 and 203 with 2,000 rows each: where laws hardly overlap, E is
    an order of magnitude, too large by up to log n.

    Discrete values get shares; ties are what they are made of. Half a pseudo-row is added to each
    group at every value that either has, so a value that one group lacks is not infinitely telling.
    Many values that rarely repeat leave E a high floor; ``kind="continuous"`` then says more. In
    both cases the pseudo-rows weigh against Kish's effective sample size.

    In nats E does not change when values become a·x + b. On the paper's scale it does: the
    bandwidth there is not scaled by the standard deviation, and the value is about
    ``E·(grid - 1) / range``. Weights and kinds have no part in it.

    Examples
    --------
    >>> import numpy as np
    >>> from fairmend.measures.dependence import dependence
    >>> rng = np.random.default_rng(0)
    >>> group = np.repeat(["f", "m"], 5_000)
    >>> score = rng.normal(np.where(group == "m", 1.0, 0.0))  # E is 0.5
    >>> f"{dependence(score, group):.2f}"
    '0.52'
    >>> f"{dependence(score, rng.permutation(group)):.3f}"  # what chance alone gives
    '0.002'

    One value for each stratum; and the same rows with a group that is in one stratum only:

    >>> stratum = np.tile(["u", "v"], 5_000)
    >>> dependence(score, group, stratum, by="stratum").keys()
    dict_keys(['u', 'v'])
    >>> dependence(score, group, group)
    Traceback (most recent call last):
    fairmend.errors.CellError: No density can be estimated from fewer than 2 values. Too few rows
    with a value: 'values', stratum='f', group='m': 0; 'values', stratum='m', group='f': 0. Add
    rows, pass coarser groups= or strata=, or leave those rows out.
    """
    _require_options(scale, by, kind, weights, grid)
    table = features(values)
    cells = _cells(table, groups, strata, weights)
    found = [_measured(cells, one, scale, kind, grid or GRID) for one in table.values()]
    if by == "feature":
        return {name: one.total for name, one in zip(table, found, strict=True)}
    if by == "stratum":
        return _mean(cells.strata, [one.divergences.mean(axis=1) for one in found])
    if by == "pair":
        pairs = tuple(combinations(cells.groups, 2))
        return _mean(pairs, [one.shares @ one.divergences for one in found])
    return float(np.mean([one.total for one in found]))


class _Measured(NamedTuple):
    """One feature: E_u for each stratum and pair of groups, and the strata's shares Pr[u]."""

    divergences: Floats
    shares: Floats

    @property
    def total(self) -> float:
        return float(self.shares @ self.divergences.mean(axis=1))


def _require_options(
    scale: object, by: object, kind: object, weights: object, grid: int | None
) -> None:
    allowed: dict[str, tuple[object, tuple[object, ...]]] = {
        "scale": (scale, ("nats", "paper")),
        "by": (by, (None, "feature", "stratum", "pair")),
        "kind": (kind, ("auto", *get_args(Kind))),
    }
    for name, (value, choices) in allowed.items():
        if value not in choices:
            raise OptionError.not_one_of(name, value, choices)
    for option, given in {"weights": weights is not None, "kind": kind != "auto"}.items():
        if given and scale == "paper":
            raise faults.only_in_nats(option)
    if grid is not None and grid < 2:
        raise faults.grid_too_small(grid)


def _cells(
    table: dict[str, Floats], groups: Column, strata: Column | None, weights: Column | None
) -> Cells:
    if not table:
        raise faults.no_features()
    roles: dict[str, Labels] = {"groups": labels(groups, "groups")}
    if strata is not None:
        roles["strata"] = labels(strata, "strata")
    weight = None if weights is None else numbers(weights, "weights")
    lengths = {name: one.codes.size for name, one in roles.items()}
    lengths = {"values": next(iter(table.values())).size, **lengths}
    if weight is not None:
        lengths["weights"] = weight.size
    n = require_rows(lengths)
    require_labels(roles)
    require_finite(table)
    if weight is not None:
        _require_weights(weight)
    cells = Cells.of(roles.get("strata", one_stratum(n)), roles["groups"], weight)
    cells.require_pairs(table)
    return cells


def _require_weights(weights: Floats) -> None:
    strange, negative = int((~np.isfinite(weights)).sum()), int((weights < 0).sum())
    if strange or negative:
        raise faults.bad_weights(strange, negative)
    if not weights.any():
        raise faults.no_rows()


def _measured(
    cells: Cells, values: Floats, scale: Scale, kind: Kind | Literal["auto"], grid: int
) -> _Measured:
    samples = cells.samples(values)
    atoms = np.empty(0)
    if kind in ("ordinal", "categorical"):
        kind = "discrete"
    if scale == "nats":
        points = Points.of(np.concatenate([one.values for row in samples for one in row]))
        atoms = atoms_of(points, kind_of(points)[0] if kind == "auto" else kind)

    def of_pair(a: Sample, b: Sample) -> float:
        if scale == "paper":
            return paper_divergence(a.values, b.values, grid)
        return divergence(a, b, atoms)

    found = [[of_pair(a, b) for a, b in combinations(row, 2)] for row in samples]
    mass = np.array([sum(one.mass for one in row) for row in samples])
    return _Measured(np.array(found), mass / mass.sum())


def _mean(keys: Sequence[Any], rows: Sequence[Floats]) -> dict[Any, float]:
    return dict(zip(keys, np.mean(rows, axis=0).tolist(), strict=True))
