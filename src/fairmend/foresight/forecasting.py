"""The forecast: what to expect of the archive, from the research data alone."""

import zlib
from dataclasses import replace
from inspect import signature
from typing import Any, Literal

import numpy as np

from fairmend.errors import OptionError
from fairmend.foresight.joint import Joint, joint_leak, together
from fairmend.foresight.outlook import FEWEST, Outlook, dependence_before
from fairmend.foresight.results import FeatureForecast, Forecast, More, Step, StratumForecast
from fairmend.foresight.sequential import Sequential, outlook_of
from fairmend.foresight.supports import supports
from fairmend.foresight.trials import Design
from fairmend.foresight.words import sentences
from fairmend.frames.levels import Factor
from fairmend.measures.arrays import Floats
from fairmend.measures.inference.verdict import TOLERANCES
from fairmend.plan.feature import Feature
from fairmend.plan.options import Options
from fairmend.research.algorithm import design, prepared, refuse_without_rows, summary_of
from fairmend.research.constraints import Constraints, listed
from fairmend.research.reading import summarise

ROLES = tuple(signature(summarise).parameters)[1:]
"""The arguments of design that say what is counted; all others say what is made of the counts."""

TIMES = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)

GROWTH = 3.0
"""Archive rows for each research row, where nobody says how many there are."""

MOST_TIMES = 1_000.0


def forecast(
    research: Any,
    *,
    archive_rows: int | None = None,
    leak: bool = True,
    tolerance: float | None = None,
    seed: int = 0,
    joint: Literal["sequential"] | None = None,
    constraints: Constraints = (),
    **options: Any,
) -> Forecast:
    """Say before the archive is touched what repair will leave in it, and what more rows would buy.

    Parameters
    ----------
    research : table, Arrow stream, iterable of tables, Summary or list of Summary
        As in :func:`fairmend.design`.
    archive_rows : int, optional
        Rows of the archive that will be audited: the fewer, the more chance is in the audit, and
        the wider are the intervals. By default three times the research rows.
    leak : bool
        Whether to train an adversary on all features together, which takes most of the time. It
        needs a table with rows.
    tolerance : float, optional
        E that can be tolerated, in nats; by default that of the audit, 0.02.
    seed : int
        Of partings and draws: the same seed gives the same figures. It protects nothing.
    joint, constraints
        As in :func:`fairmend.design`: then the leak of a joint plan is forecast, beside that of
        features repaired each by itself. It needs a table with rows. What is said of single
        features is of the latter; a joint plan leaves about as much in each.
    **options
        Every other argument of :func:`fairmend.design`, which would design the plan.

    Returns
    -------
    Forecast
        By feature, with ``to_dict``, ``to_svg`` and ``sentences``.

    Notes
    -----
    *What is forecast* is the E that :func:`fairmend.measures.inference.examine.examine`, and so
    the audit, will estimate over strata in the repaired archive, if the archive follows the
    research data's laws.

    *How.* The rows of each group are parted by chance, 40 times; a plan is designed from 30, 50 or
    70 % of them, and the others are pushed through its couplings as exact masses, without a draw.
    What chance adds to the held-out part is known and taken off. To that E = floor + Σ c/n is
    fitted, with a cost c for each group, whose ratio is known: as what a row of each leaves to
    chance. Read at all the rows the curve is the forecast, and read beyond, the learning curve.
    Kinds, atoms and the shrinkage are found once, from all rows; with more rows, the curve without
    shrinkage is taken where it is lower. Another ``seed`` parts the rows otherwise, which moves the
    forecast by about a tenth.

    *All features together.* Each fifth of the rows is repaired by a plan from the others, and
    :func:`fairmend.leak` says what is between the columns. To that is added, on the scale of E,
    what a plan leaves in each column, which hardly shows there as each fifth has another plan.

    *A joint plan* leaks by what it errs, and an adversary finds that the better the more rows of
    the archive it learns from. Plans are designed from a half, a quarter and an eighth of the rows,
    twice, and adversaries learn from all other rows and from half of them. Φ⁻¹(AUC) is taken to be
    straight in the logarithms of both numbers of rows, with slopes that lean on those of Adult; the
    interval says how little so few trials tell: with 3,000 rows of Adult it reaches a tenth to
    either side.

    *The interval* counts the chance in the research rows (by plans from rows drawn again), in what
    they tell of E, and in the audit's rows. It is of the archive's E as an audit will print it. On
    Adult it held that for two columns in 100 and 100 of 100 splits with 3,000 research rows, and in
    98 and 95 with 10,000; it was about twice as wide as E, which is how much so few rows tell of
    what is left.

    *Limits.* It knows nothing of an archive that has drifted. Far beyond the rows there are, the
    curve is an extrapolation of two parameters. Groups of fewer than 20 rows in a stratum are left
    out, and said to be.

    Examples
    --------
    >>> import fairmend
    >>> adult = fairmend.datasets.adult(complete=True).slice(0, 4_000)
    >>> forecast = fairmend.forecast(adult, protected="sex", unprotected="college",
    ...                              features=["hours-per-week"], leak=False)
    >>> hours = forecast.features["hours-per-week"]
    >>> hours.e.low <= hours.e.value <= hours.e.high < hours.before
    True

    An argument that design does not know is refused:

    >>> fairmend.forecast(adult, protected="sex", bandwith="isj")
    Traceback (most recent call last):
        ...
    TypeError: design() got an unexpected keyword argument 'bandwith'
    """
    if archive_rows is not None and not archive_rows >= 1:
        name = "archive_rows"
        raise OptionError.not_in_range(name, archive_rows, 1, np.inf)
    roles = {name: options.pop(name) for name in ROLES if name in options}
    summary = summary_of(research, **{"kinds": None, **roles})
    if joint is not None:
        refuse_without_rows(research)
    said = {name: options[name] for name in ("output", "solver") if name in options}
    jointly = Options(joint=joint, constraints=listed(constraints), **said)  # before any work
    plan = design(summary, **options)
    ready = prepared(summary, plan.options)
    shares = summary.weights.sum(axis=1) / summary.weights.sum()
    growth = GROWTH if archive_rows is None else archive_rows / summary.n_rows
    stated = TOLERANCES["e"] if tolerance is None else float(tolerance)
    features = {}
    for feature in plan.features:
        one = Design(
            ready.columns[feature.name],
            ready.samples[feature.name],
            ready.shares,
            plan.options,
            feature.shrinkage,
        )
        named = zlib.crc32(f"{seed} {feature.name}".encode())
        outlook = Outlook.of(one, feature.cells, shares, growth, named)
        features[feature.name] = _feature(
            feature, one, outlook, (plan.groups, plan.strata), summary.n_rows, stated, shares
        )
    together_: Joint | Sequential | str | None = None
    if leak and joint is not None:
        both = replace(plan.options, joint=joint, constraints=jointly.constraints)
        together_ = outlook_of(
            research,
            ready,
            both,
            summary.weight,
            round(growth * summary.n_rows),
            TOLERANCES["auc"],
        )
    elif leak:
        tested = joint_leak(research, summary, plan.options, roles.get("kinds"), seed)
        alone = [one.auc for one in features.values() if one.auc is not None]
        together_ = tested if isinstance(tested, str) else together(tested, alone)
    return Forecast(
        features=features,
        joint=together_ if isinstance(together_, Joint) else None,
        sequential=together_ if isinstance(together_, Sequential) else None,
        research_rows=summary.n_rows,
        archive_rows=round(growth * summary.n_rows),
        tolerance=stated,
        sentences=tuple(sentences(list(features.values()), together_, summary.n_rows, stated)),
        groups=plan.groups,
        strata=plan.strata,
    )


