"""The drop-in for AIF360's remover, on datasets of a stand-in and, where it is there, AIF360."""

import copy
import importlib.util
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest

import fairmend
from fairmend.errors import ColumnError, RowKeyError, UnseenError
from fairmend.interop.aif360 import DisparateImpactRemover

NAMES = ["hours", "wage", "sex", "race", "college"]


class StandIn:
    """What is read and written of a dataset of AIF360, with its shallow copies."""

    def __init__(self, table):
        self.feature_names = NAMES
        self.features = table[NAMES].to_numpy(float)
        self.protected_attribute_names = ["sex", "race"]
        self.protected_attributes = table[["sex", "race"]].to_numpy(float)
        self.labels = table[["label"]].to_numpy(float)
        self.instance_weights = np.ones(len(table))

    def copy(self):
        return copy.copy(self)


def of_aif360(table):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from aif360.datasets import BinaryLabelDataset

        return BinaryLabelDataset(
            df=table, label_names=["label"], protected_attribute_names=["sex", "race"]
        )


ABSENT = pytest.mark.skipif(not importlib.util.find_spec("aif360"), reason="AIF360 is absent")


@pytest.fixture(params=[StandIn, pytest.param(of_aif360, marks=ABSENT)], ids=["stand-in", "AIF360"])
def dataset(request):
    return request.param


def people(n=3_000, seed=0):
    rng = np.random.default_rng(seed)
    sex, college = rng.integers(0, 2, (2, n))
    hours = np.where(rng.random(n) < 0.4, 40, rng.integers(15, 60, n) + 14 * sex)
    wage = rng.normal(20 + 4 * sex * np.where(college == 1, 1, -1), 3)
    race, label = rng.integers(0, 3, n), rng.integers(0, 2, n)
    columns = dict(zip([*NAMES, "label"], (hours, wage, sex, race, college, label), strict=True))
    return pd.DataFrame(columns).astype(float)


def apart(dataset, name, rows=slice(None)):
    """Measure how far the groups' distribution functions are apart, at their farthest."""
    values = dataset.features[rows][:, NAMES.index(name)]
    sex = dataset.features[rows][:, NAMES.index("sex")]
    places = np.unique(values)
    one, other = (
        np.searchsorted(np.sort(values[sex == s]), places, side="right") / np.sum(sex == s)
        for s in (0, 1)
    )
    return np.abs(one - other).max()


def test_what_is_fitted_on_one_dataset_repairs_another(dataset):
    train, test = dataset(people()), dataset(people(seed=1))
    before = test.features.copy()
    remover = DisparateImpactRemover(sensitive_attribute="sex", unprotected="college")
    repaired = remover.fit(train).transform(test)
    assert type(repaired) is type(test)
    assert (test.features == before).all()
    for name in ("hours", "wage"):
        for college in (0, 1):
            rows = before[:, NAMES.index("college")] == college
            assert apart(test, name, rows) > 0.15
            assert apart(repaired, name, rows) < 0.08
    # Values of hours stay hours that there are, and what has another role stays.
    assert set(repaired.features[:, 0]) <= set(train.features[:, 0])
    assert (repaired.features[:, 2:] == before[:, 2:]).all()
    for kept in ("labels", "protected_attributes", "instance_weights"):
        assert (getattr(repaired, kept) == getattr(test, kept)).all()
    assert repaired.protected_attribute_names == test.protected_attribute_names


def test_it_is_the_plan_of_a_table_of_the_same_columns(dataset):
    table = people()
    remover = DisparateImpactRemover(repair_level=0.6, options={"n_support": 70})
    found = remover.fit_transform(dataset(table), seed=7).features
    features = ["hours", "wage", "college"]
    # Protected attributes other than S are no features, unless they are named.
    plan = fairmend.design(table, protected="sex", features=features, amount=0.6, n_support=70)
    wanted = plan.repair(table, seed=7)
    assert (found == wanted[NAMES].to_numpy()).all()
    assert remover.plan_.options.amount == 0.6


def test_level_nought_changes_nothing_and_parts_move_fewer_rows(dataset):
    data, moved = dataset(people()), {}
    for level in (0.0, 0.3, 1.0):
        remover = DisparateImpactRemover(level, "sex", features=["hours"])
        found = remover.fit_transform(data, seed=3)
        moved[level] = found.features[:, 0] != data.features[:, 0]
    assert not moved[0.0].any()
    assert 0 < moved[0.3].sum() < moved[1.0].sum()
    assert not (moved[0.3] & ~moved[1.0]).any()


def test_a_dataset_in_parts_is_repaired_as_the_whole(dataset):
    remover = DisparateImpactRemover(sensitive_attribute="sex").fit(dataset(people()))
    table = people(seed=1)
    whole = remover.transform(dataset(table), seed=7).features
    parts = [
        remover.transform(dataset(table[a:b]), seed=7, first_row=a).features
        for a, b in ((0, 1), (1, 3_000))
    ]
    assert (np.concatenate(parts) == whole).all()


def test_the_seed_is_fresh_and_handed_back_and_never_kept(dataset):
    data, told = dataset(people()), ({}, {})
    remover = DisparateImpactRemover(sensitive_attribute="sex").fit(data)
    one, other = (remover.transform(data, summary=summary).features for summary in told)
    assert (one != other).any()
    assert told[0]["seed"] != told[1]["seed"]
    again = pickle.loads(pickle.dumps(remover)).transform(data, seed=told[0]["seed"])
    assert (again.features == one).all()
    assert str(told[0]["seed"]) not in str(vars(remover))


def test_faults_are_told_in_the_plans_words(dataset):
    remover = DisparateImpactRemover(sensitive_attribute="sex").fit(dataset(people()))
    strangers = people(seed=1)
    strangers.loc[:9, "sex"] = 2
    with pytest.raises(UnseenError, match=r"10 rows with sex=2"):
        remover.transform(dataset(strangers))
    with pytest.raises(RowKeyError):
        remover.transform(dataset(people(seed=1)[:1]))
    with pytest.raises(ColumnError, match=r"no column 'gender'"):
        DisparateImpactRemover(sensitive_attribute="gender").fit(dataset(people()))
    twice = StandIn(people())
    twice.feature_names = ["hours", "hours", *NAMES[2:]]
    with pytest.raises(ColumnError, match="hours"):
        remover.fit(twice)
