"""Intervals of what is to be expected, from what worlds have shown."""

from collections.abc import Mapping, Sequence

import numpy as np

from fairmend.transport.support import Floats
from fairmend.unlabelled.expected import Expected
from fairmend.unlabelled.trials import Tried

WIDER = 1.2
"""By how much worlds drawn from a sample vary less than samples do, as measured on simulations."""


def summed(found: Sequence[Mapping[str, Tried]], way: str, floor: float, chance: float) -> Expected:
    """Bring the worlds together, and take off what chance adds.

    Parameters
    ----------
    found : sequence of dict
        By world and way.
    way : str
        Which one.
    floor : float
        What chance adds to E of the worlds' populations.
    chance : float
        Share of what chance adds in their archives that it would not add in the larger one.
    """
    e = _e(found, way, chance)
    before, known = (_e(found, name, chance) for name in ("none", "labelled"))
    true = np.maximum(before - 2.0 * floor, 0.0) / np.maximum(before, 1e-12)
    e = np.where(e > known, known + (e - known) * true, e)
    damages = np.array([one[way].damage for one in found])
    return Expected(way, *interval(e, WIDER), *interval(damages, 1.0))


def _e(found: Sequence[Mapping[str, Tried]], way: str, chance: float) -> Floats:
    e = [max(one[way].e - chance * one[way].chance, 0.0) for one in found]
    return np.array(e, dtype=np.float64)


def interval(values: Floats, wider: float) -> tuple[float, float, float]:
    """Give the mean, and where one more world's value may lie.

    Ends are found on the scale of the square root, on which E, a squared distance, varies by about
    as much whether it is small or large.
    """
    roots, n = np.sqrt(np.maximum(values, 0.0)), values.size
    spread = wider * _student(n - 1) * float(roots.std(ddof=1)) * float(np.sqrt(1.0 + 1.0 / n))
    middle = float(roots.mean())
    return float(values.mean()), max(middle - spread, 0.0) ** 2, (middle + spread) ** 2


def _student(freedom: int) -> float:
    """Approximate the 97.5 % quantile of Student's law, within 0.05 from four worlds on.

    Examples
    --------
    >>> print(f"{_student(9):.2f}, {_student(29):.2f}")
    2.26, 2.05
    """
    z = 1.959964
    first = (z**3 + z) / (4 * freedom)
    return z + first + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)
