"""A folder of files is one table, in any format."""

import pyarrow.compute as pc
import pytest

from fairmend.errors import InputError
from fairmend.files.formats import write_table
from fairmend.files.leak import leak_file
from fairmend.files.tables import read_tables


def test_a_folder_is_tested_for_leaks_with_the_columns_of_its_names(folder):
    for s in (0, 1):
        part = folder.archive.filter(pc.equal(folder.archive["s"], s)).drop_columns(["s"])
        (folder / "parts" / f"s={s}").mkdir(parents=True)
        write_table(part, folder / "parts" / f"s={s}" / "a.ndjson")
    table, form = read_tables(folder / "parts")
    assert (len(table), form.name) == (2_000, "NDJSON")
    found = leak_file(folder / "parts", protected=["s"], unprotected=["u"], features=["pay"])
    assert found["auc"] > 0.7


def test_files_of_other_columns_are_no_table(folder):
    (folder / "odd").mkdir()
    write_table(folder.archive, folder / "odd" / "a.arrow")
    write_table(folder.archive.drop_columns(["pay"]), folder / "odd" / "b.arrow")
    with pytest.raises(InputError, match="'pay' is not there and was double"):
        read_tables(folder / "odd")
