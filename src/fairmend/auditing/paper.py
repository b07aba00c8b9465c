"""The part on the paper's scale: E as its tables have it, for those who compare with them."""

import numpy as np

from fairmend.auditing.material import Material, Places
from fairmend.auditing.numbers import finite
from fairmend.measures.dependence import dependence
from fairmend.report.content import PaperPart, PaperRow
from fairmend.report.pooling import FEWEST
from fairmend.transport.support import Floats

MOST_ROWS = 200_000
"""Rows drawn: the scale depends on their number, but kernels over more of them take minutes."""


def paper_part(material: Material, grid: int, seed: int) -> PaperPart:
    """Measure E on the paper's scale; categories have no place on it."""
    rows = np.sort(material.draw(MOST_ROWS, seed))
    found: list[PaperRow] = [
        {
            "feature": one.name,
            "before": _e(material, material.old[one.name], rows, grid),
            "after": _e(material, material.new[one.name], rows, grid),
        }
        for one in material.plan.features
        if one.codec.type != "category"
    ]
    return {"grid": grid, "rows": found}


def _e(material: Material, values: Floats, rows: Places, grid: int) -> float | None:
    known = rows[~np.isnan(values[rows])]
    there = np.bincount(material.cell[known], minlength=int(np.prod(material.shape)))
    complete = np.flatnonzero((there.reshape(material.shape) >= FEWEST).all(axis=1))
    known = known[np.isin(material.stratum[known], complete)]
    if not known.size:
        return None
    roles = material.group[known], material.stratum[known]
    return finite(dependence(values[known], *roles, scale="paper", grid=grid))
