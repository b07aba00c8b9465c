"""Missing values that depend on the group: an empty field tells the group as a value does."""

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from fairmend.auditing.material import Material
from fairmend.report.content import MissingRow
from fairmend.report.pooling import FEWEST
from fairmend.transport.support import Floats

Counts = NDArray[np.int64]


def missing_part(material: Material) -> list[MissingRow]:
    """Measure how much missing depends on the group, for features that have missing values.

    The difference of two groups' shares is the total variation between their laws of missing or
    not; it is averaged over all pairs of groups, and over strata by their rows. Strata in which a
    group has fewer than 5 rows are left out, and a share of 1 to 4 missing values is not told.
    """
    rows: list[MissingRow] = []
    for name, old in material.old.items():
        gone = np.isnan(old), np.isnan(material.new[name])
        if any(one.any() for one in gone):
            rows += _of_feature(name, material, [material.counts(one) for one in gone])
    return rows


def _of_feature(name: str, material: Material, gone: list[Counts]) -> list[MissingRow]:
    there = material.counts()
    compared = np.flatnonzero((there >= FEWEST).all(axis=1)).tolist()
    strata: list[tuple[str | None, list[int]]] = [(None, compared)]
    if len(compared) > 1:
        strata += [(material.plan.strata.label(at), [at]) for at in compared]
    return [_row(name, stratum, at, gone, there, material.groups()) for stratum, at in strata]


def _row(
    name: str,
    stratum: str | None,
    at: list[int],
    gone: list[Counts],
    there: Counts,
    groups: list[str],
) -> MissingRow:
    sides = [_shares(one[at], there[at]) for one in gone]
    differences = [_difference(one[at], there[at]) for one in gone]
    return {
        "feature": name,
        "stratum": stratum,
        "before": differences[0],
        "after": differences[1],
        "groups": [
            {"group": group, "before": old, "after": new}
            for group, old, new in zip(groups, *sides, strict=True)
        ],
    }


def _shares(gone: Counts, there: Counts) -> list[float | None]:
    """Average each group's share over strata by their rows."""
    if not len(there):
        return [None] * there.shape[1]
    mean = _weights(there) @ (gone / there)
    total = gone.sum(axis=0)
    return [None if 0 < n < FEWEST else float(share) for n, share in zip(total, mean, strict=True)]


def _difference(gone: Counts, there: Counts) -> float | None:
    total = gone.sum(axis=0)
    if not len(there) or ((total > 0) & (total < FEWEST)).any():
        return None
    shares = gone / there
    pairs = [np.abs(shares[:, a] - shares[:, b]) for a, b in combinations(range(total.size), 2)]
    return float(_weights(there) @ np.mean(pairs, axis=0))


def _weights(there: Counts) -> Floats:
    weights: Floats = there.sum(axis=1) / there.sum()
    return weights
