"""E on the scale of the paper's tables, which is not nats."""

import numpy as np

from fairmend.measures.arrays import Floats

FLOOR = 1e-10
CHUNK = 4096


def paper_divergence(a: Floats, b: Floats, grid: int) -> float:
    """Compute the number that the paper's tables print for two groups.

    The tables were made by summing the integrand of the divergence over a grid on the joint range
    of the two groups, without multiplying by the grid's step: about ``E·(grid - 1) / range``. Each
    group's kernel density has the bandwidth ``(3n/4)^(-1/5)``, which is Silverman's factor without
    the standard deviation, and 1e-10 is added to both. So the number depends on units, range and
    grid, and is only good for a comparison with the same column in the paper.

    Parameters
    ----------
    a, b : ndarray of shape (n,), (m,)
        The values of the two groups.
    grid : int
        Number of grid points.

    Examples
    --------
    >>> a, b = np.array([0.0, 1.0, 2.0]), np.array([1.0, 2.0, 3.0])
    >>> print(f"{paper_divergence(a, b, 100):.2f}, {paper_divergence(a, b, 200):.2f}")
    2.79, 5.52
    """
    points = np.linspace(min(a.min(), b.min()), max(a.max(), b.max()), grid)
    p, q = _density(a, points) + FLOOR, _density(b, points) + FLOOR
    return 0.5 * float(np.sum((p - q) * np.log(p / q)))


def _density(values: Floats, points: Floats) -> Floats:
    h = (0.75 * values.size) ** -0.2
    distinct, counts = np.unique(values, return_counts=True)
    total = np.zeros(points.size)
    for start in range(0, distinct.size, CHUNK):
        part = slice(start, start + CHUNK)
        distance = (points[:, None] - distinct[None, part]) / h  # (grid, chunk)
        total += np.exp(-0.5 * distance**2) @ counts[part]
    total /= values.size * h * np.sqrt(2 * np.pi)
    return total
