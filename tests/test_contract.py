"""The contract that every door to a repair must pass.

A door is a way for rows to come in and go out: a call, batches, a file, a pipe, a cluster. To put a
new one under the contract, add it to ``DOORS``: a function ``door(table, plan, seed, **options)``
that gives a pyarrow table back, with the options ``key``, ``first_row``, ``unseen`` and
``out_of_range`` of :meth:`fairmend.Plan.repair`.
"""

import re
import tempfile
from itertools import pairwise
from pathlib import Path

import narwhals as nw
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet
import pytest

import fairmend
import fairmend.testing
from fairmend.errors import DataError, RowKeyError, UnseenError
from fairmend.files.repair import repair_file
from fairmend.testing import Adapter

ROLES = {"protected": "sex", "unprotected": "college", "exclude": ["id", "note"]}


def to_arrow(table):
    return nw.from_native(table, eager_only=True).to_arrow()


def call(table, plan, seed, **options):
    return to_arrow(plan.repair(table, seed=seed, **options))


def batches_of(rows):
    def door(table, plan, seed, first_row=None, **options):
        table = to_arrow(table)
        start = first_row or 0
        parts = [
            plan.repair(table[at : at + rows], seed=seed, first_row=start + at, **options)
            for at in range(0, len(table), rows)
        ]
        return pa.concat_tables(parts)

    return door


