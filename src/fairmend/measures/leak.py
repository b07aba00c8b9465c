"""The leak test: how well an adversary tells the protected attribute from the features."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairmend.errors import DataError
from fairmend.frames.codec import Codec
from fairmend.frames.levels import Factor
from fairmend.frames.roles import encoded_roles
from fairmend.frames.table import Frame
from fairmend.transport.support import Floats

FOLDS = 3
MOST_CATEGORIES = 255


@dataclass(frozen=True)
class Leak:
    """How well an adversary tells S.

    Attributes
    ----------
    auc : float
        Cross-validated area under the curve within each stratum, averaged by rows: 0.5 is chance.
        With more than two groups, the mean over groups of one against the rest.
    null : float
        The same with S permuted within strata, averaged over permutations: what chance looks like.
    null_deviation : float
        Standard deviation over the permutations; NaN with fewer than two.
    by_stratum : dict
        AUC of each stratum.
    """

    auc: float
    null: float
    null_deviation: float
    by_stratum: dict[str, float]


def leak(
    table: Any,
    *,
    protected: str | Sequence[str],
    unprotected: str | Sequence[str] | None = None,
    features: str | Sequence[str],
    permutations: int = 3,
    max_rows: int = 50_000,
    random_state: int = 0,
) -> Leak:
    """Measure how well gradient boosting tells S from the features, within each level of U.

    A repair that shifts groups by amounts of their own shows here at once (AUC near 1), though it
    may look perfect by means and correlations.

    Parameters
    ----------
    table : pandas, polars or pyarrow table
        Before or after a repair, with S.
    protected, unprotected : str or list of str
        Columns of S and U.
    features : str or list of str
        What the adversary sees. Missing values are seen as such.
    permutations : int
        Runs with permuted S for the null.
    max_rows : int
        A larger table is sampled, to bound the time.
    random_state : int
        For folds, sampling and permutations.

    Returns
    -------
    Leak

    Notes
    -----
    Strata in which a group has fewer rows than there are folds (3) are left out. Folds are
    shuffled: tied rows in file order would otherwise look like information.

    Examples
    --------
    >>> import fairmend
    >>> adult = fairmend.datasets.adult(complete=True).slice(0, 4_000)
    >>> before = fairmend.leak(adult, protected="sex", unprotected="college",
    ...                        features=["age", "hours-per-week"], permutations=1)
    >>> before.auc > before.null + 0.1
    True
    """
    frame = Frame(table, "table")
    names = [features] if isinstance(features, str) else list(features)
    groups_of = [protected] if isinstance(protected, str) else list(protected)
    strata_of = [] if unprotected is None else _listed(unprotected)
    for parameter, columns in (
        ("protected", groups_of),
        ("unprotected", strata_of),
        ("features", names),
    ):
        frame.require(columns, parameter)
    if not len(frame):
        raise DataError.empty(frame.name)
    rng = np.random.default_rng(random_state)
    codecs = {name: Codec.of(frame.arrow(name), name, frame.name) for name in names}
    seen = frame.finite_numbers(codecs)
    x = np.column_stack([seen[name] for name in names])
    categorical = [
        codec.type == "category" and len(codec.levels) <= MOST_CATEGORIES
        for codec in codecs.values()
    ]
    s, _ = _codes(frame, groups_of)
    u, strata = _codes(frame, strata_of)
    if len(s) > max_rows:
        kept = np.sort(rng.choice(len(s), max_rows, replace=False))
        x, s, u = x[kept], s[kept], u[kept]
    parts = {strata.label(int(code)): np.flatnonzero(u == code) for code in np.unique(u)}
    parts = {name: rows for name, rows in parts.items() if _testable(s[rows])}
    if not parts:
        message = "No stratum has two groups of at least 3 rows, so no adversary can be trained."
        raise DataError(message)
    by_stratum = {
        name: _auc(x[rows], s[rows], categorical, random_state) for name, rows in parts.items()
    }
    nulls = [
        _average(
            {
                name: _auc(x[rows], rng.permutation(s[rows]), categorical, random_state)
                for name, rows in parts.items()
            },
            parts,
        )
        for _ in range(permutations)
    ]
    return Leak(
        auc=_average(by_stratum, parts),
        null=float(np.mean(nulls)) if nulls else float("nan"),
        null_deviation=float(np.std(nulls, ddof=1)) if len(nulls) > 1 else float("nan"),
        by_stratum=by_stratum,
    )


def _listed(names: str | Sequence[str]) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


def _codes(frame: Frame, columns: Sequence[str]) -> tuple[NDArray[np.int64], Factor]:
    encoded = encoded_roles(frame, columns, {})
    factor = Factor.of(columns, encoded)
    return factor.encode(encoded, len(frame)), factor


def _testable(s: NDArray[np.int64]) -> bool:
    _, rows = np.unique(s, return_counts=True)
    return rows.size > 1 and int(rows.min()) >= FOLDS


def _auc(x: Floats, s: NDArray[np.int64], categorical: list[bool], random_state: int) -> float:
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.metrics import roc_auc_score
    from sklearn.model_selection import StratifiedKFold, cross_val_predict

    adversary = HistGradientBoostingClassifier(
        categorical_features=categorical if any(categorical) else None, random_state=random_state
    )
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=random_state)
    told = cross_val_predict(adversary, x, s, cv=folds, method="predict_proba")
    if told.shape[1] == 2:
        return float(roc_auc_score(s, told[:, 1]))
    groups = np.unique(s)
    return float(np.mean([roc_auc_score(s == g, told[:, i]) for i, g in enumerate(groups)]))


def _average(by_stratum: dict[str, float], parts: dict[str, NDArray[np.intp]]) -> float:
    weights = [parts[name].size for name in by_stratum]
    return float(np.average(list(by_stratum.values()), weights=weights))
