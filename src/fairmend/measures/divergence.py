"""E of two groups in one stratum: the symmetrised Kullback-Leibler divergence of two samples."""

import numpy as np

from fairmend.measures.arrays import Floats
from fairmend.measures.density import log_masses
from fairmend.measures.sample import Sample


def divergence(a: Sample, b: Sample, atoms: Floats) -> float:
    """Estimate ½·D(a‖b) + ½·D(b‖a) in nats (Definition s|u-dependence metric).

    A law that gives mass to atoms and has a density elsewhere is taken apart without error: the
    divergence of the probabilities of each atom and of *elsewhere*, plus the divergence of the
    densities elsewhere, weighted by the probability of being there. All atoms is the discrete case,
    none the continuous one.

    Parameters
    ----------
    a, b : Sample
        The two groups, at least 2 values each.
    atoms : ndarray of shape (k,)
        Sorted values with mass of their own.

    Returns
    -------
    float
        At least 0 and finite. If a group has fewer than 2 values beside the atoms, the densities
        there count as equal.

    Examples
    --------
    >>> atoms = np.array([0.0, 1.0])
    >>> a, b = Sample(np.array([0.0, 1.0, 1.0, 1.0])), Sample(np.array([0.0, 0.0, 0.0, 1.0]))
    >>> round(divergence(a, b, atoms), 4)  # of the shares (0.3, 0.7) and (0.7, 0.3)
    0.3389
    """
    (p, rest_a), (q, rest_b) = _split(a, atoms), _split(b, atoms)
    seen = (p > 0) | (q > 0)
    p, q = _shrunk(p[seen], a.size), _shrunk(q[seen], b.size)
    of_atoms = 0.5 * float((p - q) @ np.log(p / q))
    forth, back = _of_densities(rest_a, rest_b)
    # Without rest both densities count as equal, so it does not matter what is last.
    return of_atoms + 0.5 * float(p[-1] * forth + q[-1] * back)


def _split(one: Sample, atoms: Floats) -> tuple[Floats, Sample]:
    """Return the share of each atom and, last, of the rest; and the rest."""
    if not atoms.size:
        return np.ones(1), one
    place = np.minimum(np.searchsorted(atoms, one.values), atoms.size - 1)
    is_rest = atoms[place] != one.values
    place[is_rest] = atoms.size
    return one.shares(place, atoms.size + 1), one.where(is_rest)


def _shrunk(shares: Floats, size: float) -> Floats:
    """Add half a pseudo-row to every value that either group has (Krichevsky and Trofimov).

    Without it one person with a value that the other group lacks makes E infinite. With one
    pseudo-row for all values together, many rare values still cost log n each: on the incomes of
    212,000 people the E of permuted groups was 0.41, and with half a row a value it is 0.07.
    """
    return (size * shares + 0.5) / (size + 0.5 * shares.size)


def _of_densities(a: Sample, b: Sample) -> tuple[float, float]:
    if min(a.values.size, b.values.size) < 2 or _all_equal(a, b):
        return 0.0, 0.0
    log_p, log_q = log_masses(a, b)
    forth = float(np.exp(log_p) @ (log_p - log_q))
    back = float(np.exp(log_q) @ (log_q - log_p))
    return max(forth, 0.0), max(back, 0.0)  # rounding leaves -1e-16 for equal samples


def _all_equal(a: Sample, b: Sample) -> bool:
    low = min(a.values.min(), b.values.min())
    return bool(low == max(a.values.max(), b.values.max()))
