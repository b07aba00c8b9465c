import math
from datetime import date

import pyarrow as pa
import pytest

from fairmend.errors import InputError
from fairmend.files.fields import with_types


def typed(*fields: str, meaning: str | None = "number") -> pa.ChunkedArray:
    table = pa.table({"x": list(fields)})
    roles = ({}, ["x"]) if meaning is None else ({"x": meaning}, [])
    return with_types(table, "archive", *roles)["x"]


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
    assert typed(*fields, meaning=None).to_pylist() == values


@pytest.mark.parametrize(
    ("fields", "values"),
    [
        (("1", "2", ""), [1, 2, None]),
        (("1.5", "NA"), [1.5, None]),
        (("1", "old", ""), ["1", "old", None]),
        (("NA", "b", ""), ["NA", "b", None]),
        (("2024-02-29", ""), [date(2024, 2, 29), None]),
        (("2024-02-29", "2024-02-30"), ["2024-02-29", "2024-02-30"]),
        (("", ""), [None, None]),
    ],
)
def test_what_a_feature_holds_is_told_by_all_of_its_fields(fields, values):
    assert typed(*fields, meaning="any").to_pylist() == values


def test_a_category_stays_text_to_the_letter():
    assert typed("01", " a ", "", meaning="category").to_pylist() == ["01", " a ", None]


@pytest.mark.parametrize(
    ("fields", "dtype"),
    [
        (("2024-02-29", "NA"), pa.date32()),
        (("2024-02-29T12:00", "2024-02-29"), pa.timestamp("s")),
        (("2024-02-29 12:00:00.25",), pa.timestamp("ms")),
        (("2024-02-29T12:00:00.000001",), pa.timestamp("us")),
        (("2024-02-29T12:00:00Z",), pa.timestamp("s", "UTC")),
        (("", ""), pa.date32()),
    ],
)
def test_times_are_as_fine_as_their_text(fields, dtype):
    assert typed(*fields, meaning="datetime").type == dtype


def test_an_offset_is_brought_to_utc():
    (at,) = typed("2024-02-29T12:00:00+02:00", meaning="datetime").cast(pa.string()).to_pylist()
    assert at == "2024-02-29 10:00:00Z"


def test_times_of_day():
    assert typed("12:30:00", "", meaning="duration").type == pa.time32("s")


@pytest.mark.parametrize(
    ("meaning", "field"),
    [("datetime", "29.2.2024"), ("datetime", "17"), ("duration", "3600"), ("duration", "2 days")],
)
def test_what_is_no_time_is_refused_with_the_form_that_is_one(meaning, field):
    with pytest.raises(InputError, match=rf"'x' that are no {meaning}s .* or pass a Parquet file"):
        typed(field, meaning=meaning)


def test_columns_that_nobody_asks_for_stay_text():
    table = pa.table({"zip": ["00123"], "x": ["1"]})
    assert with_types(table, "archive", {"x": "any", "no such": "any"}, [])["zip"].to_pylist() == [
        "00123"
    ]
