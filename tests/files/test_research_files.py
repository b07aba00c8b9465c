"""Research data on disk: many files in batches, and where a fault is said to be."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fairmend.errors import DataError, InputError, OptionError, SummaryError
from fairmend.files.design import design_file
from fairmend.files.formats import write_table
from fairmend.files.summaries import describe_summary_file, summarise_file
from fairmend.plan.plan import Plan
from fairmend.research import summarise

ROLES = {"protected": ["s"], "unprotected": ["u"], "features": ["age", "pay"]}


@pytest.fixture
def research(folder):
    return pq.read_table(folder / "research.parquet")


def parted(root, table, suffix="parquet", rows=300):
    for at in range(0, len(table), rows):
        path = root / f"part-{at:03d}.{suffix}"
        path.parent.mkdir(parents=True, exist_ok=True)
        if suffix == "parquet":
            pq.write_table(table.slice(at, rows), path, row_group_size=70)
        else:
            write_table(table.slice(at, rows), path)
    return root


@pytest.mark.parametrize("suffix", ["parquet", "csv", "arrows"])
def test_a_folder_or_a_pattern_gives_the_plan_of_one_file(folder, research, suffix):
    root = parted(folder / "parts", research, suffix)
    for number, path in enumerate((root, root / f"*.{suffix}")):
        out = folder / f"{number}.json"
        _, rows = design_file(path, out, **ROLES)
        assert rows == 800
        assert out.read_bytes() == (folder / "plan.json").read_bytes()


def test_a_folders_name_can_hold_a_role(folder, research):
    for u in (0, 1):
        part = research.filter(pa.array(research["u"].to_numpy() == u)).drop_columns(["u"])
        parted(folder / "hive" / f"u={u}", part)
    design_file(folder / "hive", folder / "b.json", **ROLES)
    assert (folder / "b.json").read_bytes() == (folder / "plan.json").read_bytes()


def test_the_plan_of_summaries_is_that_of_the_rows(folder, research):
    for site, part in enumerate((research.slice(0, 250), research.slice(250))):
        pq.write_table(part, folder / f"{site}.parquet")
        summarise_file(folder / f"{site}.parquet", folder / f"site{site}.json", **ROLES)
    sites = [folder / "site0.json", folder / "site1.json"]
    plan, rows = design_file(sites, folder / "b.json")
    assert rows == 800
    assert (folder / "b.json").read_bytes() == (folder / "plan.json").read_bytes()
    assert Plan.load(folder / "b.json").feature_names == plan.feature_names
    with pytest.raises(SummaryError, match="protected= cannot be given"):
        design_file(sites, folder / "c.json", protected=["s"])
    with pytest.raises(SummaryError, match="both were given"):
        design_file([*sites, folder / "0.parquet"], folder / "c.json")
    with pytest.raises(SummaryError, match=r"2 paths were given, and only summaries"):
        design_file([folder / "0.parquet", folder / "1.parquet"], folder / "c.json")


def test_a_summary_is_described(folder):
    summarise_file(folder / "research.parquet", folder / "site.json", **ROLES)
    said = describe_summary_file(folder / "site.json")
    assert said["rows"] == sum(sum(one["rows"]) for one in said["strata"]) == 800
    age, pay = said["features"]
    table = pq.read_table(folder / "research.parquet")
    assert age["missing"] == table["age"].null_count > 0
    assert age["values"] == len(table["age"].drop_null().unique())
    assert (pay["type"], pay["values"], pay["rounded"]) == (
        "number",
        len(table["pay"].unique()),
        False,
    )
    assert said["sha256"] == json.loads((folder / "site.json").read_text())["sha256"]


def test_quantile_bins_see_all_rows(folder, research):
    options = {**ROLES, "unprotected": ["age"], "features": ["pay"]}
    known = research.filter(research["age"].is_valid())
    root = parted(folder / "parts", known)
    plan, rows = design_file(root, folder / "b.json", **options, unprotected_bins={"age": 2})
    assert rows == len(known)
    (cut,) = plan.strata.bins["age"].cuts
    assert cut == np.median(known["age"].to_numpy())
    with pytest.raises(SummaryError, match="quantile bins"):
        summarise(iter([known]), **options, unprotected_bins={"age": 2})


# Faults


def test_missing_labels_are_found_in_their_file_and_row_groups(folder, research):
    root = parted(folder / "parts", research)
    path = root / "part-300.parquet"
    table = pq.read_table(path)
    gone = pa.array(table["s"].to_numpy(), mask=np.arange(len(table)) == 5)
    pq.write_table(table.set_column(table.column_names.index("s"), "s", gone), path)
    where = r"\(In part-300\.parquet, row group 1\.\)"
    with pytest.raises(DataError, match=where):
        design_file(root, folder / "b.json", **ROLES)
    assert not (folder / "b.json").exists()


def test_other_columns_name_the_file_and_the_column(folder, research):
    root = parted(folder / "parts", research)
    texts = research.set_column(0, "id", research["id"].cast(pa.string()))
    pq.write_table(texts, root / "part-999.parquet")
    with pytest.raises(InputError, match=r"part-999.* 'id' is string and was int32"):
        summarise_file(root, folder / "s.json", **ROLES)
    assert not (folder / "s.json").exists()


def test_a_corrupt_row_group_is_named(folder):
    path = folder / "research.parquet"
    pq.write_table(pq.read_table(path), path, row_group_size=200, compression="none")
    pay = pq.ParquetFile(path).metadata.row_group(2).column(6)
    start = pay.dictionary_page_offset
    good = path.read_bytes()
    path.write_bytes(good[:start] + b"\xff" * 64 + good[start + 64 :])
    with pytest.raises(InputError, match=r"research\.parquet, row group 3,"):
        design_file(path, folder / "b.json", **ROLES)


def test_options_are_refused_before_rows_are_read(folder):
    pq.write_table(pa.table({"id": [1]}), folder / "other.parquet")
    with pytest.raises(OptionError, match=r"amount=2"):
        design_file(folder / "other.parquet", folder / "b.json", **ROLES, amount=2)
