"""X comes in and goes out as what it is."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from repair_tables import to_pandas

from fairmend import DistributionalRepair
from fairmend.errors import ColumnError, DataError, FairmendError


@pytest.fixture
def repair():
    return DistributionalRepair("sex", "college", seed=7, key="id")


def test_every_table_comes_back_as_its_own_type_with_the_same_values(people, repair, as_table):
    table = as_table(people)
    out = repair.fit_transform(table)
    assert type(out) is type(table)
    expected = repair.fit_transform(people)
    pd.testing.assert_frame_equal(to_pandas(out), expected)


def test_dtypes_and_order_stay(people, repair, as_table):
    table = as_table(people)
    out = repair.fit_transform(table)
    before, after = to_pandas(table), to_pandas(out)
    assert list(after) == ["college", "hours", "score", "ratio", "id"]
    assert (after.dtypes == before.dtypes[after.columns]).all()
    pd.testing.assert_frame_equal(after[["college", "id"]], before[["college", "id"]])
    assert not after["hours"].equals(before["hours"])


@pytest.mark.parametrize("index", [[1] * 300, list("ab") * 150, range(300, 0, -1)])
def test_any_index_stays(people, repair, index):
    expected = repair.fit_transform(people)
    out = repair.fit_transform(people.set_axis(index))
    pd.testing.assert_frame_equal(out, expected.set_axis(index))


def test_arrays_go_by_place_whatever_the_index(features, people):
    repair = DistributionalRepair(seed=7)
    expected = repair.fit_transform(features, sensitive_features=people["sex"])
    out = repair.fit_transform(features.set_axis([1] * 300), sensitive_features=people["sex"])
    pd.testing.assert_frame_equal(out, expected.set_axis([1] * 300))


def test_input_is_not_modified(people, repair, as_table):
    table = as_table(people.copy())
    out = repair.set_params(drop_protected=False).fit_transform(table)
    assert out is not table
    pd.testing.assert_frame_equal(to_pandas(table), people)


def test_array_comes_back_as_an_array_of_its_dtype(people):
    for dtype in (np.float64, np.float32, np.int64, np.int8):
        X = people[["sex", "hours", "college"]].replace({"F": 0, "M": 1}).to_numpy().astype(dtype)
        repair = DistributionalRepair(protected=0, unprotected=2, seed=7)
        out = repair.fit_transform(X)
        assert isinstance(out, np.ndarray)
        assert out.dtype == dtype
        assert out.shape == (300, 2)
        np.testing.assert_array_equal(out[:, 1], X[:, 2])
        assert repair.plan_.feature_names == ("x1",)
        assert list(repair.get_feature_names_out()) == ["x1", "x2"]
        assert list(repair.get_feature_names_out(["s", "h", "c"])) == ["h", "c"]


def test_list_of_lists_is_an_array(features, people):
    out = DistributionalRepair(seed=7).fit_transform(
        features.to_numpy().tolist(), sensitive_features=people["sex"]
    )
    assert isinstance(out, np.ndarray)


def test_read_only_and_fortran_arrays_are_fine(features, people):
    X = np.asfortranarray(features.to_numpy())
    X.flags.writeable = False
    repair = DistributionalRepair(seed=7)
    out = repair.fit_transform(X, sensitive_features=people["sex"])
    expected = repair.fit_transform(features.to_numpy(), sensitive_features=people["sex"])
    np.testing.assert_array_equal(out, expected)


def test_pandas_columns_without_names_count_by_position(people):
    table = people[["sex", "hours"]].set_axis([10, 20], axis=1)
    repair = DistributionalRepair(protected=0, seed=7).fit(table)
    assert not hasattr(repair, "feature_names_in_")
    assert list(repair.transform(table)) == ["x1"]


def test_positions_name_columns_of_a_table_too(people, as_table):
    named = DistributionalRepair("sex", "college", ["hours"], seed=7, kinds={"hours": "mixed"})
    placed = DistributionalRepair(0, [1], [2], seed=7, kinds={2: "mixed"})
    table = as_table(people)
    pd.testing.assert_frame_equal(
        to_pandas(named.fit_transform(table)), to_pandas(placed.fit_transform(table))
    )


def test_array_is_repaired_by_the_plan_of_a_table(features, people):
    repair = DistributionalRepair(seed=7).fit(features, sensitive_features=people["sex"])
    expected = repair.transform(features, sensitive_features=people["sex"])
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        out = repair.transform(features.to_numpy(), sensitive_features=people["sex"])
    np.testing.assert_allclose(out, expected.to_numpy(), rtol=1e-6)


@pytest.mark.parametrize("container", ["pandas", "polars"])
def test_set_output_gives_the_named_container_from_every_other(people, repair, as_table, container):
    expected = repair.fit_transform(people)
    table = as_table(people)
    out = repair.set_output(transform=container).fit_transform(table)
    assert type(out) is {"pandas": pd.DataFrame, "polars": pl.DataFrame}[container]
    pd.testing.assert_frame_equal(to_pandas(out), expected)


def test_set_output_names_the_columns_of_an_array(features, people):
    repair = DistributionalRepair(seed=7).set_output(transform="pandas")
    out = repair.fit_transform(features.to_numpy(), sensitive_features=people["sex"])
    assert list(out) == ["x0", "x1", "x2"]


def test_feature_names_out_are_the_columns_that_come_out(people, as_table):
    table = as_table(people)
    for drop in (True, False):
        repair = DistributionalRepair(["sex"], "college", key="id", drop_protected=drop, seed=7)
        out = repair.fit_transform(table)
        assert list(repair.get_feature_names_out()) == list(to_pandas(out))
        assert ("sex" in to_pandas(out)) is not drop
        assert repair.n_features_in_ == 6
        assert list(repair.feature_names_in_) == list(people)


def test_missing_values_stay_missing_in_every_container(people, repair, as_table):
    people["hours"] = people["hours"].astype("Int64").mask(people["id"] % 5 == 0)
    people["score"] = people["score"].mask(people["id"] % 7 == 0)
    table = as_table(people)
    out = to_pandas(repair.fit_transform(table))
    for name in ("hours", "score"):
        assert (out[name].isna() == people[name].isna()).all()
        assert people[name].isna().any()


def test_table_without_rows_comes_back_without_rows(people, repair, as_table):
    table = as_table(people)
    out = repair.fit(table).transform(table[:0])
    assert len(out) == 0
    assert list(to_pandas(out)) == list(repair.get_feature_names_out())


def test_lazy_table_is_refused(people, repair):
    with pytest.raises(FairmendError, match="collect a lazy frame first"):
        repair.fit(pl.from_pandas(people).lazy())


def test_repeated_column_names_are_refused(people, repair):
    with pytest.raises(ColumnError, match=r"more than one column named \['id'\]"):
        repair.fit(pd.concat([people, people[["id"]]], axis=1))


def test_other_columns_than_in_fit_are_refused_as_in_scikit_learn(people, repair, as_table):
    repair.fit(as_table(people))
    with pytest.raises(ValueError, match="unseen at fit time"):
        repair.transform(as_table(people.rename(columns={"score": "points"})))


def test_infinite_values_are_refused_by_the_name_of_their_column(people, as_table):
    people.loc[3, "score"] = np.inf
    with pytest.raises(DataError, match=r"infinite values in 'score' \(1 rows\)"):
        DistributionalRepair("sex", "college", key="id").fit(as_table(people))


def test_column_that_is_not_repaired_may_be_text_or_infinite(people, repair):
    people["note"], people["limit"] = "text", np.inf
    out = repair.set_params(exclude=["note", "limit"]).fit_transform(people)
    pd.testing.assert_frame_equal(out[["note", "limit"]], people[["note", "limit"]])


def test_arrow_chunks_do_not_matter(people, repair):
    whole = pa.Table.from_pandas(people, preserve_index=False)
    parts = pa.concat_tables([whole.slice(0, 90), whole.slice(90)])
    assert repair.fit_transform(parts).equals(repair.fit_transform(whole))
