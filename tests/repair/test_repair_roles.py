"""S and U as columns of X or as arrays beside it."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from repair_tables import CONTAINERS, to_pandas

from fairmend import DistributionalRepair
from fairmend.errors import ColumnError, DataError, OptionError

REPAIR = DistributionalRepair(seed=7)


@pytest.fixture
def expected(people, features):
    table = pd.concat([people[["sex"]], features], axis=1)
    return DistributionalRepair("sex", seed=7).fit_transform(table)


AS_ARRAY = {
    "list": lambda s: s.tolist(),
    "object array": lambda s: s.to_numpy(dtype=object),
    "text array": lambda s: s.to_numpy(dtype=str),
    "array of one column": lambda s: s.to_numpy(dtype=object)[:, None],
    "pandas": lambda s: s,
    "pandas, other index": lambda s: s.set_axis(range(1000, 1300)),
    "pandas, no name": lambda s: s.rename(None),
    "pandas categorical": lambda s: s.astype("category"),
    "pandas Categorical": lambda s: pd.Categorical(s),
    "pandas table": lambda s: s.to_frame(),
    "polars": lambda s: pl.from_pandas(s),
    "arrow": lambda s: pa.array(s),
    "arrow chunks": lambda s: pa.chunked_array([s[:9], s[9:]]),
    "arrow dictionary": lambda s: pa.array(s).dictionary_encode(),
    "arrow table": lambda s: pa.table({"sex": s}),
}


@pytest.mark.parametrize("as_array", AS_ARRAY.values(), ids=AS_ARRAY)
@pytest.mark.parametrize("as_table", CONTAINERS.values(), ids=CONTAINERS)
def test_s_beside_x_does_what_s_in_x_does(people, features, expected, as_table, as_array):
    X, S = as_table(features), as_array(people["sex"])
    out = REPAIR.fit_transform(X, sensitive_features=S)
    pd.testing.assert_frame_equal(to_pandas(out), expected)


def test_nothing_has_to_be_dropped_where_s_is_beside_x(people, features):
    for drop in (True, False):
        repair = DistributionalRepair(drop_protected=drop, seed=7)
        out = repair.fit_transform(features, sensitive_features=people["sex"])
        assert list(out) == list(features) == list(repair.get_feature_names_out())


def test_plan_takes_the_name_of_the_array_so_that_it_serves_whole_tables(people, features):
    repair = DistributionalRepair(seed=7)
    repair.fit(features, sensitive_features=people["sex"], control_features=people["college"])
    assert repair.plan_.protected == ("sex",)
    assert repair.plan_.unprotected == ("college",)
    whole = repair.plan_.repair(people, seed=7)[list(features)]
    parts = repair.transform(
        features, sensitive_features=people["sex"], control_features=people["college"]
    )
    pd.testing.assert_frame_equal(whole, parts)


def test_u_beside_x_does_what_u_in_x_does(people, as_table):
    X = as_table(people.drop(columns=["college", "id"]))
    beside = DistributionalRepair("sex", seed=7)
    out = beside.fit_transform(X, control_features=people["college"].tolist())
    whole = DistributionalRepair("sex", "college", seed=7).fit_transform(
        as_table(people.drop(columns="id"))
    )
    pd.testing.assert_frame_equal(to_pandas(out), to_pandas(whole).drop(columns="college"))
    assert list(beside.get_feature_names_out()) == list(to_pandas(out))


@pytest.mark.parametrize("several", [to_pandas, pl.from_pandas, pd.DataFrame.to_numpy])
def test_several_columns_are_crossed(people, features, several):
    S = several(people[["sex", "college"]])
    repair = DistributionalRepair(seed=7).fit(features, sensitive_features=S)
    assert len(repair.plan_.groups) == 4
    crossed = DistributionalRepair(["sex", "college"], seed=7, key="id")
    crossed.set_params(key=None, exclude="id")
    pd.testing.assert_frame_equal(
        repair.transform(features, sensitive_features=S),
        crossed.fit_transform(people)[list(features)],
    )


def test_several_columns_go_by_name_in_transform_where_they_have_names(people, features):
    S = people[["sex", "college"]]
    repair = DistributionalRepair(seed=7).fit(features, sensitive_features=S)
    expected = repair.transform(features, sensitive_features=S)
    for other in (S[["college", "sex"]], S.to_numpy()):
        out = repair.transform(features, sensitive_features=other)
        pd.testing.assert_frame_equal(out, expected)
    with pytest.raises(OptionError, match=r"has the columns \['a', 'b'\], and in fit it had"):
        repair.transform(features, sensitive_features=S.set_axis(["a", "b"], axis=1))
    with pytest.raises(OptionError, match=r"in fit it had \['sex', 'college'\]. Pass the same"):
        repair.transform(features, sensitive_features=S["sex"])


def test_s_given_neither_way(features):
    with pytest.raises(
        OptionError, match=r"Name its column of X in protected=, or pass its values"
    ):
        DistributionalRepair().fit(features)


def test_s_given_both_ways(people):
    with pytest.raises(OptionError, match=r"given twice, .* protected= and as sensitive_features="):
        DistributionalRepair("sex").fit(people, sensitive_features=people["sex"])


def test_u_given_both_ways(people):
    repair = DistributionalRepair("sex", "college")
    with pytest.raises(OptionError, match=r"given twice, .* unprotected= and as control_features="):
        repair.fit(people, control_features=people["college"])


def test_s_that_is_also_left_in_x_is_refused_since_it_would_come_out(people):
    with pytest.raises(OptionError, match=r"X has a column 'sex', .* Leave the column out of X"):
        DistributionalRepair().fit(people, sensitive_features=people["sex"])


@pytest.mark.parametrize(
    ("role", "what"),
    [("sensitive_features", "protected"), ("control_features", "unprotected")],
)
def test_array_that_fit_had_is_missing_in_transform(people, features, role, what):
    roles = {"sensitive_features": people["sex"], "control_features": people["college"]}
    repair = DistributionalRepair(seed=7).fit(features, **roles)
    del roles[role]
    with pytest.raises(OptionError, match=rf"fit was given the {what} attribute as {role}="):
        repair.transform(features, **roles)


def test_array_that_fit_had_not_is_passed_to_transform(people, features):
    repair = DistributionalRepair("sex", exclude=["college", "id"]).fit(people)
    with pytest.raises(OptionError, match=r"fit found it in the columns \['sex'\] of X. Leave it"):
        repair.transform(people, sensitive_features=people["sex"])
    with pytest.raises(OptionError, match=r"fit was given none\. Leave it out"):
        repair.transform(people, control_features=people["college"])


@pytest.mark.parametrize("n", [0, 299, 301])
def test_array_of_another_length_is_refused(features, n):
    with pytest.raises(
        OptionError, match=rf"has {n} rows, and the research data has 300. Pass one"
    ):
        REPAIR.fit(features, sensitive_features=["a"] * n)


@pytest.mark.parametrize("shape", [(), (300, 1, 1)])
def test_array_that_is_no_table_is_refused(features, shape):
    with pytest.raises(OptionError, match=r"has shape \(.*Pass one value for each row"):
        REPAIR.fit(features, sensitive_features=np.zeros(shape))


def test_array_of_mixed_types_is_refused(features):
    with pytest.raises(ColumnError, match=r"sensitive_features= mixes types .* one type"):
        REPAIR.fit(features, sensitive_features=["a", 1] * 150)


@pytest.mark.parametrize("missing", [None, np.nan])
@pytest.mark.parametrize("as_array", [list, pd.Series, lambda s: np.array(s, dtype=object)])
def test_missing_group_is_no_group(features, missing, as_array):
    S = as_array(["a", "b", missing] * 100)
    with pytest.raises(DataError, match=r"missing values in 'sensitive_features' \(100 rows\)"):
        REPAIR.fit(features, sensitive_features=S)


def test_numbers_and_truth_values_are_groups_too(people, features, expected):
    man = people["sex"] == "M"
    for S in (man, man.to_numpy(), man.astype(int), man.astype(float).to_numpy()):
        out = REPAIR.fit_transform(features, sensitive_features=S)
        pd.testing.assert_frame_equal(out, expected)


def test_column_that_is_not_there_is_refused_with_its_neighbour(people):
    with pytest.raises(ColumnError, match=r"named by protected=.* Did you mean 'sex'"):
        DistributionalRepair("Sex").fit(people)


@pytest.mark.parametrize("position", [6, -1, 1.5])
def test_position_that_is_not_there_is_refused(people, position):
    with pytest.raises(OptionError, match=r"no column\. Pass names, or positions from 0 to 5"):
        DistributionalRepair([position]).fit(people)


@pytest.mark.parametrize(
    "roles",
    [
        {"protected": "sex", "features": ["score"], "key": "score"},
        {"protected": "sex", "key": ["id", "sex"]},
        {"protected": "sex", "unprotected": "sex"},
        {"protected": "sex", "features": ["score", "score"]},
    ],
)
def test_column_with_two_roles_is_refused(people, roles):
    with pytest.raises(ColumnError, match="A column has one role"):
        DistributionalRepair(**roles).fit(people)
