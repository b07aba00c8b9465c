import numpy as np
import pyarrow.parquet as pq
import pytest
from sklearn.linear_model import LogisticRegression

from fairmend.auditing.on_disk import audit_files
from fairmend.errors import InputError
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
