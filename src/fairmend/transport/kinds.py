"""Kinds of column, told apart by how often values repeat."""

from typing import Literal

import numpy as np

from fairmend.transport.support import Floats

Kind = Literal["continuous", "discrete", "mixed"]

HEAVY_SHARE = 0.01
FEWEST_LIGHT = 5
ATOM_COUNT = 3
ATOM_SHARE = 0.01
MOST_STEPS = 1_000
"""A lattice of floats is looked for down to this part of the smallest gap between values."""


def kind_of(values: Floats) -> tuple[Kind, str]:
    """Tell a column's kind and the reason, from finite research values of all groups and strata.

    A smoothed atom separates the groups: the plan sends each group's 40 hours to a place of its
    own. So ties decide. *Heavy* values hold at least 1 % of the rows (and 5 rows). If at least half
    of the other rows share their value with another row, or fewer than 5 are left to learn a
    density from, the column is *discrete*: ages, hours, grades, counts. If not, but values seen
    three times or more hold 1 % of the rows, it is *mixed*: an income that is zero for many and
    rarely repeats for the rest. Else it is *continuous*.

    Examples
    --------
    >>> kind_of(np.repeat([20.0, 30.0, 40.0], 10))[0]
    'discrete'
    >>> kind_of(np.linspace(0, 1, 30))[0]
    'continuous'
    >>> kind_of(np.concatenate([np.zeros(30), np.linspace(1, 2, 30)]))[0]
    'mixed'
    """
    distinct, counts = np.unique(values, return_counts=True)
    if distinct.size <= 2:
        return "discrete", f"{distinct.size} distinct value(s)"
    heavy = counts >= max(5, HEAVY_SHARE * values.size)
    light = int(counts[~heavy].sum())
    tied = int(counts[~heavy & (counts > 1)].sum())
    few = heavy.any() and light < FEWEST_LIGHT
    if few or tied >= 0.5 * light:
        others = (
            f"only {light} other rows" if few else f"{tied / light:.0%} of its other rows repeat"
        )
        return "discrete", (
            f"{distinct.size:,} distinct values in {values.size:,} rows; beside its "
            f"{int(heavy.sum())} heavy values, {others}"
        )
    atoms = counts >= ATOM_COUNT
    in_atoms = int(counts[atoms].sum())
    if in_atoms >= ATOM_SHARE * values.size:
        return "mixed", (
            f"{int(atoms.sum()):,} values seen {ATOM_COUNT} times or more hold "
            f"{in_atoms / values.size:.0%} of {values.size:,} rows; the rest rarely repeat"
        )
    return "continuous", f"{distinct.size:,} distinct values in {values.size:,} rows"


def atoms_of(values: Floats, kind: Kind) -> Floats:
    """Return the values that carry exact mass: all, the repeated ones, or none."""
    if kind == "continuous":
        return np.empty(0)
    distinct, counts = np.unique(values, return_counts=True)
    return distinct if kind == "discrete" else distinct[counts >= ATOM_COUNT]


def lattice_step(values: Floats) -> float:
    """Find the step of which all differences between values are multiples; 0 where there is none.

    Whole dollars in a wide range hardly repeat, so they count as continuous, yet a grid laid
    between them would return cents, and a grid finer than them would show which points each group's
    dollars fall on. Their support is laid on the lattice instead.

    Examples
    --------
    >>> lattice_step(np.array([1200.0, 50.0, 870.0]))
    10.0
    >>> lattice_step(np.array([0.1, 0.2, 0.3141592]))
    0.0
    """
    gaps = np.diff(np.unique(values))
    if not gaps.size:
        return 0.0
    # Not more than 2^40: a float's last bits are no lattice.
    if np.array_equal(values, np.rint(values)) and np.abs(values).max() < 2.0**40:
        return float(np.gcd.reduce(gaps.astype(np.int64)))
    span, least = float(values.max() - values.min()), float(gaps.min())
    # The same whole numbers in other units: the smallest gap is then a few steps, not always one.
    # Few gaps are all near multiples of something by chance, so they have to be nearer.
    tolerance = 1e-3 if gaps.size > 4 else 1e-9
    for steps in range(1, MOST_STEPS + 1):
        if span * steps / least > 1e6:
            break
        multiples = gaps * (steps / least)
        if np.abs(multiples - np.rint(multiples)).max() <= tolerance:
            return float(span / np.rint(span * steps / least))
    return 0.0
