"""Log densities of two groups on common nodes: a kernel density and one pseudo-row for its tail."""

import numpy as np

from fairmend.measures.arrays import Codes, Floats
from fairmend.measures.sample import Sample
from fairmend.transport.bandwidth import bandwidth_of
from fairmend.transport.points import Points

STEPS_A_BANDWIDTH = 8
"""Nodes in one bandwidth: linear binning then adds 0.3 % to the kernel's variance."""

REACH = 8 * STEPS_A_BANDWIDTH
"""Steps to which a kernel is followed; beyond 8 bandwidths its group's pseudo-row is larger."""

LEAST_BANDWIDTH = 2.0**-40
"""As a share of the groups' joint range: below it floats hardly tell values apart."""

MOST_NODES = 2**21
"""Memory is bounded: where more nodes would be needed, the bandwidth is doubled instead."""

TAIL_NODES = 512
TAIL_SPREADS = 10.0


def log_masses(a: Sample, b: Sample) -> tuple[Floats, Floats]:
    """Estimate the logarithm of two groups' masses on common nodes.

    Each group of n rows has the density ``(n·f + g) / (n + 1)``. The first part f is its Gaussian
    kernel density with the bandwidth of :func:`common_bandwidth`. The second, g, is one
    pseudo-row: a normal density with the group's mean and the spread of :func:`tail_spread`. It
    only matters where the group has no rows nearby, and there it decides: the logarithm of a kernel
    density alone falls like the squared distance *in bandwidths*, so that one remote income costs
    thousands of nats and two normals 20 standard deviations apart (E = 200) come out at 5,000.

    Parameters
    ----------
    a, b : Sample
        At least 2 values each, which together are not all equal.

    Returns
    -------
    log_p, log_q : ndarray of shape (m,)
        Finite logarithms of masses that sum to 1. The nodes themselves do not matter to a
        divergence.
    """
    a, b = _in_common_units(a, b)
    step = max(common_bandwidth(a, b), LEAST_BANDWIDTH) / STEPS_A_BANDWIDTH
    near = _near(a, b, step)
    while near is None:
        step *= 2
        near = _near(a, b, step)
    h = step * STEPS_A_BANDWIDTH
    spread = tail_spread(a, b, h)
    tails = [one.moments()[0] + spread * _tail_places() for one in (a, b)]
    nodes = np.union1d(near, np.rint(np.concatenate(tails) / step).astype(np.int64))
    log_width = np.log(np.gradient(nodes * step))
    log_p, log_q = (log_width + _log_density(one, nodes, near, h, spread) for one in (a, b))
    return log_p - _log_sum(log_p), log_q - _log_sum(log_q)


def common_bandwidth(a: Sample, b: Sample) -> float:
    """Choose one bandwidth for both groups: the geometric mean of their two by Silverman's rule.

    With a bandwidth each, the larger group is smoothed less, and E is not 0 where the groups'
    laws are equal. A group without spread has no say; if neither has any, the spread of both
    together decides.
    """
    found = [bandwidth_of(Points.of(one.values, one.weights)) for one in (a, b)]
    found = [h for h in found if h > 0]
    if found:
        return float(np.exp(np.mean(np.log(found))))
    return bandwidth_of(Points.of(np.concatenate([a.values, b.values])))


def tail_spread(a: Sample, b: Sample, h: float) -> float:
    """Choose the standard deviation of the pseudo-rows, the same for both groups.

    The larger of the spread within the groups and of the one for which the most remote value of
    either group is what the maximum of n normal values would be, ``|x - mean| / sqrt(2·log n)``.
    For normal data both agree. For heavy tails the second is larger, so that a remote value is no
    evidence that the other group could not have had it.
    """
    variance = np.mean([one.moments()[1] for one in (a, b)])
    remote = [
        np.abs(one.values - one.moments()[0]).max() / np.sqrt(2 * np.log(max(one.size, 2.0)))
        for one in (a, b)
    ]
    return float(max(np.sqrt(variance), *remote, h))


def _in_common_units(a: Sample, b: Sample) -> tuple[Sample, Sample]:
    low = min(a.values.min(), b.values.min())
    width = max(a.values.max(), b.values.max()) - low
    return Sample((a.values - low) / width, a.weights), Sample((b.values - low) / width, b.weights)


def _tail_places() -> Floats:
    return np.linspace(-TAIL_SPREADS, TAIL_SPREADS, TAIL_NODES)


def _near(a: Sample, b: Sample, step: float) -> Codes | None:
    """List the nodes within reach of any value; None if they are too many."""
    occupied = np.unique(np.floor(np.concatenate([a.values, b.values]) / step).astype(np.int64))
    gap = np.flatnonzero(np.diff(occupied) > 2 * REACH + 2)
    starts = occupied[np.concatenate([[0], gap + 1])] - REACH
    # One more on the right, since a value is split onto the node below it and the one above.
    stops = occupied[np.concatenate([gap, [-1]])] + REACH + 2
    lengths = stops - starts
    if lengths.sum() > MOST_NODES:
        return None
    before = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    return np.repeat(starts - before, lengths) + np.arange(lengths.sum())


def _log_density(one: Sample, nodes: Codes, near: Codes, h: float, spread: float) -> Floats:
    step = h / STEPS_A_BANDWIDTH
    place = one.values / step
    below = np.floor(place)
    at = np.searchsorted(near, below.astype(np.int64))
    above = place - below
    weights = np.ones(at.size) if one.weights is None else one.weights
    binned = np.bincount(at, weights * (1 - above), near.size)
    binned += np.bincount(at + 1, weights * above, near.size)
    lags = np.arange(-REACH, REACH + 1) / STEPS_A_BANDWIDTH
    kernel = np.exp(-0.5 * lags**2) / (np.sqrt(2 * np.pi) * h)
    # Direct, since an FFT would lose the tails in rounding; runs of nodes do not reach each other.
    density = np.zeros(nodes.size)
    density[np.searchsorted(nodes, near)] = np.convolve(binned, kernel, "same") / one.mass
    mean = one.moments()[0]
    log_tail = -0.5 * ((nodes * step - mean) / spread) ** 2 - np.log(np.sqrt(2 * np.pi) * spread)
    with np.errstate(divide="ignore"):  # beyond its reach the kernel part is 0, its logarithm -inf
        log_near = np.log(density * one.size)
    log_density: Floats = np.logaddexp(log_near, log_tail) - np.log(one.size + 1)
    return log_density


def _log_sum(log_values: Floats) -> float:
    top = log_values.max()
    return float(top + np.log(np.exp(log_values - top).sum()))
