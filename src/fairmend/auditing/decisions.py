"""Decisions before and after: those of a column, of a model that is given, or of a simple one."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fairmend.auditing import faults
from fairmend.auditing.material import Material, Places
from fairmend.frames.levels import canonical, in_order
from fairmend.frames.table import Frame
from fairmend.measures.leak.adversary import adversary, scores
from fairmend.measures.leak.columns import see
from fairmend.transport.support import Floats

Marks = NDArray[np.bool_]

MOST_ROWS = 30_000
"""Rows that a model is trained on, as for adversaries."""
MOST_PREDICTED = 200_000
"""Rows that a trained model is asked about."""
FOLDS = 5


@dataclass(frozen=True)
class Decider:
    """Who decides, as it was asked for.

    Attributes
    ----------
    label : str or None
        Column of the outcome that is to be predicted.
    favourable : object
        The level of the label, or of the predictions, that people want; None for the larger of two.
    predictions : str or None
        Column of decisions, or of probabilities, in both tables.
    model : object
        A scikit-learn classifier: a trained one decides, an untrained one is trained.
    """

    label: str | None = None
    favourable: Any = None
    predictions: str | None = None
    model: Any = None

    @property
    def asked(self) -> bool:
        """Whether there is anything to look at."""
        return any(one is not None for one in (self.label, self.predictions, self.model))

    @property
    def columns(self) -> tuple[str | None, ...]:
        """Columns that are read for it."""
        return self.label, self.predictions


class Decided(NamedTuple):
    """What was decided about some rows, before and after.

    Attributes
    ----------
    rows : ndarray of shape (n,)
        Their places.
    label, favourable, by : str
        What was decided about, which outcome people want, and who decided.
    decisions : list of two ndarrays of bool
        Whether the favourable outcome was predicted.
    utility : list of two floats
        AUC of the predictions for the label; None where there is no label.
    """

    rows: Places
    label: str
    favourable: str
    by: str
    decisions: list[Marks]
    utility: list[float | None]


def decide(material: Material, who: Decider, seed: int) -> Decided:
    """Take or make decisions for the rows of known group and stratum."""
    if who.predictions is not None:
        return _by_column(material, who, who.predictions)
    if who.model is not None and _is_trained(who.model):
        return _by_trained(material, who, seed)
    if who.label is None:
        raise faults.label_for_training()
    return _by_training(material, who, who.label, seed)


def _by_column(material: Material, who: Decider, name: str) -> Decided:
    for frame in (material.before, material.after):
        frame.require([name], "predictions")
    outcomes = [
        _predicted(frame, name, who.favourable) for frame in (material.before, material.after)
    ]
    truth = None
    if who.label is not None:
        truth = _Levels.of(material.before, who.label).marks(who.favourable, who.label)
    there = material.known & ~np.isnan(outcomes[0].scores) & ~np.isnan(outcomes[1].scores)
    rows = np.flatnonzero(there)
    return Decided(
        rows,
        who.label or name,
        outcomes[0].favourable,
        f"the column {name!r} of each table",
        [one.scores[rows] >= outcomes[0].threshold for one in outcomes],
        [_utility(one.scores[rows], truth, rows) for one in outcomes],
    )


def _by_trained(material: Material, who: Decider, seed: int) -> Decided:
    rows = np.sort(material.draw(MOST_PREDICTED, seed))
    classes = [str(one) for one in who.model.classes_]
    favourable = _chosen(list(who.model.classes_), who.favourable, "model")
    at = [canonical(one) for one in who.model.classes_].index(canonical(favourable))
    decisions, utility = [], []
    truth = None
    if who.label is not None:
        truth = _Levels.of(material.before, who.label).marks(who.favourable, who.label)
    for frame in material.drawn(rows):
        shown = _as_trained(who.model, frame, material.plan.feature_names)
        chosen = np.asarray(who.model.predict(shown)).astype(str) == classes[at]
        decisions.append(chosen)
        told = chosen.astype(np.float64)
        if hasattr(who.model, "predict_proba"):
            told = np.asarray(who.model.predict_proba(shown))[:, at]
        utility.append(_utility(told, truth, rows))
    name = type(who.model).__name__
    return Decided(
        rows, who.label or "model", str(favourable), f"the model ({name})", decisions, utility
    )


def _by_training(material: Material, who: Decider, label: str, seed: int) -> Decided:
    material.before.require([label], "label")
    levels = _Levels.of(material.before, label)
    marks = levels.marks(who.favourable, label)
    rows = np.sort(material.draw(MOST_ROWS, seed))
    rows = rows[~np.isnan(marks[rows])]
    truth = marks[rows] == 1.0
    least = min(int(truth.sum()), int((~truth).sum()))
    if least < FOLDS:
        raise faults.one_outcome(label, least, FOLDS)
    names = [*material.plan.feature_names, *material.plan.unprotected]
    told = [_crossed(frame, names, truth, who.model, seed) for frame in material.drawn(rows)]
    what = "gradient boosting" if who.model is None else type(who.model).__name__
    by = (
        f"{what}, trained on {', '.join(names)} before and after, and asked about the rows that it "
        f"was not trained on ({FOLDS} folds); as many are chosen as have the favourable outcome"
    )
    favourable = str(_chosen(levels.values, who.favourable, label))
    return Decided(
        rows, label, favourable, by, [one.decisions for one in told], [one.auc for one in told]
    )


class _Crossed(NamedTuple):
    decisions: Marks
    auc: float


def _crossed(frame: Frame, names: Sequence[str], truth: Marks, model: Any, seed: int) -> _Crossed:
    """Train a model in folds, each asked about the rows that it has not seen.

    As many rows are decided for as have the favourable outcome, the likeliest ones: where it is
    rare a model that knows little would, by its own threshold, decide for nobody.
    """
    from sklearn.metrics import roc_auc_score
    from sklearn.model_selection import StratifiedKFold

    seen, _ = see(frame, names, names)
    x = np.column_stack([one.values for one in seen.values()])
    categories = [at for at, one in enumerate(seen.values()) if one.shape == "category"]
    decisions, auc = np.zeros(truth.size, dtype=bool), 0.0
    for train, test in StratifiedKFold(FOLDS, shuffle=True, random_state=seed).split(x, truth):
        trained = adversary(x.shape[1], categories, model, seed)
        trained.fit(x[train], truth[train])
        told = scores(trained, x[test])[:, 0]
        decisions[test] = told >= np.quantile(told, 1.0 - truth[train].mean())
        auc += test.size / truth.size * roc_auc_score(truth[test], told)
    return _Crossed(decisions, auc)


class _Levels(NamedTuple):
    """A column of labels: codes, and their values without the missing one."""

    codes: NDArray[np.int64]
    values: list[Any]
    all_values: tuple[Any, ...]

    @classmethod
    def of(cls, frame: Frame, name: str) -> "_Levels":
        frame.require([name], "label")
        encoded = frame.encoded(name)
        known = in_order([value for value in encoded.values if value is not None])
        return cls(encoded.codes, known, encoded.values)

    def marks(self, favourable: Any, name: str) -> Floats:
        """Mark rows 1 where the outcome is the favourable one, 0 where not, NaN where missing."""
        wanted = canonical(_chosen(self.values, favourable, name))
        to = [np.nan if v is None else float(canonical(v) == wanted) for v in self.all_values]
        marks: Floats = np.array(to)[self.codes]
        return marks


class _Predicted(NamedTuple):
    scores: Floats
    threshold: float
    favourable: str


def _predicted(frame: Frame, name: str, favourable: Any) -> _Predicted:
    """Read a column of decisions, or of probabilities: numbers from 0 to 1, not only these two."""
    import pyarrow as pa

    array = frame.arrow(name)
    if favourable is None and pa.types.is_floating(array.type):
        numbers: Floats = array.cast(pa.float64()).to_numpy(zero_copy_only=False)
        known = numbers[~np.isnan(numbers)]
        if not np.isin(known, (0.0, 1.0)).all():
            if known.min() < 0 or known.max() > 1:
                raise faults.no_probabilities(name)
            return _Predicted(numbers, 0.5, "a probability of 0.5 or more")
    levels = _Levels.of(frame, name)
    return _Predicted(
        levels.marks(favourable, name), 0.5, str(_chosen(levels.values, favourable, name))
    )


def _chosen(values: Sequence[Any], favourable: Any, name: str) -> Any:
    """Choose the favourable outcome: as named, or the larger of two."""
    if favourable is None:
        if len(values) > 2:
            raise faults.which_is_favourable(name, values)
        return values[-1]
    known = {canonical(value): value for value in values}
    if canonical(favourable) not in known:
        raise faults.never_favourable(name, favourable, values)
    return known[canonical(favourable)]


def _utility(told: Floats, truth: Floats | None, rows: Places) -> float | None:
    if truth is None:
        return None
    from sklearn.metrics import roc_auc_score

    true = truth[rows]
    known = ~np.isnan(true)
    if np.unique(true[known]).size < 2:
        return None
    return float(roc_auc_score(true[known], told[known]))


def _is_trained(model: Any) -> bool:
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.validation import check_is_fitted

    try:
        check_is_fitted(model)
    except NotFittedError:
        return False
    return True


def _as_trained(model: Any, frame: Frame, features: Sequence[str]) -> Any:
    """Show a trained model the columns that it was trained on, in the table's own type."""
    names = list(getattr(model, "feature_names_in_", features))
    frame.require(names, "model")
    native = frame.native
    if hasattr(native, "column_names"):
        from importlib.util import find_spec

        if find_spec("pandas") is None:
            return np.column_stack([np.asarray(native[name]) for name in names])
        return native.select(names).to_pandas()
    return native[names]
