import datetime
import decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairmend.errors import DataError
from fairmend.frames.levels import UNSEEN, Factor, canonical, in_order
from fairmend.frames.roles import encoded_roles, numbered
from fairmend.frames.table import Frame


def factor(table, *columns):
    frame = Frame(table, "research data")
    return Factor.of(columns, encoded_roles(frame, columns, {}))


def codes(known, table):
    return numbered(Frame(table, "archive"), known).tolist()


# By value

INTS = [0, 1, 1, 0, 2]
AS = {
    "int64": pd.DataFrame({"s": INTS}),
    "int8": pd.DataFrame({"s": np.array(INTS, dtype=np.int8)}),
    "uint64": pd.DataFrame({"s": np.array(INTS, dtype=np.uint64)}),
    "nullable int": pd.DataFrame({"s": pd.array(INTS, dtype="Int64")}),
    "float": pd.DataFrame({"s": np.array(INTS, dtype=float)}),
    "float32": pd.DataFrame({"s": np.array(INTS, dtype=np.float32)}),
    "nullable float": pd.DataFrame({"s": pd.array(INTS, dtype="Float64")}),
    "csv text": pd.DataFrame({"s": ["0", "1", "1", "0", "2"]}),
    "csv text of floats": pd.DataFrame({"s": ["0.0", "1.0", "1.0", "0.0", "2.0"]}),
    "objects": pd.DataFrame({"s": pd.Series(INTS, dtype=object)}),
    "categories": pd.DataFrame({"s": pd.Categorical(["0", "1", "1", "0", "2"])}),
    "categories of ints": pd.DataFrame({"s": pd.Categorical(INTS, categories=[9, 2, 1, 0])}),
    "arrow ints": pd.DataFrame({"s": pd.array(INTS, dtype="int64[pyarrow]")}),
    "polars": pl.DataFrame({"s": INTS}),
    "polars text": pl.DataFrame({"s": ["0", "1", "1", "0", "2"]}),
    "polars categories": pl.DataFrame(
        {"s": pl.Series(["0", "1", "1", "0", "2"], dtype=pl.Categorical)}
    ),
    "polars enum": pl.DataFrame(
        {"s": pl.Series(["0", "1", "1", "0", "2"], dtype=pl.Enum(["2", "0", "1"]))}
    ),
    "pyarrow dictionary": pa.table({"s": pa.array(["0", "1", "1", "0", "2"]).dictionary_encode()}),
    "pyarrow chunks of unequal dictionaries": pa.table(
        {
            "s": pa.chunked_array(
                [
                    pa.array(["0", "1"]).dictionary_encode(),
                    pa.array(["1", "0", "2"]).dictionary_encode(),
                ]
            )
        }
    ),
    "pyarrow string view": pa.table(
        {"s": pa.array(["0", "1", "1", "0", "2"]).cast(pa.string_view())}
    ),
    "pyarrow decimal": pa.table({"s": pa.array([decimal.Decimal(f"{i}.00") for i in INTS])}),
}


@pytest.mark.parametrize("archive", AS)
@pytest.mark.parametrize("research", ["int64", "float", "csv text", "categories of ints"])
def test_levels_match_by_value_whatever_type_they_come_in(research, archive):
    assert codes(factor(AS[research], "s"), AS[archive]) == INTS


def test_gaps_that_made_floats_of_a_column_do_not_matter():
    known = factor(AS["int64"], "s")
    with_gap = pd.DataFrame({"s": [1, None, 0]})
    assert with_gap.s.dtype == float
    assert codes(known, with_gap.dropna()) == [1, 0]


TRUTHS = [
    pd.DataFrame({"s": [True, False, True]}),
    pd.DataFrame({"s": pd.array([True, False, True], dtype="boolean")}),
    pd.DataFrame({"s": ["True", "False", "True"]}),
    pd.DataFrame({"s": ["true", "false", "TRUE"]}),
    pl.DataFrame({"s": [True, False, True]}),
    pa.table({"s": [True, False, True]}),
]


