"""Disparate treatment and impact: how predictions differ between groups, given the stratum."""

from typing import Any

import numpy as np

from fairmend.measures import faults
from fairmend.measures.arrays import (
    Codes,
    Column,
    Floats,
    Labels,
    labels,
    one_stratum,
    require_labels,
    require_rows,
)


def disparate_impact(
    predictions: Column,
    groups: Column,
    strata: Column | None = None,
    *,
    reference: object,
    favourable: object = 1,
) -> dict[Any, float]:
    """Compare the rates of the favourable prediction: DI(g, u) (Definition Disparate Impact).

    In each stratum, the rate of a group over that of the reference group. 1 is equality; below 0.8
    the rule of thumb of US employment law sees adverse impact.

    Parameters
    ----------
    predictions : array-like of shape (n,)
        The classifier's decisions: labels of any one type.
    groups : array-like of shape (n,)
        The protected attribute.
    strata : array-like of shape (n,), optional
        The unprotected attribute; without it all rows are one stratum, whose key is None.
    reference : object
        The group in the denominator, the privileged one; in the paper s = 1.
    favourable : object
        The prediction that people want.

    Returns
    -------
    dict of level to float
        For two groups, the ratio of the other group to the reference. For more, the smallest ratio
        of any group that the stratum has, so the one worst off. ``inf`` where nobody of the
        reference has the favourable prediction but all others have some, NaN where another group
        has none either: 0/0 is no ratio.

    Raises
    ------
    FairmendError
        If lengths differ, labels are missing, ``reference`` is no group, nobody at all is predicted
        ``favourable``, or a stratum has no rows of the reference or of anybody else.

    Notes
    -----
    A missing prediction is an error: those who were not decided on have no rate. Rates of small
    groups are uncertain, and the smallest of many ratios is below 1 by chance alone.

    Examples
    --------
    >>> from fairmend.measures.disparate import disparate_impact
    >>> hired = [1, 0, 0, 0, 1, 1, 0, 0]
    >>> sex = ["f", "f", "f", "f", "m", "m", "m", "m"]
    >>> disparate_impact(hired, sex, reference="m")
    {None: 0.5}
    >>> disparate_impact(hired, sex, reference="men")
    Traceback (most recent call last):
    fairmend.errors.OptionError: No row has group='men', named by reference=. The groups are
    ['f', 'm']. Pass one of them in reference=.
    """
    outcome, group, stratum = _read(predictions, groups, strata)
    if reference not in group.levels:
        raise faults.no_such_group(reference, group.levels)
    if favourable not in outcome.levels:
        raise faults.never_favourable(favourable, outcome.levels)
    counts = _counts(outcome, group, stratum)
    rows = counts.sum(axis=2)
    at = group.levels.index(reference)
    _require_comparison(rows, at, group, stratum)
    rates = _shares(counts[:, :, outcome.levels.index(favourable)], rows)
    return {
        level: _smallest_ratio(np.delete(rate, at), float(rate[at]))
        for level, rate in zip(stratum.levels, rates, strict=True)
    }


def disparate_treatment(predictions: Column, groups: Column, strata: Column | None = None) -> float:
    """Measure the largest ``|Pr(y|s,u) - Pr(y|u)|`` (Definition Disparate Treatment).

    Parameters
    ----------
    predictions : array-like of shape (n,)
        The classifier's decisions: labels of any one type, two or more.
    groups : array-like of shape (n,)
        The protected attribute.
    strata : array-like of shape (n,), optional
        The unprotected attribute; without it all rows are one stratum.

    Returns
    -------
    float
        The largest difference over all predictions y, groups s and strata u; 0 means that the
        predictions do not depend on the group, given the stratum. A group without rows in a stratum
        has no share there and is left out.

    Raises
    ------
    FairmendError
        If lengths differ, labels are missing, or there is one group only.

    Notes
    -----
    The largest of many differences is above 0 by chance alone, more so with small groups. Compare
    with its value after permuting the groups within strata.

    Examples
    --------
    >>> from fairmend.measures.disparate import disparate_treatment
    >>> hired = [1, 0, 0, 0, 1, 1, 0, 0]
    >>> disparate_treatment(hired, ["f", "f", "f", "f", "m", "m", "m", "m"])
    0.125
    """
    outcome, group, stratum = _read(predictions, groups, strata)
    counts = _counts(outcome, group, stratum)
    rows = counts.sum(axis=2)
    of_stratum = _shares(counts.sum(axis=1), rows.sum(axis=1))
    of_group = _shares(counts, rows)
    return float(np.nanmax(np.abs(of_group - of_stratum[:, None, :])))


def _read(
    predictions: Column, groups: Column, strata: Column | None
) -> tuple[Labels, Labels, Labels]:
    found = {"predictions": labels(predictions, "predictions"), "groups": labels(groups, "groups")}
    if strata is not None:
        found["strata"] = labels(strata, "strata")
    n = require_rows({name: one.codes.size for name, one in found.items()})
    require_labels(found)
    if len(found["groups"].levels) < 2:
        raise faults.too_few_groups(found["groups"].levels)
    return found["predictions"], found["groups"], found.get("strata", one_stratum(n))


def _counts(outcome: Labels, group: Labels, stratum: Labels) -> Codes:
    """Count the rows by stratum, group and prediction: shape (n_strata, n_groups, n_outcomes)."""
    shape = tuple(len(one.levels) for one in (stratum, group, outcome))
    place = np.ravel_multi_index((stratum.codes, group.codes, outcome.codes), shape)
    return np.bincount(place, minlength=int(np.prod(shape))).reshape(shape)


def _shares(counts: Codes, rows: Codes) -> Floats:
    """Divide by the rows; NaN where there are none."""
    totals = rows if counts.ndim == rows.ndim else rows[..., None]
    shares = np.full(counts.shape, np.nan)
    np.divide(counts, totals, out=shares, where=np.broadcast_to(totals > 0, counts.shape))
    return shares


def _require_comparison(rows: Codes, at: int, group: Labels, stratum: Labels) -> None:
    alone = (rows[:, at] == 0) | (rows[:, at] == rows.sum(axis=1))
    if alone.any():
        raise faults.no_rate(
            {
                stratum.levels[u]: [group.levels[s] for s in np.flatnonzero(rows[u])]
                for u in np.flatnonzero(alone)
            },
            group.levels[at],
        )


def _smallest_ratio(rates: Floats, reference: float) -> float:
    smallest = float(np.nanmin(rates))  # NaN: the stratum has no rows of that group
    if reference > 0:
        return smallest / reference
    return float("inf") if smallest > 0 else float("nan")
