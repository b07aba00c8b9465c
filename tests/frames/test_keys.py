import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairmend.errors import ColumnError, RowKeyError
from fairmend.files.fields import label
from fairmend.frames.keys import row_keys
from fairmend.frames.table import Frame
from fairmend.kernel.draws import mix

TEXTS = ["", "a", "abcdefgh", "abcdefghi", "Größe", "0" * 40, "abcdefgh\0"]
GOLDEN_TEXTS = [
    16294208416658607535,
    6774081908283191102,
    9245128965073422038,
    14690935847201975099,
    9906875354340810283,
    10563531927760359447,
    3861515957038659784,
]
GOLDEN_PAIRS = [3004963567367759531, 1985665764036540576]


def keys(table, *names, first_row=None):
    return row_keys(Frame(table, "archive"), names, first_row).tolist()


# Golden vectors: they may never change, or stored seeds and keys would mean other draws.


def test_golden_vectors_of_integers():
    assert keys(pa.table({"id": [0, 1, 2**62, -1]}), "id") == [0, 1, 2**62, 2**64 - 1]


def test_golden_vectors_of_texts():
    assert keys(pa.table({"id": TEXTS}), "id") == GOLDEN_TEXTS


def test_golden_vectors_of_several_columns():
    assert keys(pa.table({"a": [1, 2], "b": ["x", "y"]}), "a", "b") == GOLDEN_PAIRS


def fold(text):
    """The hash of a text as it is defined, a row at a time."""
    raw = text.encode()
    hashed = np.array([len(raw)], dtype=np.uint64)
    hashed = mix(hashed)
    for at in range(0, len(raw), 8):
        word = int.from_bytes(raw[at : at + 8], "little")
        hashed = mix(hashed ^ np.uint64(word))
    return int(hashed[0])


no_number = st.text(max_size=40).filter(lambda text: not text.removeprefix("-").isdecimal())


@given(st.lists(no_number, min_size=1, max_size=20))
def test_texts_are_hashed_by_their_utf_8(texts):
    assert keys(pa.table({"id": texts}), "id") == [fold(text) for text in texts]


# By value

WIDTHS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


@pytest.mark.parametrize("dtype", [*WIDTHS, "Int8", "UInt16", "Int64", "int32[pyarrow]"])
def test_integers_count_by_value_whatever_their_width(dtype):
    assert keys(pd.DataFrame({"id": pd.array([0, 7, 127], dtype=dtype)}), "id") == [0, 7, 127]


def test_negative_integers_count_by_value_whatever_their_width():
    for dtype in ("int8", "int64"):
        found = keys(pd.DataFrame({"id": np.array([-1, -100], dtype=dtype)}), "id")
        assert found == [2**64 - 1, 2**64 - 100]


def test_unsigned_integers_keep_all_bits():
    assert keys(pl.DataFrame({"id": [2**64 - 1]}, schema={"id": pl.UInt64}), "id") == [2**64 - 1]


@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame({"id": TEXTS}),
        pd.DataFrame({"id": pd.Series(TEXTS, dtype=object)}),
        pd.DataFrame({"id": pd.Series(TEXTS, dtype="string[pyarrow]")}),
        pd.DataFrame({"id": pd.Categorical(TEXTS)}),
        pl.DataFrame({"id": TEXTS}),
        pl.DataFrame({"id": pl.Series(TEXTS, dtype=pl.Categorical)}),
        pa.table({"id": pa.array(TEXTS, pa.large_string())}),
        pa.table({"id": pa.array(TEXTS).cast(pa.string_view())}),
        pa.table({"id": pa.array(TEXTS).dictionary_encode()}),
        pa.table({"id": pa.chunked_array([TEXTS[:2], TEXTS[2:]])}),
        pa.table({"id": pa.array(["dropped", *TEXTS]), "i": range(8)}).slice(1),
        pa.table({"id": pa.array(["dropped", *TEXTS], pa.large_string())}).slice(1),
        pa.table({"id": pa.array([*TEXTS, "dropped"]).dictionary_encode()}).slice(0, 7),
    ],
)
def test_texts_count_by_value_whatever_their_type(table):
    assert keys(table, "id") == GOLDEN_TEXTS


