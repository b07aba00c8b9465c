"""What a report on an archive without groups says: one plain dict, as in ``report.content``."""

from typing import TypedDict

from fairmend.report.content import DamageRow, PlanPart

FORMAT, VERSION = "fairmend-unlabelled-audit", 1


class Ends(TypedDict):
    """A figure and its 95 % interval, whose ends are None where they were not asked for."""

    value: float
    low: float | None
    high: float | None


class StratumE(TypedDict):
    """E of a feature in one stratum, by estimated groups."""

    stratum: str
    before: float
    after: float


class Burden(TypedDict):
    """What the repair did to an estimated group.

    ``rows`` is how many it is expected to have; changes and shares of missing values count each row
    by its probability of the group, and are None where that makes fewer than ``fewest`` rows.
    """

    group: str
    rows: float | None
    mean_absolute: float | None
    share_changed: float | None
    missing_before: float | None
    missing_after: float | None


class EstimatedFeature(TypedDict):
    """One feature: E by estimated groups, and what the repair changed."""

    feature: str
    before: Ends
    after: Ends
    strata: list[StratumE]
    change: DamageRow
    groups: list[Burden]


class EstimatedLeak(TypedDict):
    """AUC of an adversary who sees all features, for groups drawn from their probabilities."""

    rows_used: int
    before: Ends
    after: Ends


class ModelPart(TypedDict):
    """The label model: what held-out research rows said of it."""

    method: str
    columns: list[str]
    told: float
    log_loss: float
    chance: float
    accuracy: float
    calibration_error: float


class UnlabelledContent(TypedDict):
    """All of the report. ``estimated`` is the share of rows whose group was not recorded."""

    format: str
    version: int
    creator: str
    made: str
    fewest: int
    rows: int
    estimated: float
    plan: PlanPart
    model: ModelPart
    features: list[EstimatedFeature]
    leak: EstimatedLeak | None
    sentences: list[str]
    unknowable: list[str]
