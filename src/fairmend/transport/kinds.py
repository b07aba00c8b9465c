"""Kinds of column, told apart by how often values repeat."""

from typing import Literal

import numpy as np

from fairmend.transport.points import Points
from fairmend.transport.support import Floats

Kind = Literal["continuous", "discrete", "mixed", "ordinal", "categorical"]
NumericKind = Literal["continuous", "discrete", "mixed"]

HEAVY_SHARE = 0.01
FEWEST_LIGHT = 5
ATOM_ROWS = 3
ATOM_SHARE = 0.01
MOST_STEPS = 1_000
"""A lattice of floats is looked for down to this part of the smallest gap between values."""
MOST_STEPS = 1_000
"""A lattice of floats is looked for down to this part of the smallest gap between values."""


def kind_of(points: Points) -> tuple[NumericKind, str]:
    """Tell a numeric column's kind and the reason, from its research values in all groups.

    A smoothed atom separates the groups: the plan sends each group's 40 hours to a place of its
    own. So ties decide. *Heavy* values hold at least 1 % of the rows (and 5 rows). If at least half
    of the other rows share their value with another row, or fewer than 5 are left to learn a
    density from, the column is *discrete*: ages, hours, grades, counts. If not, but values seen
    three times or more hold 1 % of the rows, it is *mixed*: an income that is zero for many and
    rarely repeats for the rest. Else it is *continuous*.

    Examples
    --------
    >>> kind_of(Points.of(np.repeat([20.0, 30.0, 40.0], 10)))[0]
    'discrete'
    >>> kind_of(Points.of(np.linspace(0, 1, 30)))[0]
    'continuous'
    >>> kind_of(Points.of(np.concatenate([np.zeros(30), np.linspace(1, 2, 30)])))[0]
    'mixed'
    """
    distinct, rows = points.values.size, points.rows
    if distinct <= 2:
        return "discrete", f"{distinct} distinct value(s)"
    heavy = rows >= max(5, HEAVY_SHARE * points.size)
    light = int(rows[~heavy].sum())
    tied = int(rows[~heavy & (rows > 1)].sum())
    few = bool(heavy.any()) and light < FEWEST_LIGHT
    if few or tied >= 0.5 * light:
        others = (
            f"only {light} other rows" if few else f"{tied / light:.0%} of its other rows repeat"
        )
        return "discrete", (
            f"{distinct:,} distinct values in {points.size:,} rows; beside its "
            f"{int(heavy.sum())} heavy values, {others}"
        )
    atoms = rows >= ATOM_ROWS
    in_atoms = int(rows[atoms].sum())
    if in_atoms >= ATOM_SHARE * points.size:
        return "mixed", (
            f"{int(atoms.sum()):,} values seen {ATOM_ROWS} times or more hold "
            f"{in_atoms / points.size:.0%} of {points.size:,} rows; the rest rarely repeat"
        )
    return "continuous", f"{distinct:,} distinct values in {points.size:,} rows"


def atoms_of(points: Points, kind: Kind, least_rows: int = 1) -> Floats:
    """Return the values that carry exact mass: all, the repeated ones, or none.

    Those of fewer than ``least_rows`` rows are left out, so that a plan need not show one person's
    income; in a discrete column their mass then goes to their neighbours.
    """
    if kind == "continuous":
        return np.empty(0)
    least = max(least_rows, ATOM_ROWS if kind == "mixed" else 1)
    return points.values[points.rows >= least]


def lattice_step(values: Floats) -> float:
    """Find the step of which all differences between values are multiples; 0 where there is none.

    Whole dollars in a wide range hardly repeat, so they count as continuous, yet a grid laid
    between them would return cents, and a grid finer than them would show which points each group's
    dollars fall on. Their support is laid on the lattice instead.

    Examples
    --------
    >>> lattice_step(np.array([50.0, 870.0, 1200.0]))
    10.0
    >>> lattice_step(np.array([0.1, 0.2, 0.3141592]))
    0.0
    """
    gaps = np.diff(values)
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
