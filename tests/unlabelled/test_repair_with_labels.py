import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import fairmend
from fairmend.errors import ColumnError, LabelError, RowKeyError, UnseenError

DRAWS = ("sample", "map", "expected")


def with_gaps(table, share, name="s"):
    mask = np.random.default_rng(1).random(table.num_rows) < share
    at = table.schema.get_field_index(name)
    column = pa.array(table[name].to_numpy(), mask=mask)
    return table.set_column(at, name, column), mask


@pytest.mark.parametrize("draw", DRAWS)
@pytest.mark.parametrize("share", [0.14, 0.46])
def test_recorded_groups_are_repaired_to_the_same_bytes(told, draw, share):
    _, archive, plan, models = told
    gaps, mask = with_gaps(archive, share)
    whole = plan.repair(archive, seed=3)
    part = plan.repair(gaps, seed=3, labels=models["bayes"], draw=draw)
    for name in plan.feature_names:
        one, other = (table[name].to_numpy() for table in (whole, part))
        assert (one == other)[~mask].all()
        assert (one != other)[mask].any()
    assert part["s"].null_count == mask.sum()  # no estimate is written


@pytest.mark.parametrize("draw", DRAWS)
def test_batches_and_streams_make_no_difference(told, draw):
    _, archive, plan, models = told
    hidden, model = archive.drop(["s"]), models["mixture"]
    whole = plan.repair(hidden, seed=3, labels=model, draw=draw)
    parts = [
        plan.repair(hidden.slice(at, 101), seed=3, labels=model, draw=draw, first_row=at)
        for at in range(0, 3_000, 101)
    ]
    assert pa.concat_tables(parts).equals(whole)
    stream = plan.repair_stream(pl.from_arrow(hidden).lazy(), seed=3, labels=model, draw=draw)
    assert stream.collect().to_arrow().cast(whole.schema).equals(whole)


@pytest.mark.parametrize("draw", DRAWS)
def test_absent_null_and_nan_are_the_same(told, draw):
    _, archive, plan, models = told
    options = {"seed": 3, "labels": models["bayes"], "draw": draw}
    absent = plan.repair(archive.drop(["s"]), **options)
    empty = archive.set_column(0, "s", pa.nulls(archive.num_rows, pa.int64()))
    frame = archive.to_pandas().assign(s=np.nan)
    for table in (empty, frame):
        found = plan.repair(table, **options)
        for name in plan.feature_names:
            assert (np.asarray(found[name]) == absent[name].to_numpy()).all()


def test_a_drawn_group_has_its_probability(told):
    _, archive, plan, models = told
    model = models["mixture"]
    p = model.predict_proba(archive)[:, 0]
    share = []
    for seed in range(20):
        found = plan.repair(archive.drop(["s"]), seed=seed, labels=model, write_labels="guess")
        share.append(np.array(found["guess"].to_pylist()) == "0")
    share = np.mean(share, axis=0)
    off = (share - p) / np.sqrt(np.maximum(p * (1 - p), 1e-4) / 20)
    assert abs(off.mean()) < 0.1
    assert 0.9 < off[(p > 0.1) & (p < 0.9)].std() < 1.1


def test_likeliest_groups_are_the_likeliest(told):
    _, archive, plan, models = told
    found = plan.repair(
        archive.drop(["s"]), seed=1, labels=models["bayes"], draw="map", write_labels="guess"
    )
    wanted = models["bayes"].predict_proba(archive).argmax(axis=1)
    assert (np.array(found["guess"].to_pylist(), dtype=int) == wanted).all()


def test_the_expected_map_stays_on_the_support_and_moves_no_heap_between_values(told):
    _, archive, plan, models = told
    found = plan.repair(archive.drop(["s"]), seed=1, labels=models["bayes"], draw="expected")
    sampled = plan.repair(archive.drop(["s"]), seed=1, labels=models["bayes"])
    feature = plan.features[0]
    supports = np.unique(np.concatenate([cell.support for cell in feature.cells]))
    assert np.isin(found["x1"].to_numpy(), supports).all()
    assert found["hours"].equals(sampled["hours"])  # a drawn group's, not a mean
    assert not found["x1"].equals(sampled["x1"])


def test_the_expected_map_lies_between_the_groups(told):
    research, archive, _, models = told
    plan = fairmend.design(
        research, protected="s", unprotected="u", features=["x1"], output="monge"
    )
    rows = archive.num_rows
    ends = [
        plan.repair(archive.set_column(0, "s", pa.array([g] * rows)), seed=1)["x1"].to_numpy()
        for g in (0, 1)
    ]
    found = plan.repair(archive.drop(["s"]), seed=1, labels=models["bayes"], draw="expected")
    p = models["bayes"].predict_proba(archive)
    np.testing.assert_allclose(found["x1"], p[:, 0] * ends[0] + p[:, 1] * ends[1], atol=1e-9)


