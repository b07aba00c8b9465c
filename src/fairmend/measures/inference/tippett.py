"""One test of several statistics."""

import numpy as np

from fairmend.measures.arrays import Codes, Floats


def least_p(nulls: list[Floats], raws: list[float]) -> float:
    """Test with several statistics at once, by the smallest of their p-values.

    Tippett's combination over one set of permutations: each permutation is given the p-values that
    it would have had as the sample. Exact, whatever the statistics have to do with each other.

    Parameters
    ----------
    nulls : list of ndarray of shape (draws,)
        Each statistic under the same permutations.
    raws : list of float
        Of the sample.
    """
    smallest = np.min(
        [_tail_ranks(np.append(null, raw)) for null, raw in zip(nulls, raws, strict=True)], axis=0
    )
    return float((smallest <= smallest[-1]).mean())


def _tail_ranks(values: Floats) -> Codes:
    """Count for each value how many are at least as large, but for rounding."""
    in_order = np.sort(values)
    slack = 1e-9 * np.maximum(1.0, np.abs(values))
    ranks: Codes = values.size - np.searchsorted(in_order, values - slack, side="left")
    return ranks
