import math

import pyarrow as pa
import pytest

from fairmend.errors import InputError
from fairmend.files.fields import text_where_unchanged, with_types


def typed(*fields: str, label: bool = False) -> pa.ChunkedArray:
    table = pa.table({"x": list(fields)})
    names = ([], ["x"]) if label else (["x"], [])
    return with_types(table, "archive", *names)["x"]


def test_whole_numbers_are_integers():
    column = typed("39", " 40 ", "")
    assert column.type == pa.int64()
    assert column.to_pylist() == [39, 40, None]


def test_other_numbers_are_floats():
    assert typed("1.10", ".5", "+1", "1e3", "-2.").to_pylist() == [1.1, 0.5, 1, 1000, -2]
    assert typed("18446744073709551616").type == pa.float64()


@pytest.mark.parametrize("spelling", ["", "  ", "NA", "NaN", "nan", "NAN", "null", "N/A"])
def test_missing_however_it_is_spelt(spelling):
    assert typed("1.5", spelling).to_pylist() == [1.5, None]


def test_infinity_is_left_to_the_check_for_it():
    assert math.isinf(typed("1", "inf")[1].as_py())


def test_a_column_of_words_stays_text():
    assert typed("a", "b").type == pa.string()


def test_words_among_numbers_are_counted_and_not_shown():
    with pytest.raises(InputError, match=r"no numbers in 'x' \(2 rows\)") as refused:
        typed("1", "2.5", "secret", "1,000", "")
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    ("fields", "values"),
    [
        (("0", "1", ""), [0, 1, None]),
        (("01", "1"), ["01", "1"]),
        (("1.0", "2.0"), ["1.0", "2.0"]),
        (("NA", "F", ""), ["NA", "F", None]),
        (("99999999999999999999",), ["99999999999999999999"]),
        (("", ""), [None, None]),
    ],
)
def test_labels_are_integers_only_where_nothing_is_lost(fields, values):
    assert typed(*fields, label=True).to_pylist() == values


def test_columns_that_nobody_asks_for_stay_text():
    table = pa.table({"zip": ["00123"], "x": ["1"]})
    assert with_types(table, "archive", ["x", "no such"], [])["zip"].to_pylist() == ["00123"]


def test_fields_of_unchanged_values_stay_as_they_were():
    text = pa.chunked_array([["1.10", "NA"], ["2.50", "3"]])
    before = pa.chunked_array([[1.1, None, 2.5, 3.0]])
    after = pa.chunked_array([[1.1], [None, 7.0, 0.25]])
    assert text_where_unchanged(text, before, after).to_pylist() == ["1.10", "NA", "7", "0.25"]
