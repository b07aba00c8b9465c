"""Measures of an archive whose groups nobody recorded, before and after a repair."""

from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Any, cast

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from fairmend._version import __version__
from fairmend.auditing.damage import change_of
from fairmend.auditing.unlabelled.result import UnlabelledAudit
from fairmend.auditing.unlabelled.words import UNKNOWABLE, said
from fairmend.errors import AuditError, DataError
from fairmend.frames.levels import UNSEEN, Codes
from fairmend.frames.roles import numbered
from fairmend.frames.table import Frame
from fairmend.kernel.draws import mix, row_numbers
from fairmend.measures.dependence import dependence
from fairmend.measures.leak import leak as told_by
from fairmend.plan.feature import Feature
from fairmend.plan.labels import told_groups
from fairmend.plan.options import Policies
from fairmend.plan.plan import Plan
from fairmend.report.facts import plan_facts
from fairmend.report.pooling import FEWEST
from fairmend.report.unlabelled import (
    FORMAT,
    VERSION,
    Burden,
    Ends,
    EstimatedFeature,
    EstimatedLeak,
    ModelPart,
)
from fairmend.transport.support import Floats
from fairmend.unlabelled.model import LabelModel, refitted

LEVEL, TRIES, LEAK_ROWS = 1.96, 100, 30_000


def audit_unlabelled(
    archive: Any,
    repaired: Any,
    plan: Plan,
    labels: LabelModel,
    *,
    research: Any = None,
    leak: bool = True,
    repeats: int = 20,
    seed: int = 0,
) -> UnlabelledAudit:
    """Measure dependence, leak and damage of a repair where groups were not recorded.

    Parameters
    ----------
    archive, repaired : pandas, polars or pyarrow table
        The same rows in the same order. Recorded groups count as they are.
    plan : Plan
        Names features and strata; a feature's kind says how its law is estimated.
    labels : LabelModel
        Gives each row's probabilities, from the archive before its repair.
    research : pandas, polars or pyarrow table, optional
        What the model was fitted to. With it, intervals of E are found by fitting it anew to rows
        drawn again, and by weighting the archive's rows by chance.
    leak : bool
        Whether to train adversaries, on at most 30,000 rows.
    repeats, seed : int
        Of the intervals, and of what is drawn.

    Returns
    -------
    UnlabelledAudit
        Printed, a table, and what cannot be known; ``to_dict``, ``to_html(path)`` and
        ``save(path)`` as of :class:`fairmend.Audit`. It has no verdict.

    Notes
    -----
    A row counts for every group by its probability. That is unbiased if the probabilities are, and
    if the repair went by them or was blind: then a repaired value is drawn from what the model has
    read of the row, and not from its true group. Of a repair that knew groups which are missing
    now it says nothing. For the same reason an adversary who learns groups that are drawn from the
    probabilities, apart from those of the repair, reaches what one who knew the true ones would.

    Examples
    --------
    >>> import fairmend
    >>> people = fairmend.datasets.simulate(4_000, rng=1)
    >>> research, hidden = people.slice(0, 1_000), people.slice(1_000).drop(["s"])
    >>> columns = {"protected": "s", "unprotected": "u", "features": ["x1", "x2"]}
    >>> plan = fairmend.design(research, **columns)
    >>> model = fairmend.LabelModel(**columns, method="mixture").fit(research, hidden)
    >>> repaired = plan.repair(hidden, labels=model, seed=7)
    >>> found = fairmend.audit_unlabelled(hidden, repaired, plan, model)
    >>> found["x1"]["after"]["value"] < 0.75 * found["x1"]["before"]["value"]
    True
    """
    sides = _Sides.of(archive, repaired, plan, labels)
    again: list[list[Floats]] = [[], []]
    rng = np.random.default_rng(seed)
    for _ in range(repeats if research is not None else 0):
        told, _ = _weights(plan, sides.frame, _drawn_again(labels, research, archive, rng))
        chance = told * rng.standard_exponential(len(sides.frame))
        for kept, values in zip(again, (sides.old, sides.new), strict=True):
            kept.append(sides.measured(values, chance))
    features = [sides.feature(at, *again) for at in range(len(plan.features))]
    found = sides.leak(seed) if leak else None
    model, estimated = _model(labels), float(sides.unknown.mean())
    return UnlabelledAudit(
        {
            "format": FORMAT,
            "version": VERSION,
            "creator": f"fairmend {__version__}",
            "made": date.today().isoformat(),
            "fewest": FEWEST,
            "rows": len(sides.frame),
            "estimated": estimated,
            "plan": plan_facts(plan),
            "model": model,
            "features": features,
            "leak": found,
            "sentences": said(model, features, found, len(sides.frame), estimated),
            "unknowable": list(UNKNOWABLE),
        }
    )


