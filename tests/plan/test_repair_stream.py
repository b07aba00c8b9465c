"""A stream is repaired as one table, whatever its cut, and no further than it is read."""

from itertools import pairwise

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import fairmend
from fairmend.errors import ColumnError, FairmendError, OptionError, RowKeyError, UnseenError
from fairmend.plan import stream

N = 3_000


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(11)
    s, u = rng.integers(0, 2, N), rng.integers(0, 2, N)
    return pa.table(
        {
            "id": rng.permutation(N),
            "sex": pa.array(np.array(["F", "M"])[s]).dictionary_encode(),
            "college": u,
            "age": pa.array(rng.integers(17, 60, N) + 5 * s, mask=rng.random(N) < 0.05),
            "pay": rng.normal(20 + 5 * s, 4),
        }
    ).replace_schema_metadata({"source": "a test"})


@pytest.fixture(scope="module")
def plan(table):
    return fairmend.design(table, protected="sex", unprotected="college", features=["age", "pay"])


@pytest.fixture(scope="module")
def repaired(plan, table):
    return plan.repair(table, seed=7)


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch):
    monkeypatch.setattr(stream, "BATCH_ROWS", 128)


def values(table):
    return table.to_pylist() if isinstance(table, pa.Table) else table.to_arrow().to_pylist()


@pytest.mark.parametrize("workers", [None, 1, 2, 3])
@pytest.mark.parametrize("rows", [1_000, 97, N])
def test_a_reader_gives_a_reader(plan, table, repaired, workers, rows):
    summary = {}
    reader = pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=rows))
    found = plan.repair_stream(reader, seed=7, summary=summary, workers=workers)
    assert isinstance(found, pa.RecordBatchReader)
    whole = found.read_all()
    assert whole.schema.equals(repaired.schema, check_metadata=True)
    assert values(whole) == values(repaired)
    once = {}
    plan.repair(table, seed=7, summary=once)
    assert summary == once


def test_a_seed_is_drawn_once_and_handed_back(plan, table):
    summary = {}
    found = plan.repair_stream(table, summary=summary).read_all()
    assert isinstance(summary["seed"], int)
    assert values(found) == values(plan.repair(table, seed=summary["seed"]))


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize(
    "convert",
    [pa.Table.to_pandas, pl.from_arrow, lambda t: t, lambda t: t.combine_chunks().to_batches()[0]],
    ids=["pandas", "polars", "table", "batch"],
)
def test_tables_give_tables_of_their_type(plan, table, repaired, convert, workers):
    cuts = [0, 1, 2, 900, 900, N]
    parts = [table[a:b] for a, b in pairwise(cuts) if a < b]
    given = [convert(part) for part in parts]
    found = list(plan.repair_stream(iter(given), seed=7, workers=workers))
    assert [type(part) for part in found] == [type(part) for part in given]
    wanted = [repaired[a:b] for a, b in pairwise(cuts) if a < b]
    for part, its_rows in zip(found, wanted, strict=True):
        if isinstance(part, pd.DataFrame):
            pd.testing.assert_frame_equal(part, its_rows.to_pandas())
        else:
            assert values(pa.table(part)) == values(its_rows)


def test_an_iterable_is_read_no_further_than_its_results(plan, table):
    read = []

    def parts():
        for at in range(0, N, 100):
            read.append(at)
            yield table[at : at + 100]

    found = plan.repair_stream(parts(), seed=7)
    assert read == []
    next(found)
    assert read == [0]


def test_a_reader_is_read_ahead_by_few_batches(plan, table):
    read = []

    def parts():
        for batch in table.to_batches(max_chunksize=100):
            read.append(batch)
            yield batch

    reader = pa.RecordBatchReader.from_batches(table.schema, parts())
    found = plan.repair_stream(reader, seed=7, workers=2)
    assert read == []
    found.read_next_batch()
    assert len(read) <= 6


def test_a_lazy_frame_gives_a_lazy_frame(plan, table, repaired):
    frame, wanted = pl.from_arrow(table), pl.from_arrow(repaired)
    found = plan.repair_stream(frame.lazy(), seed=7)
    assert isinstance(found, pl.LazyFrame)
    assert found.collect_schema() == wanted.schema
    for engine in ("streaming", "in-memory"):
        assert found.collect(engine=engine).equals(wanted)
    older = pl.col("age") > 30
    assert found.filter(older).select("pay").collect().equals(wanted.filter(older).select("pay"))
    assert found.head(5).collect().equals(wanted.head(5))
    assert found.slice(300, 7).collect().equals(wanted.slice(300, 7))
    assert found.filter(older).head(9).collect().equals(wanted.filter(older).head(9))


