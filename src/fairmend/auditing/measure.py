"""``fairmend.audit``: what a repair achieved and what it cost, all of it."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from fairmend.auditing.chapters import article_10, limits_of
from fairmend.auditing.combinations import combinations_part
from fairmend.auditing.damage import damage_part
from fairmend.auditing.decisions import Decider
from fairmend.auditing.dependence import dependence_part
from fairmend.auditing.drift import drift_part
from fairmend.auditing.leak import MOST_ROWS as LEAK_ROWS
from fairmend.auditing.leak import leak_part
from fairmend.auditing.material import Material
from fairmend.auditing.missing import missing_part
from fairmend.auditing.outcomes import outcomes_part
from fairmend.auditing.pairs import pairs_part
from fairmend.auditing.paper import paper_part
from fairmend.auditing.periods import Periods
from fairmend.auditing.result import Audit
from fairmend.auditing.tolerances import Tolerances
from fairmend.auditing.words import summary_of
from fairmend.errors import DataError
from fairmend.report.content import Content, Parts
from fairmend.report.densities import Densities, densities
from fairmend.report.facts import parts_of

if TYPE_CHECKING:
    from fairmend.plan.plan import Plan

MOST_DRAWN = 1_000_000
"""Rows that densities are drawn of; more would not change a line of the picture."""


def audit(
    archive: Any,
    repaired: Any,
    plan: "Plan",
    *,
    label: str | None = None,
    favourable: Any = None,
    predictions: str | None = None,
    model: Any = None,
    reference: Any = None,
    time: str | None = None,
    exclude: str | Sequence[str] = (),
    tolerances: Mapping[str, float] | None = None,
    leak: bool = True,
    adversary: Any = None,
    leak_rows: int = LEAK_ROWS,
    paper_grid: int | None = None,
    research: Any = None,
    random_state: int = 0,
) -> Audit:
    """Audit a repair: what dependence there was, what is left, who can still tell, what it cost.

    Parameters
    ----------
    archive, repaired : pandas, polars or pyarrow table
        Before and after: the same rows in the same order. Groups and strata are taken from
        ``archive``; the protected columns may be left out of ``repaired``.
    plan : Plan
        What repaired it.
    label : str, optional
        Column of an outcome. A simple model learns it before and after, and its decisions are
        compared between groups.
    favourable : object, optional
        The outcome that people want; by default the larger of two.
    predictions : str, optional
        Column of decisions, or of probabilities, in both tables: then these are compared.
    model : scikit-learn classifier, optional
        Decides instead: as it is if it is trained, else trained on the features and the
        unprotected columns in folds. By default gradient boosting.
    reference : object, optional
        Group that others are compared with; by default the one whose rate of favourable outcomes is
        the highest before.
    time : str, optional
        Column of dates, numbers or labels: drift is then also looked for period by period.
    exclude : str or list of str
        Columns that are not handed on, so that no adversary sees them.
    tolerances : dict of str to float, optional
        ``e``, ``tv``, ``leak`` (AUC), ``drift`` and ``impact``; the defaults and the reason for
        them are in :mod:`fairmend.auditing.tolerances`.
    leak : bool
        Whether to train adversaries, which takes most of the time. Without them the verdict is at
        best "insufficient evidence".
    adversary : scikit-learn classifier, optional
        Another one than gradient boosting; a clone of it is trained.
    leak_rows : int
        Most rows that adversaries are trained on.
    paper_grid : int, optional
        Also measure E on the scale of the paper's tables, on this many points.
    research : table, optional
        The research data, for the pairs of values that none of its rows has: how many rows have
        such a pair before and after. A plan holds no rows to compare with.
    random_state : int
        Of drawn rows, permutations and folds: the same tables give the same audit. It has nothing
        to do with a repair's seed.

    Returns
    -------
    Audit
        With a ``verdict``, ``to_dict()``, ``to_html(path)`` and ``fails("leak>0.6", …)``.

    Raises
    ------
    FairmendError
        If a column is not there, rows differ in number or order, or values are missing on one side
        only though the plan leaves missing values alone.

    Notes
    -----
    *Which rows.* Dependence, missing values, drift and every count are of all rows. Adversaries and
    models see at most 30,000 rows of known group and stratum, drawn at random; damage is of at most
    500,000 for each figure, densities of a million. The content says so.

    *What is never in it.* No value of a person, no count of 1 to 4 rows and no figure of so few,
    and no seed of a repair.

    Examples
    --------
    >>> import fairmend
    >>> adult = fairmend.datasets.adult(complete=True)
    >>> research, archive = adult.slice(0, 10_000), adult.slice(10_000, 8_000)
    >>> plan = fairmend.design(research, protected="sex", unprotected="college",
    ...                        features=["age", "hours-per-week"])
    >>> audit = fairmend.audit(archive, plan.repair(archive, seed=1), plan, leak=False)
    >>> audit
    <fairmend.Audit of 8,000 rows: insufficient evidence>
    >>> row = audit.content["dependence"]["rows"][0]
    >>> row["feature"], row["e"]["after"]["value"] < 0.02 < row["e"]["before"]["value"]
    ('age', True)
    >>> audit.fails("E>0.02", "tv>0.001")
    ['tv>0.001: the largest total variation of a feature is 0.0...']
    """
    material = Material.of(archive, repaired, plan)
    periods = None if time is None else Periods.of(material.before, time)
    return audited(
        material,
        Decider(label, favourable, predictions, model),
        Tolerances.of(tolerances or {}),
        reference=reference,
        periods=periods,
        exclude=[exclude] if isinstance(exclude, str) else list(exclude),
        leak=leak,
        adversary=adversary,
        leak_rows=leak_rows,
        paper_grid=paper_grid,
        research=research,
        random_state=random_state,
    )


def audited(
    material: Material,
    who: Decider,
    tolerances: Tolerances,
    *,
    reference: Any = None,
    periods: Periods | None = None,
    exclude: Sequence[str] = (),
    leak: bool = True,
    adversary: Any = None,
    leak_rows: int = LEAK_ROWS,
    paper_grid: int | None = None,
    research: Any = None,
    random_state: int = 0,
) -> Audit:
    """Measure all parts of a report and put them into words; see :func:`audit`."""
    if not len(material):
        raise DataError.empty(material.before.name)
    parts = parts_of(material.plan, len(material), int((~material.known).sum()))
    parts["densities"] = _densities(material, random_state)
    parts["dependence"] = dependence_part(material, tolerances, random_state)
    if leak:
        parts["leak"] = leak_part(
            material, tolerances, random_state, exclude, adversary=adversary, most=leak_rows
        )
        parts["pairs"] = pairs_part(material, random_state)
    parts["combinations"] = combinations_part(material, research, random_state)
    parts["damage"] = damage_part(material, random_state)
    parts["missing"] = missing_part(material)
    if paper_grid is not None:
        parts["paper"] = paper_part(material, paper_grid, random_state)
    if who.asked:
        parts["outcomes"] = outcomes_part(material, who, tolerances, reference, random_state)
    parts["drift"] = drift_part(material, tolerances, periods)
    return Audit(content_of(parts))


def content_of(parts: Parts) -> Content:
    """Put what was measured into words."""
    summary = summary_of(parts)
    said = {
        "summary": summary,
        "limits": limits_of(parts),
        "article_10": article_10(parts, summary),
    }
    return cast("Content", {**parts, **said})


def _densities(material: Material, seed: int) -> Densities:
    before, after = material.before, material.after
    if len(material) > MOST_DRAWN:
        rows = material.draw(MOST_DRAWN, seed)
        before, after = before.rows(rows), after.rows(rows)
    return densities(before.native, after.native, material.plan)
