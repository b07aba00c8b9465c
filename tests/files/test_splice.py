"""Parquet to Parquet: what is not repaired is the same bytes, and every reader reads it."""

import datetime
import decimal

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import fairmend
from fairmend.files.channel import Piece, source_of
from fairmend.files.formats import PARQUET
from fairmend.files.parquet import ParquetSource
from fairmend.files.repair import repair_file
from fairmend.files.splice import footer_to_splice

ROLES = {"protected": "sex", "unprotected": "college"}
FEATURES = ["age", "pay", "job", "day"]


def rows_of(n, seed):
    rng = np.random.default_rng(seed)
    sex = rng.integers(0, 2, n)
    days = rng.integers(0, 9_000, n) + 500 * sex
    return pa.table(
        {
            "id": np.arange(n),
            "nest": pa.array(
                [None if i % 7 == 0 else [{"a": i, "b": [str(i)] * (i % 3)}] for i in range(n)]
            ),
            "sex": pa.array(np.array(["F", "M"])[sex]).dictionary_encode(),
            "age": pa.array(rng.integers(20, 60, n) + 5 * sex, mask=rng.random(n) < 0.1),
            "map": pa.array([[("k", i)] for i in range(n)], pa.map_(pa.string(), pa.int64())),
            "college": rng.integers(0, 2, n).astype(bool),
            "pay": rng.normal(20 + 4 * sex, 3, n),
            "job": pa.array(np.array(["a", "b", "c"])[(rng.integers(0, 3, n) + sex) % 3]),
            "day": pa.array(days * 86_400_000, pa.timestamp("ms")),
            "money": pa.array([decimal.Decimal(i) / 100 for i in range(n)], pa.decimal128(9, 2)),
            "last": pa.array([datetime.date(2020, 1, 1)] * n),
        }
    ).replace_schema_metadata({"note": "kept"})


@pytest.fixture(scope="module")
def table():
    return rows_of(1_000, 1)


@pytest.fixture(scope="module")
def plan_file(tmp_path_factory):
    plan = fairmend.design(rows_of(1_500, 2), **ROLES, features=FEATURES)
    path = tmp_path_factory.mktemp("plan") / "plan.json"
    plan.save(path)
    return path


def spliced(path):
    with source_of(Piece(path, path, PARQUET, PARQUET)) as source:
        assert isinstance(source, ParquetSource)
        return footer_to_splice(source) is not None


def chunks_of(path, name):
    """The bytes of a column's chunks."""
    found, data = [], path.read_bytes()
    meta = pq.ParquetFile(path).metadata
    for at in range(meta.num_row_groups):
        group = meta.row_group(at)
        for place in range(group.num_columns):
            chunk = group.column(place)
            if chunk.path_in_schema.split(".")[0] == name:
                start = min(chunk.dictionary_page_offset or 1 << 60, chunk.data_page_offset)
                found.append(data[start : start + chunk.total_compressed_size])
    return found


def write_pyarrow(table, path, **options):
    pq.write_table(table, path, row_group_size=300, **options)


def write_polars(table, path):
    frame = pl.from_arrow(table.drop_columns(["map"]))
    frame.write_parquet(path, row_group_size=300, use_pyarrow=False)


def write_duckdb(table, path):
    kept = table
    assert kept.num_rows
    duckdb.sql("select * from kept").write_parquet(str(path), row_group_size=2048)


WRITERS = {
    "pyarrow": write_pyarrow,
    "zstd, v2 pages, page index": lambda t, p: write_pyarrow(
        t,
        p,
        compression="zstd",
        data_page_version="2.0",
        write_page_index=True,
        use_dictionary=False,
        write_page_checksum=True,
    ),
    "int96, gzip, by column": lambda t, p: write_pyarrow(
        t,
        p,
        use_deprecated_int96_timestamps=True,
        store_decimal_as_integer=True,
        compression={"pay": "gzip", "age": "none", "id": "lz4"},
        sorting_columns=[pq.SortingColumn(0), pq.SortingColumn(5), pq.SortingColumn(1)],
    ),
    "without Arrow's schema": lambda t, p: write_pyarrow(t, p, store_schema=False, version="1.0"),
    "polars": write_polars,
    "duckdb": write_duckdb,
}


@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_other_columns_are_the_same_bytes_and_all_readers_read(writer, table, plan_file, tmp_path):
    path, out = tmp_path / "a.parquet", tmp_path / "b.parquet"
    WRITERS[writer](table, path)
    assert spliced(path)
    repair_file(path, plan_file, out, seed=7)
    before, after = pq.read_table(path), pq.read_table(out)
    wanted = fairmend.Plan.load(plan_file).repair(before, seed=7)
    assert after.schema.equals(wanted.schema, check_metadata=True)
    assert after.equals(wanted)
    assert not after["pay"].equals(before["pay"])
    for name in set(table.column_names) - set(FEATURES):
        assert chunks_of(path, name) == chunks_of(out, name)
    assert pl.read_parquet(out).equals(pl.from_arrow(wanted))
    features = ", ".join(FEATURES)
    assert (
        duckdb.sql(f"select id, {features} from '{out}'").fetchall()
        == duckdb.sql(f"select id, {features} from wanted").fetchall()
    )
    again = tmp_path / "c.parquet"
    repair_file(out, plan_file, again, seed=7)  # the splice of a splice
    assert pq.read_table(again)["nest"].equals(before["nest"])


