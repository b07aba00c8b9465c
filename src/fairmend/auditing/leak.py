"""The part on the leak: what adversaries find of S, before and after."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from fairmend.auditing.material import Material
from fairmend.auditing.places import told_place
from fairmend.auditing.tolerances import Tolerances
from fairmend.errors import ColumnError
from fairmend.frames.table import Frame
from fairmend.measures.inference.tables import NORMAL
from fairmend.measures.inference.verdict import Words, judge
from fairmend.measures.leak.columns import Seen, see
from fairmend.measures.leak.parts import Part, Trial, parts_of, trial
from fairmend.measures.leak.results import Auc
from fairmend.plan.plan import Plan
from fairmend.report.content import Estimate, LeakPart, LeakRow

MOST_ROWS = 30_000
"""Rows that adversaries are trained on, as :func:`fairmend.leak` does by default."""

FEATURES, COLUMNS = "all features together", "all columns that are handed on"
ALONE = "all features, each repaired by itself"

ITSELF = "the protected attribute itself: whoever is handed this column needs no adversary"
MIXED = "it mixes types"


class _Side(NamedTuple):
    """What adversaries may see of one of the two tables, and what not."""

    seen: dict[str, Seen]
    unseen: dict[str, str]

    def of(self, names: Sequence[str]) -> list[Seen]:
        return [self.seen[name] for name in names if name in self.seen]


def leak_part(
    material: Material,
    tolerances: Tolerances,
    seed: int,
    exclude: Sequence[str] = (),
    *,
    adversary: Any = None,
    most: int = MOST_ROWS,
) -> LeakPart | None:
    """Test adversaries on drawn rows; None where no stratum has two groups to be told apart.

    A column that the repair left as it was is tested once. Adversaries look at the repaired archive
    by the archive's own groups, whether these are handed on or not.
    """
    plan = material.plan
    rows = np.sort(material.draw(most, seed))
    parts = parts_of(material.group[rows], material.stratum[rows], plan.groups, plan.strata)
    if not parts:
        return None
    frames = material.drawn(rows)
    before, after = (_side(frame, plan, exclude) for frame in frames)
    test = _Test(parts, adversary, seed)
    everything = test.shuffled(list(after.seen.values()))
    all_columns, drops = (None, {}) if everything is None else everything
    joint = test.joint(after, plan)
    found = [
        _row(FEATURES, test.joint(before, plan), joint) | {"is_feature": True},
        _row(COLUMNS, test.of(list(before.seen.values())), all_columns),
    ]
    found[0]["sees"], found[1]["sees"] = "features", "columns"
    if plan.is_joint:
        found.append(_by_themselves(frames[0], plan, test, found[0]["before"]))
    columns = []
    for name, one in after.seen.items():
        new = test.of([one])
        old = before.seen.get(name)
        same = old is not None and np.array_equal(old.values, one.values, equal_nan=True)
        row = _row(name, new if same else test.of([old] if old else []), new)
        row["is_feature"] = name in plan.feature_names
        row["drop"] = drops.get(name)
        columns.append(row)
    found += sorted(columns, key=_least_telling)
    for row in found:
        if row["sees"] == "alone":
            continue
        row["verdict"] = _words(row["after"], rows.size, tolerances.leak)
    for row, auc in zip(found, (joint, all_columns), strict=False):
        place = None if auc is None else told_place(auc, parts, tolerances.leak)
        if place is not None and row["verdict"] != "above tolerance":  # else the average says it
            row["verdict"], (row["told_place"], row["told_auc"]) = "above tolerance", place
    handed = [name for name in plan.protected if name in frames[1].columns]
    return {
        "tolerance": tolerances.leak,
        "reason": tolerances.reason("auc"),
        "rows_used": int(rows.size),
        "rows": found,
        "unseen": dict.fromkeys(set(handed) - set(exclude), ITSELF) | after.unseen,
    }


@dataclass(frozen=True)
class _Test:
    """Adversaries of one audit: the strata, and where chance begins."""

    parts: list[Part]
    classifier: Any
    seed: int

    def of(self, columns: list[Seen]) -> Auc | None:
        """Test one that sees some columns; None where there is nothing to see."""
        return self._trial(columns, shuffle=False).auc if columns else None

    def joint(self, side: _Side, plan: Plan) -> Auc | None:
        """Test one that sees all features."""
        return self.of(side.of(plan.feature_names))

    def shuffled(self, columns: list[Seen]) -> Trial | None:
        """Test one that sees all columns, and what it loses with each of them."""
        return self._trial(columns, shuffle=True) if columns else None

    def _trial(self, columns: list[Seen], *, shuffle: bool) -> Trial:
        return trial(
            columns,
            self.parts,
            classifier=self.classifier,
            permutations=1,
            random_state=self.seed,
            shuffle=shuffle,
        )


def _by_themselves(archive: Frame, plan: Plan, test: "_Test", before: Estimate | None) -> LeakRow:
    """Test what the same rows would tell if each feature had been repaired by itself.

    The seed is public here: nobody is given these rows.
    """
    beyond = plan.options.policies.out_of_range
    alone = plan.without_joint().repair(
        archive.native,
        seed=0,
        first_row=0,
        unseen="keep",
        out_of_range="clip" if beyond == "raise" else beyond,
    )
    side = _side(Frame(alone, archive.name), plan, ())
    row = _row(ALONE, None, test.joint(side, plan))
    row["before"], row["sees"] = before, "alone"
    return row


def _side(frame: Frame, plan: Plan, exclude: Sequence[str]) -> _Side:
    """Show the features, then the other columns; strata are told, but not the values in a bin."""
    told = {*plan.protected, *exclude, *(n for n in plan.unprotected if n not in plan.strata.bins)}
    features = plan.feature_names
    seen: dict[str, Seen] = {}
    unseen: dict[str, str] = {}
    for name in (*features, *(n for n in frame.columns if n not in features)):
        if name in told:
            continue
        try:
            mine, hidden = see(frame, [name], features)
        except ColumnError:  # the archive's readable columns are no concern of other ones
            mine, hidden = {}, {name: MIXED}
        seen, unseen = seen | mine, unseen | hidden
    return _Side(seen, unseen)


def _row(name: str, before: Auc | None, after: Auc | None) -> LeakRow:
    return {
        "name": name,
        "sees": "column",
        "is_feature": False,
        "before": _estimate(before),
        "after": _estimate(after),
        "drop": None,
        "worst_group": None if after is None else after.worst_group,
        "told_place": None,
        "told_auc": None,
        "verdict": None,
    }


def _estimate(auc: Auc | None) -> Estimate | None:
    if auc is None:
        return None
    return {
        "value": auc.auc,
        "low": auc.low,
        "high": auc.high,
        "raw": auc.auc,
        "floor": auc.null,
        "floor_high": auc.null + NORMAL.inv_cdf(0.95) * auc.null_deviation,
    }


def _least_telling(row: LeakRow) -> float:
    after = row["after"]
    return 0.0 if after is None or after["value"] is None else -after["value"]


def _words(found: Estimate | None, rows: int, tolerance: float) -> Words | None:
    if found is None or found["value"] is None or found["low"] is None or found["high"] is None:
        return None
    return judge("auc", found["value"], (found["low"], found["high"]), rows, tolerance).words
