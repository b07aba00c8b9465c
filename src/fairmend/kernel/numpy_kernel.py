"""Algorithm 2 in NumPy, vectorised over blocks that stay in the processor's cache."""

import numpy as np
from numpy.typing import NDArray

from fairmend.kernel.draws import HALF, LOW_HALF, Bits, mix
from fairmend.kernel.move import Move
from fairmend.kernel.table import Ints, Table
from fairmend.transport.heap import keep_freed_memory
from fairmend.transport.support import Floats

BLOCK = 16_384
"""Rows a block: its dozen temporaries fit the second-level cache; 1 M rows a block is 2× slower."""

_TWO_32 = 2.0**32


def repair_values(
    table: Table, values: Floats, cells: Ints, mixed_keys: Bits, move: Move
) -> Floats:
    """Repair one feature's values.

    Parameters
    ----------
    table : Table
        The feature's compiled transport.
    values : ndarray of shape (n,)
        Finite values or NaN. NaN stays NaN unless missing is a state. Values outside the support
        act as its nearest end.
    cells : ndarray of shape (n,)
        ``stratum * n_groups + group`` of each row; all valid.
    mixed_keys : ndarray of shape (n,)
        ``mix(row key)``; computed once for all features.
    move : Move
        Output rule, amount and draws.

    Returns
    -------
    ndarray of shape (n,)
        Repaired values.
    """
    repaired = np.empty_like(values)
    if move.amount == 0.0:
        repaired[:] = values
        return repaired
    keep_freed_memory()
    with np.errstate(all="ignore"):  # any float is a value, and NaN and far ends are provided for
        for start in range(0, values.size, BLOCK):
            block = slice(start, start + BLOCK)
            x, keys = values[block], mixed_keys[block]
            moved = _moved(table, x, cells[block], keys, move)
            if move.amount < 1.0:
                moved = part_of_the_way(x, moved, keys, move)
            repaired[block] = moved
    return repaired


def _moved(table: Table, x: Floats, cell: Ints, keys: Bits, move: Move) -> Floats:
    """Move a block the whole way."""
    row, tau = locate(table, x, cell)
    missing = np.isnan(x)
    if move.output == "monge":
        here, above = table.monge[row], table.monge[row + (tau > 0)]
        return np.where(missing, x, here + tau * (above - here))
    bits = mix(keys ^ move.repair)
    # One hash serves both draws of Algorithm 2: its halves are independent.
    tau *= _TWO_32
    row += (bits >> HALF) < tau  # line 7: a ~ B(τ), q ← q + a
    if table.missing_row is not None:
        np.copyto(row, table.missing_row.take(cell), where=missing)
    bits &= LOW_HALF
    drawn = _draw(table, row, bits)
    target: Floats = table.targets.take(drawn)
    if move.output == "dithered":
        width = table.widths.take(drawn)
        target = _dithered(target, width, mix(keys ^ move.dither), table.lattice)
    if table.missing_row is None:
        np.copyto(target, x, where=missing)
    return target


def _dithered(target: Floats, width: Floats, bits: Bits, lattice: float) -> Floats:
    """Spread targets evenly over their grid cells: the same law for every group."""
    offset = ((bits >> HALF).astype(np.float64) + 0.5) / _TWO_32 - 0.5
    if lattice == 0.0:
        return target + offset * width
    return target + np.rint(offset * (width / lattice)) * lattice


def part_of_the_way(x: Floats, moved: Floats, keys: Bits, move: Move) -> Floats:
    """Repair in part: along the geodesic, or each row wholly or not at all.

    The geodesic of a column with atoms lands each group's atoms on values of its own on the way,
    which tells the groups apart better than no repair: there, rows are kept or moved. A row moved
    at one amount is moved at every larger one, since the draw is the same.
    """
    if move.geodesic:
        return (1.0 - move.amount) * x + move.amount * moved
    kept = (mix(keys ^ move.keep) >> HALF) >= move.amount * _TWO_32
    return np.where(kept, x, moved)


def _draw(table: Table, row: Ints, bits: Bits) -> Ints:
    """Draw from each row of the coupling (line 9) with 32 bits: a place in ``targets``."""
    scaled = bits << table.slot_log2.take(row)
    slot = (scaled >> HALF).view(np.int64)
    slot += table.slot_start.take(row)
    scaled &= LOW_HALF
    passed_on = scaled >= table.threshold.take(slot)
    slot *= 2
    slot += passed_on
    return slot


def locate(table: Table, x: Floats, cell: Ints) -> tuple[Ints, Floats]:
    """Find each value's row below and τ, its share of the way to the next (lines 5–6)."""
    stratum = cell // table.n_groups
    if not table.atoms.size:
        row, tau = _on_grid(table, x, stratum)
    elif not table.grid_points.any():
        row, tau, _ = _on_atoms(table, x, stratum)
    else:
        row, tau, exact = _on_atoms(table, x, stratum)
        # Off the atoms a value belongs to the continuous rest, where there is one.
        rest = ~(exact | (table.grid_points == 0).take(stratum))
        grid_row, grid_tau = _on_grid(table, x, stratum)
        np.copyto(row, grid_row, where=rest)
        np.copyto(tau, grid_tau, where=rest)
    row += table.first_row.take(cell)
    return row, tau


def _on_grid(table: Table, x: Floats, stratum: Ints) -> tuple[Ints, Floats]:
    last = (table.grid_points - 1.0).take(stratum)
    position = x - table.grid_low.take(stratum)
    position *= table.grid_per_unit.take(stratum)
    # fmin and fmax pass over NaN, so the cast to integers is defined for it too.
    np.fmin(position, last, out=position)
    np.fmax(position, 0.0, out=position)
    last -= 1.0
    below = np.trunc(position)
    np.minimum(below, last, out=below)
    position -= below
    return below.astype(np.int64), position


def _on_atoms(table: Table, x: Floats, stratum: Ints) -> tuple[Ints, Floats, NDArray[np.bool_]]:
    # One search over the atoms of all strata, then a table to this stratum's own.
    found = table.search.count(x)
    points, start = table.atom_points[stratum], table.atom_start[stratum]
    below = table.atom_below[stratum, found]
    low = np.clip(below, 0, np.maximum(points - 2, 0))
    here = table.atoms[np.minimum(start + low, table.atoms.size - 1)]
    above = table.atoms[np.minimum(start + np.minimum(low + 1, points - 1), table.atoms.size - 1)]
    gap = above - here
    share = np.where(gap > 0, (x - here) / np.where(gap > 0, gap, 1.0), 0.0)
    tau = np.fmax(np.fmin(share, 1.0), 0.0)
    # A stratum without atoms reads its neighbour's above: nothing there is exact.
    exact = ((x == here) | (x == above)) & (points > 0)
    return table.grid_points[stratum] + low, tau, exact