def test_statistics_are_those_of_the_repaired_values(table, plan_file, tmp_path):
    path, out = tmp_path / "a.parquet", tmp_path / "b.parquet"
    write_pyarrow(table, path)
    repair_file(path, plan_file, out, seed=7)
    meta, repaired = pq.ParquetFile(out).metadata, pq.read_table(out)
    assert meta.num_row_groups == 4
    at = [c.path for c in (meta.schema.column(i) for i in range(meta.num_columns))].index("pay")
    for number in range(4):
        pay = repaired["pay"][300 * number : 300 * (number + 1)].to_numpy()
        found = meta.row_group(number).column(at).statistics
        assert (found.min, found.max) == (pay.min(), pay.max())
        assert meta.row_group(number).total_byte_size == sum(
            meta.row_group(number).column(i).total_uncompressed_size
            for i in range(meta.num_columns)
        )
    low = float(repaired["pay"].to_numpy().min())
    assert duckdb.sql(f"select id from '{out}' where pay <= {low}").fetchall()


def test_an_order_by_a_repaired_column_holds_no_longer(table, plan_file, tmp_path):
    path, out = tmp_path / "a.parquet", tmp_path / "b.parquet"
    leaves = [c.path for c in (pq.ParquetFile(_written(table, path)).schema)]
    order = [leaves.index("sex"), leaves.index("id"), leaves.index("pay"), leaves.index("last")]
    write_pyarrow(table, path, sorting_columns=[pq.SortingColumn(at) for at in order])
    repair_file(path, plan_file, out, seed=7)
    group = pq.ParquetFile(out).metadata.row_group(1)
    assert [by.column_index for by in group.sorting_columns] == order[:2]
    repair_file(path, plan_file, out, seed=7, columns_out=["last", "id", "nest"], force=True)
    assert not pq.ParquetFile(out).metadata.row_group(1).sorting_columns
    repair_file(path, plan_file, out, seed=7, columns_out=["sex", "last", "pay"], force=True)
    group = pq.ParquetFile(out).metadata.row_group(1)
    assert [by.column_index for by in group.sorting_columns] == [0]


def _written(table, path):
    write_pyarrow(table, path)
    return path


def test_columns_are_left_out_with_all_they_hold(table, plan_file, tmp_path):
    frame = table.to_pandas().set_index("id")
    path, out = tmp_path / "a.parquet", tmp_path / "b.parquet"
    frame.drop(columns=["map"]).to_parquet(path, row_group_size=300)
    repair_file(path, plan_file, out, seed=7, drop_protected=True)
    kept = [name for name in pq.read_table(path).column_names if name != "sex"]
    assert pq.read_table(out).column_names == kept
    assert b'"sex"' not in pq.read_schema(out).metadata[b"pandas"]
    assert b"sex" not in out.read_bytes()[-4_000:]
    assert pq.read_pandas(out).to_pandas().index.name == "id"
    repair_file(path, plan_file, out, seed=7, columns_out=["nest", "pay"], force=True)
    assert pq.read_table(out).column_names == ["nest", "pay"]
    assert pq.read_table(out)["nest"].equals(pq.read_table(path)["nest"])


@pytest.mark.parametrize(("rows", "workers"), [(1, 1), (97, 2), (1_000, 1), (1_000, 3)])
def test_neither_row_groups_nor_threads_make_a_difference(
    table, plan_file, tmp_path, rows, workers
):
    path, out = tmp_path / "a.parquet", tmp_path / "b.parquet"
    part = table.slice(0, 120) if rows == 1 else table
    pq.write_table(part, path, row_group_size=rows)
    repair_file(path, plan_file, out, seed=7, workers=workers)
    wanted = fairmend.Plan.load(plan_file).repair(table, seed=7).slice(0, len(part))
    assert pq.read_table(out).equals(wanted)
    other = tmp_path / "c.parquet"
    repair_file(path, plan_file, other, seed=7, workers=3 - workers % 2, memory=1)
    assert other.read_bytes() == out.read_bytes()


def test_a_file_that_is_not_understood_is_decoded_and_encoded(
    table, plan_file, tmp_path, monkeypatch
):
    path, out = tmp_path / "a.parquet", tmp_path / "b.parquet"
    write_pyarrow(table, path)
    monkeypatch.setattr("fairmend.files.channel.footer_to_splice", lambda source: None)
    repair_file(path, plan_file, out, seed=7)
    assert pq.read_table(out).equals(fairmend.Plan.load(plan_file).repair(table, seed=7))


def test_a_large_row_group_is_cut(table, plan_file, tmp_path, monkeypatch):
    path, out = tmp_path / "a.parquet", tmp_path / "b.parquet"
    pq.write_table(table, path)
    monkeypatch.setattr("fairmend.files.parquet.LARGE", 1_000)
    monkeypatch.setattr("fairmend.files.parquet.CUT_ROWS", 90)
    repair_file(path, plan_file, out, seed=7)
    assert pq.read_table(out).equals(fairmend.Plan.load(plan_file).repair(table, seed=7))
    assert pq.ParquetFile(out).metadata.num_row_groups == 12
