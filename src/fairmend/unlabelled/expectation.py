"""What to expect of an archive whose groups are recorded, estimated, or not used at all."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from fairmend.frames.levels import Codes
from fairmend.frames.table import Frame
from fairmend.measures.damage import Damage, damage
from fairmend.measures.dependence import dependence
from fairmend.measures.leak import leak
from fairmend.plan.options import number_in
from fairmend.plan.plan import Plan
from fairmend.research import design
from fairmend.research.roles import Names
from fairmend.transport.support import Floats
from fairmend.unlabelled.model import LabelModel, refitted
from fairmend.unlabelled.reading import read
from fairmend.unlabelled.tellers import Research
from fairmend.unlabelled.worlds import Worlds

REPEATS, MOST_ROWS = 30, 4_000
"""Worlds by default; rows of their archives, since more would tell little more."""

WIDER = 1.2
"""By how much worlds drawn from a sample vary less than samples do, as measured on simulations."""

Figures = tuple[float, float, float, float]
"""E, damage, AUC or NaN, and E with shuffled groups."""


@dataclass(frozen=True)
class Expected:
    """One way of repair.

    Attributes
    ----------
    way : str
        ``"none"``, ``"labelled"``, ``"46 % unlabelled, sample"``, ``"map"``, ``"sample"``,
        ``"expected"`` or ``"blind 0.5"``.
    e, low, high : float
        Dependence to expect in the archive, in nats, mean of the features, and 95 % interval.
    damage, damage_low, damage_high : float
        Mean over features of the root mean squared change in standard deviations; of categories,
        the share of rows changed.
    leak : float or None
        AUC of an adversary who sees all features together, if it was asked for.
    """

    way: str
    e: float
    low: float
    high: float
    damage: float
    damage_low: float
    damage_high: float
    leak: float | None = None


@dataclass(frozen=True)
class Expectation:
    """What to expect of each way, and what follows from it.

    Attributes
    ----------
    ways : tuple of Expected
        In the order in which they were tried.
    told : float
        How much of what the strata leave open is told by the label model: 0 nothing, 1 all.
    sentences : tuple of str
        The recommendation.
    """

    ways: tuple[Expected, ...]
    told: float
    sentences: tuple[str, ...]

    def __getitem__(self, way: str) -> Expected:
        """Find a way by its name."""
        return next(one for one in self.ways if one.way == way)

    def to_dict(self) -> dict[str, Any]:
        """Lay it out as plain JSON types."""
        return asdict(self)

    def __str__(self) -> str:
        """Write a table, and the sentences below it."""
        lines = [f"{'repair':<26}{'E':>8}{'95 % interval':>18}{'damage':>9}"]
        for one in self.ways:
            ends = f"{one.low:.3f} to {one.high:.3f}"
            lines.append(f"{one.way:<26}{one.e:>8.3f}{ends:>18}{one.damage:>9.3f}")
        return "\n".join([*lines, *self.sentences])


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
    adversary: bool = False,
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
    adversary : bool
        Whether to train adversaries, in the first three worlds.
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
    in proportion to what each way leaves over the repair with groups. On the paper's simulation
    (500 research rows, one feature, ten worlds) each interval of E held what the archive showed in
    93 or 94 of 100 repeats.

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
    trial = _Trial(model, plan, options, tuple(hidden), tuple(budgets))
    worlds = Worlds.of(known, plan)
    given = None if archive is None else len(Frame(archive, "archive"))
    rows = min(archive_rows or given or MOST_ROWS, MOST_ROWS)
    found: list[dict[str, Figures]] = []
    chance = 1.0 - rows / max(archive_rows or given or rows, rows)
    for at, (taught, archive) in enumerate(worlds.draw(rows, repeats, seed)):
        found.append(trial.run(taught, archive, seed + at, adversary=adversary and at < 3))
    floor = _floor(trial, known, seed)
    ways = tuple(_summed(found, way, floor, chance) for way in found[0])
    told = 1.0 - model.calibration.log_loss / model.calibration.chance
    return Expectation(ways, told, tuple(_sentences(ways, told)))


def _arrow(frame: Frame) -> pa.Table:
    return pa.table({name: frame.arrow(name) for name in frame.columns})


@dataclass(frozen=True)
class _Trial:
    """All ways of repair, tried in one world."""

    model: LabelModel
    plan: Plan
    options: dict[str, Any]
    hidden: tuple[float, ...]
    budgets: tuple[float, ...]

    def run(
        self, taught: pa.Table, archive: pa.Table, seed: int, *, adversary: bool
    ) -> dict[str, Figures]:
        """Give E, damage and leak of each way."""
        protected, unprotected = self.plan.protected, self.plan.unprotected
        roles: dict[str, Any] = {"protected": protected, "unprotected": unprotected}
        plan = design(taught, **roles, features=self.plan.feature_names, **self.options)
        rows = archive.num_rows
        blank = _without(archive, protected, np.ones(rows, dtype=bool))
        labels = refitted(self.model, taught, blank)
        rng = np.random.default_rng(seed)
        common: dict[str, Any] = {"seed": seed, "unseen": "pool"}
        repaired = {"none": archive, "labelled": plan.repair(archive, **common)}
        for share in self.hidden:
            gaps = _without(archive, protected, rng.random(rows) < share)
            repaired[f"{share:.0%} unlabelled, sample"] = plan.repair(gaps, labels=labels, **common)
        for draw in ("map", "sample", "expected"):
            repaired[draw] = plan.repair(blank, labels=labels, draw=cast("Any", draw), **common)
        for budget in self.budgets:
            repaired[f"blind {budget:g}"] = plan.blind(budget).repair(archive, **common)
        truth = read(self.model, Frame(archive, "archive"))
        mixed = _shuffled(truth, rng)
        added = self.dependence(repaired["labelled"], mixed, truth.stratum)
        return {
            way: (
                self.dependence(table, truth.group, truth.stratum),
                self._damage(archive, table),
                self._leak(table, truth.group, truth.stratum) if adversary else np.nan,
                added,
            )
            for way, table in repaired.items()
        }

    def dependence(self, table: Any, group: Codes, stratum: Codes) -> float:
        """Measure E, mean of the features, each by its kind."""
        values = Frame(table, "archive").finite_numbers(self.plan.codecs)
        return float(
            np.mean(
                [
                    dependence(values[f.name], group, stratum, kind=cast("Any", f.kind))
                    for f in self.plan.features
                ]
            )
        )

    def _damage(self, before: Any, after: Any) -> float:
        sides = [
            Frame(table, "archive").finite_numbers(self.plan.codecs) for table in (before, after)
        ]
        parts = []
        for feature in self.plan.features:
            old, new = (side[feature.name] for side in sides)
            if feature.kind == "categorical":
                parts.append(float(np.mean(old != new)))
                continue
            deviation = float(np.nanstd(old))
            moved = cast("Damage", damage(old, new))
            parts.append(moved.rmse / deviation if deviation > 0 else 0.0)
        return float(np.mean(parts))

    def _leak(self, table: Any, group: Codes, stratum: Codes) -> float:
        values = Frame(table, "archive").finite_numbers(self.plan.codecs)
        seen = {f"x{at}": x for at, x in enumerate(values.values())}
        told = leak(
            pa.table({"s": group, "u": stratum, **seen}),
            protected="s",
            unprotected="u",
            features=list(seen),
            each=False,
            all_columns=False,
            permutations=0,
        )
        return float(told.auc)


def _without(table: pa.Table, names: Sequence[str], hidden: NDArray[np.bool_]) -> pa.Table:
    """Hide what is recorded of some rows; of all rows, as if it had never been."""
    if hidden.all():
        return table.drop_columns(list(names))
    for name in names:
        column = pc.if_else(pa.array(hidden), None, table[name])
        table = table.set_column(table.column_names.index(name), name, column)
    return table


def _floor(trial: _Trial, research: Research, seed: int) -> float:
    """Measure E of the research rows with shuffled groups: what chance adds."""
    rng = np.random.default_rng(seed)
    frame = research.frame.native
    found = [trial.dependence(frame, _shuffled(research, rng), research.stratum) for _ in range(5)]
    return float(np.mean(found))


def _shuffled(research: Research, rng: np.random.Generator) -> Codes:
    """Shuffle groups within strata."""
    group = research.group.copy()
    for code in np.unique(research.stratum):
        rows = np.flatnonzero(research.stratum == code)
        group[rows] = rng.permutation(group[rows])
    return group


def _summed(
    found: Sequence[Mapping[str, Figures]], way: str, floor: float, chance: float
) -> Expected:
    """Bring the worlds together, and take off what chance adds.

    ``floor`` is what it adds to the worlds' populations, and ``chance`` the share of what it adds
    in their archives that it would not add in the larger one.
    """
    e, damages, leaks, added = np.array([one[way] for one in found]).T
    e = np.maximum(e - chance * added, 0.0)
    before, known = (
        np.array([max(one[name][0] - chance * one[name][3], 0.0) for one in found])
        for name in ("none", "labelled")
    )
    true = np.maximum(before - 2.0 * floor, 0.0) / np.maximum(before, 1e-12)
    e = np.where(e > known, known + (e - known) * true, e)
    sides = [_interval(e, WIDER), _interval(damages, 1.0)]
    told = leaks[~np.isnan(leaks)]
    return Expected(way, *sides[0], *sides[1], float(told.mean()) if told.size else None)


def _interval(values: Floats, wider: float) -> tuple[float, float, float]:
    """Give the mean, and where one more world's value may lie.

    Ends are found on the scale of the square root, on which E, a squared distance, varies by about
    as much whether it is small or large.
    """
    roots, n = np.sqrt(np.maximum(values, 0.0)), values.size
    spread = wider * _student(n - 1) * float(roots.std(ddof=1)) * float(np.sqrt(1.0 + 1.0 / n))
    middle = float(roots.mean())
    return float(values.mean()), max(middle - spread, 0.0) ** 2, (middle + spread) ** 2


def _student(freedom: int) -> float:
    """Approximate the 97.5 % quantile of Student's law, within 0.05 from four worlds on.

    Examples
    --------
    >>> print(f"{_student(9):.2f}, {_student(29):.2f}")
    2.26, 2.05
    """
    z = 1.959964
    first = (z**3 + z) / (4 * freedom)
    return z + first + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)


def _sentences(ways: Sequence[Expected], told: float) -> Iterator[str]:
    """Say in words what follows."""
    by_way = {one.way: one for one in ways}
    none, known, drawn = (by_way[name] for name in ("none", "labelled", "sample"))
    blind = [one for one in ways if one.way.startswith("blind")]
    yield (
        f"The label model tells {max(told, 0.0):.0%} of what the strata leave open about the group."
    )
    if none.e <= known.e * 1.1 or none.e < none.high - none.e:
        yield "The research rows are too few to tell that there is any dependence to repair."
        return
    yield (
        f"Recorded groups would take away {1 - known.e / none.e:.0%} of E at a damage of "
        f"{known.damage:.2f}; drawn ones take away {1 - drawn.e / none.e:.0%} at "
        f"{drawn.damage:.2f}."
    )
    for one in blind:
        yield f"A {one.way} repair takes away {1 - one.e / none.e:.0%} at {one.damage:.2f}."
    draws = [by_way[name] for name in ("sample", "map", "expected")]
    affordable = [one for one in blind if one.damage <= 1.05 * drawn.damage]
    best = min([*draws, *affordable], key=lambda one: one.e)
    yield f"Recommended without groups, at about that damage: {best.way}."
    if best.e - known.e > 0.25 * (none.e - known.e):
        yield (
            "More than a quarter of what recorded groups would take away stays. If groups may be "
            "recorded, for a part of the archive too, that is what helps most."
        )
