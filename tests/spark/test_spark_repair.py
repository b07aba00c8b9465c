"""Spark repairs to the same bytes as a laptop, and refuses what would leak."""

import datetime as dt
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

import fairmend
from fairmend.errors import (
    ColumnError,
    DataError,
    FairmendError,
    LabelError,
    OptionError,
    RowKeyError,
)


def by_id(table):
    return table.sort_by("id").combine_chunks()


def same(found, wanted):
    assert found.column_names == wanted.column_names
    for name in wanted.column_names:
        assert found[name].to_pylist() == wanted[name].to_pylist(), name
    return True


@pytest.fixture(scope="module")
def repair(spark):
    import fairmend.spark

    return fairmend.spark.repair


@pytest.fixture(scope="module")
def df(spark, noted):
    return spark.createDataFrame(noted).repartition(7).cache()


def test_the_rows_of_seven_partitions_are_those_of_one_call(repair, df, plan, noted):
    summary, local = {}, {}
    found = repair(df, plan, key="id", seed=7, summary=summary)
    assert summary == {"seed": 7}  # nothing is computed yet
    table = by_id(found.toArrow())
    wanted = by_id(plan.repair(noted, key="id", seed=7, summary=local))
    assert same(table, wanted)
    assert summary == local
    found.toArrow()
    assert summary == local  # computed twice, counted once
    assert found.schema == df.schema
    assert not same_values(found.toArrow(), noted)


def same_values(one, other):
    return by_id(one)["wage"].to_pylist() == by_id(other)["wage"].to_pylist()


def test_a_joint_plan_with_constraints_gives_the_rows_of_one_call(
    repair, spark, constrained, crossed
):
    df = spark.createDataFrame(crossed).repartition(7)
    summary, local = {}, {}
    found = by_id(repair(df, constrained, key="id", seed=7, summary=summary).toArrow())
    wanted = by_id(constrained.repair(crossed, key="id", seed=7, summary=local))
    assert same(found, wanted)
    assert summary == local
    assert not same_values(found, crossed)


@pytest.mark.parametrize(
    ("draw", "share"), [("sample", 0.46), ("sample", 1.0), ("map", 1.0), ("expected", 0.46)]
)
def test_estimated_groups_give_the_rows_of_one_call(repair, spark, plan, noted, draw, share):
    roles = {"protected": "sex", "unprotected": "college", "features": ["hours", "wage"]}
    method = "bayes" if draw == "map" else "mixture"
    model = fairmend.LabelModel(**roles, method=method, folds=2).fit(noted.slice(0, 500))
    gap = np.random.default_rng(1).random(900) < share
    column = pa.array(noted["sex"].to_pylist(), mask=gap)
    archive = noted.set_column(noted.column_names.index("sex"), "sex", column)
    archive = archive if share < 1 else archive.drop(["sex"])
    df, summary, local = spark.createDataFrame(archive).repartition(5), {}, {}
    options = {"key": "id", "seed": 7, "labels": model, "draw": draw}
    found = by_id(repair(df, plan, summary=summary, **options).toArrow())
    assert same(found, by_id(plan.repair(archive, summary=local, **options)))
    assert summary == local
    assert local["features"]["wage"]["estimated"] == gap.sum()
    kept = by_id(plan.repair(noted, key="id", seed=7))  # rows with a group are as if all had one
    known = ~np.isin(kept["id"].to_numpy(), noted["id"].to_numpy()[gap])
    for name in plan.feature_names:
        assert (found[name].to_numpy() == kept[name].to_numpy())[known].all()


def test_a_blind_plan_reads_no_group(repair, df, plan, noted):
    blind = plan.blind(0.4)
    found = repair(df.drop("sex"), blind, key="id", seed=7)
    assert same(by_id(found.toArrow()), by_id(blind.repair(noted.drop(["sex"]), key="id", seed=7)))
    planned = repair(df, blind, key="id", seed=7)._jdf.queryExecution().optimizedPlan().toString()
    (crossing,) = (line for line in planned.splitlines() if "ArrowEvalPython" in line)
    assert "sex" not in crossing.split("repaired(")[1].split(")")[0]


