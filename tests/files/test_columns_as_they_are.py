"""Categories, dates and truth values through files of both formats."""

import re

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import fairmend
from fairmend.auditing.on_disk import audit_files
from fairmend.errors import InputError
from fairmend.files.csv import read_csv, write_csv
from fairmend.files.design import design_file
from fairmend.files.repair import repair_file
from fairmend.plan.plan import Plan

JOBS = ["clerk", "chef, sous", 'the "boss"', "nurse"]


def people(n, seed):
    rng = np.random.default_rng(seed)
    s = rng.integers(0, 2, n)
    job = np.minimum(rng.geometric(0.3 + 0.3 * s), 4) - 1
    day = np.datetime64("2015-01-01") + rng.integers(0, 40 + 20 * s, n).astype("m8[D]") * 30
    gone = rng.random(n) < np.where(s, 0.3, 0.1)
    return pa.table(
        {
            "s": s,
            "job": pa.array(np.array(JOBS)[job], mask=gone),
            "grade": pa.array(np.array(["low", "mid", "top"])[np.minimum(job, 2)]).cast(
                pa.dictionary(pa.int8(), pa.string(), ordered=True)
            ),
            "member": rng.random(n) < 0.3 + 0.4 * s,
            "hired": day.astype("M8[D]"),
            "seen": pa.array(
                np.datetime64("2024-01-01T00:00:00")
                + (rng.normal(0, 1, n) * 86_400 * 9 + 86_400 * 5 * s).astype("m8[s]"),
                pa.timestamp("s"),
            ),
            "open": pa.array(rng.integers(6 + s, 12 + s, n) * 3_600, pa.int32()).cast(
                pa.time32("s")
            ),
        }
    )


FEATURES = ["job", "grade", "member", "hired", "seen", "open"]


@pytest.fixture
def folder(tmp_path):
    for name, n, seed in (("research", 1_500, 1), ("archive", 2_000, 2)):
        table = people(n, seed)
        pq.write_table(table, tmp_path / f"{name}.parquet")
        write_csv(table, tmp_path / f"{name}.csv")
    design_file(tmp_path / "research.parquet", tmp_path / "plan.json", protected=["s"])
    return tmp_path


def test_the_plan_knows_what_each_column_holds(folder):
    plan = Plan.load(folder / "plan.json")
    assert {name: codec.type for name, codec in plan.codecs.items()} == {
        "job": "category",
        "grade": "category",
        "member": "category",
        "hired": "datetime",
        "seen": "datetime",
        "open": "duration",
    }


def test_parquet_keeps_every_type(folder):
    out = folder / "out.parquet"
    repair_file(folder / "archive.parquet", folder / "plan.json", out, seed=7)
    before, after = pq.read_table(folder / "archive.parquet"), pq.read_table(out)
    assert after.schema.equals(before.schema)
    assert after.schema.field("grade").type.ordered
    for name in FEATURES:
        assert not after[name].equals(before[name]), name
        assert after[name].null_count == before[name].null_count
    for name in ("job", "grade", "member"):
        assert set(after[name].to_pylist()) == set(before[name].to_pylist())
    assert after.equals(Plan.load(folder / "plan.json").repair(before, seed=7))


def test_both_formats_give_the_same_values(folder):
    for suffix in ("csv", "parquet"):
        archive, out = folder / f"archive.{suffix}", folder / f"out.{suffix}"
        repair_file(archive, folder / "plan.json", out, seed=7)
    # Parquet itself has no whole seconds and makes milliseconds of them.
    expected = pq.read_table(folder / "out.parquet").cast(people(2, 0).schema, safe=False)
    write_csv(expected, folder / "expected.csv")
    assert (folder / "out.csv").read_text() == (folder / "expected.csv").read_text()
    first = (folder / "out.csv").read_text().splitlines()[1].split(",")
    assert first[1] != f'"{first[1]}"'


