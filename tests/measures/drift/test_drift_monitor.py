"""The monitor: late drift is found, and undisturbed streams are left in peace."""

import json
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from drift_archives import of_every_kind, rows_of

import fairmend
from fairmend.errors import OptionError
from fairmend.measures.drift.monitor import Monitor

ACS = Path(__file__).parents[4] / "shared" / "data" / "acs_income_2024_ny_fl.parquet"


def _watched(plan, values, cells, batch=None, **options):
    monitor = Monitor(plan, **options)
    for start in range(0, cells.size, batch or cells.size):
        part = slice(start, start + (batch or cells.size))
        monitor.update({name: x[part] for name, x in values.items()}, cells[part])
    monitor.finish()
    return monitor


def test_batches_do_not_matter(designed):
    plan = designed(3_000, 1)
    values, cells = rows_of(plan, of_every_kind(150_000, 2, shift=0.15))
    whole = _watched(plan, values, cells).to_dict()
    assert whole["alarm"] is not None
    for batch in (999, 65_536):
        assert _watched(plan, values, cells, batch).to_dict() == whole


def test_it_looks_at_ever_fewer_rows(designed):
    plan = designed(600, 1)
    values, cells = rows_of(plan, of_every_kind(2**18, 2))
    monitor = _watched(plan, values, cells, 50_000)
    seen = monitor.to_dict()
    assert (seen["rows"], seen["rows_looked_at"]) == (2**18, 2**15 * 5 // 2)
    assert seen["looks"] == 13


def test_half_a_deviation_is_found_at_the_first_look(designed):
    plan = designed(3_000, 1)
    monitor = _watched(plan, *rows_of(plan, of_every_kind(5_000, 2, shift=0.5)))
    assert monitor.alarm.row == 4_096
    assert monitor.alarm.probability <= monitor.alarm.allowed < 0.01


def test_drift_that_begins_late_is_found_soon(designed):
    plan = designed(3_000, 1)
    calm, moved = of_every_kind(100_000, 2), of_every_kind(60_000, 3, shift=0.5)
    stream = pa.concat_tables([calm, moved]).unify_dictionaries()
    monitor = _watched(plan, *rows_of(plan, stream), 10_000)
    assert 100_000 < monitor.alarm.row <= 150_000
    assert monitor.alarm.since > 80_000
    sentence = monitor.alarm.words(plan)
    assert repr(monitor.alarm.law.feature) in sentence
    assert "the archive" in sentence


def test_a_stream_too_short_for_a_look_is_looked_at_in_the_end(designed):
    plan = designed(3_000, 1)
    monitor = _watched(plan, *rows_of(plan, of_every_kind(3_000, 2, shift=1.0)))
    assert monitor.alarm.row == 3_000


def test_monitors_of_two_files_add_up(designed):
    plan = designed(3_000, 1)
    calm = _watched(plan, *rows_of(plan, of_every_kind(5_000, 2)))
    moved = _watched(plan, *rows_of(plan, of_every_kind(5_000, 3, shift=0.5)))
    calm.merge(moved)
    found = calm.to_dict()
    assert (found["rows"], found["rows_looked_at"]) == (10_000, 10_000)
    assert found["alarm"] is not None
    assert found["false_alarm_rate"] == pytest.approx(0.02)
    json.dumps(found, allow_nan=False)


@pytest.mark.parametrize("rate", [0.0, 1.0, -1, float("nan")])
def test_a_rate_that_is_none_is_refused(designed, rate):
    with pytest.raises(OptionError, match="Pass a number between 0 and 1"):
        Monitor(designed(600, 1), false_alarms=rate)


def _alarms(drawn, streams, research, rows, **roles):
    alarms = 0
    for seed in range(streams):
        # The same population and fresh research each time: its chance counts, too.
        plan = fairmend.design(drawn(research, seed), protected="s", unprotected="u", **roles)
        values, cells = rows_of(plan, drawn(rows, 10_000 + seed))
        alarms += _watched(plan, values, cells, 20_000, false_alarms=RATE).alarm is not None
    return alarms


RATE = 0.05


def test_undisturbed_streams_hardly_ever_alarm():
    # A monitor that took research for exact alarms in most of these.
    assert _alarms(fairmend.datasets.simulate, 20, 300, 20_000, features="x1") <= 20 * RATE


@pytest.mark.slow
@pytest.mark.parametrize("drawn", [fairmend.datasets.simulate, of_every_kind])
@pytest.mark.parametrize(("research", "rows"), [(500, 100_000), (4_000, 200_000)])
def test_200_undisturbed_streams_alarm_no_more_often_than_stated(drawn, research, rows):
    assert _alarms(drawn, 200, research, rows) <= 200 * RATE


@pytest.mark.slow
def test_watching_costs_less_than_a_tenth(designed):
    plan = designed(3_000, 1)
    archive = of_every_kind(3_000_000, 2)
    repair, watch = [], []
    for _ in range(3):
        start = time.perf_counter()
        plan.repair(archive, seed=1)
        repair.append(time.perf_counter() - start)
        values, cells = rows_of(plan, archive)  # a repair has these anyway
        start = time.perf_counter()
        _watched(plan, values, cells, 65_536)
        watch.append(time.perf_counter() - start)
    assert min(watch) < 0.1 * min(repair)


@pytest.mark.skipif(not ACS.exists(), reason="needs the ACS extract beside the project")
def test_a_stream_of_florida_sets_off_the_alarm_of_new_york(rng):
    table = pq.read_table(ACS, columns=["STATE", "SEX", "SCHL", "AGEP", "WKHP", "PINCP", "JWMNP"])
    table = table.append_column("college", pc.greater_equal(table["SCHL"], 21))
    york, florida = (table.filter(pc.equal(table["STATE"], code)) for code in ("36", "12"))
    york, florida = (t.take(pa.array(rng.permutation(len(t)))) for t in (york, florida))
    plan = fairmend.design(
        york.slice(0, 10_000),
        protected="SEX",
        unprotected="college",
        features=["AGEP", "WKHP", "PINCP", "JWMNP"],
    )
    assert _watched(plan, *rows_of(plan, york.slice(10_000)), 20_000).alarm is None
    assert _watched(plan, *rows_of(plan, florida), 20_000).alarm.row <= 10_000
    # And when Florida comes behind New York.
    both = pa.concat_tables([york.slice(10_000, 50_000), florida])
    assert _watched(plan, *rows_of(plan, both), 20_000).alarm.row < 120_000
