"""The kernel in use: C where it was built, NumPy elsewhere. Their bytes are equal."""

import os
from typing import Literal

from fairmend.errors import OptionError
from fairmend.kernel import c_kernel, numpy_kernel
from fairmend.kernel.draws import Bits
from fairmend.kernel.move import Move
from fairmend.kernel.table import Ints, Table
from fairmend.transport.support import Floats

CHOICE = "FAIRMEND_KERNEL"
"""Environment variable that names the kernel to use: ``c`` or ``numpy``."""


def implementation() -> Literal["c", "numpy"]:
    """Say which kernel is in use; the environment variable ``FAIRMEND_KERNEL`` may choose it.

    Examples
    --------
    >>> import fairmend.kernel
    >>> fairmend.kernel.implementation() in ("c", "numpy")
    True
    """
    chosen = os.environ.get(CHOICE, "").lower()
    if chosen == "numpy":
        return "numpy"
    if chosen not in ("", "c"):
        message = f"{CHOICE}={chosen} names no kernel. Set it to c or numpy, or leave it unset."
        raise OptionError(message)
    if chosen == "c" and not c_kernel.BUILT:
        message = (
            f"{CHOICE}=c asks for the C kernel, which was not built with this installation. "
            f"Install fairmend again where there is a C compiler, or leave {CHOICE} unset."
        )
        raise OptionError(message)
    return "c" if c_kernel.BUILT else "numpy"


def repair_values(
    table: Table, values: Floats, cells: Ints, mixed_keys: Bits, move: Move
) -> Floats:
    """Repair one feature's values with the kernel in use; see ``numpy_kernel``."""
    if implementation() == "c":
        return c_kernel.repair_values(table, values, cells, mixed_keys, move)
    return numpy_kernel.repair_values(table, values, cells, mixed_keys, move)
