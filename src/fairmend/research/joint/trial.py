"""Plans from some of the research rows, tried on others: what an adversary finds in these."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from fairmend.kernel.draws import mix, row_numbers
from fairmend.measures.leak.columns import MOST_CATEGORIES, Seen
from fairmend.measures.leak.parts import NORMAL_95, Part, parts_of, trial
from fairmend.plan.apply import repair_arrays
from fairmend.plan.options import Options, Policies
from fairmend.plan.plan import Plan
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

FEW_ROWS, RUNS = 1_000, 2
"""Fewer rows are repaired several times over, since each adversary then errs by its draws."""

SEED = 1
"""Of the draws for held-out rows."""


class Plans(NamedTuple):
    """The two ways of repair."""

    alone: Plan
    joint: Plan


@dataclass(frozen=True)
class Trial:
    """Research data, ready to be parted.

    Attributes
    ----------
    ready : Prepared
        Kinds, supports and the like, found once from all rows.
    alone : Plan
        The plan of all rows that repairs each feature by itself.
    rows : Rows
        The research rows.
    order : tuple of str
        Features in the order of their repair.
    """

    ready: "Prepared"
    alone: Plan
    rows: Rows
    order: tuple[str, ...]

    @classmethod
    def of(cls, research: Any, ready: "Prepared", options: Options, weight: str | None) -> Self:
        """Read the rows, choose an order, and check the constraints."""
        alone = assemble(*ready, options)
        rows = Rows.of(research, alone, weight)
        codes = {f.name: labels_of(f, rows.values[f.name]) for f in alone.features}
        order = in_order(codes, rows)
        return cls(ready, constrained(alone, rows.values, order), rows, order)

    @property
    def options(self) -> Options:
        """How plans are designed."""
        return self.alone.options

    def joint(self, plan: Plan) -> Plan:
        """Refine a plan of all rows."""
        layouts = _layouts(self.ready, self.options)
        return refined(plan, layouts, self.ready.shares, self.rows, self.order)

    def plans(self, train: Rows) -> Plans | None:
        """Design both plans from some rows; None where a group of a stratum has none of them."""
        shape = len(self.ready.strata), len(self.ready.groups)
        if not (train.totals(*shape) > 0).all():
            return None
        strengths = {feature.name: feature.shrinkage for feature in self.alone.features}
        samples = {name: train.sample(name, *shape) for name in self.ready.samples}
        seen = self.ready._replace(samples=samples)
        plan = assemble(*seen, self.options, strengths)
        # In the order of the plan of all rows: by it each constraint has its last feature.
        by_name = {one.name: one for one in plan.features}
        plan = replace(plan, features=tuple(by_name[one.name] for one in self.alone.features))
        layouts = _layouts(seen, self.options)
        return Plans(plan, refined(plan, layouts, self.ready.shares, train, self.order))

    def parts(self, test: Rows) -> list[Part]:
        """List the strata in which groups can be told apart."""
        return parts_of(test.group, test.stratum, self.ready.groups, self.ready.strata)


def random_numbers(n: int, run: int = 0) -> NDArray[np.uint64]:
    """Give rows numbers in no order, always the same."""
    return mix(row_numbers(run * n, n))


def _layouts(ready: "Prepared", options: Options) -> dict[str, list[Layout]]:
    return {
        name: [layout for layout, _ in layouts_of(ready.columns[name], sample, options)]
        for name, sample in ready.samples.items()
    }


def auc_of(plan: Plan, rows: Rows, parts: list[Part]) -> tuple[float, float]:
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
