from typing import Any

from numpy.typing import NDArray

LAYOUT: int

def repair(
    repaired: NDArray[Any],
    values: NDArray[Any],
    cells: NDArray[Any],
    mixed_keys: NDArray[Any],
    table: tuple[NDArray[Any], ...],
    numbers: tuple[int, int, float, float],
    move: tuple[str, float, bool],
    draws: tuple[int, int, int],
    /,
) -> None: ...
