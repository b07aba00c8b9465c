"""Design and audit on Spark find what they find in one process."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest

import fairmend
from fairmend.errors import ColumnError, RowKeyError, SummaryError
from fairmend.frames.arrow import ArrowFrame
from fairmend.measures.damage import damage
from fairmend.measures.drift.stationarity import stationarity
from fairmend.measures.inference.examine import examine
from fairmend.plan.apply import cells_of
from fairmend.plan.options import Policies
from fairmend.plan.storage import to_content

ROLES = {"protected": "sex", "unprotected": "college", "features": ["hours", "wage", "works"]}


@pytest.fixture(scope="module")
def working(people):
    draw = np.random.default_rng(3)
    male = np.array(people["sex"].to_pylist()) == "M"
    works = np.where(draw.random(900) < 0.3 + 0.3 * male, "office", "field")
    return people.append_column("works", pa.array(works, mask=draw.random(900) < 0.05))


@pytest.fixture(scope="module")
def df(spark, working):
    return spark.createDataFrame(working).repartition(5).cache()


@pytest.fixture(scope="module")
def few_at_once():
    from fairmend.spark import gathering

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gathering, "AT_ONCE", 2)
        yield


@pytest.fixture(scope="module")
def plan(working):
    return fairmend.design(working, **ROLES)


@pytest.mark.usefixtures("few_at_once")
def test_a_design_is_that_of_the_rows_and_of_their_summaries(df, working, plan):
    import fairmend.spark

    found = fairmend.spark.design(df, **ROLES, t=0.3)
    parts = [working.slice(a, b - a) for a, b in pairwise([0, 10, 500, 900])]
    sites = fairmend.design([fairmend.summarise(part, **ROLES) for part in parts], t=0.3)
    for wanted in (sites, fairmend.design(working, **ROLES, t=0.3)):
        assert to_content(found) == to_content(wanted)  # far below 1e-9
    assert to_content(found) != to_content(plan)


def test_a_design_refuses_before_any_work(df):
    import fairmend.spark

    with pytest.raises(ColumnError, match="'Sex', named by protected="):
        fairmend.spark.design(df, protected="Sex", features="wage")
    with pytest.raises(SummaryError, match="quantile bins"):
        fairmend.spark.design(
            df, protected="sex", unprotected="hours", unprotected_bins={"hours": 3}
        )


@pytest.fixture(scope="module")
def audited(spark, df, plan, working, few_at_once):
    import fairmend.spark

    repaired = plan.repair(working, key="id", seed=7)
    others = spark.createDataFrame(repaired.slice(0, 890)).repartition(3)
    return fairmend.spark.audit(df, others, plan, key="id"), repaired


def rows_of(plan, table):
    frame = ArrowFrame(table, "archive")
    return frame.finite_numbers(plan.codecs), cells_of(plan, frame, Policies("keep"))


def test_an_audit_is_that_of_all_rows_in_one_process(audited, plan, working):
    from fairmend.spark.counts import ArchiveCounts
    from fairmend.spark.examination import audit_of

    found, repaired = audited
    assert (found.rows, found.unmatched) == (890, {"archive": 10, "repaired": 0})
    (before, cells), (after, _) = (rows_of(plan, t.slice(0, 890)) for t in (working, repaired))
    wanted = audit_of(plan, ArchiveCounts.of(plan, cells, before, after), found.unmatched)
    assert found.before == wanted.before
    assert found.after == wanted.after
    assert found.drift.to_dict() == stationarity(plan, before, cells).to_dict()
    for name, one in found.damage.items():
        local = damage(before[name], after[name])
        assert one.n == local.n
        assert one.share_changed == pytest.approx(local.share_changed, rel=1e-12)
        if name != "works":
            assert one.rmse == pytest.approx(local.rmse, rel=1e-9)
            assert one.mean_absolute == pytest.approx(local.mean_absolute, rel=1e-9)


def test_an_audit_agrees_with_the_measures_of_the_values(audited, plan, working):
    found, _ = audited
    (values, _cells) = rows_of(plan, working.slice(0, 890))
    sex, college = (working[name].to_pylist()[:890] for name in ("sex", "college"))
    local = examine(values, sex, college, kinds={f.name: f.kind for f in plan.features})
    for name, feature in found.before.features.items():
        wanted = local.features[name]
        assert feature.rows == wanted.rows
        assert feature.excluded == wanted.excluded
        if name != "wage":  # whose bins lie elsewhere
            assert replace(feature, kind="") == replace(wanted, kind="")
        else:
            assert feature.total.e.value == pytest.approx(wanted.total.e.value, abs=0.01)
            assert feature.total.tv.value == pytest.approx(wanted.total.tv.value, abs=0.01)
    assert (
        found.before.features["wage"].total.e.value > 4 * found.after.features["wage"].total.e.value
    )
    assert found.to_dict()["damage"]["works"]["rmse"] is None


def test_keys_that_do_not_pair_are_refused(spark, df, plan, working):
    import fairmend.spark

    other = df.withColumn("id", df["id"] + 10**6)
    with pytest.raises(RowKeyError, match="has a key"):
        fairmend.spark.audit(df, other, plan, key="id")
    with pytest.raises(RowKeyError, match="distinct values"):
        fairmend.spark.audit(df, df.union(df.limit(3)), plan, key="id")