@dataclass(frozen=True)
class _Sides:
    """The archive before and after, and what is known of its groups.

    Attributes
    ----------
    plan : Plan
        Names roles and features.
    frame : Frame
        The archive before the repair.
    stratum : ndarray of shape (n,)
        Codes.
    weights : ndarray of shape (groups, n)
        What each row counts for each group.
    unknown : ndarray of shape (n,)
        The rows whose group is estimated.
    old, new : dict of str to ndarray of shape (n,)
        Each feature before and after.
    """

    plan: Plan
    frame: Frame
    stratum: Codes
    weights: Floats
    unknown: NDArray[np.bool_]
    old: dict[str, Floats]
    new: dict[str, Floats]

    @classmethod
    def of(cls, archive: Any, repaired: Any, plan: Plan, labels: LabelModel) -> "_Sides":
        """Read both tables."""
        frame, after = Frame(archive, "archive"), Frame(repaired, "repaired archive")
        if len(frame) != len(after):
            raise AuditError.other_rows(len(frame), len(after))
        if not len(frame):
            raise DataError.empty(frame.name)
        frame.require(plan.unprotected, "unprotected")
        for one in (frame, after):
            one.require(plan.feature_names, "features")
        old, new = (one.finite_numbers(plan.codecs) for one in (frame, after))
        stratum = numbered(frame, plan.strata)
        return cls(plan, frame, stratum, *_weights(plan, frame, labels), old, new)

    def measured(self, values: dict[str, Floats], weights: Floats) -> Floats:
        """Measure E of every feature, over the strata that have rows enough of each group."""
        rows = np.isin(self.stratum, self.large)
        return np.array(
            [self._dependence(f, values[f.name], weights, rows) for f in self.plan.features]
        )

    def _dependence(
        self, feature: Feature, x: Floats, weights: Floats, rows: NDArray[np.bool_]
    ) -> float:
        known = rows & ~np.isnan(x)
        groups = len(weights)
        return dependence(
            np.tile(x[known], groups),
            np.repeat(np.arange(groups), int(known.sum())),
            np.tile(self.stratum[known], groups),
            kind=cast("Any", feature.kind),
            weights=weights[:, known].ravel(),
        )

    @cached_property
    def large(self) -> list[int]:
        """Strata in which a few rows at least are to be expected of each group."""
        masses = [self.weights[:, self.stratum == code] for code in range(len(self.plan.strata))]
        large = [u for u, mass in enumerate(masses) if mass.sum(axis=1).min() >= FEWEST]
        if not large:
            message = (
                f"Nothing can be measured: in no stratum are {FEWEST} rows of each group to be "
                f"expected. Audit more rows, or design the plan with a coarser unprotected=."
            )
            raise DataError(message)
        return large

    @cached_property
    def whole(self) -> tuple[Floats, Floats]:
        """E of every feature before and after."""
        return self.measured(self.old, self.weights), self.measured(self.new, self.weights)

    def feature(self, at: int, before: list[Floats], after: list[Floats]) -> EstimatedFeature:
        """Put together what is known of a feature."""
        feature = self.plan.features[at]
        sides = self.old[feature.name], self.new[feature.name]
        strata = []
        for code in self.large if len(self.plan.strata) > 1 else ():
            rows = self.stratum == code
            e = [self._dependence(feature, x, self.weights, rows) for x in sides]
            label = self.plan.strata.label(code)
            strata.append({"stratum": label, "before": e[0], "after": e[1]})
        return cast(
            "EstimatedFeature",
            {
                "feature": feature.name,
                "before": _with_ends(self.whole[0][at], [one[at] for one in before]),
                "after": _with_ends(self.whole[1][at], [one[at] for one in after]),
                "strata": strata,
                "change": change_of(feature, sides, self.stratum),
                "groups": [self._burden(feature, *sides, g) for g in range(len(self.weights))],
            },
        )

    def _burden(self, feature: Feature, old: Floats, new: Floats, group: int) -> Burden:
        weight = self.weights[group]
        both = ~np.isnan(old) & ~np.isnan(new)
        rows = float(weight.sum())

        def mean(values: Any, of: Any) -> float | None:
            mass = float(weight[of].sum())
            return float(weight[of] @ values[of]) / mass if mass >= FEWEST else None

        every = np.ones(old.size, dtype=bool)
        is_far = feature.codec.type == "number"
        return {
            "group": self.plan.groups.label(group),
            "rows": round(rows, 1) if rows >= FEWEST else None,
            "mean_absolute": mean(np.abs(new - old), both) if is_far else None,
            "share_changed": mean((old != new).astype(np.float64), both),
            "missing_before": mean(np.isnan(old).astype(np.float64), every),
            "missing_after": mean(np.isnan(new).astype(np.float64), every),
        }

    def leak(self, seed: int) -> EstimatedLeak | None:
        """Train adversaries for groups that are drawn anew, by chance of its own."""
        rng = np.random.default_rng([seed, 1])
        upto = np.cumsum(self.weights, axis=0) / np.maximum(self.weights.sum(axis=0), 1e-300)
        drawn = (upto[:-1] <= rng.random(len(self.frame))).sum(axis=0)
        rows = np.flatnonzero((self.stratum != UNSEEN) & (self.weights.sum(axis=0) > 0))
        rows = np.sort(rng.choice(rows, min(rows.size, LEAK_ROWS), replace=False))
        names = [f"x{at}" for at in range(len(self.plan.features))]
        ends: list[Ends] = []
        for values in (self.old, self.new):
            x = (values[name][rows] for name in self.plan.feature_names)
            table = {"s": drawn[rows], "u": self.stratum[rows], **dict(zip(names, x, strict=True))}
            options: dict[str, Any] = {"each": False, "all_columns": False, "permutations": 0}
            try:
                found = told_by(
                    pa.table(table), protected="s", unprotected="u", features=names, **options
                ).joint
            except DataError:  # no stratum has two groups with rows enough
                return None
            ends.append({"value": found.auc, "low": found.low, "high": found.high})
        return {"rows_used": int(rows.size), "before": ends[0], "after": ends[1]}


