"""A feature's transport in all strata and groups, compiled to flat arrays for the kernel."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from fairmend.kernel.alias import alias_table
from fairmend.transport.cell import Cell
from fairmend.transport.coupling import Indices
from fairmend.transport.support import Floats

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Table:
    """Flat arrays. A *cell* here is a stratum and a group: ``stratum * n_groups + group``.

    Rows of a cell: one for each grid point, one for each atom, and one for missing where that is a
    state. ``targets`` holds for each slot its own target, then the one that it passes on to: side
    by side, so that a draw reads one place. ``widths`` are of the grid cells of these targets,
    which dithering spreads them over; ``monge`` is for each row the mean target, the deterministic
    map.
    """

    n_groups: int
    grid_low: Floats
    grid_per_unit: Floats
    grid_points: Ints
    search: "AtomSearch"
    atom_below: Ints
    atoms: Floats
    atom_start: Ints
    atom_points: Ints
    first_row: Ints
    missing_row: Ints | None
    slot_start: Ints
    slot_log2: NDArray[np.uint64]
    threshold: NDArray[np.uint64]
    targets: Floats
    widths: Floats
    monge: Floats
    lattice: float


MOST_BUCKETS = 2**14
"""Of 8 bytes: more would not stay in the second-level cache."""


@dataclass(frozen=True)
class AtomSearch:
    """Count the atoms that are not above a value: one step into a table of buckets, then bisection.

    Bisection over a thousand atoms costs more than the whole rest of the kernel. A bucket of even
    ones holds one atom at most, so that one comparison settles it; where gaps differ it holds a
    few. Only atoms that no bucket can tell apart, as 0, 1e-300 and 1, are left to bisection.

    Attributes
    ----------
    atoms : ndarray
        Sorted, distinct, followed by as many NaN as ``most``: nothing is above or below them.
    per_unit : float
        Buckets in one unit of value.
    below : ndarray
        Atoms in all earlier buckets.
    most : int
        Atoms in the fullest bucket.
    """

    atoms: Floats
    per_unit: float
    below: Ints
    most: int

    @classmethod
    def over(cls, atoms: Floats) -> Self:
        """Lay the buckets."""
        per_unit = _buckets_per_unit(atoms)
        bucket = np.zeros(atoms.size, dtype=np.int64)
        if per_unit > 0.0:
            bucket = ((atoms - atoms[0]) * per_unit).astype(np.int64)
        count = np.bincount(bucket, minlength=1)
        most = int(count.max())
        ended = np.concatenate([atoms, np.full(max(most, 1), np.nan)])
        return cls(ended, per_unit, np.cumsum(count) - count, most)

    def count(self, x: Floats) -> Ints:
        """Count the atoms ≤ x; for NaN the count is arbitrary but in range."""
        # Rounding keeps order, so a later bucket holds no lesser atom. fmin and fmax pass over NaN.
        with np.errstate(over="ignore", invalid="ignore"):  # of values far out
            position = (x - self.atoms[0]) * self.per_unit
        bucket = np.fmax(np.fmin(position, self.below.size - 1), 0.0).astype(np.int64)
        count: Ints = self.below[bucket]
        left = self.most
        while left > 0:
            half = (left + 1) // 2
            found = self.atoms[count + (half - 1)] <= x
            count += found if half == 1 else found * half
            left //= 2
        return count


def _buckets_per_unit(atoms: Floats) -> float:
    if atoms.size < 2:
        return 0.0
    with np.errstate(over="ignore", invalid="ignore"):
        width = float(atoms[-1] - atoms[0])
        buckets = min(float(np.ceil(1.5 * width / np.diff(atoms).min())), MOST_BUCKETS)
        per_unit = float(np.divide(buckets, width))
    return per_unit if np.isfinite(width) and np.isfinite(per_unit) else 0.0


def compile_table(cells: Sequence[Cell], lattice: float = 0.0) -> Table:
    """Lay out the cells of one feature, stratum by stratum and group by group."""
    blocks = [_Rows.of(cell, group) for cell in cells for group in range(cell.marginals.shape[0])]
    n_rows = np.array([block.n_rows for block in blocks])
    first_row = np.cumsum(n_rows) - n_rows
    values = [_targets(cell) for cell in cells]
    n_values = np.array([value.size for value in values])
    widths = np.concatenate([_widths(cell) for cell in cells])
    first_value = np.repeat(np.cumsum(n_values) - n_values, cells[0].marginals.shape[0])
    table = alias_table(
        np.concatenate([b.row + at for b, at in zip(blocks, first_row, strict=True)]),
        np.concatenate([b.target + at for b, at in zip(blocks, first_value, strict=True)]),
        np.concatenate([b.mass for b in blocks]),
        int(n_rows.sum()),
    )
    value = np.concatenate(values)
    atom_points = np.array([cell.atoms.size for cell in cells])
    union = np.unique(np.concatenate([cell.atoms for cell in cells]))
    below = [np.searchsorted(cell.atoms, union, side="right") - 1 for cell in cells]
    return Table(
        n_groups=cells[0].marginals.shape[0],
        grid_low=np.array([cell.grid[0] if cell.grid.size else 0.0 for cell in cells]),
        grid_per_unit=np.array([_per_unit(cell.grid) for cell in cells]),
        grid_points=np.array([cell.grid.size for cell in cells]),
        search=AtomSearch.over(union),
        atom_below=np.array([np.concatenate([[-1], b]) for b in below], dtype=np.int64),
        atoms=np.concatenate([cell.atoms for cell in cells]),
        atom_start=np.cumsum(atom_points) - atom_points,
        atom_points=atom_points,
        first_row=first_row,
        missing_row=None if cells[0].missing is None else first_row + n_rows - 1,
        slot_start=table.start,
        slot_log2=table.size_log2,
        threshold=table.threshold,
        targets=value[table.own_and_alias],
        widths=widths[table.own_and_alias],
        monge=np.concatenate([block.mean for block in blocks]),
        lattice=lattice,
    )


@dataclass(frozen=True)
class _Rows:
    """The coupling of one cell and group, its rows in the kernel's order: grid, then atoms."""

    n_rows: int
    row: Indices
    target: Indices
    mass: Floats
    mean: Floats

    @classmethod
    def of(cls, cell: Cell, group: int) -> Self:
        coupling = cell.every_row(group)
        targets = _targets(cell)
        entries = np.bincount(coupling.source, minlength=targets.size)
        place = np.searchsorted(cell.support, np.concatenate([cell.grid, cell.atoms]))
        if cell.missing is not None:
            place = np.append(place, cell.support.size)
        wanted = entries[place]
        row = np.repeat(np.arange(place.size), wanted)
        within = np.arange(row.size) - (np.cumsum(wanted) - wanted)[row]
        entry = (np.cumsum(entries) - entries)[place][row] + within
        target, mass = coupling.target[entry], coupling.mass[entry]
        total = np.bincount(row, weights=mass)
        mean = np.bincount(row, weights=mass * targets[target]) / total
        return cls(place.size, row, target, mass, mean)


def _targets(cell: Cell) -> Floats:
    return cell.support if cell.missing is None else np.append(cell.support, np.nan)


def _widths(cell: Cell) -> Floats:
    """Give each grid point the width of one step, atoms and missing none."""
    widths = np.zeros(_targets(cell).size)
    if cell.grid.size:
        at = np.searchsorted(cell.support, np.setdiff1d(cell.grid, cell.atoms))
        widths[at] = cell.grid[1] - cell.grid[0]
    return widths


def _per_unit(grid: Floats) -> float:
    return float((grid.size - 1) / (grid[-1] - grid[0])) if grid.size else 0.0
