"""The part on drift: whether the archive still looks like the research data."""

from typing import Any

import numpy as np

from fairmend.auditing.material import Material
from fairmend.auditing.periods import Periods
from fairmend.auditing.tolerances import Tolerances
from fairmend.measures.drift.stationarity import stationarity
from fairmend.report.facts import shown
from fairmend.report.pooling import FEWEST

UNTOLD = dict.fromkeys(("distance", "rows_to_decide", "shift", "expected_share", "found_share")) | {
    "interval": [0.0, 1.0],
    "p": 1.0,
    "p_adjusted": 1.0,
    "detected": False,
}
"""What is said where a cell has too few rows to say more."""

SHARES = ("missing", "unseen", "out_of_range")


def drift_part(
    material: Material, tolerances: Tolerances, periods: Periods | None
) -> dict[str, Any]:
    """Compare the archive with the research marginals, as a whole and by period.

    See :func:`fairmend.measures.drift.stationarity.stationarity`; what would tell of fewer than 5
    rows is taken out.
    """
    n_groups = material.shape[1]
    cells = material.stratum * (n_groups + 1) + material.group
    found = stationarity(
        material.plan,
        material.old,
        np.where(material.known, cells, -1),
        periods=None if periods is None else periods.codes,
        names=() if periods is None else periods.names,
        tolerance=tolerances.drift,
    ).to_dict()
    for part in (found, *found["periods"]):
        part["cells"] = [_without_few(cell) for cell in part["cells"]]
        part["rows"] = shown(part["rows"])
    _hide_few_of_mix(found["mix"], material)
    return found


def _without_few(cell: dict[str, Any]) -> dict[str, Any]:
    rows = cell["rows"]
    if rows < FEWEST:
        cell = cell | UNTOLD | dict.fromkeys(SHARES) | {"verdict": "insufficient evidence"}
    else:
        cell = cell | {name: _share(cell[name], rows) for name in SHARES}
    return cell | {"rows": shown(rows), "research_rows": shown(cell["research_rows"])}


def _share(share: float, rows: int) -> float | None:
    """Leave out a share of 1 to 4 rows."""
    return None if 0 < round(share * rows) < FEWEST else share


def _hide_few_of_mix(mix: dict[str, Any], material: Material) -> None:
    few = (counts := material.counts()) < FEWEST
    for cell, hidden in zip(mix["cells"], (few & (counts > 0)).ravel(), strict=True):
        if hidden:
            cell["archive"] = None
    unseen = int((~material.known).sum())
    if 0 < unseen < FEWEST:
        mix["unseen"] = None
