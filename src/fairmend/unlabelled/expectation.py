"""What to expect of an archive whose groups are recorded, estimated, or not used at all."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from fairmend.frames.table import Frame
from fairmend.plan.options import number_in
from fairmend.research import design
from fairmend.research.roles import Names
from fairmend.unlabelled.crossfit import cross_fitted, with_leak
from fairmend.unlabelled.expected import Expectation
from fairmend.unlabelled.intervals import summed
from fairmend.unlabelled.model import LabelModel
from fairmend.unlabelled.reading import read
from fairmend.unlabelled.tellers import Research
from fairmend.unlabelled.trials import Trial, shuffled
from fairmend.unlabelled.words import recommended, sentences
from fairmend.unlabelled.worlds import Worlds

REPEATS, MOST_ROWS = 30, 4_000
"""Worlds by default; rows of their archives, since more would tell little more."""


def expect_unlabelled(
    research: Any,
    archive: Any = None,
    *,
    protected: Names,
    unprotected: Names = None,
    features: Names = None,
    also: str | Sequence[str] = (),
    archive_rows: int | None = None,
    hidden: Sequence[float] = (0.46,),
    budgets: Sequence[float] | None = None,
    leak: bool = True,
    repeats: int = REPEATS,
    seed: int = 0,
    **options: Any,
) -> Expectation:
    """Say from research data alone what each way to repair an unlabelled archive would leave.

    Parameters
    ----------
    research : pandas, polars or pyarrow table
        With the protected columns.
    archive : pandas, polars or pyarrow table, optional
        Rows without groups that the label model will learn from too. Nothing else is told by them.
    protected, unprotected, features, also
        As in :class:`fairmend.LabelModel`.
    archive_rows : int, optional
        Rows of the archive, by default those of ``archive``, or 4,000. Worlds have 4,000 at most:
        what chance adds to E there, and not in a larger archive, is taken off.
    hidden : list of float
        Shares of labels that are missing at random, for partly labelled archives.
    budgets : list of float, optional
        Damage of blind repairs; by default that of the repair with groups, and half as much more.
    leak : bool
        Whether to train adversaries, who see all features together.
    repeats : int
        Worlds that are drawn.
    seed : int
        Of the worlds. It protects nothing.
    **options
        Other arguments of :func:`fairmend.design`.

    Returns
    -------
    Expectation
        Printed, a table with a recommendation.

    Notes
    -----
    Each world takes the research rows, with chance weights, as its population, and draws research
    rows and an archive from it, whose continuous values come from kernels. Plan and label model
    are made anew from the one and tried on the other, whose groups are known there. What chance in
    the research rows adds to E, twice the E of the same rows with shuffled groups, is taken off
    in proportion to what each way leaves over the repair with groups.

    The leak is cross-fitted: every research row is repaired by what four fifths of the rows, itself
    not among them, teach, and an adversary is tried on all of them. What a plan gets wrong cancels
    out there, so it is added, from the E that worlds leave after a repair with groups. An adversary
    with more rows, in a larger archive, may find more.

    It knows nothing of an archive that differs from the research data, and least of all of one
    whose groups have other shares.
    """
    number_in("repeats", repeats, 2, np.inf)
    model = LabelModel(
        protected=protected,
        unprotected=unprotected,
        features=features,
        also=also,
        kinds=options.get("kinds"),
        unprotected_bins=options.get("unprotected_bins"),
    )
    table = _arrow(Frame(research, "research data"))
    known = read(model.fit(table, archive), Frame(table, "research data"))
    roles: dict[str, Any] = {
        "protected": known.asked.protected,
        "unprotected": known.asked.unprotected,
    }
    options = {"small_groups": "shrink", **options}
    plan = design(table, **roles, features=known.asked.features, **options)
    options["kinds"] = {
        **(options.get("kinds") or {}),
        **{f.name: f.kind for f in plan.features if f.codec.type != "category"},
    }
    if budgets is None:
        full = plan.tradeoff([1.0])[0].damage
        budgets = (round(full, 2), round(1.5 * full, 2))
    trial = Trial(model, plan, options, tuple(hidden), tuple(budgets))
    given = None if archive is None else len(Frame(archive, "archive"))
    rows = min(archive_rows or given or MOST_ROWS, MOST_ROWS)
    chance = 1.0 - rows / max(archive_rows or given or rows, rows)
    worlds = Worlds.of(known, plan).draw(rows, repeats, seed)
    found = [trial.measured(*world, seed + at) for at, world in enumerate(worlds)]
    floor = _floor(trial, known, seed)
    aucs = cross_fitted(trial, known, archive, seed) if leak else {}
    errors = [max(one["labelled"].e - one["labelled"].chance, 0.0) for one in found]
    missed = len(plan.features) * float(np.mean(errors))
    ways = tuple(with_leak(summed(found, way, floor, chance), aucs, missed) for way in found[0])
    told = 1.0 - model.calibration.log_loss / model.calibration.chance
    return Expectation(ways, told, recommended(ways), tuple(sentences(ways, told)))


def _arrow(frame: Frame) -> pa.Table:
    return pa.table({name: frame.arrow(name) for name in frame.columns})


def _floor(trial: Trial, research: Research, seed: int) -> float:
    """Measure E of the research rows with shuffled groups: what chance adds."""
    rng = np.random.default_rng(seed)
    frame = research.frame.native
    found = [trial.dependence(frame, shuffled(research, rng), research.stratum) for _ in range(5)]
    return float(np.mean(found))
