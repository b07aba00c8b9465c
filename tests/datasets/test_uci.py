from importlib.resources import files
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from fairmend.datasets import adult

BESIDE = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "adult.parquet"
INTEGERS = [
    "age",
    "fnlwgt",
    "education-num",
    "capital-gain",
    "capital-loss",
    "hours-per-week",
]
WITH_MISSING = {"workclass": 2_799, "occupation": 2_809, "native-country": 857}


@pytest.fixture(scope="module")
def table():
    return adult()


def test_columns_are_those_of_the_original_and_two_more(table):
    assert table.column_names == [
        "age",
        "workclass",
        "fnlwgt",
        "education",
        "education-num",
        "marital-status",
        "occupation",
        "relationship",
        "race",
        "sex",
        "capital-gain",
        "capital-loss",
        "hours-per-week",
        "native-country",
        "income",
        "split",
        "college",
    ]


def test_types_are_the_plain_ones(table):
    types = dict.fromkeys(table.column_names, pa.string())
    types |= dict.fromkeys(INTEGERS, pa.int64()) | {"college": pa.bool_()}
    assert dict(zip(table.schema.names, table.schema.types, strict=True)) == types


def test_every_person_of_both_files_is_there(table):
    assert table["split"].to_pylist() == ["train"] * 32_561 + ["test"] * 16_281


def test_question_marks_are_missing(table):
    found = {name: table[name].null_count for name in table.column_names}
    assert {name: count for name, count in found.items() if count} == WITH_MISSING
    assert not any("?" in table[name].unique().to_pylist() for name in WITH_MISSING)


def test_income_has_the_same_two_words_in_both_files(table):
    counts = table.group_by(["split", "income"]).aggregate([([], "count_all")]).to_pylist()
    assert {(row["split"], row["income"]): row["count_all"] for row in counts} == {
        ("train", "<=50K"): 24_720,
        ("train", ">50K"): 7_841,
        ("test", "<=50K"): 12_435,
        ("test", ">50K"): 3_846,
    }


def test_text_has_no_blanks_at_its_ends(table):
    for name in set(table.column_names) - {*INTEGERS, "college"}:
        levels = table[name].drop_null().unique()
        assert levels.equals(pc.utf8_trim_whitespace(levels)), name


def test_heaping_that_the_documentation_speaks_of(table):
    complete = adult(complete=True)
    assert pc.mean(pc.equal(complete["hours-per-week"], 40)).as_py() == pytest.approx(
        0.47, abs=0.005
    )
    assert pc.mean(pc.equal(complete["capital-gain"], 0)).as_py() == pytest.approx(0.92, abs=0.005)


def test_college_is_a_degree(table):
    college = table.filter(table["college"])["education"].unique().to_pylist()
    assert set(college) == {"Bachelors", "Masters", "Prof-school", "Doctorate"}


def test_complete_keeps_the_rows_without_missing_values(table):
    whole = pc.and_(
        pc.and_(table["workclass"].is_valid(), table["occupation"].is_valid()),
        table["native-country"].is_valid(),
    )
    complete = adult(complete=True)
    assert complete.num_rows == 45_222
    assert complete.equals(table.filter(whole))


def test_each_call_returns_the_same_table(table):
    assert adult().equals(table)


def test_extract_is_small_and_its_licence_is_beside_it():
    folder = files("fairmend.datasets")
    assert len(folder.joinpath("adult.parquet").read_bytes()) < 500_000
    assert "https://doi.org/10.24432/C5XW20" in folder.joinpath("ADULT-LICENSE.txt").read_text()


@pytest.mark.skipif(not BESIDE.exists(), reason="the full data is not beside this checkout")
def test_rows_are_those_of_the_file_beside_the_project(table):
    reference = pq.read_table(BESIDE).replace_schema_metadata()
    mine = table.drop_columns(["college"])
    assert mine.column_names == reference.column_names
    assert mine.equals(reference.cast(mine.schema))
