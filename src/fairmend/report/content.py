"""What an audit's report says: one plain dict, of which the page and the JSON are two writings.

Every part may be None or empty where it was not measured; the page then says so. Numbers that were
not measured are None. Counts of fewer than ``fewest`` rows are None too, before they get here: what
is not in the dict cannot be shown by a page. There are strings, numbers, lists and dicts only.
"""

from typing import Any, Literal, TypedDict

from fairmend.report.densities import Densities

FORMAT, VERSION = "fairmend-audit", 1

Words = Literal["within tolerance", "above tolerance", "insufficient evidence"]


class Estimate(TypedDict):
    """A number, its interval, and what chance alone gives.

    ``value`` (with ``low`` and ``high``) is what a tolerance is compared with. ``raw`` is what the
    sample shows, chance included, and goes with ``floor`` and ``floor_high``, the mean and the 95 %
    quantile of the same with S permuted within U. For an AUC, ``raw`` is ``value``.
    """

    value: float | None
    low: float | None
    high: float | None
    raw: float | None
    floor: float | None
    floor_high: float | None


class Sides(TypedDict):
    """One measure before and after the repair."""

    before: Estimate | None
    after: Estimate | None


class DependenceRow(TypedDict):
    """Dependence of one feature.

    Over all strata (``stratum`` None) or in one, of all groups (``groups`` None) or between two of
    them, named like ``"F and M"``. With three groups or more, a row with both is the stratum's
    worst pair. Verdicts are those of E and total variation after the repair; ``detectable`` says
    whether any dependence is (Holm); ``rows_to_decide`` how many rows would turn insufficient
    evidence into a verdict on E.
    """

    feature: str
    stratum: str | None
    groups: str | None
    rows: int | None
    e: Sides
    tv: Sides
    ks: Sides | None
    verdict: Words | None
    verdict_tv: Words | None
    detectable: bool | None
    rows_to_decide: int | None


class DependencePart(TypedDict):
    """``tolerance`` is that of E in nats, ``reason`` why that; ``alpha`` the level of the tests.

    ``tolerance_tv`` is that of total variation.
    """

    tolerance: float
    tolerance_tv: float
    reason: str
    alpha: float
    rows: list[DependenceRow]


class LeakRow(TypedDict):
    """What one adversary reaches: AUC for S within U.

    ``sees`` says what it looks at: one column (then ``name`` is the column), all features, all
    columns that are handed on, or, of a joint plan, all features as they would be if each had been
    repaired by itself (``"alone"``). ``drop`` is by how much the adversary that sees all columns
    falls, after the repair, when this one is shuffled. ``worst_group`` is the group told best after
    it. Of joint adversaries, ``told_place`` names the stratum or group that is surely told after
    the repair, where there is one, and ``told_auc`` is the AUC there: the average may hide it.
    """

    name: str
    sees: Literal["column", "features", "columns", "alone"]
    is_feature: bool
    before: Estimate | None
    after: Estimate | None
    drop: float | None
    worst_group: str | None
    told_place: str | None
    told_auc: float | None
    verdict: Words | None


class LeakPart(TypedDict):
    """Rows in the order to show: joint adversaries first, then columns, the most telling first.

    ``unseen`` maps columns that no adversary saw to the reason; ``rows_used`` is how many rows were
    drawn for the test.
    """

    tolerance: float
    reason: str
    rows_used: int
    rows: list[LeakRow]
    unseen: dict[str, str]


class PairRow(TypedDict):
    """AUC for S within U from two features in bins, or from one, which then is both of them.

    ``beyond`` is by how much two of them tell more, after the repair, than either alone.
    """

    first: str
    second: str
    before: Estimate | None
    after: Estimate | None
    beyond: float | None


class PairsPart(TypedDict):
    """The dependence map: every pair of ``features``, of which large plans show some."""

    rows_used: int
    features: list[str]
    rows: list[PairRow]


class UnseenRow(TypedDict):
    """Share of rows with a pair of values of two features that no research row has."""

    first: str
    second: str
    before: float | None
    after: float | None


class ConstraintRow(TypedDict):
    """Share of rows with a combination that a plan's constraint forbids."""

    words: str
    before: float | None
    after: float | None


class ForbiddenShare(TypedDict):
    """Share of rows with any forbidden combination."""

    before: float | None
    after: float | None


class CombinationsPart(TypedDict):
    """Combinations of values; ``unseen`` is None without research data to compare with.

    The pairs with most unseen ones after the repair come first.
    """

    unseen: list[UnseenRow] | None
    constraints: list[ConstraintRow]
    forbidden: ForbiddenShare | None


