import pandas as pd
import pytest

from fairmend.errors import CellError, ColumnError, DataError, OutputError
from fairmend.files.design import design_file
from fairmend.plan.plan import Plan

ROLES = {"protected": ["s"], "unprotected": ["u"]}


def test_both_formats_give_the_same_plan(folder):
    design_file(folder / "research.csv", folder / "b.json", **ROLES, features=["age", "pay"])
    assert (folder / "b.json").read_bytes() == (folder / "plan.json").read_bytes()


def test_features_are_all_numbers_without_a_role(folder):
    plan, rows = design_file(
        folder / "research.csv", folder / "b.json", **ROLES, exclude=["id", "zip", "rate", "note"]
    )
    assert rows == 800
    assert plan.feature_names == ("age", "pay")
    assert Plan.load(folder / "b.json").feature_names == ("age", "pay")


def test_the_index_of_pandas_is_no_feature(folder):
    table = pd.read_csv(folder / "research.csv")[["s", "age", "pay"]]
    table[table["pay"] > 0].sample(frac=1, random_state=1).to_parquet(folder / "r.parquet")
    plan, _ = design_file(folder / "r.parquet", folder / "b.json", protected=["s"])
    assert plan.feature_names == ("age", "pay")


def test_columns_of_words_are_named(folder):
    with pytest.raises(ColumnError, match=r"hold no numbers: 'note' .*exclude="):
        design_file(folder / "research.csv", folder / "b.json", **ROLES)


def test_missing_labels_in_text_are_counted(folder):
    (folder / "r.csv").write_text("s,age\n0,1\n,2\n1,3\n,4\n")
    with pytest.raises(DataError, match=r"missing values in 's' \(2 rows\)"):
        design_file(folder / "r.csv", folder / "b.json", protected=["s"])


def test_small_cells_are_all_listed(folder):
    (folder / "r.csv").write_text("s,u,age\n0,0,1\n0,0,2\n1,0,3\n1,1,\n0,1,4\n0,1,5\n")
    with pytest.raises(CellError, match=r"u=0 and s=1 \(1 rows\).*u=1 and s=1 \(0 rows\)"):
        design_file(folder / "r.csv", folder / "b.json", **ROLES)


def test_an_existing_plan_is_refused_before_anything_is_read(folder):
    before = (folder / "plan.json").read_bytes()
    with pytest.raises(OutputError, match="exists already"):
        design_file(folder / "no such.csv", folder / "plan.json", **ROLES)
    assert (folder / "plan.json").read_bytes() == before
