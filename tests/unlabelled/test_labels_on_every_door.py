"""Groups are estimated alike behind every door: the bytes of one call, and what is recorded counts.

Files have tests of their own (tests/files/test_labels_file.py), Spark too (tests/spark).
"""

import numpy as np
import pyarrow as pa
import pytest

import fairmend

DRAWS = ("sample", "map", "expected")


@pytest.fixture(scope="module")
def archives(told):
    """Return the archive without groups and with gaps in them, each with keys."""
    archive = told[1].slice(0, 400).append_column("id", pa.array(np.arange(400) * 7 + 11))
    gap = np.random.default_rng(3).random(400) < 0.46
    part = archive.set_column(0, "s", pa.array(archive["s"].to_numpy(), mask=gap))
    return {"hidden": archive.drop(["s"]), "part": part}


def dask(table, plan, **options):
    import dask.dataframe as dd
    import pandas as pd

    frame = dd.from_pandas(table.to_pandas(types_mapper=pd.ArrowDtype), npartitions=3)
    done = fairmend.dask.repair(frame, plan, check_keys=False, **options)
    done = done.compute(scheduler="synchronous")
    return pa.Table.from_pandas(done, preserve_index=False)


def client_of(plan, seed, **options):
    from starlette.testclient import TestClient

    from fairmend.serve import create_app

    return TestClient(create_app(plan, seed, **options))


def served(table, plan, *, seed, key, **options):
    client = client_of(plan, seed, key=key, **options)
    records = table.to_pylist()
    for one in records[::2]:  # a member that is not known may be left out, too
        if one.get("s", 0) is None:
            del one["s"]
    answer = client.post("/repair", json=records)
    assert answer.status_code == 200, answer.text
    return pa.Table.from_pylist(answer.json(), table.schema)


def served_as_arrow(table, plan, *, seed, key, **options):
    from fairmend.serve import streams

    client, kind = client_of(plan, seed, key=key, **options), streams.STREAM
    body = streams.write(table)
    answer = client.post("/repair", content=body, headers={"content-type": kind})
    assert answer.status_code == 200, answer.text
    return pa.ipc.open_stream(answer.content).read_all()


def streamed(table, plan, **options):
    reader = table.to_reader(max_chunksize=61)
    return plan.repair_stream(reader, workers=2, **options).read_all()


DOORS = {
    "Dask": dask,
    "the server": served,
    "Arrow over HTTP": served_as_arrow,
    "a stream": streamed,
}


@pytest.fixture(params=DOORS)
def door(request):
    pytest.importorskip("dask" if request.param == "Dask" else "fastapi")
    return DOORS[request.param]


@pytest.mark.parametrize("draw", DRAWS)
@pytest.mark.parametrize("which", ["hidden", "part"])
@pytest.mark.parametrize("method", ["bayes", "mixture"])
def test_every_door_gives_the_bytes_of_one_call(door, told, archives, method, which, draw):
    _, _, plan, models = told
    table, options = archives[which], {"seed": 3, "key": "id", "labels": models[method]}
    wanted = plan.repair(table, draw=draw, **options)
    found = door(table, plan, draw=draw, **options)
    assert found.column_names == wanted.column_names
    for name in wanted.column_names:
        assert found[name].to_pylist() == wanted[name].to_pylist(), name


@pytest.fixture(scope="module")
def blind(told):
    return told[2].blind(0.4)


@pytest.mark.parametrize("which", ["hidden", "part"])
def test_a_blind_plan_needs_no_group_behind_any_door(door, blind, archives, which):
    table = archives[which]
    wanted = blind.repair(table, seed=3, key="id")
    found = door(table, blind, seed=3, key="id")
    for name in wanted.column_names:
        assert found[name].to_pylist() == wanted[name].to_pylist(), name


@pytest.mark.parametrize("draw", DRAWS)
def test_a_pipeline_repairs_without_groups_at_prediction_time(told, archives, draw):
    research, _, _, models = told
    options = {"unprotected": "u", "features": ["x1", "x2", "hours"], "key": "id", "draw": draw}
    research = research.append_column("id", pa.array(np.arange(len(research))))
    repair = fairmend.DistributionalRepair(**options, seed=3, labels=models["bayes"])
    repair.fit(research.drop(["s"]), sensitive_features=research.select(["s"]))
    found = repair.transform(archives["hidden"])
    told_by = {"seed": 3, "key": "id", "labels": models["bayes"], "draw": draw}
    assert found.equals(repair.plan_.repair(archives["hidden"], **told_by))
    gaps = archives["part"]
    found = repair.transform(gaps.drop(["s"]), sensitive_features=gaps["s"])
    assert found.equals(repair.plan_.repair(gaps, **told_by).drop(["s"]))
    in_x = fairmend.DistributionalRepair("s", **options, seed=3, labels=models["bayes"])
    again = in_x.fit(research).transform(archives["part"])
    assert again.equals(found)
    with pytest.raises(fairmend.FairmendError, match="missing here"):
        repair.set_params(labels=None).transform(archives["hidden"])
