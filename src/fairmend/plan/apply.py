"""Algorithm 2 over a plan: which cell each row belongs to, and its values moved."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from fairmend.errors import DataError, OptionError, UnseenError
from fairmend.frames.codec import UNSEEN_LEVEL
from fairmend.frames.columns import Columns
from fairmend.frames.levels import UNSEEN, Codes, Factor
from fairmend.frames.roles import encoded_roles
from fairmend.kernel.draws import Bits, stream
from fairmend.kernel.move import Move
from fairmend.kernel.numpy_kernel import part_of_the_way
from fairmend.kernel.repair import repair_values
from fairmend.plan.expected import expected_values
from fairmend.plan.feature import Feature
from fairmend.plan.forest import Seen
from fairmend.plan.labels import Told
from fairmend.plan.options import Policies
from fairmend.plan.sequence import Step
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
    _refuse_averages(plan, told)
    repaired, counts = {}, {}
    everybody, placed = cells >= 0, np.maximum(cells, 0)
    stratum = placed // (len(plan.groups) + 1)
    pooled = stratum == len(plan.strata)
    if plan.options.blind is None:
        pooled |= placed - stratum * (len(plan.groups) + 1) == len(plan.groups)
    seen: dict[str, Seen] = {}
    marks: dict[str, Seen] = {}
    for step in plan.steps:
        feature = step.feature
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
        places = step.refined(placed, len(plan.groups) + 1, seen)
        moved = _moved(plan, step, x, places, mixed_keys, seed, planned, seen, marks)
        if told is not None and told.draw == "expected" and feature.goes_part_of_the_way:
            rows = np.flatnonzero(told.unknown & planned)
            parts = x[rows], stratum[rows], told.weights[:, rows], mixed_keys[rows]
            moved[rows] = expected_values(feature, *parts, _move(plan, feature, seed))
        repaired[feature.name] = moved
        counts[feature.name] = {
            "missing": int(np.count_nonzero(np.isnan(x))),
            "out_of_range": int(np.count_nonzero(beyond)),
            "unseen": int(np.count_nonzero(~everybody | new | pooled)),
        } | _counts(step, values, repaired, told)
    outside = {name: count["out_of_range"] for name, count in counts.items()}
    if policies.out_of_range == "raise" and any(outside.values()):
        raise DataError.out_of_range({name: n for name, n in outside.items() if n})
    return repaired, counts


def _counts(
    step: Step, values: Mapping[str, Floats], repaired: Mapping[str, Floats], told: Told | None
) -> dict[str, int]:
    """Count what only some repairs have: estimated groups, and forbidden combinations."""
    counts = {} if told is None else {"estimated": int(told.unknown.sum())}
    if step.guard is not None:
        counts["forbidden_before"] = int(step.guard.found(values).sum())
        counts["forbidden_left"] = int(step.guard.found(repaired).sum())
    return counts


def _refuse_averages(plan: "Plan", told: Told | None) -> None:
    """Raise if maps are to be averaged of which each leads to a leaf of its own."""
    follow = plan.is_joint or plan.options.constraints
    if follow and told is not None and told.draw == "expected":
        raise OptionError.expected_jointly()


def _refuse_ties(name: str, x: Floats) -> None:
    """Raise if values repeat: the deterministic map would give each group repeats of its own."""
    known = x[~np.isnan(x)]
    share = 1.0 - np.unique(known).size / known.size if known.size else 0.0
    if known.size >= FEW_ROWS and share > MOST_TIES:
        raise DataError.tied(name, share)


def _moved(
    plan: "Plan",
    step: Step,
    x: Floats,
    cells: Codes,
    keys: Bits,
    seed: int,
    planned: NDArray[np.bool_],
    seen: dict[str, Seen],
    marks: dict[str, Seen],
) -> Floats:
    """Move one feature, and let later features see what became of it."""
    feature, move = step.feature, _move(plan, step.feature, seed)
    if not (plan.is_joint or plan.options.constraints):
        return _where(planned, repair_values(step.table, x, cells, keys, move), x)
    whole = repair_values(step.table, x, cells, keys, replace(move, amount=1.0))
    whole = _where(planned, whole, x)
    if step.guard is not None:
        leaf = cells // (len(plan.groups) + 1)
        whole = step.guard.kept_out(whole, leaf, marks, keys, seed, planned)
    if step.marks is not None:
        marks[feature.name] = step.marks.of(whole)
    if step.bins is not None:
        # The laws in the leaves are those of rows that were repaired wholly.
        seen[feature.name] = step.bins.of(whole)
    if plan.options.amount == 1.0:
        return whole
    # A row is kept in all its features or in none, so that its values stay together.
    return part_of_the_way(x, whole, keys, replace(move, keep=stream(seed, "", "keep row")))


def _move(plan: "Plan", feature: Feature, seed: int) -> Move:
    # Between an allowed value and another there may be forbidden ones.
    whole = plan.options.constrains(feature.name)
    return Move.of(
        seed,
        feature.name,
        plan.options.output,
        plan.options.amount,
        geodesic=feature.goes_part_of_the_way and not whole,
    )


def _where(planned: NDArray[np.bool_], moved: Floats, x: Floats) -> Floats:
    return moved if planned.all() else np.where(planned, moved, x)


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
