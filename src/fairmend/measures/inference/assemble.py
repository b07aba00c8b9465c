"""From measured cells to results: over strata, by pair, and into words."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from fairmend.measures.arrays import Floats, Labels
from fairmend.measures.inference.cells import Cell, Three
from fairmend.measures.inference.comparable import Comparable, Part
from fairmend.measures.inference.estimate import Estimate, Unbounded, mean_of
from fairmend.measures.inference.results import CellResult, Distances, FeatureResult, PairResult
from fairmend.measures.inference.verdict import Measure, Verdict, judge


class Stated(NamedTuple):
    """What was stated before looking.

    Attributes
    ----------
    alpha : float
        Chance of a false alarm in the whole family.
    tolerances : dict of str to float
        By measure, where it is not the default.
    """

    alpha: float
    tolerances: Mapping[Measure, float]

    def verdicts(self, found: Distances, rows: int) -> dict[Measure, Verdict]:
        """Judge E and total variation."""
        estimates: dict[Measure, Estimate] = {"e": found.e, "tv": found.tv}
        return {
            name: judge(name, one.value, (one.low, one.high), rows, self.tolerances.get(name))
            for name, one in estimates.items()
        }


def feature_result(
    feature: Comparable,
    cells: list[Cell],
    adjusted: list[float],
    roles: tuple[Labels, Labels],
    stated: Stated,
) -> FeatureResult:
    """Put a feature's cells together.

    Parameters
    ----------
    cells : list of Cell
        One for each of the feature's parts.
    adjusted : list of float
        Their p-values after Holm.
    roles : tuple of Labels
        Groups and strata.
    """
    groups, strata = roles
    total, verdicts = None, {}
    if cells:
        masses = np.array([part.mass for part in feature.parts])
        total = _bounded(_over_strata([cell.mean for cell in cells], masses), feature)
        verdicts = stated.verdicts(total, feature.rows)
    return FeatureResult(
        name=feature.name,
        kind=feature.kind,
        rows=feature.rows,
        excluded=feature.excluded,
        total=total,
        by_stratum=tuple(
            _cell_result(feature, part, cell, p, (groups, strata), stated)
            for part, cell, p in zip(feature.parts, cells, adjusted, strict=True)
        ),
        by_pair=_by_pair(feature, cells, groups),
        verdicts=verdicts,
    )


def _cell_result(
    feature: Comparable,
    part: Part,
    cell: Cell,
    adjusted: float,
    roles: tuple[Labels, Labels],
    stated: Stated,
) -> CellResult:
    groups, strata = roles
    levels = [groups.levels[g] for g in part.groups]
    worst = _bounded(cell.worst, feature)
    a, b = max(cell.pairs, key=lambda pair: cell.pairs[pair].e.value)
    return CellResult(
        stratum=strata.levels[part.stratum],
        rows=part.rows,
        by_pair=tuple(
            PairResult(
                (levels[a], levels[b]), (part.sizes[a], part.sizes[b]), _bounded(three, feature)
            )
            for (a, b), three in cell.pairs.items()
        ),
        mean=_bounded(cell.mean, feature),
        worst=worst,
        worst_pair=(levels[a], levels[b]),
        p=cell.p,
        p_holm=adjusted,
        detectable=adjusted <= stated.alpha,
        verdicts=stated.verdicts(worst, part.rows),
    )


def _by_pair(feature: Comparable, cells: list[Cell], groups: Labels) -> tuple[PairResult, ...]:
    """Average each pair of groups over the strata that have both."""
    found: dict[tuple[int, int], list[tuple[Three, tuple[int, int], float]]] = {}
    for part, cell in zip(feature.parts, cells, strict=True):
        for (a, b), three in cell.pairs.items():
            both = found.setdefault((part.groups[a], part.groups[b]), [])
            mass = part.samples[a].mass + part.samples[b].mass
            both.append((three, (part.sizes[a], part.sizes[b]), mass))
    return tuple(
        PairResult(
            (groups.levels[a], groups.levels[b]),
            (sum(rows[0] for _, rows, _ in strata), sum(rows[1] for _, rows, _ in strata)),
            _bounded(
                _over_strata(
                    [three for three, _, _ in strata], np.array([mass for _, _, mass in strata])
                ),
                feature,
            ),
        )
        for (a, b), strata in sorted(found.items())
    )


def _over_strata(parts: list[Three], shares: Floats) -> Three:
    def averaged(i: int) -> Unbounded:
        return mean_of([part[i] for part in parts], shares, independent=True)

    return Three(averaged(0), averaged(1), averaged(2))


def _bounded(found: Three, feature: Comparable) -> Distances:
    ks = found.ks.estimate(1.0) if feature.ordered else None
    return Distances(found.e.estimate(), found.tv.estimate(1.0), ks)
