"""The tables that laws are checked on, and how results are compared."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairmend.testing.adapter import Adapter
from fairmend.testing.law import Make, require

Table = Any
Floats = NDArray[np.float64]
FEATURES = ("x", "hours")
"""A real and a heaped whole number: what laws of rows are checked on."""


def people(n: int = 1_000, seed: int = 0) -> Table:
    """Draw rows of two groups, ``s``, that differ in every feature, in two strata, ``u``.

    ``x`` is normal and of either sign, ``income`` positive with a long tail, ``hours`` and ``age``
    are whole numbers, ``hours`` with a heap at 40, ``flag`` is 0 or 1.
    """
    import pandas as pd

    rng = np.random.default_rng(seed)
    s = rng.integers(0, 2, n)
    hours = np.clip(rng.normal(34 + 8 * s, 9, n).round(), 10, 70).astype(np.int64)
    return pd.DataFrame(
        {
            "id": rng.permutation(n) + 10_000 * (seed + 1),
            "s": s,
            "u": rng.integers(0, 2, n),
            "x": rng.normal(2.0 * s, 1 + 0.5 * s),
            "income": np.exp(rng.normal(3 + 0.8 * s, 0.8)),
            "hours": np.where(rng.random(n) < 0.4, 40, hours),
            "age": np.clip(rng.normal(38 + 4 * s, 10, n).round(), 17, 80).astype(np.int64),
            "flag": (rng.random(n) < np.where(s == 0, 0.68, 0.11)).astype(np.int64),
            "label": (rng.random(n) < 0.3 + 0.2 * s).astype(np.int64),
            "note": np.where(rng.random(n) < 0.5, "left, as it is", "and so is this"),
        }
    )


def fitted(
    make: Make,
    research: Table,
    features: Sequence[str] = FEATURES,
    *,
    unprotected: str | None = None,
    amount: float = 1.0,
) -> Adapter:
    """Make an adapter and fit it."""
    adapter = make()
    adapter.fit(
        research, protected="s", unprotected=unprotected, features=list(features), amount=amount
    )
    return adapter


def numbers(table: Table, name: str) -> Floats:
    """Read a column as floats, NaN where it is missing."""
    require(name in table.columns, f"{name}: the column is not in the result")
    return np.asarray(table[name].astype("float64"), dtype=float)


def compare(found: Table, wanted: Table, names: Sequence[str], *, scale: float = 1.0) -> None:
    """Require the same values in the same places, up to the last digits of a sum."""
    for name in names:
        one, other = numbers(found, name), numbers(wanted, name)
        require(one.size == other.size, f"{name}: {one.size:,} rows, and not {other.size:,}")
        known = other[~np.isnan(other)]
        tolerance = 1e-7 * scale * (float(np.ptp(known)) if known.size else 1.0)
        near = np.isclose(one, other, rtol=1e-9, atol=tolerance, equal_nan=True)
        most = float(np.nanmax(np.abs(one - other), initial=0.0))
        require(
            near.all(),
            f"{name}: {np.sum(~near):,} of {near.size:,} rows differ, by up to {most:.3g}",
        )


def joined(parts: Sequence[Table]) -> Table:
    """Put tables below each other."""
    import pandas as pd

    return pd.concat([part.reset_index(drop=True) for part in parts], ignore_index=True)


def gap(groups: Any, values: Floats) -> float:
    """Measure how far groups' distribution functions are apart where they are so the most."""
    groups = np.asarray(groups)
    places = np.unique(values)
    laws = [
        np.searchsorted(np.sort(values[groups == g]), places, side="right") / np.sum(groups == g)
        for g in np.unique(groups)
    ]
    return float(np.ptp(laws, axis=0).max())
