"""Kinds of column, told apart by how often values repeat."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from fairmend.transport.bandwidth import bandwidth_of
from fairmend.transport.lattice import Lattice
from fairmend.transport.points import Points
from fairmend.transport.support import Floats

Kind = Literal["continuous", "discrete", "mixed", "ordinal", "categorical"]
NumericKind = Literal["continuous", "discrete", "mixed"]

MOST_VALUES = 150
"""More values than this are a fine lattice, cents or days, and not grades, ages or hours."""

FEWEST_ROWS = 5
ATOM_SHARE = 0.25
MOST_STEPS = 1_000
"""A lattice of floats is looked for down to this part of the smallest gap between values."""


def kind_of(points: Points) -> tuple[NumericKind, str]:
    """Tell a numeric column's kind and the reason, from its research values in all groups.

    Two errors leak. A smoothed atom separates the groups: the plan sends each group's 40 hours to a
    place of its own. And a count of three people at 17.49 is no law: each group's light values are
    each sent to a place of their own. So a column of few values (150) that repeat is *discrete*:
    ages, hours, grades, counts; its values are its support. In any other, a value is an *atom* if
    it alone holds a quarter of the rows within one bandwidth around it: no income, or 50,000
    exactly. With atoms the column is *mixed*, without *continuous*: the rest is smoothed, on its
    lattice if it has one.

    Examples
    --------
    >>> kind_of(Points.of(np.repeat([20.0, 30.0, 40.0], 10)))[0]
    'discrete'
    >>> kind_of(Points.of(np.linspace(0, 1, 30)))[0]
    'continuous'
    >>> kind_of(Points.of(np.concatenate([np.zeros(300), np.linspace(1, 2, 300)])))[0]
    'mixed'
    """
    distinct, size = points.values.size, points.size
    said = f"{distinct:,} distinct values in {size:,} rows"
    if distinct <= 2 or (distinct <= MOST_VALUES and _repeats(points)):
        return "discrete", said
    held = int(points.rows[_atoms(points)].sum())
    if held:
        return "mixed", f"{said}, of which {int(_atoms(points).sum()):,} hold {held / size:.0%}"
    return "continuous", said


def _repeats(points: Points) -> bool:
    """Tell whether half of the rows beside the heaviest values share their value with another."""
    heavy = points.rows >= max(FEWEST_ROWS, 0.01 * points.size)
    light = int(points.rows[~heavy].sum())
    tied = int(points.rows[~heavy & (points.rows > 1)].sum())
    return bool(heavy.any() and light < FEWEST_ROWS) or tied >= 0.5 * light


def _atoms(points: Points) -> NDArray[np.bool_]:
    """Find the values that alone hold a quarter of the rows within one bandwidth around them."""
    # Beside its neighbours, not beside nobody: the last value of a tail is no atom.
    atoms: NDArray[np.bool_] = points.rows >= max(FEWEST_ROWS, 0.005 * points.size)
    if not atoms.any():
        return atoms
    h, heavy = bandwidth_of(points), points.values[atoms]
    upto = np.concatenate([[0], np.cumsum(points.rows)])
    first = np.searchsorted(points.values, heavy - h, side="left")
    last = np.searchsorted(points.values, heavy + h, side="right")
    atoms[atoms] = points.rows[atoms] >= ATOM_SHARE * (upto[last] - upto[first])
    return atoms


def atoms_of(points: Points, kind: Kind, least_rows: int = 1) -> Floats:
    """Return the values that carry exact mass: all, those that stand out, or none.

    Those of fewer than ``least_rows`` rows are left out, so that a plan need not show one person's
    income; in a discrete column their mass then goes to their neighbours.
    """
    if kind == "continuous":
        return np.empty(0)
    chosen = points.rows >= least_rows
    return points.values[chosen & _atoms(points) if kind == "mixed" else chosen]


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
    return Lattice.of(values).step or _scaled_step(gaps, float(values[-1] - values[0]))


def _scaled_step(gaps: Floats, span: float) -> float:
    """Find the step of whole numbers in other units: the smallest gap is a few steps of it."""
    least = float(gaps.min())
    # Few gaps are all near multiples of something by chance, so they have to be nearer.
    tolerance = 1e-3 if gaps.size > 4 else 1e-9
    for steps in range(1, MOST_STEPS + 1):
        if span * steps / least > 1e6:
            break
        multiples = gaps * (steps / least)
        if np.abs(multiples - np.rint(multiples)).max() <= tolerance:
            return float(span / np.rint(span * steps / least))
    return 0.0
