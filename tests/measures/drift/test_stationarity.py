"""Stationarity: drift of every kind of column is found, and chance is not taken for drift."""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from drift_archives import of_every_kind, rows_of

import fairmend
from fairmend.measures.drift.stationarity import stationarity

ACS = Path(__file__).parents[4] / "shared" / "data" / "acs_income_2024_ny_fl.parquet"


def _detected(found):
    return {one.law.feature for one in found.cells if one.detected}


def test_half_a_deviation_is_found_in_columns_of_every_kind(designed):
    plan = designed(3_000, 1)
    found = stationarity(plan, *rows_of(plan, of_every_kind(30_000, 2, shift=0.5)))
    assert _detected(found) == {"real", "flat", "hours", "gain", "heavy", "place"}
    assert found.verdict == "above tolerance"


@pytest.mark.parametrize(("n", "rows"), [(120, 40_000), (3_000, 3_000), (30_000, 300_000)])
def test_an_archive_of_the_same_people_is_not_drift(designed, n, rows):
    # The last has so many rows that the kernel's widening alone would be seen, were it not undone.
    plan = designed(n, 1)
    found = stationarity(plan, *rows_of(plan, of_every_kind(rows, 2)))
    assert not found.detected
    assert found.verdict == ("within tolerance" if n == 30_000 else "insufficient evidence")


def test_only_what_drifted_is_named(designed):
    plan = designed(3_000, 1)
    archive = of_every_kind(30_000, 2)
    here = pc.and_(pc.equal(archive["s"], 1), pc.equal(archive["u"], 0))
    moved = pc.if_else(here, pc.add(archive["hours"], 5), archive["hours"])
    found = stationarity(plan, *rows_of(plan, archive.set_column(4, "hours", moved)))
    at = [(one.law.feature, one.law.stratum, one.law.group) for one in found.cells if one.detected]
    assert at == [("hours", 0, 1)]
    assert "'hours' where u=0 and s=1: the archive lies higher" in found.words()


def test_the_distance_of_discrete_columns_is_exact(designed):
    plan = designed(3_000, 1)
    archive = of_every_kind(8_000, 2, shift=0.2)
    found = stationarity(plan, *rows_of(plan, archive))
    hours, s, u = (archive[name].to_numpy() for name in ("hours", "s", "u"))
    for one in found.cells:
        if one.law.feature == "hours":
            cell = plan.features[2].cells[one.law.stratum]
            here = hours[(s == one.law.group) & (u == one.law.stratum)]
            here = here[np.isin(here, cell.support)]
            if here.size < one.gap.rows:  # values between two points count for both
                continue
            upto = np.searchsorted(np.sort(here), cell.support, side="right") / here.size
            law = np.cumsum(cell.marginals[one.law.group])
            assert one.gap.distance == pytest.approx(np.abs(upto - law).max(), abs=1e-12)


@pytest.mark.parametrize("scale", [1e-3, 7.0, 1e5])
def test_units_do_not_matter(scale):
    table = fairmend.datasets.simulate(6_000, rng=3)
    other = table.set_column(2, "x1", pc.add(pc.multiply(table["x1"], scale), 3 * scale))
    distances = []
    for one in (table, other):
        plan = fairmend.design(one.slice(0, 1_000), protected="s", unprotected="u")
        found = stationarity(plan, *rows_of(plan, one.slice(1_000)))
        distances.append([cell.gap.distance for cell in found.cells])
    assert distances[0] == pytest.approx(distances[1], abs=1e-3)


def test_no_difference_is_said_plainly_with_what_it_is_worth(designed):
    for n, worth in (
        (30_000, "nor by more than the tolerance"),
        (3_000, "too few rows leave open"),
    ):
        plan = designed(n, 1)
        found = stationarity(plan, *rows_of(plan, of_every_kind(10 * n, 2)))
        assert found.words().startswith("The archive looks like the research data: in 24 compar")
        assert worth in found.words()


def test_fewer_than_five_rows_are_never_told_of(designed):
    plan = designed(3_000, 1)
    values, cells = rows_of(plan, of_every_kind(4_000, 2))
    few = np.flatnonzero(cells == cells[0])[:4]
    rows = np.concatenate([np.flatnonzero(cells != cells[0]), few])
    values = {name: x[rows].copy() for name, x in values.items()}
    for x in values.values():
        x[-4:] = np.nanmax(x)
    found = stationarity(plan, values, cells[rows])
    assert not found.detected
    assert "looks like" in found.words()


def test_periods_are_judged_one_by_one(designed):
    plan = designed(3_000, 1)
    archive = pa.concat_tables(
        [of_every_kind(9_000, 2), of_every_kind(9_000, 3, shift=0.5), of_every_kind(9_000, 4)],
    ).unify_dictionaries()
    months = np.repeat([0, 1, 2], 9_000)
    found = stationarity(plan, *rows_of(plan, archive), periods=months, names=["1", "2", "3"])
    drifted = {p.name: {c.law.feature for c in p.cells if c.detected} for p in found.periods}
    assert not drifted["1"]
    assert not drifted["3"]
    assert drifted["2"] >= {"real", "hours", "gain", "heavy"}
    assert ", in 2: the archive lies higher" in found.words()
    assert [period.rows for period in found.periods] == [9_000] * 3


