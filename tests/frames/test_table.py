import numpy as np
import pandas as pd
import polars as pl
import polars.testing
import pyarrow as pa
import pytest

from fairmend.errors import ColumnError, DataError, FairmendError
from fairmend.frames.codec import Codec
from fairmend.frames.table import Frame

NAN = float("nan")
NUMBER = Codec("number")


def numbers(frame, *names):
    """Read columns of numbers."""
    return frame.finite_numbers(dict.fromkeys(names, NUMBER))


def replaced(table, **new):
    """Put new values into some columns of a table; None leaves a row as it was."""
    frame = Frame(table, "archive")
    before = numbers(frame, *new)
    after = {
        name: np.array(
            [was if n is None else n for was, n in zip(before[name], values, strict=True)]
        )
        for name, values in new.items()
    }
    return frame.replaced(before, after, dict.fromkeys(new, NUMBER))


def assert_same(one, other):
    """Compare tables of any library to the last detail."""
    assert type(one) is type(other)
    if isinstance(one, pd.DataFrame):
        pd.testing.assert_frame_equal(one, other, check_exact=True, check_freq=True)
        assert one.columns.names == other.columns.names
        assert one.attrs == other.attrs
    elif isinstance(one, pl.DataFrame):
        polars.testing.assert_frame_equal(one, other, check_exact=True)
    else:
        assert one.schema.equals(other.schema, check_metadata=True)
        assert all(
            str(one[name].to_pylist()) == str(other[name].to_pylist()) for name in one.column_names
        )


# Every type of table and of column

COLUMNS = {
    "i64": pa.array([1, 2, None, 4, 5, 6], pa.int64()),
    "i8": pa.array([1, -2, 3, 4, 5, 127], pa.int8()),
    "u16": pa.array([1, 2, 3, 4, 5, 60_000], pa.uint16()),
    "f64": pa.array([1.5, None, 2.5, -0.0, 1e300, 4.0]),
    "f32": pa.array([0.1, 0.2, 0.3, None, 0.5, 0.6], pa.float32()),
    "text": pa.array(["a", None, "c", "d", "e", "f"]),
    "truth": pa.array([True, False, None, True, True, False]),
    "category": pa.array(["x", "y", "x", None, "y", "x"]).dictionary_encode(),
    "day": pa.array([0, 1, 2, None, 4, 5], pa.timestamp("us")),
}


@pytest.fixture
def arrow():
    return pa.table(COLUMNS)


NEW = {
    "i64": [None, 20, None, 40, 5, 60],
    "i8": [0, None, 99.7, -100.4, 5, None],
    "u16": [10, None, 65_535, 0, 5, 7],
    "f64": [None, None, 0.25, 1.0, 7.0, None],
    "f32": [0.25, None, 0.1, None, 0.5, None],
}


def wanted(arrow):
    """Write NEW by plain Python."""
    columns = dict(COLUMNS)
    for name, values in NEW.items():
        old = columns[name].to_pylist()
        merged = [was if n is None else n for was, n in zip(old, values, strict=True)]
        if pa.types.is_integer(columns[name].type):
            merged = [m if m is None else round(m) for m in merged]
        columns[name] = pa.array(merged, columns[name].type)
    return pa.table(columns)


def test_only_the_values_change(arrow, as_table):
    table = as_table(arrow)
    found = replaced(table, **NEW)
    assert_same(found, as_table(wanted(arrow)))


def test_the_input_is_not_modified(arrow, as_table):
    table = as_table(arrow)
    replaced(table, **NEW)
    assert_same(table, as_table(arrow))


def test_nothing_changes_without_new_values(arrow, as_table):
    table = as_table(arrow)
    assert_same(replaced(table, **{name: [None] * 6 for name in NEW}), as_table(arrow))


def test_numbers_are_float64_with_nan_for_missing(arrow, as_table):
    frame = Frame(as_table(arrow), "archive")
    for name, values in numbers(frame, *NEW).items():
        assert values.dtype == np.float64
        nan = [NAN if v is None else v for v in COLUMNS[name].to_pylist()]
        np.testing.assert_array_equal(values, nan)


