"""The audit of an archive whose groups nobody recorded: measures weighted by probabilities."""

from dataclasses import asdict, dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from fairmend.errors import AuditError
from fairmend.frames.levels import UNSEEN, Codes
from fairmend.frames.roles import numbered
from fairmend.frames.table import Frame
from fairmend.kernel.draws import mix, row_numbers
from fairmend.measures.dependence import dependence
from fairmend.plan.feature import Feature
from fairmend.plan.labels import told_groups
from fairmend.plan.options import Policies
from fairmend.plan.plan import Plan
from fairmend.transport.support import Floats
from fairmend.unlabelled.model import LabelModel, refitted

LEVEL, TRIES = 1.96, 100

UNKNOWABLE = (
    "These figures are of estimated groups: each row counts for every group by its probability. "
    "They are right as far as the research data's relation between the groups and what the label "
    "model reads holds in the archive too. Nothing in an archive without groups can show whether "
    "it does, nor whether a single row's estimate is right."
)


@dataclass(frozen=True)
class Estimated:
    """E of one feature, by estimated groups.

    Attributes
    ----------
    feature : str
        Its name.
    before, after : tuple of float
        E in nats, and the 95 % interval where research data was given; else NaN.
    """

    feature: str
    before: tuple[float, float, float]
    after: tuple[float, float, float]


@dataclass(frozen=True)
class UnlabelledAudit:
    """What can be said of an archive without groups, and what cannot.

    Attributes
    ----------
    features : tuple of Estimated
        One a feature.
    estimated : float
        Share of the rows whose group was not recorded.
    sentences : tuple of str
        What is to be kept in mind.
    """

    features: tuple[Estimated, ...]
    estimated: float
    sentences: tuple[str, ...]

    def __getitem__(self, feature: str) -> Estimated:
        """Find a feature by its name."""
        return next(one for one in self.features if one.feature == feature)

    def to_dict(self) -> dict[str, Any]:
        """Lay it out as plain JSON types, with None for what is not known."""
        content = asdict(self)
        for one in content["features"]:
            for side in ("before", "after"):
                one[side] = [None if np.isnan(x) else x for x in one[side]]
        return content

    def __str__(self) -> str:
        """Write a table, and the sentences below it."""
        lines = [f"{'feature':<24}{'E before':>26}{'E after':>26}"]
        for one in self.features:
            lines.append(f"{one.feature:<24}{_said(one.before):>26}{_said(one.after):>26}")
        return "\n".join([*lines, *self.sentences])


def audit_unlabelled(
    archive: Any,
    repaired: Any,
    plan: Plan,
    labels: LabelModel,
    *,
    research: Any = None,
    repeats: int = 20,
    seed: int = 0,
) -> UnlabelledAudit:
    """Measure dependence before and after a repair where groups were not recorded.

    Parameters
    ----------
    archive, repaired : pandas, polars or pyarrow table
        The same rows in the same order. Recorded groups count as they are.
    plan : Plan
        Names features and strata; a feature's kind says how its law is estimated.
    labels : LabelModel
        Gives each row's probabilities, from the archive before its repair.
    research : pandas, polars or pyarrow table, optional
        What the model was fitted to. With it, intervals are found by fitting it anew to rows drawn
        again, and by weighting the archive's rows by chance.
    repeats, seed : int
        Of these.

    Returns
    -------
    UnlabelledAudit
        Printed, a table, and what cannot be known.

    Notes
    -----
    A row counts for every group by its probability. That is unbiased if the probabilities are, and
    if the repair went by them or was blind: then a repaired value is drawn from what the model has
    read of the row, and not from its true group. Of a repair that knew groups which are missing
    now it says nothing.

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
    >>> found["x1"].after[0] < 0.75 * found["x1"].before[0]
    True
    """
    frame, after = Frame(archive, "archive"), Frame(repaired, "repaired file")
    if len(frame) != len(after):
        raise AuditError.other_rows(len(frame), len(after))
    stratum = numbered(frame, plan.strata)
    weights, unknown = _weights(plan, frame, labels)
    sides = [one.finite_numbers(plan.codecs) for one in (frame, after)]
    found = [_measured(plan, side, stratum, weights) for side in sides]
    again: list[list[Floats]] = [[], []]
    rng = np.random.default_rng(seed)
    for _ in range(repeats if research is not None else 0):
        told, _ = _weights(plan, frame, _drawn_again(labels, research, archive, rng))
        chance = told * rng.standard_exponential(len(frame))
        for side, values in zip(again, sides, strict=True):
            side.append(_measured(plan, values, stratum, chance))
    before, now = (
        [_with_ends(value, [one[k] for one in drawn]) for k, value in enumerate(side)]
        for side, drawn in zip(found, again, strict=True)
    )
    features = tuple(
        Estimated(name, *both) for name, *both in zip(plan.feature_names, before, now, strict=True)
    )
    return UnlabelledAudit(features, float(unknown.mean()), (UNKNOWABLE,))


def _weights(plan: Plan, frame: Frame, labels: LabelModel) -> tuple[Floats, NDArray[np.bool_]]:
    """Give each row's weight for every group, of shape (groups, n): 0 and 1 where recorded."""
    keys = mix(row_numbers(0, len(frame)))
    told = told_groups(plan, frame, labels, "map", keys, 0, Policies("keep", "keep"))
    own = (told.group == np.arange(len(plan.groups))[:, None]).astype(np.float64)
    return np.where(told.unknown, told.weights, own), told.unknown


def _measured(plan: Plan, values: dict[str, Floats], stratum: Codes, weights: Floats) -> Floats:
    return np.array(
        [_dependence(feature, values[feature.name], stratum, weights) for feature in plan.features]
    )


def _dependence(feature: Feature, x: Floats, stratum: Codes, weights: Floats) -> float:
    known = ~np.isnan(x) & (stratum != UNSEEN)
    groups = len(weights)
    return dependence(
        np.tile(x[known], groups),
        np.repeat(np.arange(groups), int(known.sum())),
        np.tile(stratum[known], groups),
        kind=cast("Any", feature.kind),
        weights=weights[:, known].ravel(),
    )


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


def _with_ends(value: float, again: list[float]) -> tuple[float, float, float]:
    if not again:
        return float(value), float("nan"), float("nan")
    spread = LEVEL * float(np.std(again, ddof=1))
    return float(value), max(float(value) - spread, 0.0), float(value) + spread


def _said(figures: tuple[float, float, float]) -> str:
    value, low, high = figures
    return f"{value:.3f}" if np.isnan(low) else f"{value:.3f} ({low:.3f} to {high:.3f})"
