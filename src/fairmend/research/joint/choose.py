"""Joint or feature by feature: what an adversary finds in research rows that were held out."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from fairmend.plan.options import Options
from fairmend.plan.plan import Plan
from fairmend.plan.refined import HeldOut
from fairmend.research.joint.trial import Trial, auc_of, random_numbers

if TYPE_CHECKING:
    from fairmend.research.algorithm import Prepared

MOST_ROWS = 20_000
"""Rows that the choice is made on: with more there is little doubt, and much to wait for."""


def joined(research: Any, ready: "Prepared", options: Options, weight: str | None) -> Plan:
    """Design a joint plan, unless held-out rows are surely repaired better feature by feature.

    Half of the rows design both plans, the other half is repaired by them and shown to an
    adversary, and the other way round. A leaf that learnt from too few rows leaks; such a leak is
    in the plan, so the adversary looks at the rows of one plan at a time.
    """
    trial = Trial.of(research, ready, options, weight)
    held_out = found_in_halves(trial)
    plan = replace(trial.alone, held_out=held_out)
    if held_out is None or not held_out.supports_joint:
        return plan
    return trial.joint(plan)


def found_in_halves(trial: Trial) -> HeldOut | None:
    """Measure both ways of repair; None where there are too few rows to teach an adversary."""
    rows = trial.rows
    numbers = random_numbers(len(rows))
    if len(rows) > MOST_ROWS:
        rows = rows.only(np.argsort(numbers, kind="stable")[:MOST_ROWS])
        numbers = random_numbers(len(rows))
    half = (numbers >> np.uint64(63)).astype(bool)
    aucs, sizes = [], []
    for out in (half, ~half):
        test = rows.only(out)
        parts = trial.parts(test)
        plans = trial.plans(rows.only(~out)) if parts else None
        if plans is None:
            return None
        (alone_auc, _), (joint_auc, error) = (auc_of(one, test, parts) for one in plans)
        aucs.append([alone_auc, joint_auc, error**2])
        sizes.append(sum(part.rows.size for part in parts))
    alone_auc, joint_auc, variance = np.average(aucs, axis=0, weights=sizes)
    error = float(np.sqrt(variance / len(aucs)))
    return HeldOut(len(rows), float(alone_auc), float(joint_auc), error)
