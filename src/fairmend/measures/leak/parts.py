"""The strata that an adversary is tested in, and its results put together over them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fairmend.frames.levels import Factor
from fairmend.measures.arrays import Codes, Floats
from fairmend.measures.leak.columns import Seen
from fairmend.measures.leak.crossed import Crossed, cross_validate
from fairmend.measures.leak.results import Auc, Estimate

FEWEST = 10
"""Rows of a group in a stratum below which nobody can be taught to tell it."""

NORMAL_95 = 1.959964


@dataclass(frozen=True)
class Part:
    """One stratum: its name, its rows, their groups from 0 on, and the names of these."""

    name: str
    rows: NDArray[np.intp]
    s: Codes
    groups: tuple[str, ...]


def parts_of(s: Codes, u: Codes, groups: Factor, strata: Factor) -> list[Part]:
    """Part the rows by stratum, without groups of fewer than 10 rows and strata of one group."""
    parts = []
    for stratum in np.unique(u):
        rows = np.flatnonzero(u == stratum)
        codes, sizes = np.unique(s[rows], return_counts=True)
        large = codes[sizes >= FEWEST]
        if large.size < 2:
            continue
        rows = rows[np.isin(s[rows], large)]
        names = tuple(groups.label(int(code)) for code in large)
        parts.append(Part(strata.label(int(stratum)), rows, np.searchsorted(large, s[rows]), names))
    return parts


class Trial(NamedTuple):
    """An adversary's result over all strata, and what each column contributed to it."""

    auc: Auc
    drops: dict[str, float]


def trial(
    columns: Sequence[Seen],
    parts: Sequence[Part],
    *,
    classifier: Any,
    permutations: int,
    random_state: int,
    shuffle: bool = False,
) -> Trial:
    """Test one adversary in every stratum, and with S permuted within strata."""
    rng = np.random.default_rng(random_state)
    shown = [[replace(one, values=one.values[part.rows]) for one in columns] for part in parts]

    def test(labels: Sequence[Codes], shuffle: bool) -> list[Crossed]:
        return [
            cross_validate(
                one, s, classifier=classifier, random_state=random_state, shuffle=shuffle
            )
            for one, s in zip(shown, labels, strict=True)
        ]

    found = test([part.s for part in parts], shuffle)
    permuted = [
        _mean(parts, test([rng.permutation(part.s) for part in parts], False))
        for _ in range(permutations)
    ]
    weights = np.array([part.rows.size for part in parts], dtype=np.float64)
    drops = weights @ np.array([one.drops for one in found]) / weights.sum()
    names = [one.name for one in columns] if shuffle else []
    by_group = _by_group(parts, found)
    auc = Auc(
        **vars(_estimate(*_mean(parts, found))),
        null=float(np.mean([auc for auc, _ in permuted])) if permuted else float("nan"),
        null_deviation=float(np.sqrt(np.mean([v for _, v in permuted])))
        if permuted
        else float("nan"),
        by_stratum={
            part.name: _estimate(one.macro, _variance(one.macro_influence))
            for part, one in zip(parts, found, strict=True)
        },
        by_group=by_group,
        worst_group=max(by_group, key=lambda name: by_group[name].auc),
    )
    return Trial(auc, dict(zip(names, drops.tolist(), strict=True)))


def _mean(parts: Sequence[Part], found: Sequence[Crossed]) -> tuple[float, float]:
    """Average over strata by rows; return the mean over groups and its variance."""
    weights = np.array([part.rows.size for part in parts], dtype=np.float64)
    weights /= weights.sum()
    auc = float(weights @ [one.macro for one in found])
    return auc, float(weights**2 @ [_variance(one.macro_influence) for one in found])


def _by_group(parts: Sequence[Part], found: Sequence[Crossed]) -> dict[str, Estimate]:
    """Average each group over the strata that have it. Of two groups, one is told as the other."""
    of_group: dict[str, list[tuple[int, float, float]]] = {}
    for part, one in zip(parts, found, strict=True):
        for i, name in enumerate(part.groups):
            g = min(i, one.auc.size - 1)
            rows = part.rows.size
            its = (rows, float(one.auc[g]), _variance(one.influence[:, g]))
            of_group.setdefault(name, []).append(its)
    estimates = {}
    for name, its_parts in sorted(of_group.items()):
        rows, aucs, variances = np.array(its_parts).T
        weights = rows / rows.sum()
        estimates[name] = _estimate(float(weights @ aucs), float(weights**2 @ variances))
    return estimates


def _variance(influence: Floats) -> float:
    """Add up the influences, doubled; see Notes of :func:`fairmend.leak`."""
    return 2.0 * float((influence**2).sum())


def _estimate(auc: float, variance: float) -> Estimate:
    half = NORMAL_95 * float(np.sqrt(variance))
    return Estimate(auc, max(0.0, auc - half), min(1.0, auc + half))