def _weights(plan: Plan, frame: Frame, labels: LabelModel) -> tuple[Floats, NDArray[np.bool_]]:
    """Give each row's weight for every group, of shape (groups, n): 0 and 1 where recorded."""
    keys = mix(row_numbers(0, len(frame)))
    told = told_groups(plan, frame, labels, "map", keys, 0, Policies("keep", "keep"))
    own = (told.group == np.arange(len(plan.groups))[:, None]).astype(np.float64)
    return np.where(told.unknown, told.weights, own), told.unknown


def _drawn_again(
    labels: LabelModel, research: Any, archive: Any, rng: np.random.Generator
) -> LabelModel:
    """Fit the model to research rows drawn with replacement, all groups and strata among them."""
    frame = Frame(research, "research data")
    for _ in range(TRIES):
        rows = frame.rows(rng.integers(0, len(frame), len(frame)))
        fresh = refitted(labels, rows.native, archive)
        same = len(fresh.groups) == len(labels.groups), len(fresh.strata) == len(labels.strata)
        if all(same):
            return fresh
    return labels


def _model(labels: LabelModel) -> ModelPart:
    found = labels.calibration
    return {
        "method": labels.chosen,
        "columns": list(labels.columns),
        "told": 1.0 - found.log_loss / found.chance if found.chance > 0 else 0.0,
        "log_loss": found.log_loss,
        "chance": found.chance,
        "accuracy": found.accuracy,
        "calibration_error": found.error,
    }


def _with_ends(value: float, again: list[float]) -> Ends:
    if not again:
        return {"value": float(value), "low": None, "high": None}
    spread = LEVEL * float(np.std(again, ddof=1))
    low = max(float(value) - spread, 0.0)
    return {"value": float(value), "low": low, "high": float(value) + spread}