def test_a_model_that_is_a_pickle_does_not_travel(repair, df, plan, noted):
    from sklearn.linear_model import LogisticRegression

    model = fairmend.LabelModel(
        protected="sex",
        unprotected="college",
        features=["hours", "wage"],
        method="classifier",
        classifier=LogisticRegression(),
        folds=2,
    ).fit(noted.slice(0, 500))
    with pytest.raises(LabelError, match="pickle"):
        repair(df.drop("sex"), plan, key="id", labels=model)
    with pytest.raises(ColumnError, match="named by protected="):
        repair(df.drop("sex"), plan, key="id")
    with pytest.raises(ColumnError, match="named by labels="):
        repair(df.drop("sex"), plan, key="id", labels=_told_by_note(noted))


def _told_by_note(noted):
    table = noted.append_column("town", pa.array(["east", "west", "north"] * 300))
    roles = {"protected": "sex", "unprotected": "college", "features": ["hours", "wage"]}
    return fairmend.LabelModel(**roles, also="town", method="bayes", folds=2).fit(table)


def test_only_features_roles_and_keys_go_through_python(repair, df, plan):
    found = repair(df, plan, key="id", seed=7)
    planned = found._jdf.queryExecution().optimizedPlan().toString()
    (crossing,) = (line for line in planned.splitlines() if "ArrowEvalPython" in line)
    names = [
        part.split("#")[0] for part in crossing.split("repaired(")[1].split(")")[0].split(", ")
    ]
    assert names == ["hours", "wage", "sex", "college", "id"]


def test_schemas_stay(repair, spark, plan, noted):
    from pyspark.sql import types as st

    metadata = {"comment": "weekly"}
    schema = st.StructType(
        [
            st.StructField("hours", st.ShortType(), nullable=False, metadata=metadata),
            st.StructField("tags", st.MapType(st.StringType(), st.IntegerType())),
            st.StructField("sex", st.StringType(), nullable=False),
            st.StructField("wage", st.FloatType()),
            st.StructField("college", st.IntegerType()),
            st.StructField("id", st.StringType(), nullable=False),
        ]
    )
    rows = noted.slice(0, 40).to_pylist()
    given = [
        (r["hours"], {"a": 1}, r["sex"], np.float32(r["wage"]).item(), r["college"], str(r["id"]))
        for r in rows
    ]
    df = spark.createDataFrame(given, schema)
    found = repair(df, plan, key="id", seed=7)
    assert found.schema == df.schema
    assert found.schema["hours"].metadata == metadata
    assert not found.schema["hours"].nullable
    assert {tuple(row["tags"].items()) for row in found.collect()} == {(("a", 1),)}
    dropped = repair(df, plan, key="id", drop_protected=True, check_keys=False)
    assert dropped.columns == ["hours", "tags", "wage", "college", "id"]