@pytest.mark.parametrize("archive", range(len(TRUTHS)))
@pytest.mark.parametrize("research", range(len(TRUTHS)))
def test_truths_match_their_texts(research, archive):
    assert codes(factor(TRUTHS[research], "s"), TRUTHS[archive]) == [1, 0, 1]


def test_truths_are_not_numbers():
    assert codes(factor(TRUTHS[0], "s"), pd.DataFrame({"s": [1, 0]})) == [UNSEEN, UNSEEN]


def test_postcodes_with_leading_zeros_are_no_numbers():
    known = factor(pd.DataFrame({"zip": ["01", "1", "1.0", "001"]}), "zip")
    assert known.combinations == (("1",), ("001",), ("01",))
    assert codes(known, pd.DataFrame({"zip": ["01", "1", "001"]})) == [2, 0, 1]
    assert codes(known, pd.DataFrame({"zip": [1, 1, 1]})) == [0, 0, 0]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (0.5, "0.5"),
        (-3, "-3.0"),
        (1e15, "1000000000000000"),
        (-0.0, 0),
        (2**60, str(2**60)),
        (2**64 - 1, str(2**64 - 1)),
        (0.1, "0.10"),
    ],
)
def test_equal_values_have_one_text(one, other):
    assert canonical(one) == canonical(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("F", "f"),
        ("F", "F "),
        ("", " "),
        ("1e3", "1000"),
        ("+1", "1"),
        ("1,5", "1.5"),
        ("nan", "NaN"),
        ("-", "0"),
        (2**60, str(2**60 + 1)),
        ("١", "1"),
        ("1\n", "1"),
    ],
)
def test_different_texts_stay_different(one, other):
    assert canonical(one) != canonical(other)


@given(st.integers(-(10**30), 10**30))
def test_integers_equal_their_text(number):
    assert canonical(number) == canonical(str(number)) == str(number)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_floats_equal_their_text_where_it_is_decimal(number):
    if "e" not in repr(number):
        assert canonical(number) == canonical(repr(number))


def test_dates_match_their_texts():
    day = datetime.date(2020, 1, 31)
    known = factor(pa.table({"u": [day, datetime.date(2021, 1, 1)]}), "u")
    assert known.combinations == (("2020-01-31",), ("2021-01-01",))
    assert codes(known, pa.table({"u": ["2021-01-01", "2020-01-31"]})) == [1, 0]
    assert codes(known, pl.DataFrame({"u": [day]})) == [0]


# In order


def test_levels_are_in_order_of_value_whatever_type_they_come_in():
    # t weights the last group: it must not be another one because the research data was text.
    assert in_order([10, 9]) == [9, 10]
    assert in_order(["10", "9"]) == ["9", "10"]
    assert in_order([10.0, 9.5]) == [9.5, 10.0]
    assert in_order(["b", "10", "a", "9.5", "01"]) == ["9.5", "10", "01", "a", "b"]
    assert in_order([True, False]) == [False, True]
    assert in_order(["-1", "-10", "0"]) == ["-10", "-1", "0"]


@given(
    st.lists(
        st.integers(-99, 99) | st.floats(-9, 9) | st.sampled_from(["a", "b", "01", "true"]),
        unique_by=canonical,
    ),
    st.randoms(use_true_random=False),
)
def test_order_does_not_depend_on_the_order_of_rows(levels, random):
    shuffled = random.sample(levels, len(levels))
    assert list(map(canonical, in_order(shuffled))) == list(map(canonical, in_order(levels)))


def test_equal_levels_are_one():
    assert in_order(["1.0", 1, "a", True, "true"]) in ([1, "a", True], ["1.0", "a", True])


# Crossing


