"""Marginals μ: each group's probability mass on the support of its cell (Equation kde_pmf)."""

import math

import numpy as np

from fairmend.transport.points import Points
from fairmend.transport.support import NOISE, Floats

BINS_A_BANDWIDTH = 64
"""Fine bins in one bandwidth: the binning error falls with its square (L1 below 1e-4 at 32)."""

MOST_BINS = 2**22
"""Memory for the fine grid is bounded: beyond this the bandwidth is floored, not the grid grown."""

REACH = 9.0
"""Bandwidths after which the kernel is cut: it has fallen to 3e-18, below the rounding of a sum."""


def counts_marginal(points: Points, atoms: Floats) -> Floats:
    """Share out a group's weight over the atoms; each of its values must be one of them.

    Examples
    --------
    >>> counts_marginal(Points.of(np.array([40.0, 40.0, 20.0, 40.0])), np.array([20.0, 30.0, 40.0]))
    array([0.25, 0.  , 0.75])
    """
    shares = np.zeros(atoms.size)
    shares[np.searchsorted(atoms, points.values)] = points.weights / points.total
    return shares


def kde_marginal(points: Points, support: Floats, bandwidth: float) -> Floats:
    """Evaluate a Gaussian kernel density on a uniform support, as a probability mass.

    The sum of Equation kde_pmf is a convolution, so it is taken by FFT over a fine grid of which
    every m-th point is a support point: O(values + bins·log bins), within 1e-4 in L1 of the exact
    sum. A bandwidth below one support step is floored there, since the kernel would fall between
    the points and whole groups of people would vanish from the marginal.

    Parameters
    ----------
    points : Points
        Research values of one group, inside the support's range.
    support : ndarray of shape (n,)
        Uniform points, from :func:`uniform_support`.
    bandwidth : float
        Standard deviation h of the kernel.

    Returns
    -------
    ndarray of shape (n,)
        Non-negative masses that sum to 1.
    """
    step = (support[-1] - support[0]) / (support.size - 1)
    h = max(bandwidth, step)
    per_step = min(
        int(np.ceil(BINS_A_BANDWIDTH * step / h)), max(1, MOST_BINS // (support.size - 1))
    )
    n_bins = (support.size - 1) * per_step + 1
    position = points.values - support[0]
    position /= step / per_step
    np.clip(position, 0, n_bins - 1, out=position)
    binned = bin_linearly(position, points.weights, n_bins)
    fine = step / per_step / h
    reach = min(n_bins, int(np.ceil(REACH / fine)) + 1)
    kernel = np.exp(-0.5 * (np.arange(reach) * fine) ** 2)
    # The kernel's reach between them keeps one tail from being wrapped onto the other.
    n_fft = _fft_size(n_bins + reach - 1)
    circular = np.zeros(n_fft)
    circular[:reach] = kernel
    circular[n_fft - reach + 1 :] = kernel[:0:-1]
    smooth = np.fft.irfft(np.fft.rfft(binned, n_fft) * np.fft.rfft(circular), n_fft)
    mass = np.maximum(smooth[:n_bins:per_step], 0.0)
    # FFT rounding leaves 1e-17 in the tails: enough to send outliers to the ends of the support.
    mass[mass < NOISE * mass.sum()] = 0.0
    shares: Floats = mass / mass.sum()
    return shares


def _fft_size(least: int) -> int:
    """Find a size that is fast to transform: powers of two alone would be up to twice too long."""
    return min(odd << max(0, math.ceil(math.log2(least / odd))) for odd in (1, 3, 5))


def bin_linearly(position: Floats, weights: Floats, n: int) -> Floats:
    """Bin fractional positions in [0, n - 1] linearly onto the whole numbers.

    The case of a unit grid of ``split_onto``, without its search: 20 million values a second
    instead of 4.
    """
    floor = np.minimum(np.floor(position), n - 2)
    share = position - floor
    share *= weights
    below = floor.astype(np.intp)
    moved = np.bincount(below, share, n).astype(np.float64)
    binned = np.bincount(below, weights, n).astype(np.float64)
    binned -= moved
    binned[1:] += moved[:-1]
    return binned