@pytest.fixture(scope="module")
def odd(rng_of):
    """Return a table of types that Spark, Arrow and pandas see differently, with both gaps."""
    n = 600
    draw = rng_of(5)
    sex = draw.choice(["F", "M"], n)
    day = draw.integers(0, 900, n) + 60 * (sex == "M")
    amount = np.round(draw.gamma(2.0, 30.0, n) * (1 + (sex == "M")), 2)
    gap = draw.random((4, n)) < 0.1
    moment = dt.datetime(2020, 1, 1, 3, tzinfo=dt.UTC)
    moments = [moment + dt.timedelta(hours=7 * int(d)) for d in day]
    return pa.table(
        {
            "id": [f"k{i}" for i in draw.permutation(n)],
            "sex": sex,
            "day": pa.array([dt.date(2001, 1, 1) + dt.timedelta(int(d)) for d in day], mask=gap[0]),
            "moment": pa.array(moments, pa.timestamp("us", "UTC"), mask=gap[1]),
            "amount": pa.array([Decimal(f"{a:.2f}") for a in amount], pa.decimal128(12, 2)),
            "score": pa.array(np.where(gap[2], np.nan, amount), mask=gap[3]),
            "count": pa.array(day // 3, pa.int64(), mask=gap[2]),
            "works": pa.array(draw.random(n) < 0.3 + 0.4 * (sex == "M"), mask=gap[3]),
        }
    )


@pytest.fixture(scope="module")
def rng_of():
    return np.random.default_rng


@pytest.mark.parametrize("through", ["arrow", "pandas"])
@pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas")
def test_every_type_and_both_gaps_survive(repair, spark, odd, through, monkeypatch):
    from fairmend.spark import udf

    monkeypatch.setattr(udf, "HAS_ARROW", through == "arrow")
    plan = fairmend.design(odd, protected="sex", exclude=["id"])
    df = spark.createDataFrame(odd)
    found = repair(df, plan, key="id", seed=3)
    assert found.schema == df.schema
    table, wanted = by_id(found.toArrow()), by_id(plan.repair(odd, key="id", seed=3))
    for name in odd.column_names:
        # Text, since NaN is not NaN.
        assert str(_utc(table[name])) == str(_utc(wanted[name])), name
    assert table["score"].null_count == odd["score"].null_count > 0


def _utc(column):
    column = column.combine_chunks()
    if pa.types.is_timestamp(column.type):
        column = column.cast(pa.int64())
    return column.to_pylist()


def test_without_a_key_it_explains_itself(repair, df, plan):
    with pytest.raises(RowKeyError, match="no stable row number"):
        repair(df, plan, key=None)
    with pytest.raises(OptionError, match="draws at random"):
        repair(df, plan, key="id", reproducible=False)
    with pytest.raises(OptionError, match="seed="):
        repair(df, plan, key=None, reproducible=False, seed=7)


def test_random_draws_differ_from_row_to_row(repair, spark, plan, noted):
    # Everybody alike, so that only the draws can differ.
    alike = pa.concat_tables([noted.slice(3, 1)] * 400)
    found = repair(spark.createDataFrame(alike), plan, key=None, reproducible=False)
    one, other = (found.toArrow()["wage"].to_pylist() for _ in range(2))
    assert len(set(one)) == 3  # the points that a coupling's row has
    assert one != other


def test_keys_that_many_rows_share_are_refused_before_any_work(repair, spark, plan, noted):
    shared = noted.append_column("office", pa.array(np.arange(900) % 60))
    df = spark.createDataFrame(shared)
    with pytest.raises(RowKeyError, match="60 distinct values in 900 rows"):
        repair(df, plan, key="office")
    gone = noted.append_column("late", pa.array([None, None, *range(898)], pa.int64()))
    with pytest.raises(RowKeyError, match=r"'late' \(2 rows\)"):
        repair(spark.createDataFrame(gone), plan, key="late")


def test_what_cannot_be_repaired_is_refused_at_once(repair, df, plan):
    from pyspark.sql import functions as sf

    with pytest.raises(RowKeyError, match="a whole group would share"):
        repair(df, plan, key="sex")
    with pytest.raises(ColumnError, match="named by key="):
        repair(df, plan, key="number")
    with pytest.raises(ColumnError, match="'wage' is string"):
        repair(df.withColumn("wage", sf.col("wage").cast("string")), plan, key="id")
    with pytest.raises(ColumnError, match="array<int>"):
        repair(df.withColumn("wage", sf.array(sf.lit(1))), plan, key="id")
    with pytest.raises(ColumnError, match="more than one column"):
        repair(df.select("*", "wage"), plan, key="id")
    with pytest.raises(OptionError, match="unseen="):
        repair(df, plan, key="id", unseen="ignore")
    with pytest.raises(OptionError, match="micro-batches"):
        repair(df, plan, key="id", monitor=fairmend.Monitor(plan))


def test_an_alarm_that_would_never_go_off_is_refused(repair, spark, plan, monkeypatch):
    from fairmend.spark import udf

    monkeypatch.setattr(udf, "HAS_ARROW", False)
    stream = spark.readStream.format("rate").load()
    with pytest.raises(OptionError, match="needs Spark"):
        repair(stream, plan, key="value", monitor=fairmend.Monitor(plan))


def test_a_workers_refusal_says_what_to_do(repair, df, plan):
    from pyspark.errors import PythonException
    from pyspark.sql import functions as sf

    strangers = df.withColumn("sex", sf.lit("X"))
    with pytest.raises(PythonException, match="pass unseen='keep'"):
        repair(strangers, plan, key="id").collect()
    assert repair(strangers, plan, key="id", unseen="keep").count() == 900


def test_a_column_that_holds_no_gap_gets_none(repair, spark, plan, noted):
    gaps = pa.array(noted["hours"].to_numpy().astype(float), mask=np.arange(900) % 3 == 0)
    research = noted.set_column(noted.column_names.index("hours"), "hours", gaps)
    state = fairmend.design(
        research, protected="sex", unprotected="college", features=["hours"], missing="state"
    )
    from pyspark.errors import PythonException
    from pyspark.sql import types as st

    df = spark.createDataFrame(noted)
    fields = [
        st.StructField(f.name, f.dataType, f.nullable and f.name != "hours") for f in df.schema
    ]
    strict = spark.createDataFrame(df.rdd, st.StructType(fields))
    with pytest.raises(PythonException, match="holds no missing values"):
        repair(strict, state, key="id").collect()
    assert issubclass(DataError, FairmendError)