@pytest.mark.parametrize("draw", DRAWS)
def test_amount_zero_changes_nothing(told, draw):
    _, archive, plan, models = told
    hidden = archive.drop(["s"])
    found = plan.with_amount(0.0).repair(hidden, seed=1, labels=models["bayes"], draw=draw)
    assert found.equals(hidden)


def test_dependence_falls_and_sampling_takes_most(told):
    _, archive, plan, models = told
    left = {}
    for draw in DRAWS:
        found = plan.repair(archive.drop(["s"]), seed=1, labels=models["mixture"], draw=draw)
        left[draw] = np.mean(
            [
                fairmend.dependence(found[name], archive["s"], archive["u"], kind="continuous")
                for name in ("x1", "x2")
            ]
        )
    before = np.mean(
        [
            fairmend.dependence(archive[name], archive["s"], archive["u"], kind="continuous")
            for name in ("x1", "x2")
        ]
    )
    assert left["sample"] < 0.75 * before
    assert left["map"] < 0.85 * before
    assert left["expected"] < 0.9 * before


def test_every_table_library(told, as_table):
    _, archive, plan, models = told
    hidden = archive.drop(["s"])
    wanted = plan.repair(hidden, seed=3, labels=models["bayes"], write_labels="guess")
    found = plan.repair(as_table(hidden), seed=3, labels=models["bayes"], write_labels="guess")
    for name in (*plan.feature_names, "guess"):
        assert list(found[name].to_numpy()) == list(wanted[name].to_numpy())


def test_an_index_is_kept_beside_written_labels(told):
    _, archive, plan, models = told
    frame = archive.drop(["s"]).to_pandas().iloc[::-1]
    found = plan.repair(frame, seed=3, labels=models["bayes"], write_labels="guess")
    pd.testing.assert_index_equal(found.index, frame.index)
    assert found["guess"].isin(["0", "1"]).all()


def test_what_is_recorded_of_several_columns_holds():
    rng = np.random.default_rng(0)
    n = 2_000
    sex, race = rng.choice(["F", "M"], n), rng.choice(["a", "b"], n)
    x = rng.normal(size=n) + (sex == "M") + 2 * (race == "b")
    table = pa.table({"sex": sex, "race": race, "x": x})
    roles = {"protected": ["sex", "race"], "features": ["x"]}
    plan = fairmend.design(table, **roles)
    model = fairmend.LabelModel(**roles, method="bayes", folds=2).fit(table)
    gaps, mask = with_gaps(table, 0.5, "race")
    found = plan.repair(gaps, seed=1, labels=model, write_labels="guess")
    guess = np.array([one.split(", ") for one in found["guess"].to_pylist()])
    assert (guess[:, 0] == sex).all()
    assert (guess[~mask, 1] == race[~mask]).all()
    assert 0.6 < (guess[mask, 1] == race[mask]).mean() < 1.0


def test_what_is_wrong_is_said(told):
    research, archive, plan, models = told
    hidden = archive.drop(["s"])
    other = fairmend.LabelModel(protected="u", features="x1", method="bayes", folds=2).fit(research)
    with pytest.raises(LabelError, match="Fit both to research data with the same groups"):
        plan.repair(hidden, labels=other)
    with pytest.raises(ColumnError, match="named by labels="):
        plan.repair(hidden.drop(["town"]), labels=models["bayes"])
    with pytest.raises(LabelError, match="no one group to write"):
        plan.repair(hidden, labels=models["bayes"], draw="expected", write_labels="guess")
    with pytest.raises(ColumnError, match="Pass another name"):
        plan.repair(hidden, labels=models["bayes"], write_labels="town")
    strange = archive.set_column(0, "s", pa.array([7, *[None] * (archive.num_rows - 1)]))
    with pytest.raises(UnseenError, match="1 rows with s=7"):
        plan.repair(strange, labels=models["bayes"])
    kept = plan.repair(strange, labels=models["bayes"], unseen="keep", seed=1)
    assert kept["x1"][0] == archive["x1"][0]


def test_one_row_needs_a_key(told):
    _, archive, plan, models = told
    with pytest.raises(RowKeyError):
        plan.repair(archive.drop(["s"]).slice(0, 1), labels=models["bayes"])


def test_the_summary_counts_estimated_rows(told):
    _, archive, plan, models = told
    gaps, mask = with_gaps(archive, 0.3)
    summary = {}
    plan.repair(gaps, labels=models["bayes"], summary=summary, seed=1)
    assert summary["features"]["x1"]["estimated"] == mask.sum()
