"""A repair that is watched: the same for every cut, an alarm in words, and a stop at drift."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import fairmend
from fairmend.errors import DriftError, OutputError
from fairmend.files import watch
from fairmend.files.csv import write_csv
from fairmend.files.repair import repair_file

N = 12_000


@pytest.fixture(scope="module")
def drifting(tmp_path_factory):
    """A plan, and an archive whose second half has moved by half a deviation."""
    path = tmp_path_factory.mktemp("drifting")
    people = fairmend.datasets.simulate(5_000 + N, rng=1).select(["s", "u", "x1"])
    fairmend.design(people[:5_000], protected="s", unprotected="u").save(path / "plan.json")
    calm = people[5_000:]
    late = np.arange(N) >= N // 2
    moved = calm.set_column(2, "x1", pa.array(calm["x1"].to_numpy() + 0.5 * late))
    pq.write_table(calm, path / "calm.parquet", row_group_size=900)
    pq.write_table(moved, path / "moved.parquet", row_group_size=900)
    write_csv(moved, path / "moved.csv")
    (path / "parts").mkdir()
    for at in range(6):
        part = moved[at * N // 6 : (at + 1) * N // 6]
        pq.write_table(part, path / "parts" / f"{at}.parquet", row_group_size=700)
    return path


def _repair(drifting, archive, out, **options):
    return repair_file(drifting / archive, drifting / "plan.json", out, seed=7, **options)


def _seen(path):
    return json.loads(path.read_text())


def test_what_is_seen_does_not_depend_on_cut_format_or_threads(drifting, tmp_path):
    found, said = [], []
    for archive, out, workers in (
        ("moved.parquet", "a.parquet", 1),
        ("moved.parquet", "b.parquet", 3),
        ("moved.csv", "c.csv", 2),
        ("parts", "d", 2),
    ):
        record = tmp_path / f"{out}.json"
        options = {"monitor": record, "warn": said.append, "workers": workers}
        _repair(drifting, archive, tmp_path / out, **options)
        found.append(_seen(record))
    assert all(one == found[0] for one in found)
    assert found[0]["complete"] is True
    assert found[0]["rows"] == N
    assert found[0]["false_alarm_rate"] == 0.01
    assert found[0]["alarm"]["feature"] == "x1"
    assert N // 2 < found[0]["alarm"]["row"] < N
    assert len(said) == 4
    assert "drifted from the research data: 'x1' where u=" in said[0]
    assert "standard deviations" in said[0]


def test_watching_changes_no_result(drifting, tmp_path):
    _repair(drifting, "moved.parquet", tmp_path / "a.parquet")
    _repair(drifting, "moved.parquet", tmp_path / "b.parquet", monitor=tmp_path / "m.json")
    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "b.parquet").read_bytes()


def test_a_calm_archive_is_repaired_to_its_end(drifting, tmp_path):
    record, out = tmp_path / "m.json", tmp_path / "a.parquet"
    _repair(drifting, "calm.parquet", out, monitor=record, stop_on_drift=True)
    assert _seen(record)["alarm"] is None
    assert pq.read_metadata(out).num_rows == N


def test_a_stop_leaves_the_record_and_nothing_half_written(drifting, tmp_path):
    record = tmp_path / "m.json"
    with pytest.raises(DriftError, match=r"'x1' where u=.*rows .*stop-on-drift"):
        _repair(
            drifting, "moved.parquet", tmp_path / "a.parquet", monitor=record, stop_on_drift=True
        )
    assert [path.name for path in tmp_path.iterdir()] == ["m.json"]
    assert _seen(record)["complete"] is False
    assert _seen(record)["alarm"] is not None


def test_drift_that_only_the_last_look_sees_stops_the_run_too(drifting, tmp_path):
    short = pq.read_table(drifting / "moved.parquet")[N // 2 : N // 2 + 3_000]
    pq.write_table(short, tmp_path / "short.parquet")
    (tmp_path / "many").mkdir()
    for at in range(2):
        pq.write_table(short[at * 1_500 : (at + 1) * 1_500], tmp_path / "many" / f"{at}.parquet")
    for archive, out in (("short.parquet", "a.parquet"), ("many", "out")):
        with pytest.raises(DriftError):
            _repair(drifting, tmp_path / archive, tmp_path / out, stop_on_drift=True)
    assert not (tmp_path / "a.parquet").exists()
    assert [path.name for path in (tmp_path / "out").glob("*.parquet")] == ["0.parquet"]


def test_complete_files_stay_and_the_run_can_go_on(drifting, tmp_path):
    out, record = tmp_path / "out", tmp_path / "m.json"
    with pytest.raises(DriftError, match=r"4\.parquet; 4 of 6 files are complete"):
        _repair(drifting, "parts", out, stop_on_drift=True, monitor=record)
    complete = {path.name: path.read_bytes() for path in out.glob("*.parquet")}
    assert sorted(complete) == [f"{at}.parquet" for at in range(4)]
    assert not list(out.glob(".*.part"))
    _repair(drifting, "parts", out, resume=True, monitor=record)
    assert _seen(record)["rows"] == N // 3  # those that were left
    whole = pq.read_table(out)
    _repair(drifting, "moved.parquet", tmp_path / "whole.parquet")
    assert whole.equals(pq.read_table(tmp_path / "whole.parquet"))
    assert all((out / name).read_bytes() == content for name, content in complete.items())


def test_the_record_is_written_while_the_run_goes_on(drifting, tmp_path, monkeypatch):
    written = []
    monkeypatch.setattr(watch, "SECONDS", 0.0)
    monkeypatch.setattr(watch, "write_record", _noting(watch.write_record, written))
    _repair(drifting, "calm.parquet", tmp_path / "a.parquet", monitor=tmp_path / "m.json")
    rows = [one["rows"] for one in written]
    assert len(rows) > 3
    assert rows == sorted(rows)
    assert [one["complete"] for one in written] == [False] * (len(rows) - 1) + [True]


def _noting(write, written):
    def noted(content, path):
        written.append(content)
        write(content, path)

    return noted


def test_an_existing_record_is_not_replaced(drifting, tmp_path):
    record = tmp_path / "m.json"
    record.write_text("mine")
    with pytest.raises(OutputError, match="exists already"):
        _repair(drifting, "calm.parquet", tmp_path / "a.parquet", monitor=record)
    assert record.read_text() == "mine"
    with pytest.raises(OutputError, match="Two outputs"):
        _repair(
            drifting, "calm.parquet", tmp_path / "a.parquet", monitor=record.parent / "a.parquet"
        )


@pytest.mark.parametrize("workers", [1, 3])
def test_a_stream_is_watched_as_its_results_are_taken(drifting, tmp_path, workers):
    plan = fairmend.Plan.load(drifting / "plan.json")
    table = pq.read_table(drifting / "moved.parquet")
    _repair(drifting, "moved.parquet", tmp_path / "a.parquet", monitor=tmp_path / "m.json")
    wanted = _seen(tmp_path / "m.json")
    del wanted["complete"]
    for stream in (iter(table[at : at + 777] for at in range(0, N, 777)), table.to_reader(500)):
        monitor = fairmend.Monitor(plan)
        results = plan.repair_stream(
            stream, seed=7, first_row=500, workers=workers, monitor=monitor
        )
        rows = 0
        for part in results:
            rows += len(part)
            assert monitor.rows >= rows
        found = monitor.to_dict()
        assert json.loads(json.dumps(found)) == wanted


def test_one_monitor_watches_stream_after_stream(drifting):
    plan = fairmend.Plan.load(drifting / "plan.json")
    table = pq.read_table(drifting / "calm.parquet")
    monitor = fairmend.Monitor(plan)
    for half in (table[: N // 2], table[N // 2 :]):
        for _ in plan.repair_stream(iter([half]), monitor=monitor):
            pass
    assert monitor.to_dict()["rows"] == N
    assert monitor.alarm is None
    assert monitor.to_dict()["rows_looked_at"] == N


def test_rows_that_no_plan_knows_are_watched_past(drifting, tmp_path):
    table = pq.read_table(drifting / "calm.parquet")
    strange = pc.if_else(pa.array(np.arange(N) % 7 == 0), 9, table["s"])
    pq.write_table(table.set_column(0, "s", strange), tmp_path / "odd.parquet")
    record = tmp_path / "m.json"
    _repair(drifting, tmp_path / "odd.parquet", tmp_path / "a.pq", monitor=record, unseen="keep")
    assert _seen(record)["alarm"] is None
    assert _seen(record)["mix"]["unseen"] == pytest.approx(1 / 7, abs=0.01)