def backwards(table, plan, seed, first_row=None, **options):
    """Serve the last rows first."""
    table = to_arrow(table)
    cuts = sorted({0, 1, (len(table) + 1) // 2, len(table)})
    parts = [
        plan.repair(table[a:b], seed=seed, first_row=(first_row or 0) + a, **options)
        for a, b in reversed(list(pairwise(cuts)))
    ]
    return pa.concat_tables(reversed(parts))


def stream(table, plan, seed, first_row=None, **options):
    table = to_arrow(table)
    parts = (table[at : at + 97] for at in range(0, len(table), 97))
    found = plan.repair_stream(parts, seed=seed, first_row=first_row or 0, workers=2, **options)
    return pa.concat_tables(found)


def saved_and_loaded(table, plan, seed, **options):
    with tempfile.TemporaryDirectory() as folder:
        plan.save(Path(folder, "plan.json"))
        return call(table, fairmend.Plan.load(Path(folder, "plan.json")), seed, **options)


def file_of(suffix):
    def door(table, plan, seed, key=(), **options):
        table = to_arrow(table)
        key = [key] if isinstance(key, str) else key
        with tempfile.TemporaryDirectory() as folder:
            archive, saved, out = (Path(folder, name) for name in ("a" + suffix, "p", "o" + suffix))
            plan.save(saved)
            if suffix == ".parquet":
                pyarrow.parquet.write_table(table, archive)
            else:
                pyarrow.csv.write_csv(table, archive)
            repair_file(archive, saved, out, seed=seed, key=key, **options)
            if suffix == ".parquet":
                return pyarrow.parquet.read_table(out)
            types = pyarrow.csv.ConvertOptions(
                column_types=table.schema, strings_can_be_null=True, quoted_strings_can_be_null=True
            )
            return pyarrow.csv.read_csv(out, convert_options=types)

    return door


def numbered(door):
    """Give a door that needs keys the rows' numbers as one."""

    def with_keys(table, plan, seed, first_row=None, key=(), **options):
        table = to_arrow(table)
        if key:
            return door(table, plan, seed, key=key, **options)
        numbers = pa.array(range(first_row or 0, (first_row or 0) + len(table)))
        found = door(table.append_column("number", numbers), plan, seed, key="number", **options)
        return found.drop_columns("number")

    return with_keys


def dask(table, plan, seed, **options):
    import dask.dataframe as dd
    import pandas as pd

    frame = dd.from_pandas(table.to_pandas(types_mapper=pd.ArrowDtype), npartitions=3)
    done = fairmend.dask.repair(frame, plan, seed=seed, check_keys=False, **options)
    done = done.compute(scheduler="synchronous")
    return pa.Table.from_pandas(done, table.schema, preserve_index=False)


def spark(table, plan, seed, **options):
    """Serve a table that Spark has cut in two; what a worker raises comes in Spark's wrapping."""
    from pyspark.errors import PythonException
    from pyspark.sql import SparkSession

    df = SparkSession.active().createDataFrame(table)
    done = fairmend.spark.repair(df, plan, seed=seed, check_keys=False, **options)
    try:
        return done.toArrow().cast(table.schema)
    except PythonException as fault:
        kind, said = re.search(r"fairmend\.errors\S*\.(\w+Error): (.+)", str(fault)).groups()
        raise getattr(fairmend.errors, kind)(said) from fault


DOORS = {
    "one call": call,
    "batches": batches_of(97),
    "batches backwards": backwards,
    "a stream": stream,
    "a saved plan": saved_and_loaded,
    "a Parquet file": file_of(".parquet"),
    "a CSV file": file_of(".csv"),
    "Dask": numbered(dask),
    "Spark": numbered(spark),
}
NO_DICTIONARIES = (DOORS["a CSV file"], DOORS["Spark"])
"""Doors to kinds of tables that have none."""


@pytest.fixture(params=DOORS)
def door(request):
    if request.param == "Spark":
        request.getfixturevalue("spark")  # which skips where there is no Java
    return DOORS[request.param]


@pytest.fixture(scope="module")
def table(people):
    note = pa.array([None if i % 5 == 0 else f"note, {i}" for i in range(900)])
    return people.append_column("note", note)


@pytest.fixture(scope="module")
def plan(table):
    return fairmend.design(table.slice(0, 500), **ROLES)


@pytest.fixture(scope="module")
def reference(plan, table):
    return plan.repair(table, seed=7)


def bytes_of(table):
    """Every bit of every row, whatever the chunks."""
    return [(name, table[name].combine_chunks().to_pylist()) for name in table.column_names]


def with_column(table, name, values):
    return table.set_column(table.column_names.index(name), name, pa.array(values))


# The same rows


def test_every_door_gives_the_same_rows(door, plan, table, reference):
    found = door(table, plan, 7)
    assert found.schema.equals(reference.schema)
    assert bytes_of(found) == bytes_of(reference)


def test_a_door_repairs(door, plan, table):
    found = door(table, plan, 7)
    for name in plan.feature_names:
        changed = np.mean(found[name].to_numpy() != table[name].to_numpy())
        assert changed > 0.2
    untouched = ["id", "sex", "college", "note"]
    assert bytes_of(found.select(untouched)) == bytes_of(table.select(untouched))


def test_another_seed_gives_other_rows(door, plan, table, reference):
    found = door(table, plan, 8)
    for name in plan.feature_names:
        assert found[name].to_pylist() != reference[name].to_pylist()


@pytest.mark.parametrize("rows", [1, 2, 450])
def test_one_batch_or_a_batch_a_row_is_the_same(plan, table, reference, rows):
    assert bytes_of(batches_of(rows)(table, plan, 7)) == bytes_of(reference)


@pytest.mark.parametrize("cut", [1, 450, 899])
def test_a_source_may_be_cut_anywhere(door, plan, table, reference, cut):
    first = door(table[:cut], plan, 7, first_row=0)
    second = door(table[cut:], plan, 7, first_row=cut)
    assert bytes_of(pa.concat_tables([first, second])) == bytes_of(reference)


def test_rows_with_keys_may_come_in_any_order_and_company(door, plan, table):
    whole = door(table, plan, 7, key="id")
    shuffled = table.take(np.random.default_rng(1).permutation(900))
    parts = [door(shuffled[a:b], plan, 7, key="id") for a, b in pairwise([0, 1, 300, 900])]
    found = pa.concat_tables(parts)
    assert bytes_of(found.sort_by("id")) == bytes_of(whole.sort_by("id"))
    assert found["id"].to_pylist() == shuffled["id"].to_pylist()


def test_a_row_alone_is_repaired_as_in_company(door, plan, table, reference):
    for at in (0, 1, 450, 899):
        found = door(table[at : at + 1], plan, 7, first_row=at)
        assert bytes_of(found) == bytes_of(reference[at : at + 1])


# Nothing is lost


def test_missing_values_stay_missing(door, plan, table, reference):
    gone = np.arange(900) % 3 == 0
    gaps = with_column(table, "wage", pa.array(table["wage"].to_numpy(), mask=gone))
    gaps = with_column(gaps, "hours", pa.array(table["hours"].to_numpy(), mask=gone[::-1]))
    found = door(gaps, plan, 7)
    assert found.schema.types == table.schema.types
    for name, missing in (("wage", gone), ("hours", gone[::-1])):
        assert found[name].is_null().to_pylist() == missing.tolist()
        kept = pa.array(~missing)
        assert found[name].filter(kept).equals(reference[name].filter(kept))


def test_nan_stays_nan_and_null_stays_null(door, plan, table):
    if door is DOORS["a CSV file"]:
        pytest.skip("CSV has one missing value")
    wages = [None, float("nan"), *table["wage"].to_pylist()[2:]]
    found = door(with_column(table, "wage", wages), plan, 7)["wage"]
    assert found.is_null().to_pylist()[:3] == [True, False, False]
    assert np.isnan(found[1].as_py())


def test_no_input_is_modified(door, plan, table, people):
    before = bytes_of(table)
    door(table, plan, 7)
    assert bytes_of(table) == before
    assert bytes_of(table.select(people.column_names)) == bytes_of(people)


def test_no_frame_is_modified(plan, table, as_table):
    frame = as_table(table)
    before = bytes_of(to_arrow(frame))
    plan.repair(frame, seed=7)
    assert bytes_of(to_arrow(frame)) == before


# The same result from every type of table


def test_every_type_of_table_gives_the_same_values(plan, table, reference, as_table):
    found = plan.repair(as_table(table), seed=7)
    assert type(found) is type(as_table(table))
    for name in plan.feature_names:
        assert (
            np.asarray(found[name], dtype=float).tobytes()
            == reference[name].to_numpy().astype(float).tobytes()
        )
    keyed, wanted = (one.repair(t, seed=7, key="id") for one, t in
                     ((plan, as_table(table)), (plan, table)))  # fmt: skip
    assert np.asarray(keyed["wage"]).tolist() == wanted["wage"].to_pylist()


@pytest.mark.parametrize("level", ["college", "sex"])
def test_every_type_of_level_gives_the_same_values(door, plan, table, reference, level):
    if level == "college":
        others = [pa.int8(), pa.float64(), pa.string()]
        tables = [table.set_column(2, level, table[level].cast(dtype)) for dtype in others]
    else:
        tables = [table.set_column(1, level, table[level].combine_chunks().dictionary_encode())]
    for other in tables:
        if door in NO_DICTIONARIES and pa.types.is_dictionary(other.schema.field(level).type):
            continue
        found = door(other, plan, 7)
        for name in plan.feature_names:
            assert found[name].to_pylist() == reference[name].to_pylist()


# The laws of `fairmend.testing` that are about rows and units


class AsAdapter(Adapter):
    """A door as an author of another tool would put it under the laws."""

    def __init__(self, door):
        self.door = door

    def fit(self, research, *, protected, unprotected, features, amount):
        roles = {"protected": protected, "unprotected": unprotected, "features": features}
        self.plan = fairmend.design(research, **roles, amount=amount)

    def transform(self, archive):
        table = pa.Table.from_pandas(archive, preserve_index=False)
        return self.door(table, self.plan, 7, key="id").to_pandas()


OF_ROWS_AND_UNITS = [
    law
    for law in fairmend.testing.LAWS
    if law.name.startswith(("row", "scale", "shift", "missing", "amount_zero"))
]


@pytest.mark.parametrize("law", OF_ROWS_AND_UNITS, ids=str)
def test_every_door_keeps_the_laws(door, law):
    law.check(lambda: AsAdapter(door))


# What research did not foresee


def test_unseen_levels_stop_or_stay(door, plan, table, reference):
    sex = table["sex"].to_pylist()
    sex[100:103] = ["X"] * 3
    strangers = with_column(table, "sex", sex)
    with pytest.raises(UnseenError, match=r"rows with sex='X'"):
        door(strangers, plan, 7)
    found = door(strangers, plan, 7, unseen="keep")
    assert bytes_of(found[100:103]) == bytes_of(strangers[100:103])
    for name in plan.feature_names:
        rest = np.r_[0:100, 103:900]
        assert found[name].take(rest).equals(reference[name].take(rest))


def test_values_out_of_range_follow_the_policy(door, plan, table):
    wages = table["wage"].to_numpy().copy()
    wages[7] = 1e9
    archive = with_column(table, "wage", wages)
    assert door(archive, plan, 7)["wage"][7].as_py() < 100
    assert door(archive, plan, 7, out_of_range="keep")["wage"][7].as_py() == 1e9
    with pytest.raises(DataError, match="'wage'"):
        door(archive, plan, 7, out_of_range="raise")


@pytest.mark.parametrize("name", ["one call", "a saved plan", "a Parquet file", "a CSV file"])
def test_one_row_without_key_or_number_is_refused(name, plan, table):
    with pytest.raises(RowKeyError):
        DOORS[name](table[:1], plan, 7)


# Features that follow each other


def test_every_door_gives_the_same_rows_of_a_joint_plan(door, joint, crossed):
    reference = joint.repair(crossed, seed=7)
    assert bytes_of(door(crossed, joint, 7)) == bytes_of(reference)
    parts = [door(crossed[a:b], joint, 7, first_row=a) for a, b in pairwise([0, 1, 300, 900])]
    assert bytes_of(pa.concat_tables(parts)) == bytes_of(reference)


def test_every_door_gives_the_same_rows_of_a_plan_with_constraints(
    door, joint, constrained, crossed
):
    reference = constrained.repair(crossed, seed=7)
    cooks = reference.filter(pc.equal(reference["job"], "cook"))
    assert len(cooks) > 50
    assert pc.max(cooks["hours"]).as_py() <= 40
    assert bytes_of(door(crossed, constrained, 7)) == bytes_of(reference)
    assert bytes_of(reference) != bytes_of(joint.repair(crossed, seed=7))
