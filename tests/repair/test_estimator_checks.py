"""scikit-learn's own checks.

They know no sensitive features, so a harness makes them up from X; all else is our code.
"""

import numpy as np
import pandas as pd
import pytest
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import parametrize_with_checks

from fairmend import DistributionalRepair, GeometricRepair


class MedianSplit(DistributionalRepair):
    """S is whether the first column is above its median in the research data."""

    def fit(self, X, y=None, *, sensitive_features=None, control_features=None):
        first = first_column(X)
        self.split_ = np.median(first) if first.size else 0.0
        return super().fit(X, y, sensitive_features=first > self.split_)

    def transform(self, X, *, sensitive_features=None, control_features=None):
        above = first_column(X) > getattr(self, "split_", 0.0)
        return super().transform(X, sensitive_features=above)


class Keyed(MedianSplit):
    """The rows get a key that follows from what they hold."""

    def __init__(self, seed=None):
        super().__init__(seed=seed, key="id")

    def fit(self, X, y=None, **_):
        return super().fit(with_key(X), y)

    def transform(self, X, **_):
        return super().transform(with_key(X)).drop(columns="id").to_numpy()


def first_column(X):
    """What X has to be is for the estimator to say: nothing is refused here."""
    try:
        values = np.asarray(X.iloc[:, :1] if isinstance(X, pd.DataFrame) else X)
        values = values.real.astype(float) if values.ndim == 2 else np.empty(0)
    except (TypeError, ValueError):
        return np.empty(0)
    return np.nan_to_num(values[:, 0]) if values.shape[1:] > (0,) else np.empty(0)


def with_key(X):
    table = pd.DataFrame(np.asarray(X)).add_prefix("x")
    return table.assign(id=[f"{tuple(row)}" for row in table.to_numpy()])


EXPECTED_FAILURES = {
    "check_methods_sample_order_invariance": (
        "without key= the draws follow from the row's number; with key= it holds, see below"
    ),
    "check_methods_subset_invariance": (
        "it repairs rows one by one, and a single row without key= is refused, because S could be "
        "read off what comes out; with key= it holds, see below"
    ),
}


@parametrize_with_checks([MedianSplit(seed=0)], expected_failed_checks=lambda _: EXPECTED_FAILURES)
def test_scikit_learns_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("check", EXPECTED_FAILURES)
def test_the_expected_failures_pass_with_a_key(check):
    getattr(estimator_checks, check)("Keyed", Keyed(seed=0))


@pytest.mark.parametrize(
    "check",
    [
        "check_dataframe_column_names_consistency",
        "check_transformer_get_feature_names_out",
        "check_transformer_get_feature_names_out_pandas",
        "check_set_output_transform",
        "check_set_output_transform_pandas",
        "check_global_output_transform_pandas",
        "check_set_output_transform_polars",
        "check_global_set_output_transform_polars",
    ],
)
# They fit a table and transform an array on purpose, and the other way round.
@pytest.mark.filterwarnings("ignore:X (has|does not have valid) feature names")
def test_further_checks_that_scikit_learn_makes_of_its_own(check):
    getattr(estimator_checks, check)("MedianSplit", MedianSplit(seed=0))


@pytest.mark.parametrize("estimator", [DistributionalRepair(), GeometricRepair()])
@pytest.mark.parametrize(
    "check",
    [
        "check_estimator_cloneable",
        "check_estimator_repr",
        "check_estimator_tags_renamed",
        "check_valid_tag_types",
        "check_no_attributes_set_in_init",
        "check_do_not_raise_errors_in_init_or_set_params",
        "check_parameters_default_constructible",
        "check_get_params_invariance",
        "check_set_params",
        "check_mixin_order",
    ],
)
def test_checks_that_need_no_fit(estimator, check):
    getattr(estimator_checks, check)(type(estimator).__name__, estimator)


def test_without_a_seed_the_estimator_calls_itself_not_deterministic():
    assert DistributionalRepair().__sklearn_tags__().non_deterministic
    assert not DistributionalRepair(seed=1).__sklearn_tags__().non_deterministic