def test_dictionaries_of_integers_count_by_value():
    assert keys(pd.DataFrame({"id": pd.Categorical([5, 3, 5])}), "id") == [5, 3, 5]


WHOLE = [0, 7, 10**17, 10**18 - 1, 10**18, 2**63 - 1, -1, -(10**18), -(2**63)]


def test_texts_of_whole_numbers_count_as_these_up_to_64_bits():
    large = [2**63, 10**19, 2**64 - 1]
    assert keys(pa.table({"id": [str(one) for one in WHOLE]}), "id") == [n % 2**64 for n in WHOLE]
    assert keys(pa.table({"id": [str(one) for one in large]}), "id") == large
    for beyond in (2**64, 10**20, -(2**63) - 1):
        assert keys(pa.table({"id": [str(beyond)]}), "id") == [fold(str(beyond))]


def test_an_odd_key_does_not_change_those_beside_it():
    ids = [str(10**18 + one) for one in range(5)]
    alone, beside = (label(pa.chunked_array([one])) for one in (ids, [*ids, "A1"]))
    assert (alone.type, beside.type) == (pa.int64(), pa.string())
    assert keys(pa.table({"id": beside}), "id")[:5] == keys(pa.table({"id": alone}), "id")


# Several columns


def test_several_keys_are_ordered_and_all_count():
    table = pa.table({"a": [1, 1, 2, 2], "b": [1, 2, 1, 2], "c": ["1", "1", "1", "1"]})
    assert len(set(keys(table, "a", "b"))) == 4
    assert len(set(keys(table, "a", "c"))) == 2
    assert keys(table, "a", "b") != keys(table, "b", "a")
    assert keys(table, "a") != keys(table, "a", "c")


def test_several_keys_of_close_numbers_do_not_collide():
    a, b = np.divmod(np.arange(100_000), 317)
    assert len(set(keys(pa.table({"a": a, "b": b}), "a", "b"))) == 100_000


# Row numbers


def test_without_a_key_rows_are_numbered():
    table = pa.table({"x": [5.0, 6.0]})
    assert keys(table) == [0, 1]
    assert keys(table, first_row=10) == [10, 11]
    assert keys(table.slice(0, 1), first_row=0) == [0]
    assert keys(table.slice(0, 0)) == []


def test_one_row_without_key_or_number_is_refused():
    with pytest.raises(
        RowKeyError, match=r"Pass key= with the column .* first_row= with its number"
    ):
        keys(pa.table({"x": [5.0]}))
    assert keys(pa.table({"x": [5]}), "x") == [5]


@pytest.mark.parametrize("dtype", [pa.string(), pa.int8(), pa.dictionary(pa.int8(), pa.string())])
def test_empty_tables_have_no_keys(dtype):
    assert keys(pa.table({"id": pa.array([], dtype)}), "id") == []


# Refusals


@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame({"id": ["a", None, None]}),
        pd.DataFrame({"id": pd.array([1, None, None], dtype="Int64")}),
        pl.DataFrame({"id": ["a", None, None]}),
        pa.table({"id": pa.array(["a", None, None]).dictionary_encode()}),
    ],
)
def test_missing_keys_are_refused_with_their_count(table):
    with pytest.raises(RowKeyError, match=r"'id' has 2 missing values"):
        keys(table, "id")


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        ([1.0, 2.0], "double"),
        ([True, False], "bool"),
        ([datetime.date(2020, 1, 1)] * 2, "date32"),
        ([b"a", b"b"], "binary"),
    ],
)
def test_keys_of_other_types_are_refused_by_type(values, dtype):
    with pytest.raises(RowKeyError, match=rf"'id' is of type {dtype}.*integers or strings"):
        keys(pa.table({"id": values}), "id")


def test_a_missing_key_column_is_named_with_its_nearest():
    with pytest.raises(ColumnError, match=r"named by key=.* Did you mean 'id'\?"):
        keys(pa.table({"id": [1, 2]}), "Id")
