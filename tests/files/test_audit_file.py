import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from fairmend.errors import AuditError, ColumnError, DataError, OutputError
from fairmend.files.audit import audit_files, audit_tables
from fairmend.files.repair import repair_file
from fairmend.measures.damage import damage
from fairmend.measures.dependence import dependence
from fairmend.plan.plan import Plan


@pytest.fixture
def repaired(folder):
    repair_file(folder / "archive.parquet", folder / "plan.json", folder / "out.parquet", seed=7)
    repair_file(folder / "archive.csv", folder / "plan.json", folder / "out.csv", seed=7)
    return folder


def test_the_figures_are_the_measures(repaired):
    before, plan = repaired.archive, Plan.load(repaired / "plan.json")
    after = pq.read_table(repaired / "out.parquet")
    found = audit_tables(before, after, plan, paper_grid=500)
    assert (found["rows"], found["unseen"], found["paper_grid"]) == (2_000, 0, 500)
    for one in found["features"]:
        x, y = before[one["name"]], after[one["name"]]
        roles = before["s"], before["u"]
        cost = damage(x, y)
        assert one["rows"] == 2_000 - x.null_count
        assert one["nats_before"] == pytest.approx(dependence(x, *roles, kind=one["kind"]))
        assert one["nats_after"] == pytest.approx(dependence(y, *roles, kind=one["kind"]))
        paper = dependence(y, *roles, scale="paper", grid=500)
        assert one["paper_after"] == pytest.approx(paper)
        assert (one["rmse"], one["share_changed"]) == (cost.rmse, cost.share_changed)
        assert one["nats_after"] < 0.2 * one["nats_before"]


@pytest.mark.parametrize("before", ["csv", "parquet"])
@pytest.mark.parametrize("after", ["csv", "parquet"])
def test_any_two_formats_give_the_same_figures(repaired, before, after):
    plan = repaired / "plan.json"
    found = audit_files(repaired / f"archive.{before}", repaired / f"out.{after}", plan)
    same = audit_files(repaired / "archive.parquet", repaired / "out.parquet", plan)
    assert found == same
    assert found["features"][0]["paper_before"] is None


def test_a_repair_without_the_protected_column_can_be_audited(repaired):
    plan = Plan.load(repaired / "plan.json")
    after = pq.read_table(repaired / "out.parquet")
    found = audit_tables(repaired.archive, after.drop_columns(["s"]), plan)
    assert found == audit_tables(repaired.archive, after, plan)


def test_a_file_with_itself_has_not_changed(repaired):
    archive = repaired / "archive.csv"
    for one in audit_files(archive, archive, repaired / "plan.json")["features"]:
        assert (one["rmse"], one["share_changed"]) == (0, 0)
        assert one["nats_before"] == one["nats_after"] > 0


def test_unseen_rows_and_strata_that_cannot_be_compared_are_left_out(repaired):
    plan = Plan.load(repaired / "plan.json")
    alone = repaired.archive.filter(
        pc.or_(pc.equal(repaired.archive["u"], 0), pc.equal(repaired.archive["s"], 1))
    )
    unseen = alone.set_column(3, "s", pa.array(np.where(np.arange(len(alone)) < 7, 9, alone["s"])))
    found = audit_tables(unseen, unseen, plan)
    rest = pc.and_(pc.equal(unseen["u"], 0), pc.less(unseen["s"], 9))
    assert found["unseen"] == 7
    assert found["features"][1]["rows"] == pc.sum(rest).as_py()
    nothing = audit_tables(alone.slice(0, 1), alone.slice(0, 1), plan)["features"][1]
    assert nothing["nats_before"] is nothing["nats_after"] is None
    assert nothing["rmse"] == 0


def test_nothing_but_missing_values_has_no_figures(repaired):
    plan = Plan.load(repaired / "plan.json")
    table = repaired.archive
    table = table.set_column(5, "age", pa.nulls(len(table), pa.int64()))
    age = audit_tables(table, table, plan, paper_grid=100)["features"][0]
    assert [age[name] for name in ("nats_before", "paper_after", "rmse")] == [None] * 3


def test_tables_that_are_no_archive_and_its_repair_are_refused(repaired):
    plan, archive = Plan.load(repaired / "plan.json"), repaired.archive
    with pytest.raises(AuditError, match="archive has 2,000 rows and the repaired file 5"):
        audit_tables(archive, archive.slice(0, 5), plan)
    with pytest.raises(AuditError, match=r"differ in \['s'\] in [\d,]+ rows"):
        audit_tables(archive, archive.sort_by("pay"), plan)
    with pytest.raises(ColumnError, match="repaired file has no column 'pay'"):
        audit_tables(archive, archive.drop_columns(["pay"]), plan)
    with pytest.raises(ColumnError, match="archive has no column 's'"):
        audit_tables(archive.drop_columns(["s"]), archive, plan)
    with pytest.raises(DataError, match="missing either before or after"):
        audit_tables(archive, archive.set_column(5, "age", archive["age"].fill_null(30)), plan)


def test_the_floor_is_e_by_chance(repaired):
    plan, after = Plan.load(repaired / "plan.json"), pq.read_table(repaired / "out.parquet")
    found = audit_tables(repaired.archive, after, plan)
    assert found == audit_tables(repaired.archive, after, plan), "its draws are fixed"
    rng = np.random.default_rng(11)
    for one in found["features"]:
        strata = np.array(after["u"])
        drawn = []
        for _ in range(10):
            groups = after["s"].to_numpy().copy()
            for u in (0, 1):
                groups[strata == u] = rng.permutation(groups[strata == u])
            drawn.append(dependence(after[one["name"]], groups, strata, kind=one["kind"]))
        assert np.min(drawn) / 1.5 < one["floor_after"] < 1.5 * np.max(drawn)
        assert one["floor_before"] < 0.1 * one["nats_before"]
    nothing = audit_tables(repaired.archive.slice(0, 1), after.slice(0, 1), plan)["features"][1]
    assert nothing["floor_before"] is nothing["floor_after"] is None


@pytest.mark.parametrize("name", ["archive.csv", "out.csv", "plan.json"])
def test_an_audit_never_replaces_what_it_reads(repaired, name):
    before = (repaired / name).read_bytes()
    inputs = (repaired / one for one in ("archive.csv", "out.csv", "plan.json"))
    with pytest.raises(OutputError, match="is read by this command"):
        audit_files(*inputs, out=repaired / name, force=True)
    assert (repaired / name).read_bytes() == before
