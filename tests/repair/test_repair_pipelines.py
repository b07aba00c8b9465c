"""The estimators among others."""

import pickle

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from repair_tables import to_pandas
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from fairmend import DistributionalRepair, GeometricRepair
from fairmend.errors import NotOnSampleError, OptionError


@pytest.fixture
def y(people):
    noise = np.random.default_rng(1).normal(size=len(people))
    return (people["score"] + noise > 0).astype(int).to_numpy()


@pytest.fixture
def repair():
    return DistributionalRepair("sex", "college", exclude="id", seed=7)


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def requesting(estimator):
    return estimator.set_fit_request(sensitive_features=True).set_transform_request(
        sensitive_features=True
    )


def test_pipeline_with_s_as_a_column(people, y, repair, as_table):
    table = as_table(people)
    model = make_pipeline(repair, StandardScaler(), LogisticRegression()).fit(table, y)
    assert model.predict(table).shape == (300,)
    assert model[-1].n_features_in_ == 5
    assert model.score(table, y) > 0.6


def test_pipeline_names_its_columns(people, y, repair):
    model = make_pipeline(repair, StandardScaler(), LogisticRegression())
    model.set_output(transform="pandas").fit(people, y)
    assert list(model[-1].feature_names_in_) == ["college", "hours", "score", "ratio", "id"]


@pytest.mark.usefixtures("routing")
def test_pipeline_with_s_beside_x(people, features, y):
    S = people["sex"]
    model = make_pipeline(
        requesting(DistributionalRepair(seed=7)), StandardScaler(), LogisticRegression()
    )
    model.fit(features, y, sensitive_features=S)
    assert model.score(features, y, sensitive_features=S) > 0.6
    with pytest.raises(OptionError, match="it is missing here"):
        model.predict(features)


def test_grid_search_over_the_amount_of_repair(people, y, repair, as_table):
    model = make_pipeline(repair, StandardScaler(), LogisticRegression())
    grid = {"distributionalrepair__amount": [0.0, 0.5, 1.0]}
    search = GridSearchCV(model, grid, scoring="accuracy", cv=3, error_score="raise")
    search.fit(as_table(people), y)
    scores = search.cv_results_["mean_test_score"]
    assert np.isfinite(scores).all()
    assert len(set(scores)) > 1, "the amount has reached the repair"
    best = search.best_estimator_[0]
    assert best.plan_.options.amount == search.best_params_["distributionalrepair__amount"]


def test_grid_search_with_s_as_a_column_and_any_scorer(people, y, repair):
    model = make_pipeline(repair, StandardScaler(), LogisticRegression())
    grid = {"distributionalrepair__t": [0.0, 0.5, 1.0]}
    search = GridSearchCV(model, grid, scoring="balanced_accuracy", cv=3, error_score="raise")
    search.fit(people, y)
    assert search.best_score_ > 0.55
    best = search.best_params_["distributionalrepair__t"]
    assert search.best_estimator_[0].plan_.options.t == best


@pytest.mark.usefixtures("routing")
@pytest.mark.parametrize("as_array", [pd.Series, np.asarray, pl.Series])
def test_grid_search_with_s_beside_x_and_the_models_own_score(people, features, y, as_array):
    model = make_pipeline(
        requesting(DistributionalRepair(seed=7)), StandardScaler(), LogisticRegression()
    )
    grid = {"distributionalrepair__t": [0.0, 0.5]}
    search = GridSearchCV(model, grid, cv=3, error_score="raise")
    search.fit(features, y, sensitive_features=as_array(people["sex"]))
    assert search.best_score_ > 0.55


@pytest.mark.usefixtures("routing")
def test_scorer_does_not_pass_s_on_and_the_error_says_what_is_missing(people, features, y):
    model = make_pipeline(
        requesting(DistributionalRepair(seed=7)), StandardScaler(), LogisticRegression()
    )
    search = GridSearchCV(
        model, {"distributionalrepair__t": [0.5]}, scoring="accuracy", cv=3, error_score="raise"
    )
    with pytest.raises(OptionError, match="leave scoring=None, because a scorer"):
        search.fit(features, y, sensitive_features=people["sex"])


def test_cross_validation_designs_each_plan_from_its_own_fold(people, y, repair):
    model = make_pipeline(repair, StandardScaler(), LogisticRegression())
    assert (cross_val_score(model, people, y, cv=3, error_score="raise") > 0.5).all()


def test_as_one_transformer_of_several(people, repair):
    table = people.rename(columns={"id": "weight"})
    both = make_column_transformer(
        (repair.set_params(exclude=()), ["sex", "college", "hours"]), ("passthrough", ["weight"])
    ).set_output(transform="pandas")
    out = both.fit_transform(table)
    assert list(out) == [
        "distributionalrepair__college",
        "distributionalrepair__hours",
        "passthrough__weight",
    ]


def test_clone_has_the_parameters_and_nothing_learnt(people, repair):
    repair.set_params(seed=None).fit(people)
    copy = clone(repair)
    assert copy.get_params() == repair.get_params()
    assert not hasattr(copy, "plan_")
    assert copy.fit(people)._seed != repair._seed


@pytest.mark.parametrize("through", ["pickle", "joblib"])
def test_stored_and_loaded_it_gives_the_same_rows(people, repair, tmp_path, through, as_table):
    table = as_table(people)
    expected = repair.set_params(seed=None).fit_transform(table)
    if through == "joblib":
        joblib.dump(repair, tmp_path / "repair")
        loaded = joblib.load(tmp_path / "repair")
    else:
        loaded = pickle.loads(pickle.dumps(repair))
    pd.testing.assert_frame_equal(to_pandas(loaded.transform(table)), to_pandas(expected))


@pytest.mark.parametrize("container", ["pandas", "polars"])
def test_containers_that_are_set_for_all_estimators_are_used(people, repair, as_table, container):
    table = as_table(people)
    with sklearn.config_context(transform_output=container):
        out = repair.fit_transform(table)
    assert type(out).__module__.startswith(container)


def test_geometric_repair_trains_a_model_and_refuses_to_predict(people, y):
    model = make_pipeline(GeometricRepair("sex", "college"), LogisticRegression(max_iter=1_000))
    people = people.drop(columns="id")
    model.fit(people, y)
    with pytest.raises(NotOnSampleError, match="use DistributionalRepair"):
        model.predict(people)


@pytest.mark.usefixtures("routing")
def test_geometric_repair_takes_s_by_routing_too(people, features, y):
    model = make_pipeline(requesting(GeometricRepair()), LogisticRegression(max_iter=1_000))
    model.fit(features, y, sensitive_features=people["sex"])
    assert model[-1].n_features_in_ == 3
