"""Joint or feature by feature: what an adversary finds in research rows that were held out."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from fairmend.kernel.draws import mix, row_numbers
from fairmend.measures.leak.columns import MOST_CATEGORIES, Seen
from fairmend.measures.leak.parts import NORMAL_95, Part, parts_of, trial
from fairmend.plan.apply import repair_arrays
from fairmend.plan.options import Options, Policies
from fairmend.plan.plan import Plan
from fairmend.plan.refined import HeldOut
from fairmend.research.assemble import assemble
from fairmend.research.cells import layouts_of
from fairmend.research.constraints import constrained
from fairmend.research.joint.order import in_order
from fairmend.research.joint.rows import Rows
from fairmend.research.joint.sequence import labels_of, refined
from fairmend.transport.layout import Layout
from fairmend.transport.support import Floats

if TYPE_CHECKING:
    from fairmend.research.algorithm import Prepared

MOST_ROWS = 20_000
"""Rows that the choice is made on: with more there is little doubt, and much to wait for."""

FEW_ROWS, RUNS = 1_000, 2
"""Fewer rows are repaired several times over, since each adversary then errs by its draws."""

SEED = 1
"""Of the draws for held-out rows."""


def joined(research: Any, ready: "Prepared", options: Options, weight: str | None) -> Plan:
    """Design a joint plan, unless held-out rows are surely repaired better feature by feature.

    Half of the rows design both plans, the other half is repaired by them and shown to an
    adversary, and the other way round. A leaf that learnt from too few rows leaks; such a leak is
    in the plan, so the adversary looks at the rows of one plan at a time.
    """
    alone = assemble(*ready, options)
    rows = Rows.of(research, alone, weight)
    codes = {f.name: labels_of(f, rows.values[f.name]) for f in alone.features}
    order = in_order(codes, rows)
    alone = constrained(alone, rows.values, order)
    options = alone.options
    held_out = _held_out(alone, ready, options, rows, order)
    plan = replace(alone, held_out=held_out)
    if held_out is None or not held_out.supports_joint:
        return plan
    return refined(plan, _layouts(ready, options), ready.shares, rows, order)


def _layouts(ready: "Prepared", options: Options) -> dict[str, list[Layout]]:
    return {
        name: [layout for layout, _ in layouts_of(ready.columns[name], sample, options)]
        for name, sample in ready.samples.items()
    }


def _held_out(
    alone: Plan, ready: "Prepared", options: Options, rows: Rows, order: tuple[str, ...]
) -> HeldOut | None:
    """Measure both ways of repair; None where there are too few rows to teach an adversary."""
    strengths = {feature.name: feature.shrinkage for feature in alone.features}
    shape = len(ready.strata), len(ready.groups)
    numbers = mix(row_numbers(0, len(rows)))
    if len(rows) > MOST_ROWS:
        rows = rows.only(np.argsort(numbers, kind="stable")[:MOST_ROWS])
        numbers = mix(row_numbers(0, len(rows)))
    half = (numbers >> np.uint64(63)).astype(bool)
    aucs, sizes = [], []
    for out in (half, ~half):
        train, test = rows.only(~out), rows.only(out)
        parts = parts_of(test.group, test.stratum, ready.groups, ready.strata)
        if not parts or not (train.totals(*shape) > 0).all():
            return None
        samples = {name: train.sample(name, *shape) for name in ready.samples}
        seen = ready._replace(samples=samples)
        plan = assemble(*seen, options, strengths)
        plans = plan, refined(plan, _layouts(seen, options), ready.shares, train, order)
        (alone_auc, _), (joint_auc, error) = (_auc(one, test, parts) for one in plans)
        aucs.append([alone_auc, joint_auc, error**2])
        sizes.append(sum(part.rows.size for part in parts))
    alone_auc, joint_auc, variance = np.average(aucs, axis=0, weights=sizes)
    error = float(np.sqrt(variance / len(aucs)))
    return HeldOut(len(rows), float(alone_auc), float(joint_auc), error)


def _auc(plan: Plan, rows: Rows, parts: list[Part]) -> tuple[float, float]:
    """Let an adversary guess S from repaired rows; return its AUC and the standard error."""
    cells = rows.stratum * (len(plan.groups) + 1) + rows.group
    plan = plan.with_amount(1.0)
    runs = RUNS if len(rows) < FEW_ROWS else 1
    found = []
    for run in range(runs):
        keys = mix(row_numbers(run * len(rows), len(rows)))
        repaired, _ = repair_arrays(plan, rows.values, cells, keys, SEED, Policies("keep"))
        columns = [_seen(plan, name, x) for name, x in repaired.items()]
        told = trial(columns, parts, classifier=None, permutations=0, random_state=0).auc
        found.append([told.auc, (told.high - told.low) / 2 / NORMAL_95])
    auc, error = np.mean(found, axis=0)
    return float(auc), float(error)


def _seen(plan: Plan, name: str, values: Floats) -> Seen:
    feature = next(one for one in plan.features if one.name == name)
    few = len(feature.codec.levels) <= MOST_CATEGORIES
    is_category = feature.kind == "categorical" and few
    return Seen(name, values, "category" if is_category else "number")
