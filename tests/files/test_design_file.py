import numpy as np
import pandas as pd
import pytest

from fairmend.errors import CellError, DataError, InputError, OptionError, OutputError
from fairmend.files.design import design_file, smallest_group
from fairmend.plan.plan import Plan

ROLES = {"protected": ["s"], "unprotected": ["u"]}


def test_both_formats_give_the_same_plan(folder):
    design_file(folder / "research.csv", folder / "b.json", **ROLES, features=["age", "pay"])
    assert (folder / "b.json").read_bytes() == (folder / "plan.json").read_bytes()


def test_both_formats_give_the_same_joint_plan(folder):
    at = np.arange(600)
    step = (at % 6 + at % 2 + (at % 7 == 0)) % 3
    table = pd.DataFrame({"s": at % 2, "grade": at % 6, "step": step})
    table.to_parquet(folder / "r.parquet", row_group_size=250)
    table.to_csv(folder / "r.csv", index=False)
    for name in ("r.parquet", "r.csv"):
        plan, rows = design_file(folder / name, folder / f"{name}.json", protected=["s"],
                                 joint="sequential")  # fmt: skip
        assert plan.is_joint
        assert rows == 600
    assert (folder / "r.parquet.json").read_bytes() == (folder / "r.csv.json").read_bytes()


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


def test_columns_of_words_are_categories(folder):
    plan, _ = design_file(
        folder / "research.csv",
        folder / "b.json",
        **ROLES,
        exclude=["id", "zip"],
        kinds={"rate": "categorical"},
    )
    assert plan.feature_names == ("rate", "age", "pay", "note")
    types = {name: codec.type for name, codec in plan.codecs.items()}
    assert types == {"rate": "category", "age": "number", "pay": "number", "note": "category"}
    assert set(plan.codecs["note"].levels) == {"a, b", 'say "x"', "two\nlines"}, "empty is missing"
    assert plan.codecs["rate"].levels[:2] == ("0.00", "0.10"), "kept to the letter"


def test_numbers_with_words_among_them_are_no_numbers(folder):
    (folder / "r.csv").write_text("s,age\n0,1\n1,2\n0,old\n1,3\n")
    plan, _ = design_file(folder / "r.csv", folder / "b.json", protected=["s"])
    assert plan.codecs["age"].levels == ("1", "2", "3", "old")
    with pytest.raises(OptionError, match=r"kinds\['age'\]='discrete' is a kind of numbers"):
        design_file(folder / "r.csv", folder / "c.json", protected=["s"], kinds={"age": "discrete"})


def test_dates_in_text_are_dates(folder):
    rows = "".join(f"{at % 2},2024-{1 + at % 12:02d}-15\n" for at in range(48))
    (folder / "r.csv").write_text("s,hired\n" + rows)
    plan, _ = design_file(folder / "r.csv", folder / "b.json", protected=["s"])
    assert plan.codecs["hired"].type == "datetime"


def test_bins_and_weights_are_read_as_numbers(folder):
    rows = "".join(f"{at % 2},{at}.5,{at % 7},{at % 3}.25\n" for at in range(60))
    (folder / "r.csv").write_text("s,income,age,w\n" + rows)
    plan, _ = design_file(
        folder / "r.csv",
        folder / "b.json",
        protected=["s"],
        unprotected=["income"],
        unprotected_bins={"income": [20.0, 40.0]},
        sample_weight="w",
    )
    assert plan.strata.bins["income"].cuts == (20.0, 40.0)
    assert plan.feature_names == ("age",)
    (folder / "bad.csv").write_text("s,income,age,w\n" + rows.replace("2.25", "two", 1))
    with pytest.raises(InputError, match=r"no numbers in 'w' \(1 rows\)"):
        design_file(folder / "bad.csv", folder / "c.json", protected=["s"], sample_weight="w")


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


def test_the_research_data_is_never_replaced(folder):
    before = (folder / "research.csv").read_bytes()
    with pytest.raises(OutputError, match="is read by this command"):
        design_file(folder / "research.csv", folder / "research.csv", **ROLES, force=True)
    assert (folder / "research.csv").read_bytes() == before


def test_the_smallest_group_is_found_over_strata_and_features(tmp_path):
    rows = ["a,x,1,", "a,x,2,5", "a,x,3,6", "b,x,4,7", "b,x,5,8", "b,x,6,9", "b,x,7,9"]
    rows += [f"{s},y,{at},{at}" for s in "ab" for at in range(9)]
    (tmp_path / "r.csv").write_text("\n".join(["s,u,p,q", *rows]) + "\n")
    plan, _ = design_file(tmp_path / "r.csv", tmp_path / "plan", **ROLES)
    assert smallest_group(plan) == (2, "s='a' where u='x'")
    plan, _ = design_file(tmp_path / "r.csv", tmp_path / "plan.b", protected=["s"], features=["p"])
    assert smallest_group(plan) == (12, "s='a'")
