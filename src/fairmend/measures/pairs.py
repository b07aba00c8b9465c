"""Pairs of values that nobody in the research data has: whether repaired rows stay plausible."""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairmend.errors import DataError
from fairmend.frames.table import Frame
from fairmend.measures.arrays import Codes

BINS = 10
"""Bins of a number of many values; whole numbers of few values are told apart."""


def unseen_pairs(
    table: Any, research: Any, *, features: Sequence[str]
) -> dict[tuple[str, str], float]:
    """Measure how many rows have a pair of values that no research row has.

    A repair of one feature at a time may make a *Husband* of somebody who is *Never-married*: each
    value is likely enough, and the two together are nobody's.

    Parameters
    ----------
    table : pandas, polars or pyarrow table
        An archive, before or after its repair.
    research : pandas, polars or pyarrow table
        The rows that show which pairs there are.
    features : sequence of str
        Columns whose pairs are looked at, two of them or more.

    Returns
    -------
    dict
        The share of rows for each pair of features; the largest first. Numbers of more than ten
        values are compared in ten bins, which hold equally many research rows. Missing is a value.

    Notes
    -----
    Some pairs are rare and not impossible, so an archive before its repair has unseen pairs too:
    compare the two.

    Examples
    --------
    >>> import fairmend
    >>> adult = fairmend.datasets.adult(complete=True)
    >>> research, archive = adult.slice(0, 5_000), adult.slice(5_000)
    >>> columns = ["marital-status", "relationship"]
    >>> plan = fairmend.design(research, protected="sex", features=columns)
    >>> repaired = plan.repair(archive, seed=1)
    >>> for rows in (archive, repaired):
    ...     shares = fairmend.unseen_pairs(rows, research, features=columns)
    ...     print(f"{shares['marital-status', 'relationship']:.2f}")
    0.00
    0.21
    """
    frames = Frame(research, "research data"), Frame(table, "table")
    for frame in frames:
        frame.require(features, "features")
        if not len(frame):
            raise DataError.empty(frame.name)
    codes = {name: _codes(frames, name) for name in features}
    shares = {}
    for a, b in combinations(features, 2):
        seen, found = (
            codes[a][side] * (int(max(map(np.max, codes[b]))) + 1) + codes[b][side]
            for side in (0, 1)
        )
        shares[a, b] = float(1.0 - np.isin(found, seen).mean())
    return dict(sorted(shares.items(), key=lambda pair: -pair[1]))


def ends_of_parts(known: NDArray[np.float64]) -> NDArray[np.float64]:
    """Cut numbers into parts of about equally many rows, of which these are the ends."""
    ends = np.unique(np.quantile(known, np.arange(1, BINS) / BINS))
    # Of a column that is cut off above, nobody is above the last end: a part would have no rows.
    return ends[:-1] if ends.size > 1 and ends[-1] == known.max() else ends


def _codes(frames: tuple[Frame, Frame], name: str) -> tuple[Codes, Codes]:
    """Give the values of a feature numbers, the same in both tables."""
    import pyarrow as pa
    import pyarrow.compute as pc

    columns = [frame.arrow(name) for frame in frames]
    plain = [c.dictionary_decode() if pa.types.is_dictionary(c.type) else c for c in columns]
    kind = plain[0].type
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        known, other = (c.cast(pa.float64()).to_numpy(zero_copy_only=False) for c in plain)
        distinct = np.unique(known[~np.isnan(known)])
        if distinct.size > BINS:
            ends = np.append(ends_of_parts(known[~np.isnan(known)]), np.inf)
            return np.searchsorted(ends, known), np.searchsorted(ends, other)
    texts = [pc.fill_null(c.cast(pa.string()), "") for c in plain]
    found = pa.concat_arrays(texts).dictionary_encode().indices.to_numpy(zero_copy_only=False)
    parts = found.astype(np.int64)
    return parts[: len(texts[0])], parts[len(texts[0]) :]
