"""Data whose dependence is known, because it is simulated."""

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import pyarrow as pa

PR_U0 = 0.5
"""Pr[u = 0]."""
PR_S0 = np.array([0.3, 0.1])
"""Pr[s = 0 | u], by u."""
MEANS = np.array([[[-1.0, -1.0], [0.0, 0.0]], [[1.0, 1.0], [0.0, 0.0]]])
"""The mean of (x1, x2) given u and s, by u, then s."""


def simulate(n: int, rng: np.random.Generator | int) -> "pa.Table":
    """Return independent draws from the Gaussian mixture of the paper's simulation study.

    Both strata are equally likely. The smaller group, ``s = 0``, is 30 % of stratum ``u = 0`` and
    10 % of ``u = 1``; its two features have mean -1 in ``u = 0`` and 1 in ``u = 1``, while the
    larger group has mean 0 in both. Every feature has variance 1, and the two are independent
    given ``s`` and ``u``.

    Parameters
    ----------
    n : int
        The number of rows. The paper draws 5,500, the first 500 of them as research data.
    rng : numpy.random.Generator or int
        The generator to draw from, which moves on, or the seed of a new one.

    Returns
    -------
    pyarrow.Table of 4 columns
        ``s`` and ``u``, int64 of 0 and 1, and the features ``x1`` and ``x2``, float64. Nothing is
        missing.

    Notes
    -----
    In each stratum the groups are one standard deviation apart, so the symmetrised
    Kullback-Leibler divergence between them, the paper's E, is 0.5 nats for each feature.

    A small sample can lack a group: of 500 rows, about 25 are of ``s = 0`` in ``u = 1``.

    Examples
    --------
    >>> from fairmend.datasets import simulate
    >>> table = simulate(5_500, rng=1)
    >>> table.column_names, table.num_rows
    (['s', 'u', 'x1', 'x2'], 5500)
    >>> research, archive = table.slice(0, 500), table.slice(500)
    """
    import pyarrow as pa

    rng = np.random.default_rng(rng)
    u = (rng.random(n) >= PR_U0).astype(np.int64)
    s = (rng.random(n) >= PR_S0[u]).astype(np.int64)
    x = MEANS[u, s] + rng.standard_normal((n, 2))
    return pa.table({"s": s, "u": u, "x1": x[:, 0], "x2": x[:, 1]})