def test_marginals_that_lean_on_others_are_never_called_drift():
    table = fairmend.datasets.simulate(8_000, rng=3)
    research = table.slice(0, 200)
    plan = fairmend.design(
        research, protected="s", unprotected="u", min_group_size=30, small_groups="shrink"
    )
    moved = table.set_column(2, "x1", pc.add(table["x1"], 3.0))
    found = stationarity(plan, *rows_of(plan, moved))
    leaning = [one for one in found.cells if one.law.borrowed]
    assert leaning
    assert not any(one.detected for one in leaning)
    assert {one.verdict for one in leaning} == {"insufficient evidence"}
    assert found.detected


def test_missing_that_becomes_commoner_is_drift_where_it_is_a_state():
    def table(n, share, seed):
        rng = np.random.default_rng(seed)
        x = np.where(rng.random(n) < share, np.nan, rng.normal(size=n))
        return pa.table({"s": rng.integers(0, 2, n), "x": pa.array(x, from_pandas=True)})

    for missing, seen in (("state", True), ("keep", False)):
        plan = fairmend.design(table(4_000, 0.1, 1), protected="s", missing=missing)
        assert not stationarity(plan, *rows_of(plan, table(20_000, 0.1, 2))).detected
        found = stationarity(plan, *rows_of(plan, table(20_000, 0.3, 3)))
        assert found.detected == seen
        assert found.cells[0].unusual["missing"] == pytest.approx(0.3, abs=0.02)


def test_categories_that_research_did_not_show_are_drift(designed):
    plan = designed(3_000, 1)
    archive = of_every_kind(20_000, 2)
    new = np.where(np.arange(20_000) % 5 == 0, "new", archive["place"].to_numpy(False))
    found = stationarity(plan, *rows_of(plan, archive.set_column(7, "place", pa.array(new))))
    assert _detected(found) == {"place"}
    assert found.cells[-1].unusual["unseen"] == pytest.approx(0.2, abs=0.02)


def test_the_mix_is_told_and_not_alarmed_about(designed):
    plan = designed(3_000, 1)
    archive = of_every_kind(40_000, 2)
    kept = archive.filter(pc.or_(pc.equal(archive["s"], 1), pc.less(archive["real"], 99)))
    fewer = kept.filter(pa.array((kept["s"].to_numpy() == 1) | (np.arange(len(kept)) % 4 == 0)))
    found = stationarity(plan, *rows_of(plan, fewer))
    assert not found.detected
    assert found.mix.distance == pytest.approx(0.3, abs=0.03)
    assert found.mix.probability < 1e-6
    same = stationarity(plan, *rows_of(plan, archive)).mix
    assert same.probability > 0.05


def test_research_rows_that_would_decide_do_so():
    table = fairmend.datasets.simulate(100_000, rng=5)
    archive = table.slice(50_000)
    archive = archive.set_column(2, "x1", pc.add(archive["x1"], 0.5))
    found = []
    for n in (300, 2_000):
        plan = fairmend.design(table.slice(0, n), protected="s", unprotected="u")
        found.append(stationarity(plan, *rows_of(plan, archive)).cells[3])
    few, many = found
    assert few.verdict == "insufficient evidence"
    assert few.law.chance.rows < few.rows_to_decide < many.law.chance.rows
    assert many.verdict == "above tolerance"
    assert many.rows_to_decide is None


def test_the_dict_is_json_and_shows_no_value(designed):
    plan = designed(3_000, 1)
    found = stationarity(plan, *rows_of(plan, of_every_kind(3_000, 2, shift=0.5))).to_dict()
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert {one["verdict"] for one in found["cells"]} <= {
        "within tolerance",
        "above tolerance",
        "insufficient evidence",
    }


def test_an_empty_archive_shows_nothing(designed):
    plan = designed(600, 1)
    found = stationarity(plan, *rows_of(plan, of_every_kind(600, 2).slice(0, 0)))
    assert not found.detected
    assert found.verdict == "insufficient evidence"
    json.dumps(found.to_dict(), allow_nan=False)


@pytest.mark.skipif(not ACS.exists(), reason="needs the ACS extract beside the project")
@pytest.mark.parametrize("n", [2_000, 10_000])
def test_florida_is_not_new_york(n, rng):
    table = pq.read_table(ACS, columns=["STATE", "SEX", "SCHL", "AGEP", "WKHP", "PINCP", "JWMNP"])
    table = table.append_column("college", pc.greater_equal(table["SCHL"], 21))
    york, florida = (table.filter(pc.equal(table["STATE"], code)) for code in ("36", "12"))
    york = york.take(pa.array(rng.permutation(len(york))))
    plan = fairmend.design(
        york.slice(0, n),
        protected="SEX",
        unprotected="college",
        features=["AGEP", "WKHP", "PINCP", "JWMNP"],
    )
    assert not stationarity(plan, *rows_of(plan, york.slice(n))).detected
    assert {"AGEP", "WKHP"} <= _detected(stationarity(plan, *rows_of(plan, florida)))
