"""Counting: the rows of one stratum as a small table, groups by places in the order of values."""

from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from fairmend.measures.arrays import Codes, Floats
from fairmend.measures.sample import Sample

MOST_BINS = 256
"""Bins for the values beside the atoms: finer than half the bandwidth of a million rows."""

MOST_ATOMS = 1024
"""More atoms than this are counted in runs of neighbours, so that memory stays bounded."""

LOOKED_AT = 200_000
"""Values from which the bins' edges are taken; where they lie does not bias a comparison."""

NORMAL = NormalDist()


@dataclass(frozen=True)
class CountTable:
    """Rows by group and place; places are in the order of the values they hold.

    Attributes
    ----------
    counts : ndarray of shape (n_groups, m)
        Rows; with sample weights effective rows, see :func:`count`.
    scores : ndarray of shape (m,)
        The normal score of each place among the values that are no atoms; NaN for an atom.
    """

    counts: Codes
    scores: Floats

    @cached_property
    def sizes(self) -> Codes:
        """The rows of each group."""
        sizes: Codes = self.counts.sum(axis=1)
        return sizes

    def only(self, groups: list[int]) -> "CountTable":
        """Keep some of the groups, and the places that they use."""
        counts = self.counts[groups]
        used = counts.any(axis=0)
        return CountTable(counts[:, used], self.scores[used])


def count(samples: list[Sample], atoms: Floats) -> CountTable:
    """Count the values of each group, all groups on the same places.

    Parameters
    ----------
    samples : list of Sample
        One for each group, at least 2 values each.
    atoms : ndarray of shape (k,)
        Sorted values with mass of their own; every one is a place.

    Notes
    -----
    All other values are counted in at most 256 bins. E, total variation and Kolmogorov-Smirnov do
    not change under a monotone map, so the bins are laid on the *normal scores* of the pooled
    values, ``Φ⁻¹(rank / n)``: units, skewness and one remote income are no matter. Everything
    chosen here depends on the pooled values alone and not on who belongs to which group, which is
    what keeps a permutation test exact.

    With sample weights a group of weight W and squared weights V counts as W²/V rows (Kish), spread
    over its places by weight and rounded so that its distribution function is nowhere off by more
    than half a row. That is right where the weights are not strongly related to the values within a
    group; where they are, intervals are approximate.
    """
    cuts, is_atom = _cuts(samples, atoms)
    table = np.stack([_placed(one, cuts, is_atom) for one in samples])
    used = table.any(axis=0)
    # Even places are bins, odd ones the cut to their right, where it is an atom.
    of_bins = np.arange(table.shape[1])[used] % 2 == 0
    table = table[:, used]
    return CountTable(table, _scores(table.sum(axis=0), of_bins))


def _cuts(samples: list[Sample], atoms: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    if atoms.size > MOST_ATOMS:
        # A run is what lies above the edge to its left, so edges are values and places are bins.
        return atoms[np.linspace(0, atoms.size - 1, MOST_ATOMS + 1).astype(int)[1:-1]], np.zeros(
            MOST_ATOMS - 1, dtype=bool
        )
    step = max(1, sum(one.values.size for one in samples) // LOOKED_AT)
    looked = np.sort(np.concatenate([one.values[::step] for one in samples]))
    if atoms.size:
        near = np.minimum(np.searchsorted(atoms, looked), atoms.size - 1)
        looked = looked[atoms[near] != looked]
    edges = _edges(looked)
    cuts = np.union1d(edges, atoms)
    return cuts, np.isin(cuts, atoms)


def _edges(looked: Floats) -> Floats:
    """Lay the bins' edges at even steps of the normal scores of sorted values."""
    if looked.size <= MOST_BINS:
        distinct = np.unique(looked)
        return (distinct[1:] + distinct[:-1]) / 2
    reach = -NORMAL.inv_cdf(0.5 / looked.size)
    levels = [NORMAL.cdf(z) for z in np.linspace(-reach, reach, MOST_BINS + 1)[1:-1]]
    edges: Floats = np.unique(np.quantile(looked, levels))
    return edges


def _placed(one: Sample, cuts: Floats, is_atom: NDArray[np.bool_]) -> Codes:
    """Count a group's values in places: bin, atom, bin, atom, …, bin."""
    order = None if one.weights is None else np.argsort(one.values)
    values = np.sort(one.values) if order is None else one.values[order]
    # Few cuts into many sorted values: a hundred times faster than the other way round.
    upto = np.searchsorted(values, cuts, side="right")
    before = np.where(is_atom, np.searchsorted(values, cuts, side="left"), upto)
    ends = np.concatenate([[0], np.stack([before, upto], axis=1).ravel(), [values.size]])
    if one.weights is not None:
        summed = np.append(0.0, np.cumsum(one.weights[order]))
        ends = np.rint(summed[ends] / summed[-1] * np.rint(one.size)).astype(np.int64)
    counts: Codes = ends[1:] - ends[:-1]
    return counts


def _scores(pooled: Codes, of_bins: NDArray[np.bool_]) -> Floats:
    scores = np.full(pooled.size, np.nan)
    rows = pooled[of_bins]
    middles = (np.cumsum(rows) - 0.5 * rows) / max(1, rows.sum())
    scores[of_bins] = [NORMAL.inv_cdf(level) for level in middles]
    return scores