@pytest.mark.parametrize(
    "dtype", ["int16", "uint8", "uint64", "float32", "Int32", "UInt8", "Float32"]
)
@pytest.mark.parametrize("backend", ["", "[pyarrow]"])
def test_pandas_types_of_every_width_stay(dtype, backend):
    dtype = dtype.lower().replace("float32", "float") + backend if backend else dtype
    table = pd.DataFrame({"x": pd.array([1, 2, 3], dtype=dtype)})
    found = replaced(table, x=[7, None, 9])
    assert found.x.dtype == table.x.dtype
    assert found.x.tolist() == [7, 2, 9]


# Index, names and other company of a pandas table

INDEXES = {
    "unordered": [5, 3, 9],
    "duplicate": [1, 1, 1],
    "text": ["b", "a", "b"],
    "missing": [None, 1.0, None],
    "dates": pd.date_range("2020", periods=3),
    "multi": pd.MultiIndex.from_tuples([(1, "b"), (0, "a"), (1, "b")], names=["i", None]),
    "named": pd.Index([3, 1, 2], name="row"),
    "named like a column": pd.Index([3, 1, 2], name="x"),
}


@pytest.mark.parametrize("name", INDEXES)
@pytest.mark.parametrize("dtype", ["float64", "Float64", "double[pyarrow]", "int8", "Int8"])
def test_any_index_stays_and_means_nothing(name, dtype):
    table = pd.DataFrame({"x": pd.array([1, 2, 3], dtype=dtype), "s": list("aba")})
    table.index = pd.Index(INDEXES[name])
    found = replaced(table, x=[3, None, 1])
    pd.testing.assert_index_equal(found.index, table.index, exact=True)
    assert found.x.tolist() == [3, 2, 1]
    assert found.s.tolist() == list("aba")


def test_slices_and_views_are_not_written_through():
    whole = pd.DataFrame({"x": np.arange(6.0), "y": np.arange(6.0)})
    part = whole.iloc[1:5:2]
    assert replaced(part, x=[7, 8]).x.tolist() == [7, 8]
    assert whole.x.tolist() == [0, 1, 2, 3, 4, 5]
    array = np.arange(6.0).reshape(3, 2)
    assert replaced(pd.DataFrame(array, columns=["x", "y"]), x=[7, 7, 7]).x.tolist() == [7, 7, 7]
    assert array.tolist() == [[0, 1], [2, 3], [4, 5]]


def test_names_of_columns_and_metadata_stay():
    table = pd.DataFrame({"x": [1.0], "b": [2]}).rename_axis(columns="measures")
    table.attrs["source"] = "census"
    found = replaced(table, x=[2])
    assert found.columns.tolist() == ["x", "b"]
    assert found.columns.name == "measures"
    assert found.attrs == {"source": "census"}
    arrow = pa.table({"x": [1.0]}).replace_schema_metadata({"source": "census"})
    assert replaced(arrow, x=[2]).schema.metadata == {b"source": b"census"}


def test_metadata_of_arrow_fields_stays():
    schema = pa.schema([pa.field("x", pa.float64(), metadata={"unit": "years"})])
    found = replaced(pa.table({"x": [1.0, 2.0]}, schema=schema), x=[3, None])
    assert found["x"].to_pylist() == [3.0, 2.0]
    assert found.schema.field("x").metadata == {b"unit": b"years"}


# Missing values, of both kinds


def test_null_and_nan_stay_apart():
    values = [None, NAN, 1.0, 2.0]
    polars_found = replaced(pl.DataFrame({"x": values}), x=[None, None, 5, None])["x"]
    assert polars_found.is_null().to_list() == [True, False, False, False]
    assert polars_found.is_nan().to_list() == [None, True, False, False]
    arrow_found = replaced(pa.table({"x": values}), x=[None, None, 5, None])["x"]
    assert arrow_found.is_null().to_pylist() == [True, False, False, False]
    assert arrow_found[2:].to_pylist() == [5.0, 2.0]
    assert np.isnan(arrow_found[1].as_py())
    table = pd.DataFrame({"x": pd.array(pa.array(values), dtype="double[pyarrow]")})
    pandas_found = pa.array(replaced(table, x=[None, None, 5, None])["x"])
    assert pandas_found.is_null().to_pylist() == [True, False, False, False]
    assert np.isnan(pandas_found[1].as_py())


