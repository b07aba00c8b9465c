"""Dependence with its null: how much there is, whether it is detectable, and whether it matters."""

import math
from collections.abc import Mapping
from typing import get_args

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
    require_rows,
)
from fairmend.measures.holm import holm
from fairmend.measures.inference.assemble import Stated, feature_result
from fairmend.measures.inference.comparable import Comparable, Rows
from fairmend.measures.inference.results import Examination
from fairmend.measures.inference.verdict import Measure
from fairmend.transport.kinds import Kind

FEWEST_DRAWS = 499


def examine(
    values: Table | Column | Mapping[str, Floats],
    groups: Column | Labels,
    strata: Column | Labels | None = None,
    *,
    kinds: Mapping[str, Kind] | None = None,
    atoms: Mapping[str, Floats] | None = None,
    weights: Column | None = None,
    tolerances: Mapping[Measure, float] | None = None,
    draws: int | None = None,
    alpha: float = 0.05,
    seed: int = 0,
) -> Examination:
    """Estimate how much features depend on the group given the stratum, and what chance would give.

    Parameters
    ----------
    values : array-like of shape (n,), table, or dict of str to ndarray
        A feature, or several.
    groups, strata : array-like of shape (n,) or Labels
        S and U. Rows whose label is missing (code -1) are left out and counted.
    kinds : dict of str to str, optional
        How the law of a feature is estimated, see :func:`fairmend.dependence`; found from the
        values where it is not given. Pass the plan's to compare before with after: a repaired
        continuous column lies on support points and would be taken for a discrete one.
    atoms : dict of str to ndarray, optional
        For features of kind ``"mixed"``, the sorted values with mass of their own; found from the
        values where they are not given.
    weights : array-like of shape (n,), optional
        Sample weights of at least 0. A group then counts as its effective number of rows (Kish).
    tolerances : dict of str to float, optional
        For ``"e"`` and ``"tv"``; the defaults are in
        :data:`fairmend.measures.inference.verdict.TOLERANCES`.
    draws : int, optional
        Permutations, and as many drawn samples. By default 499, and for the test of cells with
        p-values up to 0.02 as many permutations as Holm's correction needs to find anything in so
        many cells.
    alpha : float
        Of the family of all cells.
    seed : int
        Of permutations and drawn samples: the same seed gives the same numbers, for each feature
        and stratum whatever the others. It protects nothing.

    Returns
    -------
    Examination
        By feature, stratum and pair of groups; see
        :mod:`fairmend.measures.inference.results`.

    Notes
    -----
    *Three questions, kept apart.* How much is there: ``value`` with ``low`` and ``high``. Could it
    be chance: ``p``, and ``floor``, which ``raw`` is to be compared with. Does it matter: the
    verdict, which compares the interval with a tolerance. With enough rows any dependence is
    detectable and most of it does not matter.

    *What is estimated.* The laws' own E, total variation and Kolmogorov-Smirnov: E here is the same
    quantity as :func:`fairmend.dependence` estimates, but its smoothing is extrapolated to none and
    what chance adds is taken off. So the two differ, and ``dependence`` is the larger one where
    there is little.

    *How.* A stratum's rows are counted once; atoms are counted one by one, all else in up to 256
    bins (see :func:`fairmend.measures.inference.tables.count`). Permuted tables are drawn from the
    law with both margins fixed, which is what permuting rows gives: tests are exact at any size.
    Intervals come from drawn samples and are approximate.

    *Limits.* Where laws hardly overlap (E beyond 2 or 3) any estimate of E is an order of
    magnitude. Where one law's tails are much wider than the other's, E is underestimated by up to
    its interval in samples of a few hundred. A difference on a scale finer than the bandwidth in a
    continuous column is smoothed away: the leak test sees it.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> group = np.repeat(["f", "m"], 2_000)
    >>> score = rng.normal(np.where(group == "m", 1.0, 0.0))  # E is 0.5
    >>> found = examine(score, group).features["values"]
    >>> found.detectable, found.verdicts["e"].words
    (True, 'above tolerance')
    >>> found.total.e.low < 0.5 < found.total.e.high
    True
    >>> by_chance = examine(score, rng.permutation(group)).features["values"]
    >>> by_chance.detectable, by_chance.verdicts["e"].words
    (False, 'within tolerance')
    """
    table = dict(values) if isinstance(values, Mapping) else features(values)
    kinds, atoms = kinds or {}, atoms or {}
    group, stratum, weight = _roles(table, groups, strata, weights)
    _require_options(kinds, alpha, draws)
    rows = Rows.of(group, stratum, weight)
    found = [
        Comparable.of(name, column, rows, kinds.get(name), atoms.get(name))
        for name, column in table.items()
    ]
    n_cells = sum(len(one.parts) for one in found)
    draws, further = draws_for(n_cells, alpha, draws)
    cells = [one.measured(draws, seed, further) for one in found]
    adjusted = iter(holm(np.array([cell.p for one in cells for cell in one])).tolist())
    stated = Stated(alpha, tolerances or {})
    results = {
        one.name: feature_result(
            one, its_cells, [next(adjusted) for _ in its_cells], (group, stratum), stated
        )
        for one, its_cells in zip(found, cells, strict=True)
    }
    return Examination(results, draws, seed, alpha)


def draws_for(n_cells: int, alpha: float, asked: int | None) -> tuple[int, int | None]:
    """Count the draws of every cell, and the permutations of those that these find sure.

    The smallest p-value of few draws is too large to stay below the level once Holm has multiplied
    it by the number of cells; but hardly any cell needs to be known so well.
    """
    if asked is not None:
        return asked, None
    most = math.ceil(2 * n_cells / alpha) - 1
    return FEWEST_DRAWS, most if most > FEWEST_DRAWS else None


def _roles(
    table: Mapping[str, Floats],
    groups: Column | Labels,
    strata: Column | Labels | None,
    weights: Column | None,
) -> tuple[Labels, Labels, Floats | None]:
    if not table:
        raise faults.no_features()
    group = groups if isinstance(groups, Labels) else labels(groups, "groups")
    n = {name: column.size for name, column in table.items()} | {"groups": group.codes.size}
    stratum = one_stratum(group.codes.size)
    if strata is not None:
        stratum = strata if isinstance(strata, Labels) else labels(strata, "strata")
        n["strata"] = stratum.codes.size
    weight = None if weights is None else numbers(weights, "weights")
    if weight is not None:
        n["weights"] = weight.size
        strange, negative = int((~np.isfinite(weight)).sum()), int((weight < 0).sum())
        if strange or negative:
            raise faults.bad_weights(strange, negative)
    require_rows(n)
    require_finite(dict(table))
    if len(group.levels) < 2:
        raise faults.too_few_groups(group.levels)
    return group, stratum, weight


def _require_options(kinds: Mapping[str, Kind], alpha: float, draws: int | None) -> None:
    for kind in kinds.values():
        if kind not in get_args(Kind):
            option = "kinds"
            raise OptionError.not_one_of(option, kind, get_args(Kind))
    ranges = {"alpha": (alpha, 0.001, 0.5), "draws": (draws, 19, 1_000_000)}
    for option, (value, low, high) in ranges.items():
        if value is not None and not low <= value <= high:
            raise OptionError.not_in_range(option, value, low, high)
