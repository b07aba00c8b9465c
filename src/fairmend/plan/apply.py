"""Algorithm 2 over a plan: which cell each row belongs to, and its values moved."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fairmend.errors import DataError, UnseenError
from fairmend.frames.codec import UNSEEN_LEVEL
from fairmend.frames.columns import Columns
from fairmend.frames.levels import UNSEEN, Codes, Factor
from fairmend.frames.roles import encoded_roles
from fairmend.kernel.draws import Bits
from fairmend.kernel.move import Move
from fairmend.kernel.repair import repair_values
from fairmend.plan.expected import expected_values
from fairmend.plan.feature import Feature
from fairmend.plan.labels import Told
from fairmend.plan.options import Policies
from fairmend.transport.support import Floats

if TYPE_CHECKING:
    from fairmend.plan.plan import Plan


FEW_ROWS, MOST_TIES = 20, 0.02


def repair_arrays(
    plan: "Plan",
    values: Mapping[str, Floats],
    cells: Codes,
    mixed_keys: Bits,
    seed: int,
    policies: Policies,
    told: Told | None = None,
) -> "tuple[dict[str, Floats], dict[str, dict[str, int]]]":
    """Repair columns of numbers: the door that all others lead to.

    Parameters
    ----------
    plan : Plan
        What to apply.
    values : mapping of str to ndarray of shape (n,)
        Each feature, NaN where missing.
    cells : ndarray of shape (n,)
        ``stratum * (groups + 1) + group``, where the last stratum and the last group stand for
        everybody; negative for rows to leave as they are.
    mixed_keys : ndarray of shape (n,)
        ``mix(row key)``.
    seed : int
        Address of the draws.
    policies : Policies
        For values out of range and categories unseen.
    told : Told, optional
        Which groups in ``cells`` are estimated, and how those rows are repaired.

    Returns
    -------
    repaired, counts
        By feature.
    """
    repaired, counts = {}, {}
    everybody = cells >= 0
    stratum = np.maximum(cells, 0) // (len(plan.groups) + 1)
    pooled = stratum == len(plan.strata)
    if plan.options.blind is None:
        pooled |= cells % (len(plan.groups) + 1) == len(plan.groups)
    for feature in plan.features:
        x = values[feature.name]
        low, high = feature.range
        if plan.options.output == "monge":  # a constant stratum stays as it is
            _refuse_ties(feature.name, x[(low < high)[stratum]])
        new = (
            (x == UNSEEN_LEVEL) if feature.codec.type == "category" else np.zeros_like(cells, bool)
        )
        beyond = ((x < low[stratum]) | (x > high[stratum])) & everybody & ~new
        planned = everybody & ~new if policies.unseen == "keep" else everybody
        if policies.out_of_range == "keep":
            planned = planned & ~beyond
        moved = _moved(plan, feature, x, cells, mixed_keys, seed, planned)
        if told is not None and told.draw == "expected" and feature.goes_part_of_the_way:
            rows = np.flatnonzero(told.unknown & planned)
            parts = x[rows], stratum[rows], told.weights[:, rows], mixed_keys[rows]
            moved[rows] = expected_values(feature, *parts, _move(plan, feature, seed))
        repaired[feature.name] = moved
        counts[feature.name] = {
            "missing": int(np.isnan(x).sum()),
            "out_of_range": int(beyond.sum()),
            "unseen": int((~everybody | new | pooled).sum()),
        }
        if told is not None:
            counts[feature.name]["estimated"] = int(told.unknown.sum())
    outside = {name: count["out_of_range"] for name, count in counts.items()}
    if policies.out_of_range == "raise" and any(outside.values()):
        raise DataError.out_of_range({name: n for name, n in outside.items() if n})
    return repaired, counts


def _refuse_ties(name: str, x: Floats) -> None:
    """Raise if values repeat: the deterministic map would give each group repeats of its own."""
    known = x[~np.isnan(x)]
    share = 1.0 - np.unique(known).size / known.size if known.size else 0.0
    if known.size >= FEW_ROWS and share > MOST_TIES:
        raise DataError.tied(name, share)


def _moved(
    plan: "Plan",
    feature: Feature,
    x: Floats,
    cells: Codes,
    keys: Bits,
    seed: int,
    planned: NDArray[np.bool_],
) -> Floats:
    move = _move(plan, feature, seed)
    if planned.all():
        return repair_values(feature.table, x, cells, keys, move)
    moved = repair_values(feature.table, x, np.where(planned, cells, 0), keys, move)
    return np.where(planned, moved, x)


def _move(plan: "Plan", feature: Feature, seed: int) -> Move:
    return Move.of(
        seed,
        feature.name,
        plan.options.output,
        plan.options.amount,
        geodesic=feature.goes_part_of_the_way,
    )


def refuse_unseen_categories(plan: "Plan", frame: Columns, values: Mapping[str, Floats]) -> None:
    """Raise if a column has categories that the research data did not show, with their counts."""
    for feature in plan.features:
        if feature.codec.type != "category":
            continue
        unseen = values[feature.name] == UNSEEN_LEVEL
        if unseen.any():
            column = Factor((feature.name,), tuple((v,) for v in feature.codec.levels))
            counts = column.unseen_counts([frame.encoded(feature.name)], unseen)
            raise UnseenError.levels(counts, [feature.name], feature.codec.levels)


def cells_of(plan: "Plan", frame: Columns, policies: Policies, group: Codes | None = None) -> Codes:
    """Give each row the number of its stratum and group; −1 where it has none and is kept.

    The groups are those in the frame, unless they are given. To a blind plan all are everybody.
    """
    if plan.options.blind is not None:
        group = np.full(len(frame), len(plan.groups), dtype=np.int64)
    group = _codes(frame, plan.groups, policies) if group is None else group
    stratum = _codes(frame, plan.strata, policies)
    kept = (group == UNSEEN) | (stratum == UNSEEN)
    if policies.unseen == "pool":
        group = np.where(group == UNSEEN, len(plan.groups), group)
        stratum = np.where(stratum == UNSEEN, len(plan.strata), stratum)
        kept = np.zeros_like(kept)
    return np.where(kept, -1, stratum * (len(plan.groups) + 1) + group)


def _codes(frame: Columns, factor: Factor, policies: Policies) -> Codes:
    encoded = encoded_roles(frame, factor.columns, factor.bins)
    codes = factor.encode(encoded, len(frame))
    unseen = codes == UNSEEN
    if policies.unseen == "raise" and unseen.any():
        known = [c[0] if len(c) == 1 else c for c in factor.combinations]
        raise UnseenError.levels(factor.unseen_counts(encoded, unseen), factor.columns, known)
    return codes
