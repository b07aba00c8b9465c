"""The improved Sheather-Jones bandwidth, which assumes no shape (Botev, Grotowski, Kroese 2010)."""

import numpy as np

from fairmend.transport.marginal import bin_linearly
from fairmend.transport.points import Points
from fairmend.transport.support import Floats

BINS = 2**12
STAGES = 7
"""Functionals of the density that are estimated one from the next; Botev's choice."""


def isj_bandwidth(points: Points) -> float | None:
    """Solve the fixed-point equation for the bandwidth on a binned cosine transform.

    The squared bandwidth t, in units of the range, is the root of ``t = (2·n·√π·‖f''‖²)^(-2/5)``
    where ‖f''‖² is itself estimated with a bandwidth that depends on t, through seven stages. The
    range is widened by half on each side, since the transform mirrors the data at its ends. Data
    with many ties have no root: None.

    Parameters
    ----------
    points : Points
        Research values of one group.
    """
    width = float(points.values[-1] - points.values[0])
    if width == 0.0:
        return 0.0
    low, width = points.values[0] - 0.5 * width, 2.0 * width
    position = (points.values - low) / width * (BINS - 1)
    mass = bin_linearly(position, points.weights / points.total, BINS)
    squares = _cosine_transform(mass)[1:] ** 2
    indices = np.arange(1, BINS, dtype=np.float64) ** 2
    n = points.effective

    def gap(t: float) -> float:
        return t - _next_t(t, n, indices, squares)

    grid = np.geomspace(1e-9, 0.1, 200)
    signs = np.array([gap(float(t)) for t in grid]) > 0
    crossings = np.flatnonzero(~signs[:-1] & signs[1:])
    if not crossings.size:
        return None
    a, b = float(grid[crossings[0]]), float(grid[crossings[0] + 1])
    for _ in range(60):
        middle = 0.5 * (a + b)
        a, b = (a, middle) if gap(middle) > 0 else (middle, b)
    return float(np.sqrt(a)) * width


def _next_t(t: float, n: float, indices: Floats, squares: Floats) -> float:
    norm = _norm(t, STAGES, indices, squares)
    for stage in range(STAGES - 1, 1, -1):
        odd = float(np.prod(np.arange(1, 2 * stage, 2))) / np.sqrt(2 * np.pi)
        share = (1 + 0.5 ** (stage + 0.5)) / 3
        time = (2 * share * odd / (n * norm)) ** (2 / (3 + 2 * stage))
        norm = _norm(float(time), stage, indices, squares)
    return float((2 * n * np.sqrt(np.pi) * norm) ** (-2 / 5))


def _norm(t: float, stage: int, indices: Floats, squares: Floats) -> float:
    """Estimate the squared norm of the density's derivative of order ``stage``."""
    terms = indices**stage * squares * np.exp(-indices * np.pi**2 * t)
    return float(2 * np.pi ** (2 * stage) * terms.sum())


def _cosine_transform(mass: Floats) -> Floats:
    """Sum ``mass·cos(π·k·(i + ½)/n)`` for every k, by FFT."""
    n = mass.size
    turned = np.fft.fft(mass, 2 * n)[:n] * np.exp(-0.5j * np.pi * np.arange(n) / n)
    transform: Floats = turned.real
    return transform