class DamageRow(TypedDict):
    """What the repair did to a feature: everywhere, to a group, in a stratum, or to a group in it.

    ``rmse_deviations`` is ``rmse`` in standard deviations of the values before.
    """

    feature: str
    stratum: str | None
    group: str | None
    rows: int | None
    unit: str | None
    rmse: float | None
    rmse_deviations: float | None
    w2: float | None
    mean_absolute: float | None
    p95_absolute: float | None
    share_changed: float | None
    rank_correlation: float | None


class CorrelationRow(TypedDict):
    """Correlation of the ranks of two features (Spearman's)."""

    first: str
    second: str
    before: float | None
    after: float | None


class DamagePart(TypedDict):
    """Rows of whole features first; a figure is of at most ``rows_used`` rows, drawn for it."""

    rows_used: int
    rows: list[DamageRow]
    correlations: list[CorrelationRow]


class MissingShare(TypedDict):
    """Share of one group's values that are missing."""

    group: str
    before: float | None
    after: float | None


class MissingRow(TypedDict):
    """How far apart the groups are in missing values, which tell the group as values do.

    ``before`` and ``after`` are the difference of two groups' shares, on average over pairs.
    ``stratum`` is None for the mean over all strata.
    """

    feature: str
    stratum: str | None
    before: float | None
    after: float | None
    groups: list[MissingShare]


class PaperRow(TypedDict):
    """E of a feature as the paper's tables have it."""

    feature: str
    before: float | None
    after: float | None


class PaperPart(TypedDict):
    """E on the scale of the paper's tables, which is not nats and depends on the ``grid``."""

    grid: int
    rows: list[PaperRow]


class OutcomeRow(TypedDict):
    """Disparate impact: a group's rate of the favourable outcome over the reference group's."""

    stratum: str | None
    group: str
    reference: str
    before: float | None
    after: float | None


class OutcomePart(TypedDict):
    """What a decision makes of the repair; ``rule`` is the ratio to reach, 0.8.

    ``treatment`` is the largest disparate treatment, ``utility`` a model's AUC for the label.
    ``decided_by`` says in words who decides on each side: a model, or a column of predictions.
    """

    label: str
    favourable: str
    decided_by: str
    rows_used: int
    rule: float
    rows: list[OutcomeRow]
    treatment_before: float | None
    treatment_after: float | None
    utility_before: float | None
    utility_after: float | None


class FeatureFacts(TypedDict):
    """One repaired column as the plan has it; ``points`` is the largest support's size."""

    name: str
    type: str
    kind: str
    reason: str
    points: int


class PlanCell(TypedDict):
    """Research rows of one group in one stratum."""

    stratum: str
    group: str
    rows: int | None


class PlanPart(TypedDict):
    """The plan's facts, never a seed. ``options`` are those of the plan file."""

    sha256: str
    creator: str
    format_version: int
    protected: list[str]
    unprotected: list[str]
    groups: list[str]
    strata: list[str]
    features: list[FeatureFacts]
    research: list[PlanCell]
    research_rows: int
    options: dict[str, Any]


class GroupMap(TypedDict):
    """Where one group's points go on average; None where the group has no mass.

    ``stays`` is the share of its rows that keep their value.
    """

    group: str
    means: list[float | None]
    stays: float


class MapPart(TypedDict):
    """The transport of one feature in one stratum, at some points of its support.

    Categories have ``levels``, and no mean: each of their ``means`` is the share of the level that
    keeps it.
    """

    feature: str
    stratum: str
    type: str
    points: list[float]
    levels: list[str] | None
    groups: list[GroupMap]


class Finding(TypedDict):
    """One line of the first screen."""

    question: str
    answer: str
    verdict: Words | None


class Summary(TypedDict):
    """The first screen: a verdict on all of it, in plain words."""

    verdict: Words | None
    sentences: list[str]
    findings: list[Finding]


class Chapter(TypedDict):
    """A heading and what is to be said under it."""

    heading: str
    sentences: list[str]


class Parts(TypedDict):
    """What was measured, before it is put into words.

    ``drift`` is :meth:`fairmend.measures.drift.stationarity.Stationarity.to_dict`; ``rows`` and
    ``unseen`` count the archive's rows and those whose group or stratum the plan does not know;
    ``made`` is a day like ``2030-01-31``.
    """

    format: str
    version: int
    creator: str
    made: str
    rows: int
    unseen: int | None
    fewest: int
    plan: PlanPart
    densities: Densities | None
    maps: list[MapPart]
    dependence: DependencePart | None
    leak: LeakPart | None
    pairs: PairsPart | None
    combinations: CombinationsPart | None
    damage: DamagePart | None
    missing: list[MissingRow]
    paper: PaperPart | None
    outcomes: OutcomePart | None
    drift: dict[str, Any] | None


class Content(Parts):
    """All of a report: what was measured, and what is said of it."""

    summary: Summary
    limits: list[str]
    article_10: list[Chapter]
