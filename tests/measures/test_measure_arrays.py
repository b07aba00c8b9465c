import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from fairmend.errors import ColumnError, DataError
from fairmend.measures.arrays import columns, features, labels, numbers, require_rows

LABELS = {
    "list": ["b", None, "a", "b"],
    "numpy": np.array(["b", None, "a", "b"], dtype=object),
    "pandas": pd.Series(["b", None, "a", "b"], index=[3, 3, 1, 0]),
    "pandas categorical": pd.Series(["b", None, "a", "b"], dtype="category"),
    "polars": pl.Series(["b", None, "a", "b"]),
    "polars categorical": pl.Series(["b", None, "a", "b"], dtype=pl.Categorical),
    "arrow": pa.array(["b", None, "a", "b"]),
    "arrow chunks": pa.chunked_array([["b", None], ["a", "b"]]),
    "arrow dictionary": pa.array(["b", None, "a", "b"]).dictionary_encode(),
}
NUMBERS = {
    "list": [1, None, 2.5],
    "numpy": np.array([1, np.nan, 2.5], dtype=np.float32),
    "pandas": pd.Series([1, np.nan, 2.5], index=[2, 1, 0]),
    "pandas nullable": pd.Series([1, None, 2.5], dtype="Float64"),
    "polars": pl.Series([1.0, None, 2.5]),
    "arrow": pa.array([1, None, 2.5]),
    "arrow chunks": pa.chunked_array([[1.0, None], [2.5]]),
}


@pytest.mark.parametrize("values", LABELS.values(), ids=LABELS)
def test_labels_are_the_same_from_any_library(values):
    found = labels(values, "groups")
    assert found.levels == ("a", "b")
    np.testing.assert_array_equal(found.codes, [1, -1, 0, 1])


@pytest.mark.parametrize(
    ("values", "levels", "codes"),
    [
        ([3, 1, 3], (1, 3), [1, 0, 1]),
        (pd.Series([3, None, 1], dtype="Int64"), (1, 3), [1, -1, 0]),
        (pl.Series([2.0, float("nan"), None]), (2.0,), [0, -1, -1]),
        (np.array([True, False]), (False, True), [1, 0]),
        ([None, None], (), [-1, -1]),
    ],
)
def test_labels_of_any_type_keep_it(values, levels, codes):
    found = labels(values, "groups")
    assert found.levels == levels
    assert [type(one) for one in found.levels] == [type(one) for one in levels]
    np.testing.assert_array_equal(found.codes, codes)


@pytest.mark.parametrize("values", NUMBERS.values(), ids=NUMBERS)
def test_numbers_are_the_same_from_any_library(values):
    np.testing.assert_array_equal(numbers(values, "values"), [1, np.nan, 2.5])


def test_booleans_are_numbers_and_nothing_is_missing():
    np.testing.assert_array_equal(numbers(pa.array([True, None]), "values"), [1, np.nan])
    np.testing.assert_array_equal(numbers([None, None], "values"), [np.nan, np.nan])


def test_numbers_are_a_copy():
    values = np.ones(2)
    numbers(values, "values")[0] = 7
    assert values[0] == 1


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
def test_tables_are_columns_by_name(library):
    found = features(library({"age": [30, 40], "tall": [True, False]}))
    assert {name: one.tolist() for name, one in found.items()} == {"age": [30, 40], "tall": [1, 0]}


def test_array_of_two_dimensions_is_a_table():
    found = features(np.array([[1, 2], [3, 4]]))
    assert {name: one.tolist() for name, one in found.items()} == {"x0": [1, 3], "x1": [2, 4]}
    assert columns(np.ones(3), "values") is None


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (["a", 1], "found list of int and str"),
        ("sex", "found str"),
        ({"a", "b"}, "found set"),
        (3, "found int"),
        (np.array([["a"]]), r"found ndarray of shape \(1, 1\)"),
        (pd.DataFrame({"sex": ["f"]}), "found a table"),
        ([["a"], ["b"]], "found list<item: string>"),
    ],
)
def test_what_is_no_column_is_refused(values, said):
    with pytest.raises(ColumnError, match=f"groups= must be one-dimensional .* {said}"):
        labels(values, "groups")


def test_text_is_no_number():
    with pytest.raises(ColumnError, match=r"'income' \(.*string\).*table of the numeric features"):
        features(pl.DataFrame({"income": ["12"], "age": [3]}))
    with pytest.raises(ColumnError, match=r"'values' \(timestamp"):
        numbers(pd.to_datetime(pd.Series(["2020-01-01"])), "values")


def test_lazy_table_is_to_be_collected():
    with pytest.raises(ColumnError, match=r"Pass the collected one: values.collect\(\)"):
        features(pl.LazyFrame({"age": [1]}), "values")


@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame([[1, 2]], columns=["a", "a"]),
        pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"]),
    ],
)
def test_names_must_be_unique(table):
    with pytest.raises(ColumnError, match="more than one column of the same name"):
        features(table, "values")


def test_lengths_are_named():
    with pytest.raises(DataError, match=r"values= has 3, groups= has 2\. Pass one entry a row"):
        require_rows({"values": 3, "groups": 2})
    with pytest.raises(DataError, match="no rows to measure"):
        require_rows({"values": 0})


def test_importing_the_measures_imports_numpy_only():
    program = (
        "import sys, fairmend.measures.dependence, fairmend.measures.damage, "
        "fairmend.measures.disparate; "
        "print([m for m in ('scipy', 'sklearn', 'pandas', 'pyarrow', 'narwhals') "
        "if m in sys.modules])"
    )
    said = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert said.stdout.strip() == "[]"
