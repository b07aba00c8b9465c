"""Algorithm 2 in NumPy, vectorised over blocks that stay in the processor's cache."""

import numpy as np
from numpy.typing import NDArray

from fairmend.kernel.draws import HALF, LOW_HALF, Bits, mix
from fairmend.kernel.table import Ints, Table
from fairmend.transport.support import Floats

BLOCK = 16_384
"""Rows a block: its dozen temporaries fit the second-level cache; 1 M rows a block is 2× slower."""

_TWO_32 = 2.0**32


def repair_values(
    table: Table,
    values: Floats,
    cells: Ints,
    mixed_keys: Bits,
    draw: np.uint64,
    *,
    monge: bool = False,
) -> Floats:
    """Repair one feature's values.

    Parameters
    ----------
    table : Table
        The feature's compiled transport.
    values : ndarray of shape (n,)
        Finite values or NaN; NaN stays NaN. Values outside the support act as its nearest end.
    cells : ndarray of shape (n,)
        ``stratum * n_groups + group`` of each row; all valid.
    mixed_keys : ndarray of shape (n,)
        ``mix(row key)``; computed once for all features.
    draw : uint64
        The constant of this feature's stream.
    monge : bool
        Move to the mean of the coupling's row, without drawing.

    Returns
    -------
    ndarray of shape (n,)
        Repaired values.
    """
    repaired = np.empty_like(values)
    for start in range(0, values.size, BLOCK):
        block = slice(start, start + BLOCK)
        x, cell = values[block], cells[block]
        row, tau = _locate(table, x, cell)
        if monge:
            here, above = table.monge[row], table.monge[row + (tau > 0)]
            moved = here + tau * (above - here)
        else:
            bits = mix(mixed_keys[block] ^ draw)
            # One hash serves both draws of Algorithm 2: its halves are independent.
            row += (bits >> HALF) < tau * _TWO_32  # line 7: a ~ B(τ), q ← q + a
            moved = _draw(table, row, bits & LOW_HALF)
        repaired[block] = np.where(np.isnan(x), x, moved)
    return repaired


def _draw(table: Table, row: Ints, bits: Bits) -> Floats:
    """Draw a target from each row of the coupling (line 9) with 32 random bits."""
    scaled = bits << table.slot_log2[row]
    slot = table.slot_start[row] + (scaled >> HALF).astype(np.int64)
    kept = (scaled & LOW_HALF) < table.threshold[slot]
    return np.where(kept, table.own[slot], table.alias[slot])


def _locate(table: Table, x: Floats, cell: Ints) -> tuple[Ints, Floats]:
    """Find each value's row below and τ, its share of the way to the next (lines 5–6)."""
    stratum = cell // table.n_groups
    if not table.atoms.size:
        row, tau = _on_grid(table, x, stratum)
    elif not table.grid_points.any():
        row, tau, _ = _on_atoms(table, x, stratum)
    else:
        row, tau = _on_grid(table, x, stratum)
        atom_row, atom_tau, exact = _on_atoms(table, x, stratum)
        # Off the atoms a value belongs to the continuous rest, where there is one.
        as_atom = exact | (table.grid_points[stratum] == 0)
        row, tau = np.where(as_atom, atom_row, row), np.where(as_atom, atom_tau, tau)
    return row + table.first_row[cell], tau


def _on_grid(table: Table, x: Floats, stratum: Ints) -> tuple[Ints, Floats]:
    last = table.grid_points[stratum] - 1
    position = (x - table.grid_low[stratum]) * table.grid_per_unit[stratum]
    # fmin and fmax pass over NaN, so the cast to integers is defined for it too.
    position = np.fmax(np.fmin(position, last), 0.0)
    below = np.minimum(position.astype(np.int64), last - 1)
    return below, position - below


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