def _feature(
    feature: Feature,
    one: Design,
    outlook: Outlook,
    roles: tuple[Factor, Factor],
    n_rows: int,
    tolerance: float,
    shares: Floats,
) -> FeatureForecast:
    groups, strata = roles
    by_stratum = tuple(
        StratumForecast(
            strata.label(u),
            {groups.label(s): points.size for s, points in enumerate(row)},
            outlook.expected(strata=[u]) if u in outlook.strata else None,
        )
        for u, row in enumerate(one.sample.points)
    )
    before = dependence_before(one, feature.cells, shares)
    if not outlook.strata:
        return FeatureForecast(feature.name, feature.kind, before, None, None, None, by_stratum)
    e = outlook.expected()
    tv, auc = outlook.on_scale(e)
    return FeatureForecast(
        feature.name,
        feature.kind,
        before,
        e,
        tv,
        auc,
        by_stratum,
        floor=outlook.level(np.inf),
        learning=tuple(Step(k, round(k * n_rows), outlook.expected(k)) for k in TIMES),
        more=_more(outlook, groups, strata, n_rows),
        rows_to_tolerance=_rows_to(tolerance, outlook, n_rows),
        supports=supports(one, feature.cells, outlook, outlook.growth),
        outlook=outlook,
    )


def _more(outlook: Outlook, groups: Factor, strata: Factor, n_rows: int) -> tuple[More, ...]:
    """Try as many more rows, a twentieth of all, of each group in each stratum."""
    rows = _round(max(n_rows / 20, FEWEST))
    now = outlook.total()
    cells = {(u, s) for (u, p) in outlook.cells for s in outlook.pair(p)}
    found = [
        More(groups.label(s), strata.label(u), rows, now, outlook.total({(u, s): float(rows)}))
        for u, s in sorted(cells)
    ]
    return tuple(sorted(found, key=lambda one: one.after))


def _rows_to(tolerance: float, outlook: Outlook, n_rows: int) -> int | None:
    """Find the rows at which the expected E falls to the tolerance, by bisection."""
    if outlook.total() <= tolerance or outlook.level(MOST_TIMES) > tolerance:
        return None
    low, high = 1.0, MOST_TIMES
    while high / low > 1.01:
        middle = float(np.sqrt(low * high))
        low, high = (low, middle) if outlook.level(middle) <= tolerance else (middle, high)
    return _round(high * n_rows)


def _round(rows: float) -> int:
    """Round to two digits: more would promise too much."""
    step = 10 ** max(0, int(np.floor(np.log10(rows))) - 1)
    return int(np.ceil(rows / step) * step)
