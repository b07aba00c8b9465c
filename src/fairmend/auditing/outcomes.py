"""The part on outcomes: what decisions make of the repair."""

import numpy as np

from fairmend.auditing import faults
from fairmend.auditing.decisions import Decided, Decider, Marks, decide
from fairmend.auditing.material import Material
from fairmend.auditing.numbers import finite
from fairmend.auditing.tolerances import Tolerances
from fairmend.frames.levels import canonical
from fairmend.measures.disparate import disparate_treatment
from fairmend.report.content import OutcomePart, OutcomeRow
from fairmend.report.pooling import FEWEST
from fairmend.transport.support import Floats


def outcomes_part(
    material: Material, who: Decider, tolerances: Tolerances, reference: object, seed: int
) -> OutcomePart:
    """Compare the groups' rates of the favourable outcome, before and after.

    Disparate impact is a group's rate over that of the reference group: in every stratum, and over
    all rows, where strata are not told apart. The reference is the group whose rate over all rows
    is the highest before the repair, unless one is named. Groups of fewer than 5 rows in a stratum
    have no rate there.
    """
    decided = decide(material, who, seed)
    rates = [_rates(material, decided, one) for one in decided.decisions]
    overall = [_rates(material, decided, one, whole=True) for one in decided.decisions]
    at = _reference(material, overall[0][0], reference)
    rows: list[OutcomeRow] = []
    for stratum, old, new in (
        (None, overall[0][0], overall[1][0]),
        *zip(material.strata() if material.shape[0] > 1 else [], *rates, strict=False),
    ):
        for s, group in enumerate(material.groups()):
            if s != at:
                rows.append(
                    {
                        "stratum": stratum,
                        "group": group,
                        "reference": material.groups()[at],
                        "before": _ratio(old, s, at),
                        "after": _ratio(new, s, at),
                    }
                )
    treatment = [_treatment(material, decided, one) for one in decided.decisions]
    return {
        "label": decided.label,
        "favourable": decided.favourable,
        "decided_by": decided.by,
        "rows_used": int(decided.rows.size),
        "rule": tolerances.impact,
        "rows": rows,
        "treatment_before": treatment[0],
        "treatment_after": treatment[1],
        "utility_before": decided.utility[0],
        "utility_after": decided.utility[1],
    }


def _rates(material: Material, decided: Decided, favoured: Marks, *, whole: bool = False) -> Floats:
    """Compute the favourable outcome's rate by stratum and group; NaN where rows are few."""
    cells = material.cell[decided.rows]
    n_cells = material.shape[0] * material.shape[1]
    rows = np.bincount(cells, minlength=n_cells).reshape(material.shape)
    some = np.bincount(cells[favoured], minlength=n_cells).reshape(material.shape)
    if whole:
        rows, some = rows.sum(axis=0, keepdims=True), some.sum(axis=0, keepdims=True)
    rates: Floats = np.where(rows >= FEWEST, some / np.maximum(rows, 1), np.nan)
    return rates


def _reference(material: Material, overall: Floats, named: object) -> int:
    if named is None:
        if np.isnan(overall).all():
            raise faults.too_few_decisions()
        return int(np.nanargmax(overall))
    combinations = material.plan.groups.combinations
    wanted = named if isinstance(named, tuple) else (named,)
    for at, levels in enumerate(combinations):
        same = [canonical(level) for level in levels] == [canonical(one) for one in wanted]
        if same or named == material.groups()[at]:
            return at
    raise faults.no_such_reference(named, material.groups())


def _ratio(rates: Floats, group: int, reference: int) -> float | None:
    """Divide two rates; 0/0 and x/0 are no ratio."""
    return finite(rates[group] / rates[reference]) if rates[reference] > 0 else None


def _treatment(material: Material, decided: Decided, favoured: Marks) -> float | None:
    """Measure disparate treatment on the cells with enough rows."""
    cells = material.cell[decided.rows]
    rows = np.bincount(cells, minlength=int(np.prod(material.shape)))
    many = (rows >= FEWEST)[cells]
    group, stratum = (codes[decided.rows][many] for codes in (material.group, material.stratum))
    if np.unique(group).size < 2:
        return None
    return finite(disparate_treatment(favoured[many], group, stratum))