def test_a_lazy_frame_is_not_collected_by_the_call(plan, table):
    def never(frame):
        pytest.fail("collected")
        return frame

    frame = pl.from_arrow(table).lazy()
    plan.repair_stream(frame.map_batches(never, schema=frame.collect_schema()), seed=7)


def test_a_lazy_frame_of_a_file_keeps_its_rows_order(plan, table, repaired, tmp_path):
    pl.from_arrow(table).write_parquet(tmp_path / "a.parquet", row_group_size=70)
    scanned = pl.scan_parquet(tmp_path / "a.parquet").filter(pl.col("college") == 1)
    found = plan.repair_stream(scanned, seed=7, key="id").collect(engine="streaming")
    wanted = plan.repair(table, seed=7, key="id").filter(pa.compute.field("college") == 1)
    assert found["pay"].to_list() == wanted["pay"].to_pylist()
    found = plan.repair_stream(pl.scan_parquet(tmp_path / "a.parquet"), seed=7)
    found.sink_parquet(tmp_path / "b.parquet")
    assert pl.read_parquet(tmp_path / "b.parquet").equals(pl.from_arrow(repaired))


def test_a_duckdb_relation_goes_in_and_the_result_can_be_queried(plan, table, repaired):
    plain = table.set_column(1, "sex", table["sex"].cast(pa.string()))
    found = plan.repair_stream(duckdb.connect().from_arrow(plain), seed=7)  # noqa: F841 (queried)
    total = duckdb.connect().sql("select count(*), min(pay), max(age) from found").fetchall()
    pay, age = repaired["pay"], repaired["age"]
    assert total == [(N, pa.compute.min(pay).as_py(), pa.compute.max(age).as_py())]


def test_rows_go_on_from_a_first_row(plan, table, repaired):
    found = plan.repair_stream(table[1_000:], seed=7, first_row=1_000).read_all()
    assert values(found) == values(repaired[1_000:])


def test_options_reach_every_table(plan, table):
    found = plan.repair_stream(table, seed=7, drop_protected=True, key="id").read_all()
    assert values(found) == values(plan.repair(table, seed=7, drop_protected=True, key="id"))
    strangers = table.set_column(1, "sex", pa.array(["X"] * N))
    with pytest.raises(UnseenError, match="sex='X'"):
        plan.repair_stream(strangers, seed=7).read_all()
    kept = plan.repair_stream(strangers, seed=7, unseen="keep").read_all()
    assert values(kept) == values(strangers)


def test_a_stream_without_rows(plan, table):
    assert plan.repair_stream(table[:0], seed=7).read_all().equals(table[:0])
    assert plan.repair_stream(pl.from_arrow(table[:0]).lazy()).collect().height == 0
    assert list(plan.repair_stream([])) == []


def test_what_cannot_be_repaired_is_said_before_anything_is_read(plan, table):
    with pytest.raises(ColumnError, match="'pay'"):
        plan.repair_stream(table.drop(["pay"]))
    with pytest.raises(ColumnError, match="'pay'"):
        plan.repair_stream(pl.from_arrow(table).lazy().drop("pay"))
    with pytest.raises(RowKeyError):
        plan.repair_stream(table, key="sex")


@pytest.mark.parametrize("thing", [7, "archive.csv"])
def test_what_is_no_stream_is_refused(plan, thing):
    with pytest.raises(FairmendError, match="is no stream"):
        plan.repair_stream(thing)


@pytest.mark.parametrize("options", [{"workers": 0}, {"first_row": -1}])
def test_numbers_that_cannot_be_are_refused(plan, table, options):
    with pytest.raises(OptionError):
        plan.repair_stream(table, **options)


def numbered(table, ids):
    return table.set_column(0, "id", pa.array(ids))


@pytest.mark.parametrize("workers", [1, 2])
def test_keys_are_judged_over_all_tables(plan, table, workers):
    """Each table alone looks well: 100 rows, 100 keys; so does the archive where one is busy."""
    shared = numbered(table, np.arange(N) % 100)
    found = plan.repair_stream(pieces(shared, 100), seed=7, key="id", workers=workers)
    with pytest.raises(RowKeyError, match="100 distinct values in 1,100 rows"):
        list(found)
    few = pieces(shared.slice(0, 900), 30)
    list(plan.repair_stream(pieces(shared.slice(0, 900), 300), seed=7, key="id"))
    with pytest.raises(RowKeyError, match="9 distinct values in 900 rows"):
        list(plan.repair_stream((numbered(one, np.arange(30) % 9) for one in few), key="id"))
    busy = numbered(table, np.maximum(np.arange(N) - 50, 0))
    parts = plan.repair_stream(pieces(busy, 50), seed=7, key="id", workers=workers)
    assert pa.concat_tables(parts).equals(plan.repair(busy, seed=7, key="id"))


def pieces(table, rows):
    return (table.slice(at, rows) for at in range(0, len(table), rows))
