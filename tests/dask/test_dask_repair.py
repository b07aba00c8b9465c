"""Dask repairs to the bytes of one process, computes nothing early, and judges keys as a whole."""

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

import dask
import fairmend
from fairmend.errors import ColumnError, RowKeyError, UnseenError


@pytest.fixture(scope="module")
def table(people):
    frame = people.to_pandas()
    frame["note"] = pd.Categorical(np.where(frame["id"] % 3, "a", "b"))
    frame.index = pd.RangeIndex(50, 950, name="row")
    return frame


@pytest.fixture(scope="module")
def plan(people):
    return fairmend.design(
        people.slice(0, 500), protected="sex", unprotected="college", features=["hours", "wage"]
    )


@pytest.mark.parametrize("n", [1, 7])
def test_the_rows_are_those_of_one_call(table, plan, n):
    summary = {}
    ddf = dd.from_pandas(table, npartitions=n)
    found = fairmend.dask.repair(ddf, plan, key="id", seed=7, summary=summary)
    assert found.npartitions == n
    assert found.divisions == ddf.divisions
    wanted = plan.repair(ddf.compute(), key="id", seed=7)  # Dask has a type of text of its own
    pd.testing.assert_frame_equal(found.compute(), wanted)
    assert (found.dtypes == wanted.dtypes).all()
    assert summary == {"seed": 7}


@pytest.mark.parametrize("n", [1, 7])
def test_a_joint_plan_with_constraints_gives_the_rows_of_one_call(crossed, constrained, n):
    ddf = dd.from_pandas(crossed.to_pandas(), npartitions=n)
    found = fairmend.dask.repair(ddf, constrained, key="id", seed=7).compute()
    table = ddf.compute()
    pd.testing.assert_frame_equal(found, constrained.repair(table, key="id", seed=7))
    assert not found["wage"].equals(table["wage"])


def test_one_sketch_after_the_other_is_merged(table, plan):
    ddf = dd.from_pandas(table, npartitions=40)
    found = fairmend.dask.repair(ddf, plan, key="id", seed=7)
    wanted = plan.repair(ddf.compute(), key="id", seed=7)
    pd.testing.assert_frame_equal(found.compute(), wanted)


def test_nothing_is_computed_early(table, plan):
    read = []

    def part(at):
        read.append(at)
        return table.iloc[at : at + 300]

    ddf = dd.from_map(part, [0, 300, 600], meta=table.iloc[:0])
    found = fairmend.dask.repair(ddf, plan, key="id", drop_protected=True)
    assert list(found.columns) == [name for name in table.columns if name != "sex"]
    assert read == []
    found.compute()
    assert sorted(set(read)) == [0, 300, 600]


def test_keys_are_judged_over_all_partitions(table, plan):
    # Each partition by itself has keys that tell its rows apart.
    part = np.arange(900) // 45
    shared = table.assign(within=np.arange(900) - 45 * part)
    ddf = dd.from_pandas(shared, npartitions=20)
    found = fairmend.dask.repair(ddf, plan, key="within")
    with pytest.raises(RowKeyError, match="45 distinct values in 900 rows"):
        found.compute()
    assert len(fairmend.dask.repair(ddf, plan, key="within", check_keys=False).compute()) == 900


def test_refusals_come_at_once(table, plan):
    ddf = dd.from_pandas(table, npartitions=2)
    with pytest.raises(RowKeyError, match="key= is missing"):
        fairmend.dask.repair(ddf, plan, key=None)
    with pytest.raises(RowKeyError, match="whole group"):
        fairmend.dask.repair(ddf, plan, key="sex")
    with pytest.raises(ColumnError, match="named by key="):
        fairmend.dask.repair(ddf, plan, key="number")


def test_errors_of_rows_come_with_their_own_type(table, plan):
    strangers = dd.from_pandas(table.assign(sex="X"), npartitions=2)
    with pytest.raises(UnseenError, match="rows with sex='X'"):
        fairmend.dask.repair(strangers, plan, key="id").compute()


def test_the_seed_is_not_in_what_dask_shows(table, plan):
    seed = 1234567890123456789
    found = fairmend.dask.repair(dd.from_pandas(table, npartitions=2), plan, key="id", seed=seed)
    assert str(seed) not in repr(found)
    assert str(seed) not in str(list(found.dask))
    assert dask.__version__
