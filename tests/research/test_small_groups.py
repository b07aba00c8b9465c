"""Small groups, unseen levels, weights and missing values in designs and repairs."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import fairmend
from fairmend.errors import CellError, DataError, UnseenError

BY = {"protected": "s", "unprotected": "u"}


def people(rng, n=600):
    """Two groups in two strata, of which the second holds five rows of group b."""
    u = np.arange(n) % 2
    s = np.where(rng.random(n) < 0.5, "a", "b")
    rare = np.flatnonzero((u == 1) & (s == "b"))
    s[rare[5:]] = "a"
    return pd.DataFrame({"s": s, "u": u, "x": rng.normal(10 * u + 2 * (s == "b"))})


# Small groups


def test_small_groups_stop_by_default_with_their_counts(rng):
    with pytest.raises(CellError, match=r"'x' where u=1 and s='b' \(5 rows\).*at least 20 .*rows"):
        fairmend.design(people(rng), **BY, min_group_size=20)


def test_pooled_groups_take_their_rows_of_all_strata(rng):
    table = people(rng)
    plan = fairmend.design(
        table, **BY, min_group_size=20, small_groups="pool", shrinkage=0, kinds={"x": "discrete"}
    )
    here, there = plan.features[0].cells
    of_b = int((table.s == "b").sum())
    assert here.borrowed == ()
    assert there.borrowed == ("", f"its rows in all strata ({of_b})")
    assert there.counts.tolist()[1] == 5
    values = np.sort(table.x[table.s == "b"])
    np.testing.assert_array_equal(there.support[there.marginals[1] > 0], values)
    np.testing.assert_allclose(there.marginals[1].sum(), 1)


def test_shrunk_groups_lean_on_their_stratum(rng):
    table = people(rng)
    kinds = {"x": "discrete"}
    plan = fairmend.design(
        table, **BY, min_group_size=20, small_groups="shrink", shrinkage=0, kinds=kinds
    )
    own = fairmend.design(table, **BY, shrinkage=0, kinds=kinds).features[0].cells[1]
    cell = plan.features[0].cells[1]
    assert cell.borrowed == ("", "its stratum's law")
    np.testing.assert_array_equal(cell.marginals[0], own.marginals[0])
    everybody = own.counts @ own.marginals / own.counts.sum()
    wanted = (5 * own.marginals[1] + 20 * everybody) / 25
    np.testing.assert_allclose(cell.marginals[1], wanted, atol=1e-12)


@pytest.mark.parametrize("policy", ["pool", "shrink"])
def test_groups_that_a_stratum_lacks_lean_on_others(rng, policy):
    table = people(rng)
    table = table[(table.u == 0) | (table.s == "a")]
    with pytest.raises(CellError, match=r"u=1 and s='b' \(0 rows\)"):
        fairmend.design(table, **BY)
    plan = fairmend.design(table, **BY, small_groups=policy)
    cell = plan.features[0].cells[1]
    assert cell.counts[1] == 0
    assert cell.borrowed[1]
    one = table.iloc[:2].assign(s="b", u=1, x=11.0)
    assert np.isfinite(plan.repair(one, seed=1).x).all()


def test_rare_values_are_not_named(rng):
    table = pd.DataFrame({"s": np.arange(200) % 2, "x": np.minimum(rng.geometric(0.4, 200), 8)})
    rows = table.x.value_counts()
    assert rows.min() < 5
    plan = fairmend.design(table, protected="s", min_atom_rows=5)
    named = set(plan.features[0].cells[0].support)
    assert named == set(rows.index[rows >= 5])
    assert set(plan.repair(table, seed=1).x) <= named


# What research did not show


@pytest.fixture
def plan(rng):
    return fairmend.design(people(rng).assign(job=lambda t: t.s + "x"), **BY)


def test_unseen_groups_and_strata_are_repaired_as_anybody(rng, plan):
    archive = people(rng, 4_000).assign(s="c", job="ax")
    summary = {}
    repaired = plan.repair(archive, seed=7, unseen="pool", summary=summary)
    assert summary["features"]["x"]["unseen"] == 4_000
    cell = plan.features[0].cells[0]
    # Anybody of the stratum lands on its target.
    assert set(repaired.x[archive.u == 0]) <= set(cell.support[cell.target > 0])
    elsewhere = archive.assign(s="a", u=7)
    pooled = plan.repair(elsewhere, seed=7, unseen="pool")
    anywhere = plan.features[0].anywhere
    assert set(pooled.x) <= set(anywhere.support[anywhere.target > 0])
    with pytest.raises(UnseenError, match=r"2,000|4,000 rows with u=7"):
        plan.repair(elsewhere, seed=7)


def test_unseen_categories_are_kept_pooled_or_refused(rng, plan):
    archive = people(rng, 400).assign(job="ax")
    archive.loc[[3, 4], "job"] = "zz"
    with pytest.raises(UnseenError, match=r"2 rows with job='zz'.*job in \['ax', 'bx'\]"):
        plan.repair(archive, seed=7)
    summary = {}
    kept = plan.repair(archive, seed=7, unseen="keep", summary=summary)
    assert kept.job[[3, 4]].tolist() == ["zz", "zz"]
    assert summary["features"]["job"]["unseen"] == 2
    pooled = plan.repair(archive, seed=7, unseen="pool")
    assert set(pooled.job) <= {"ax", "bx"}
    others = archive.index.difference([3, 4])
    pd.testing.assert_frame_equal(kept.loc[others], pooled.loc[others])


# Categories


def test_the_target_of_categories_is_the_weighted_mixture_and_keeps_what_fits(rng):
    s = rng.choice(3, 3_000, p=[0.5, 0.3, 0.2])
    laws = np.array([[0.6, 0.3, 0.1], [0.2, 0.2, 0.6], [0.1, 0.8, 0.1]])
    job = np.array([rng.choice(["x", "y", "z"], p=laws[i]) for i in s])
    table = pl.DataFrame({"s": s, "job": job})
    for weights in ([1, 1, 1], [3, 0, 1]):
        plan = fairmend.design(table, protected="s", target_weights=weights, shrinkage=0)
        cell = plan.features[0].cells[0]
        shares = [[(job[s == g] == level).mean() for level in "xyz"] for g in range(3)]
        np.testing.assert_allclose(cell.marginals, shares, atol=1e-12)
        mixture = np.array(weights) @ cell.marginals / sum(weights)
        np.testing.assert_allclose(cell.target, mixture, atol=1e-12)
        for group in range(3):
            coupling = cell.coupling(group)
            stays = coupling.mass[coupling.source == coupling.target].sum()
            assert stays == pytest.approx(np.minimum(cell.marginals[group], mixture).sum())
    repaired = plan.repair(table, seed=7)
    kept = (repaired["job"] == table["job"]).to_numpy()
    for group in range(3):
        most = np.minimum(cell.marginals[group], mixture).sum()
        assert kept[s == group].mean() == pytest.approx(most, abs=0.05)


# Sample weights


@pytest.mark.parametrize("kind", ["continuous", "discrete", "mixed", "text"])
def test_weights_are_repeated_rows(rng, kind):
    n = 300
    weights = rng.integers(1, 5, n)
    table = pd.DataFrame({"s": rng.integers(0, 2, n), "u": rng.integers(0, 2, n), "w": weights})
    x = rng.normal(table.s)
    x = {"discrete": x.round(), "mixed": np.where(x < 0, -1.0, x)}.get(kind, x)
    table["x"] = np.where(x > 0, "up", "down") if kind == "text" else x
    options = {**BY, "features": "x", "shrinkage": 0}
    if kind != "text":
        options["kinds"] = {"x": kind}
    # A bandwidth counts effective rows, and repeated rows are more rows; so it is given.
    options["bandwidth"] = 0.3
    weighted = fairmend.design(table, **options, sample_weight="w")
    repeated = fairmend.design(table.loc[table.index.repeat(weights)], **options)
    for one, other in zip(weighted.features[0].cells, repeated.features[0].cells, strict=True):
        np.testing.assert_array_equal(one.support, other.support)
        np.testing.assert_allclose(one.marginals, other.marginals, rtol=0, atol=1e-12)
        np.testing.assert_allclose(one.target, other.target, rtol=0, atol=1e-9)


def test_weights_are_no_feature_and_their_sum_means_nothing(rng):
    table = people(rng).assign(w=rng.random(600))
    one = fairmend.design(table, **BY, sample_weight="w")
    other = fairmend.design(table.assign(w=1e6 * table.w), **BY, sample_weight="w")
    assert one.feature_names == other.feature_names == ("x",)
    for a, b in zip(one.features[0].cells, other.features[0].cells, strict=True):
        np.testing.assert_allclose(a.marginals, b.marginals, atol=1e-9)


def test_sizes_of_groups_are_those_of_the_weights(rng):
    table = people(rng).assign(w=lambda t: np.where(t.s == "a", 3.0, 1.0))
    plan = fairmend.design(
        table, protected="s", features="x", sample_weight="w", target_weights="size"
    )
    cell = plan.features[0].cells[0]
    sizes = table.groupby("s").w.sum()
    means = cell.marginals @ cell.support
    assert cell.target @ cell.support == pytest.approx(np.average(means, weights=sizes), abs=1e-6)


@pytest.mark.parametrize("bad", [-1.0, np.nan])
def test_bad_weights_are_counted(rng, bad):
    table = people(rng).assign(w=1.0)
    table.loc[[2, 5], "w"] = bad
    with pytest.raises(DataError, match=r"'w', named by sample_weight=, has 2 missing or negative"):
        fairmend.design(table, **BY, sample_weight="w")
    with pytest.raises(DataError, match="none above zero"):
        fairmend.design(table.assign(w=0), **BY, sample_weight="w")


# Missing as a state


def gaps(rng, n=20_000):
    s, u = rng.integers(0, 2, n), rng.integers(0, 2, n)
    x = rng.normal(s, 1)
    x[rng.random(n) < np.where(s == 1, 0.3, 0.05)] = np.nan
    return pd.DataFrame({"s": s, "u": u, "x": x})


@pytest.mark.parametrize("output", ["support", "dithered"])
def test_missing_as_a_state_is_equally_frequent_in_all_groups(rng, output):
    table = gaps(rng)
    plan = fairmend.design(table, **BY, missing="state", output=output)
    repaired = plan.repair(gaps(rng), seed=7)
    before, after = (t.x.isna().groupby([t.u, t.s]).mean().unstack() for t in (table, repaired))
    assert (before[1] - before[0]).min() > 0.2
    assert (after[1] - after[0]).abs().max() < 0.03
    np.testing.assert_allclose(after.mean(axis=1), 0.175, atol=0.02)
    laws = [repaired.x[(repaired.s == s)].dropna().quantile([0.1, 0.5, 0.9]) for s in (0, 1)]
    np.testing.assert_allclose(laws[0], laws[1], atol=0.1)


def test_missing_stays_where_it_is_by_default(rng):
    table = gaps(rng, 2_000)
    repaired = fairmend.design(table, **BY).repair(table, seed=7)
    assert repaired.x.isna().tolist() == table.x.isna().tolist()


def test_text_and_times_can_be_emptied_and_filled(rng):
    table = gaps(rng, 2_000)
    table["text"] = np.where(table.x > 0, "up", "down")
    table["text"] = table.text.mask(table.x.isna())
    table["when"] = pd.Timestamp("2020-01-01") + pd.to_timedelta(table.x.round(1), "D")
    plan = fairmend.design(table, **BY, missing="state")
    for one in (table, pl.from_pandas(table)):
        repaired = plan.repair(one, seed=7)
        for name in ("text", "when"):
            was, is_ = (pd.Series(list(t[name])).isna() for t in (one, repaired))
            assert (was & ~is_).any()
            assert (~was & is_).any()


def test_integers_without_nulls_are_refused_only_where_they_must_be_emptied(rng):
    table = gaps(rng, 2_000)
    whole = table.assign(x=table.x.fillna(0).round().astype(int))
    plan = fairmend.design(table.assign(x=table.x.round()), **BY, missing="state")
    with pytest.raises(DataError, match=r"'x' is of type int64, which holds no missing values"):
        plan.repair(whole, seed=7)
    arrow = pa.Table.from_pandas(whole, preserve_index=False)
    required = arrow.schema.set(2, arrow.schema.field("x").with_nullable(False))
    with pytest.raises(DataError, match=r"'x' is of type int64 not null, which holds no missing"):
        plan.repair(arrow.cast(required), seed=7)
    nullable = plan.repair(whole.astype({"x": "Int64"}), seed=7)
    assert nullable.x.isna().any()
    # Without gaps in research there is nothing to empty.
    plan = fairmend.design(whole, **BY, missing="state")
    assert plan.repair(whole, seed=7).x.dtype == np.int64
