"""Marginals μ: each group's probability mass on the support of its cell (Equation kde_pmf)."""

import numpy as np

from fairmend.transport.support import NOISE, Floats

BINS_A_BANDWIDTH = 64
"""Fine bins in one bandwidth: the binning error falls with its square (L1 below 1e-4 at 32)."""

MOST_BINS = 2**22
"""Memory for the fine grid is bounded: beyond this the bandwidth is floored, not the grid grown."""


def counts_marginal(values: Floats, atoms: Floats, weights: Floats | None = None) -> Floats:
    """Count how often each atom occurs and return the shares.

    Parameters
    ----------
    values : ndarray of shape (m,)
        Research values of one group; each must equal one of the atoms.
    atoms : ndarray of shape (n,)
        Sorted, distinct values.
    weights : ndarray of shape (m,), optional
        Sample weights.

    Examples
    --------
    >>> counts_marginal(np.array([40.0, 40.0, 20.0, 40.0]), np.array([20.0, 30.0, 40.0]))
    array([0.25, 0.  , 0.75])
    """
    counts = np.bincount(np.searchsorted(atoms, values), weights=weights, minlength=atoms.size)
    shares: Floats = counts / counts.sum()
    return shares


def kde_marginal(
    values: Floats, support: Floats, bandwidth: float, weights: Floats | None = None
) -> Floats:
    """Evaluate a Gaussian kernel density on a uniform support, as a probability mass.

    The sum of Equation kde_pmf is a convolution, so it is taken by FFT over a fine grid of which
    every m-th point is a support point: O(values + bins·log bins), within 1e-4 in L1 of the exact
    sum. A bandwidth below one support step is floored there, since the kernel would fall between
    the points and whole groups of people would vanish from the marginal.

    Parameters
    ----------
    values : ndarray of shape (m,)
        Research values of one group, inside the support's range.
    support : ndarray of shape (n,)
        Uniform points, from :func:`uniform_support`.
    bandwidth : float
        Standard deviation h of the kernel.
    weights : ndarray of shape (m,), optional
        Sample weights.

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
    position = np.clip((values - support[0]) / (step / per_step), 0, n_bins - 1)
    binned = split_onto_integers(position, weights, n_bins)
    lags = np.arange(n_bins) * (step / per_step / h)
    kernel = np.exp(-0.5 * lags**2)
    # Twice the length keeps the circular convolution from wrapping one tail onto the other.
    n_fft = 2 ** int(np.ceil(np.log2(2 * n_bins)))
    circular = np.zeros(n_fft)
    circular[:n_bins] = kernel
    circular[n_fft - n_bins + 1 :] = kernel[:0:-1]
    smooth = np.fft.irfft(np.fft.rfft(binned, n_fft) * np.fft.rfft(circular), n_fft)
    mass = np.maximum(smooth[:n_bins:per_step], 0.0)
    # FFT rounding leaves 1e-17 in the tails: enough to send outliers to the ends of the support.
    mass[mass < NOISE * mass.sum()] = 0.0
    shares: Floats = mass / mass.sum()
    return shares


def split_onto_integers(position: Floats, weights: Floats | None, n: int) -> Floats:
    """Bin fractional positions in [0, n - 1] linearly onto the whole numbers.

    The case of a unit grid of ``split_onto``, without its search: 20 million values a second
    instead of 4.
    """
    below = np.minimum(position.astype(np.intp), n - 2)
    tau = position - below
    right = tau if weights is None else tau * weights
    whole = np.bincount(below, weights, n).astype(np.float64)
    moved = np.bincount(below, right, n).astype(np.float64)
    binned = whole - moved
    binned[1:] += moved[:-1]
    return binned


def spread(values: Floats, weights: Floats | None = None) -> float:
    """Measure the scale A = min(standard deviation, IQR / 1.349) of Silverman's rule.

    The interquartile range keeps one huge income from smearing everybody else's.
    """
    if values.min() == values.max():  # the deviation of equal values can be 1e-17
        return 0.0
    if weights is None:
        deviation = float(np.std(values, ddof=1))
        low, high = np.quantile(values, [0.25, 0.75])
    else:
        share = weights / weights.sum()
        mean = float(share @ values)
        deviation = float(np.sqrt(share @ (values - mean) ** 2))
        order = np.argsort(values, kind="stable")
        low, high = values[order][np.searchsorted(np.cumsum(share[order]), [0.25, 0.75])]
    robust = float(high - low) / 1.349
    return min(deviation, robust) if robust > 0 else deviation


def bandwidth_of(
    values: Floats, rule: str | float = "silverman", weights: Floats | None = None
) -> float:
    """Choose the kernel's bandwidth from the data, in the data's units.

    Parameters
    ----------
    values : ndarray of shape (m,)
        Research values of one group.
    rule : {"silverman", "scott"} or float
        ``"silverman"``: (4/3)^(1/5)·A·n^(-1/5), optimal for a Gaussian (Silverman 1986, equation
        3.28) with the robust scale A of his equation 3.30, see :func:`spread`. ``"scott"``:
        A·n^(-1/5). A number is used as it is.
    weights : ndarray of shape (m,), optional
        Sample weights; n is then Kish's effective size.

    Examples
    --------
    >>> bandwidth_of(np.arange(32.0)) / spread(np.arange(32.0))
    0.5296...
    """
    if not isinstance(rule, str):
        return float(rule)
    n = values.size if weights is None else weights.sum() ** 2 / (weights**2).sum()
    factor = {"silverman": (4 / 3) ** 0.2, "scott": 1.0}[rule]
    width: float = factor * spread(values, weights) * float(n) ** -0.2
    return width