# Integers


def test_integers_keep_all_their_digits(as_table):
    large = [2**53 - 1, -(2**53) + 1, 2**52 + 1, 5]
    found = replaced(as_table(pa.table({"x": large})), x=[None, None, None, 7])
    assert [int(str(v)) for v in found["x"]] == [*large[:3], 7]


def test_integers_that_float64_cannot_tell_apart_are_refused_with_counts(as_table):
    # 2^53 and 2^53 + 1 are the same float: a moved one would be rounded, an unmoved one not.
    table = as_table(pa.table({"x": [2**53, 2**53 + 1, -(2**63), 5], "y": [1, 2, 3, 4]}))
    with pytest.raises(DataError, match=r"numbers beyond 2\^53 in 'x' \(3 rows\)\. .*exclude="):
        numbers(Frame(table, "archive"), "x", "y")


@pytest.mark.parametrize(
    ("dtype", "low", "high"),
    [(pa.int8(), -128, 127), (pa.uint8(), 0, 255), (pa.int16(), -(2**15), 2**15 - 1)],
)
def test_integers_that_do_not_fit_take_the_end_of_their_type(as_table, dtype, low, high):
    # NumPy and Arrow would wrap: 130 in 8 bits is -126.
    table = as_table(pa.table({"x": pa.array([1, 2, 3], dtype)}))
    found = replaced(table, x=[high + 2.6, low - 1.6, high])["x"]
    assert [int(v) for v in np.asarray(found)] == [high, low, high]


def test_integers_of_64_bits_do_not_overflow():
    table = pa.table({"x": pa.array([0, 0], pa.uint64())})
    assert replaced(table, x=[2.0**63, 1e30])["x"].to_pylist() == [2**63, 2**64 - 2_048]
    table = pd.DataFrame({"x": np.zeros(2, dtype=np.int64)})
    assert replaced(table, x=[-1e30, 1e30])["x"].tolist() == [-(2**63), 2**63 - 1_024]


# Refusals


@pytest.mark.parametrize("thing", [None, 3, [1, 2], {"x": [1]}, np.zeros((2, 2)), pl.Series([1])])
def test_what_is_no_table_is_refused_by_type(thing):
    with pytest.raises(FairmendError, match=r"is no table in memory\. Pass a pandas, polars or"):
        Frame(thing, "archive")


def test_lazy_frames_are_to_be_collected():
    with pytest.raises(FairmendError, match=r"LazyFrame.*collect a lazy frame first"):
        Frame(pl.LazyFrame({"x": [1]}), "archive")


@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame([[1, 2, 3]], columns=["x", "y", "x"]),
        pa.Table.from_arrays([pa.array([1])] * 3, names=["x", "y", "x"]),
    ],
)
def test_duplicate_names_are_refused(table):
    with pytest.raises(ColumnError, match=r"more than one column named \['x'\]"):
        Frame(table, "archive")


def test_columns_that_hold_no_numbers_are_all_named():
    table = pl.DataFrame({"a": ["x"], "b": [True], "c": [1], "d": [[1]], "e": [None]})
    wanted = r"'a' is large_string \(a number was expected\), 'b' is bool .*, 'd' is .*Convert"
    with pytest.raises(ColumnError, match=wanted) as refusal:
        numbers(Frame(table, "archive"), "a", "b", "c", "d", "e")
    # A column of nothing but nulls is one of any type.
    assert "'e'" not in str(refusal.value)


def test_infinite_values_are_counted_by_column(as_table):
    arrow = pa.table({"a": [1.0, np.inf, -np.inf] * 5, "b": [1.0, None, 2.0] * 5})
    with pytest.raises(DataError, match=r"archive has infinite values in 'a' \(10 rows\)\. "):
        numbers(Frame(as_table(arrow), "archive"), "a", "b")


def test_mixed_types_of_an_object_column_are_refused_by_name():
    table = pd.DataFrame({"s": pd.Series([1, "a"], dtype=object)})
    with pytest.raises(ColumnError, match="Column 's' of the archive mixes types"):
        Frame(table, "archive").encoded("s")
