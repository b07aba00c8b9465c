"""Algorithm 2 in C: the same bytes as ``numpy_kernel``, several times as fast."""

import numpy as np

from fairmend.kernel.draws import Bits
from fairmend.kernel.move import Move
from fairmend.kernel.table import Ints, Table
from fairmend.transport.support import Floats

LAYOUT = 2
"""What ``_table`` and the call below pass; a build that was made for another is not used."""

try:
    from fairmend.kernel import _accelerator

    BUILT = _accelerator.LAYOUT == LAYOUT
except (ImportError, AttributeError):  # no compiler when it was installed, or a build gone stale
    BUILT = False


def repair_values(
    table: Table, values: Floats, cells: Ints, mixed_keys: Bits, move: Move
) -> Floats:
    """Repair one feature's values, without the interpreter's lock; see ``numpy_kernel``."""
    values = np.require(values, np.float64, ("C", "A"))
    repaired = np.empty_like(values)
    if move.amount == 0.0:
        repaired[:] = values
        return repaired
    _accelerator.repair(
        repaired,
        values,
        np.require(cells, requirements=("C", "A")),
        np.require(mixed_keys, np.uint64, ("C", "A")),
        _arrays(table),
        (table.n_groups, table.search.most, table.search.per_unit, table.lattice),
        (move.output[0], move.amount, move.geodesic),
        (int(move.repair), int(move.dither), int(move.keep)),
    )
    return repaired


def _arrays(table: Table) -> tuple[np.ndarray, ...]:
    """List the table's arrays in the order that ``_algorithm2.h`` names them in."""
    missing_row = np.empty(0, np.int64) if table.missing_row is None else table.missing_row
    return (
        table.grid_low,
        table.grid_per_unit,
        table.grid_points,
        table.atom_start,
        table.atom_points,
        table.atom_below,
        table.atoms,
        table.search.atoms,
        table.search.below,
        table.first_row,
        missing_row,
        table.slot_start,
        table.slot_log2,
        table.threshold,
        table.targets,
        table.widths,
        table.monge,
    )