def test_crossing_keeps_the_combinations_that_occur():
    table = pd.DataFrame({"sex": list("FMFF"), "race": ["W", "B", "B", "W"]})
    known = factor(table, "sex", "race")
    assert known.combinations == (("F", "B"), ("F", "W"), ("M", "B"))
    assert codes(known, table) == [1, 2, 0, 1]
    assert codes(known, pd.DataFrame({"sex": ["M"], "race": ["W"]})) == [UNSEEN]
    assert known.label(1) == "sex='F' and race='W'"


def test_crossing_does_not_confuse_neighbours():
    known = factor(pd.DataFrame({"a": ["1", "11"], "b": ["11", "1"]}), "a", "b")
    assert codes(known, pd.DataFrame({"a": [1, 11, 1], "b": [11, 1, 1]})) == [0, 1, UNSEEN]


@given(
    st.lists(
        st.tuples(st.integers(0, 4), st.sampled_from("abc"), st.booleans()), min_size=1, max_size=30
    ),
    st.lists(st.tuples(st.integers(0, 5), st.sampled_from("abcd"), st.booleans()), max_size=30),
)
def test_crossing_is_that_of_tuples(research, archive):
    names = ["i", "t", "b"]
    known = factor(pd.DataFrame(research, columns=names), *names)
    place = {row: at for at, row in enumerate(sorted(set(research)))}
    assert codes(known, pd.DataFrame(research, columns=names)) == [place[row] for row in research]
    if archive:
        found = codes(known, pd.DataFrame(archive, columns=names))
        assert found == [place.get(row, UNSEEN) for row in archive]


def test_crossing_of_columns_with_many_levels_needs_no_table_of_all_combinations():
    # 100,000² combinations would be 80 GB.
    many = np.arange(100_000)
    known = factor(pd.DataFrame({"a": [0, 1], "b": [0, 1]}), "a", "b")
    found = codes(known, pd.DataFrame({"a": many, "b": many}))
    assert found[:2] == [0, 1]
    assert set(found[2:]) == {UNSEEN}


def test_no_columns_are_one_stratum():
    known = Factor.of((), [])
    assert len(known) == 1
    assert known.encode([], 3).tolist() == [0, 0, 0]
    assert known.label(0) == "all rows"


# Unseen and missing


def test_unseen_levels_are_marked_and_counted():
    known = factor(pd.DataFrame({"s": ["F", "M"], "r": [1, 2]}), "s", "r")
    frame = Frame(pd.DataFrame({"s": list("FXXM"), "r": [1, 1, 1, 3]}), "archive")
    encoded = encoded_roles(frame, ("s", "r"), {})
    found = known.encode(encoded, 4)
    assert found.tolist() == [0, UNSEEN, UNSEEN, UNSEEN]
    assert known.unseen_counts(encoded, found == UNSEEN) == {
        "s='X' and r=1": 2,
        "s='M' and r=3": 1,
    }


@pytest.mark.parametrize(
    "table",
    [
        pd.DataFrame({"s": ["a", None, "b", None]}),
        pd.DataFrame({"s": [1.0, np.nan, 2.0, np.nan]}),
        pd.DataFrame({"s": pd.array([1, None, 2, None], dtype="Int64")}),
        pd.DataFrame({"s": pd.Categorical(["a", None, "b", None])}),
        pd.DataFrame({"s": pd.array(["a", None, "b", None], dtype="string[pyarrow]")}),
        pl.DataFrame({"s": ["a", None, "b", None]}),
        pl.DataFrame({"s": [1.0, None, 2.0, float("nan")]}),
        pa.table({"s": pa.array(["a", None, "b", None]).dictionary_encode()}),
        pa.table({"s": pa.array([1.0, float("nan"), 2.0, None])}),
    ],
)
def test_missing_labels_are_refused_with_their_count(table):
    with pytest.raises(DataError, match=r"missing values in 's' \(2 rows\)"):
        factor(table, "s")


def test_categories_that_do_not_occur_are_no_levels():
    table = pd.DataFrame({"s": pd.Categorical(["a", "b"], categories=["z", "b", "a", "q"])})
    assert factor(table, "s").combinations == (("a",), ("b",))
