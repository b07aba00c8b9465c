"""Numbers that JSON has."""

import math


def finite(x: float) -> float | None:
    """Return a number, or None for what is none."""
    return float(x) if math.isfinite(x) else None
