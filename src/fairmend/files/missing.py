"""Missing values that depend on the group: an empty field tells the group as a value does."""

from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairmend.frames.levels import Codes
from fairmend.transport.support import Floats

FEWEST = 2
"""Rows that every group needs in a stratum, as for E."""


def missingness(
    values: list[Floats], group: Codes, stratum: Codes, shape: tuple[int, int]
) -> dict[str, Any] | None:
    """Measure how much missing depends on the group within strata, before and after a repair.

    Parameters
    ----------
    values : list of two ndarrays of shape (n,)
        Before and after, NaN where missing.
    group, stratum : ndarray of shape (n,)
        Of each row; negative where the plan does not know it, and such rows are left out.
    shape : tuple of int
        Numbers of strata and groups.

    Returns
    -------
    dict or None
        ``before`` and ``after``, each with the ``difference``: the total variation between two
        groups' laws of missing or not, which is the difference of their shares, averaged over all
        pairs of groups and over the strata by their rows; the share of missing values in each of
        ``groups``, averaged over the strata in the same way, and ``by_stratum``. None where nothing
        is missing on either side.

    Notes
    -----
    Strata in which a group has fewer than 2 rows are left out, and have None in ``by_stratum``.

    Examples
    --------
    >>> group, stratum = np.array([0, 0, 1, 1]), np.zeros(4, dtype=np.int64)
    >>> before, after = np.array([1.0, np.nan, 2, 3]), np.array([1.0, np.nan, np.nan, 3])
    >>> found = missingness([before, after], group, stratum, (1, 2))
    >>> [(found[when]["difference"], found[when]["groups"]) for when in ("before", "after")]
    [(0.5, [0.5, 0.0]), (0.0, [0.5, 0.5])]
    """
    gone = [np.isnan(x) for x in values]
    if not any(one.any() for one in gone):
        return None
    known = (group >= 0) & (stratum >= 0)
    place = stratum[known] * shape[1] + group[known]
    rows = np.bincount(place, minlength=shape[0] * shape[1]).reshape(shape)
    counts = [
        np.bincount(place, one[known], minlength=rows.size).reshape(shape).astype(np.float64)
        for one in gone
    ]
    return {
        when: _side(count, rows) for when, count in zip(("before", "after"), counts, strict=True)
    }


def _side(missing: Floats, rows: NDArray[np.int64]) -> dict[str, Any]:
    complete: NDArray[np.bool_] = np.all(rows >= FEWEST, axis=1)
    shares = missing / np.maximum(rows, 1)
    by_stratum = [
        its_shares.tolist() if all_there else None
        for its_shares, all_there in zip(shares, complete, strict=True)
    ]
    if not complete.any():
        return {"difference": None, "groups": [None] * rows.shape[1], "by_stratum": by_stratum}
    weights = rows[complete].sum(axis=1) / rows[complete].sum()
    shares = shares[complete]
    pairs = [np.abs(shares[:, a] - shares[:, b]) for a, b in combinations(range(rows.shape[1]), 2)]
    return {
        "difference": float(weights @ np.mean(pairs, axis=0)),
        "groups": (weights @ shares).tolist(),
        "by_stratum": by_stratum,
    }