def test_iso_times_in_csv_keep_their_form(folder):
    text = (folder / "archive.csv").read_text()
    (folder / "t.csv").write_text(re.sub(r"(\d) (\d\d:)", r"\1T\2", text))
    repair_file(folder / "t.csv", folder / "plan.json", folder / "out.csv", seed=7)
    out = read_csv(folder / "out.csv")
    for name, form in (
        ("hired", r"^\d{4}-\d\d-\d\d$"),
        ("seen", r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$"),
        ("open", r"^\d\d:\d\d:\d\d$"),
    ):
        assert pc.all(pc.match_substring_regex(out[name], form)).as_py(), name
    assert out["hired"].to_pylist() != read_csv(folder / "t.csv")["hired"].to_pylist()


def test_csv_to_parquet_has_the_types_that_its_text_allows(folder):
    repair_file(folder / "archive.csv", folder / "plan.json", folder / "out.parquet", seed=7)
    schema = pq.read_schema(folder / "out.parquet")
    found = [schema.field(name).type for name in ("job", "member", "hired", "seen")]
    assert found == [pa.string(), pa.string(), pa.date32(), pa.timestamp("us")]


def test_a_csv_with_another_form_of_date_is_refused(folder):
    text = (folder / "archive.csv").read_text().replace("2015-", "15/")
    (folder / "odd.csv").write_text(text)
    with pytest.raises(InputError, match=r"archive has fields in 'hired' that are no datetimes"):
        repair_file(folder / "odd.csv", folder / "plan.json", folder / "out.csv")


def test_a_plan_from_csv_repairs_parquet(folder):
    plan, _ = design_file(folder / "research.csv", folder / "p.json", protected=["s"])
    types = [codec.type for codec in plan.codecs.values()]
    assert types == ["category"] * 3 + ["datetime"] * 2 + ["category"]
    plan, _ = design_file(
        folder / "research.csv", folder / "q.json", protected=["s"], exclude=["open"]
    )
    repair_file(folder / "archive.parquet", folder / "q.json", folder / "out.parquet", seed=7)
    before, after = (pq.read_table(folder / f"{name}.parquet") for name in ("archive", "out"))
    assert after.schema.equals(before.schema)
    assert after["member"] != before["member"]


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_missing_as_a_state_empties_and_fills_fields(folder, suffix):
    roles = {"protected": ["s"], "features": ["job"], "missing": "state"}
    design_file(folder / "research.parquet", folder / "state.json", **roles)
    archive, out = folder / f"archive.{suffix}", folder / f"out.{suffix}"
    repair_file(archive, folder / "state.json", out, seed=7)
    found = audit_files(archive, out, folder / "state.json", leak=False).content["missing"][0]
    assert found["before"] > 0.15
    assert found["after"] < 0.06
    before, after = (
        read_csv(path) if suffix == "csv" else pq.read_table(path) for path in (archive, out)
    )
    gone = [pc.is_in(t["job"], pa.array(["", None])).to_numpy() for t in (before, after)]
    assert (gone[0] & ~gone[1]).any()
    assert (gone[1] & ~gone[0]).any()


# The audit


def test_categories_have_shares_and_no_size_of_change(folder):
    archive, out = folder / "archive.parquet", folder / "out.parquet"
    repair_file(archive, folder / "plan.json", out, seed=7)
    found = audit_files(archive, out, folder / "plan.json", paper_grid=100, leak=False).content
    rows = {row["feature"]: row for row in reversed(found["damage"]["rows"])}
    e = {row["feature"]: row["e"] for row in reversed(found["dependence"]["rows"])}
    before, after = pq.read_table(archive), pq.read_table(out)
    for name in ("job", "grade", "member"):
        assert rows[name]["rmse"] is rows[name]["w2"] is None
        assert e[name]["after"]["value"] < 0.2 * e[name]["before"]["value"]
        changed = pc.mean(pc.not_equal(before[name], after[name]).cast(pa.float64())).as_py()
        assert rows[name]["share_changed"] == pytest.approx(changed)
    days = np.array(after["hired"]).astype("M8[D]") - np.array(before["hired"]).astype("M8[D]")
    rmse = np.sqrt(np.mean(days.astype(float) ** 2))
    assert rows["hired"]["rmse"] == pytest.approx(rmse)
    assert (rows["hired"]["unit"], rows["open"]["unit"]) == ("days", "seconds")
    assert rows["job"]["unit"] is None
    assert not {"job", "grade", "member"} & {row["feature"] for row in found["paper"]["rows"]}


def test_missing_values_that_depend_on_the_group_are_a_figure_of_their_own(folder):
    archive = pq.read_table(folder / "archive.parquet")
    plan = Plan.load(folder / "plan.json")
    missing = fairmend.audit(archive, archive, plan, leak=False).content["missing"]
    features = {row["feature"]: row for row in missing}
    assert "grade" not in features
    job = features["job"]
    gone, s = np.array(archive["job"].is_null()), np.array(archive["s"])
    shares = [gone[s == group].mean() for group in (0, 1)]
    assert [group["before"] for group in job["groups"]] == pytest.approx(shares)
    assert job["before"] == pytest.approx(shares[1] - shares[0])
