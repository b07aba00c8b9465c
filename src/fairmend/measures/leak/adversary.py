"""Adversaries: classifiers that are shown columns of any kind."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fairmend.measures.arrays import Codes, Floats

QUICK = {"max_iter": 30, "learning_rate": 0.2}
"""Boosting of one column alone: there is little to learn, and there are many columns."""


def adversary(n_columns: int, categories: Sequence[int], classifier: Any, random_state: int) -> Any:
    """Make an untrained adversary for a matrix, some of whose columns are categories.

    Gradient boosting takes numbers with gaps and categories as they are. Another classifier gets
    standardised numbers, gaps filled with the median and marked, and a column for each category.
    """
    if classifier is None:
        from sklearn.ensemble import HistGradientBoostingClassifier

        options = QUICK if n_columns == 1 else {}
        return HistGradientBoostingClassifier(
            categorical_features=list(categories) or None, random_state=random_state, **options
        )
    from sklearn.base import clone
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    filled = SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True)
    numbers = [i for i in range(n_columns) if i not in categories]
    prepared = ColumnTransformer(
        [
            ("numbers", make_pipeline(filled, StandardScaler()), numbers),
            ("categories", OneHotEncoder(handle_unknown="ignore"), list(categories)),
        ],
        sparse_threshold=0.0,
    )
    return make_pipeline(prepared, clone(classifier))


def scores(trained: Any, x: Floats) -> Floats:
    """Score rows for each group, by columns; for two groups one column, for the second of them."""
    if hasattr(trained, "predict_proba"):
        told = np.asarray(trained.predict_proba(x))
        return told[:, 1:] if told.shape[1] == 2 else told
    told = np.asarray(trained.decision_function(x))
    return told[:, None] if told.ndim == 1 else told


def membership(s: Codes) -> NDArray[np.bool_]:
    """Mark the rows of each group, by columns as in :func:`scores`."""
    n_groups = int(s.max()) + 1
    groups = np.array([1]) if n_groups == 2 else np.arange(n_groups)
    marked: NDArray[np.bool_] = s[:, None] == groups
    return marked
