import numpy as np
import pyarrow.parquet as pq
import pytest
from sklearn.linear_model import LogisticRegression

from fairmend.auditing.on_disk import audit_files
from fairmend.errors import ColumnError, InputError
from fairmend.files.csv import write_csv
from fairmend.files.excerpt import columns_of, rows_of


@pytest.fixture(scope="module")
def folder(tmp_path_factory, case):
    path = tmp_path_factory.mktemp("audit")
    case.plan.save(path / "plan.json")
    for name, table in (("archive", case.archive), ("out", case.repaired)):
        pq.write_table(table, path / f"{name}.parquet", row_group_size=300)
        write_csv(table, path / f"{name}.csv")
    return path


def test_any_two_formats_give_what_the_tables_give(folder, audited):
    plan = folder / "plan.json"
    for before, after in (("parquet", "parquet"), ("csv", "parquet"), ("csv", "csv")):
        files = folder / f"archive.{before}", folder / f"out.{after}"
        found = audit_files(*files, plan, leak=False, time="joined").content
        for part in ("dependence", "damage", "missing", "drift", "densities"):
            assert found[part] == audited.content[part]


def test_adversaries_see_all_columns_of_a_file(folder, audited):
    files = (folder / f"{name}.parquet" for name in ("archive", "out"))
    assert (
        audit_files(*files, folder / "plan.json", adversary=LogisticRegression()).content["leak"]
        == audited.content["leak"]
    )


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_an_excerpt_is_what_it_says(folder, case, suffix):
    path = folder / f"archive.{suffix}"
    some = columns_of(path, ["pay", "sex", "nowhere"])
    assert some.column_names == ["sex", "pay"]
    assert len(some) == len(case.archive)
    places = np.array([0, 3, 299, 300, 301, 1_599])
    rows = rows_of(path, places)
    assert rows.column_names == case.archive.column_names
    expected = [str(x) for x in case.archive.take(places)["joined"].to_pylist()]
    assert [str(x) for x in rows["joined"].to_pylist()] == expected
    assert len(rows_of(path, places[:0])) == 0


def test_no_file_is_said(folder):
    with pytest.raises(InputError, match=r"There is no file .*archve\.parquet.*archive\.parquet"):
        audit_files(folder / "archve.parquet", folder / "out.csv", folder / "plan.json")


def test_a_folder_gives_what_its_rows_give(folder, case):
    plan = folder / "plan.json"
    for side, table in (("before", case.archive), ("after", case.repaired)):
        for day, first, rows in ((1, 0, 500), (2, 500, 1_100)):
            part = folder / side / f"day={day}"
            part.mkdir(parents=True)
            pq.write_table(table.slice(first, rows), part / "part-0.parquet", row_group_size=300)
    sides = folder / "before", folder / "after"
    options = {"leak": True, "adversary": LogisticRegression()}
    found = audit_files(*sides, plan, **options, exclude=["day"]).content
    one = audit_files(folder / "archive.parquet", folder / "out.parquet", plan, **options).content
    assert {part: found[part] for part in one} == one
    assert audit_files(*sides, plan, leak=False, time="day").content["drift"]["periods"]
    pattern = folder / "before" / "*" / "*.parquet"
    assert audit_files(pattern, sides[1], plan, leak=False).content["damage"] == one["damage"]
    wrong = folder / "before" / "day=2" / "part-1.parquet"
    pq.write_table(case.archive.drop_columns(["age"]), wrong)
    with pytest.raises(InputError, match="'age' is not there"):
        audit_files(*sides, plan, leak=False)


def test_a_column_that_is_not_there_is_looked_for_among_all(folder):
    files = folder / "archive.csv", folder / "out.csv"
    with pytest.raises(ColumnError, match=r"'Hat', named by label=.*Did you mean 'hat'"):
        audit_files(*files, folder / "plan.json", leak=False, label="Hat")
