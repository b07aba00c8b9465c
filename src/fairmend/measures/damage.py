"""Damage: how far a repair has moved a feature, in the feature's own units."""

from dataclasses import asdict, dataclass

import numpy as np

from fairmend.measures import faults
from fairmend.measures.arrays import (
    VALUES,
    Column,
    Floats,
    Labels,
    Table,
    columns,
    kinds,
    labels,
    numbers,
    one_stratum,
    require_finite,
    require_labels,
    require_rows,
)
from fairmend.measures.cells import Cells


@dataclass(frozen=True)
class Damage:
    """What was done to one feature.

    All but the shares and the rank correlation are in the feature's units. Where no row has a
    value, ``n`` is 0 and the rest is NaN.

    Attributes
    ----------
    rmse : float
        Root of the mean squared change of a row.
    w2 : float
        Wasserstein-2 distance between the laws before and after, see :func:`damage`. It is at most
        ``rmse``; the gap between the two is movement that cancels out over the rows.
    mean_absolute : float
        Mean absolute change of a row.
    p95_absolute : float
        95th percentile of the absolute change, interpolated between rows.
    share_changed : float
        Share of rows whose value is not exactly what it was.
    rank_correlation : float
        Spearman's correlation of before and after, over all rows; ties get their mean rank. NaN if
        all values on one side are equal, since they have no order.
    n : int
        Number of rows with a value.
    """

    rmse: float
    w2: float
    mean_absolute: float
    p95_absolute: float
    share_changed: float
    rank_correlation: float
    n: int

    def to_dict(self) -> dict[str, float]:
        """Return the fields as a plain dict."""
        return asdict(self)


def damage(
    before: Table | Column,
    after: Table | Column,
    strata: Column | None = None,
    *,
    groups: Column | None = None,
) -> Damage | dict[str, Damage]:
    """Measure how far values have moved between two versions of the same rows.

    Parameters
    ----------
    before, after : array-like of shape (n,) or table
        The same rows in the same order, as one feature or as tables of features: a 2-D NumPy array,
        or anything narwhals reads eagerly.
    strata, groups : array-like of shape (n,), optional
        Labels, within which ``w2`` compares the laws; the other figures do not use them.

    Returns
    -------
    Damage or dict of str to Damage
        For tables one by feature: for each column that is in both and holds numbers in both.

    Raises
    ------
    FairmendError
        If lengths differ, a value is missing on one side only, values are infinite, labels are
        missing, or no column can be compared.

    Notes
    -----
    Rows whose value is missing both before and after are left out. A value that is missing in only
    one of them is an error, since the change then has no size.

    ``w2`` is exact: in one dimension the best pairing of two samples of the same size is by rank,
    so the squared distance of two laws is the mean squared difference of the sorted values. Over
    strata (or strata and groups) it is the root of the mean of those squares, weighted by the share
    of rows. Without ``groups`` it is the change that somebody sees who does not know the group.

    Values are compared as 64-bit floats, so whole numbers beyond 2^53 that differ by 1 count as
    equal.

    Examples
    --------
    >>> from fairmend.measures.damage import damage
    >>> moved = damage([1.0, 2.0, 3.0, 4.0], [2.0, 1.0, 3.0, 6.0])
    >>> f"{moved.rmse:.4f} {moved.w2:.4f} {moved.share_changed} {moved.rank_correlation:.1f}"
    '1.2247 1.0000 0.75 0.8'

    The first two rows have changed places, which the law does not show; nor does a row that is
    missing on both sides count. A value that appears from nowhere does:

    >>> damage([1.0, None, 3.0], [1.0, 2.0, 3.0])
    Traceback (most recent call last):
    fairmend.errors.DataError: In 'values' (1 rows) the value is missing either before or after, but
    not in both, so the change has no size. Pass the rows of both in the same order; if values were
    dropped or filled in between, measure the rows that have both.
    """
    old, new, is_table = _features(before, after)
    roles = {"strata": strata, "groups": groups}
    found = {name: labels(one, name) for name, one in roles.items() if one is not None}
    lengths = {"before": _rows(old), "after": _rows(new)}
    n = require_rows({**lengths, **{name: one.codes.size for name, one in found.items()}})
    require_labels(found)
    _require_comparable(old, new)
    cells = _cells(found, n)
    result = {name: _measured(cells, old[name], new[name]) for name in old}
    return result if is_table else result[VALUES]


def _features(
    before: Table | Column, after: Table | Column
) -> tuple[dict[str, Floats], dict[str, Floats], bool]:
    old, new = columns(before, "before"), columns(after, "after")
    if old is None and new is None:
        return {VALUES: numbers(before, "before")}, {VALUES: numbers(after, "after")}, False
    if old is None or new is None:
        raise faults.one_table(new is None)
    is_number = [{name for name, (_, yes) in kinds(one).items() if yes} for one in (old, new)]
    shared = [name for name in old if name in is_number[0] & is_number[1]]
    if not shared:
        raise faults.nothing_shared(list(old), list(new))
    return (
        {name: numbers(old[name], name) for name in shared},
        {name: numbers(new[name], name) for name in shared},
        True,
    )


def _rows(features: dict[str, Floats]) -> int:
    return next(iter(features.values())).size


def _require_comparable(old: dict[str, Floats], new: dict[str, Floats]) -> None:
    alone = {name: int((np.isnan(old[name]) != np.isnan(new[name])).sum()) for name in old}
    if any(alone.values()):
        raise faults.unpaired({name: count for name, count in alone.items() if count})
    for features in (old, new):
        require_finite(features)


def _cells(found: dict[str, Labels], n: int) -> Cells:
    one = one_stratum(n)
    return Cells.of(found.get("strata", one), found.get("groups", one), None)


def _measured(cells: Cells, old: Floats, new: Floats) -> Damage:
    has = ~np.isnan(old)
    n = int(has.sum())
    if n == 0:
        return Damage(*(float("nan"),) * 6, n=0)
    change = np.abs(new[has] - old[has])
    return Damage(
        rmse=float(np.sqrt(np.mean(change**2))),
        w2=_wasserstein(cells, old, new, n),
        mean_absolute=float(change.mean()),
        p95_absolute=float(np.quantile(change, 0.95)),
        share_changed=float(np.mean(new[has] != old[has])),
        rank_correlation=rank_correlation(old[has], new[has]),
        n=n,
    )


def _wasserstein(cells: Cells, old: Floats, new: Floats, n: int) -> float:
    squares = 0.0
    for row_old, row_new in zip(cells.samples(old), cells.samples(new), strict=True):
        for one_old, one_new in zip(row_old, row_new, strict=True):
            squares += float(((np.sort(one_old.values) - np.sort(one_new.values)) ** 2).sum())
    return float(np.sqrt(squares / n))


def rank_correlation(old: Floats, new: Floats) -> float:
    """Compute Spearman's correlation; NaN where all values on one side are equal."""
    ranks = [_ranks(one) for one in (old, new)]
    spreads = [float(np.sqrt(one @ one)) for one in ranks]
    if not all(spreads):
        return float("nan")
    return float(ranks[0] @ ranks[1] / (spreads[0] * spreads[1]))


def _ranks(values: Floats) -> Floats:
    """Rank from the middle, so that ranks sum to 0; equal values share their mean rank."""
    counts, place = np.unique(values, return_counts=True, return_inverse=True)[:0:-1]
    last = np.cumsum(counts)
    middle: Floats = last - (counts - 1) / 2 - (values.size + 1) / 2
    return middle[place]
