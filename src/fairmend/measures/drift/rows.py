"""Which rows of an endless archive are looked at: all at first, then ever fewer of ever more."""

import numpy as np
from numpy.typing import NDArray

from fairmend.kernel.draws import mix

Rows = NDArray[np.int64]

DENSE = 2**15
"""Rows that are all looked at, and then looked at in each doubling of the archive. A detector's
power comes from rows and its cost, too: of 10 million rows this looks at one in sixty."""


def sampled_rows(first_row: int, n: int, dense: int = DENSE) -> Rows:
    """Choose the rows of a batch to look at, by their numbers in the whole archive.

    Beyond the first ``dense`` rows the archive is cut into runs of 2, then 4, then 8 rows, and from
    each run one row is taken, at a hashed place. The choice is a function of the row's number: it
    does not depend on the batches, and a period in the data cannot fall in step with it.

    Parameters
    ----------
    first_row, n : int
        Number of the batch's first row, and its length.
    dense : int
        A power of 2.

    Returns
    -------
    ndarray of int64
        Numbers from ``first_row`` to ``first_row + n - 1``, rising.

    Examples
    --------
    >>> sampled_rows(0, 4, dense=4), sampled_rows(4, 12, dense=4)
    (array([0, 1, 2, 3]), array([ 4,  6, 10, 15]))
    """
    end = first_row + n
    parts = [np.arange(first_row, min(end, dense), dtype=np.int64)]
    begin, run = dense, 2
    while begin < end:
        if first_row < 2 * begin:
            parts.append(_one_a_run(max(first_row, begin), min(end, 2 * begin), run))
        begin, run = 2 * begin, 2 * run
    return np.concatenate(parts)


def _one_a_run(first: int, end: int, run: int) -> Rows:
    """Take one row of each run that begins at a multiple of its length."""
    starts = np.arange(first - first % run, end, run, dtype=np.int64)
    offset = mix(starts.astype(np.uint64)) & np.uint64(run - 1)
    rows: Rows = starts + offset.astype(np.int64)
    return rows[(rows >= first) & (rows < end)]
