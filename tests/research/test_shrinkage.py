"""Shrinkage helps where groups are small and does not hurt where shapes differ."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import fairmend

ROLES = {"protected": "s", "unprotected": "u"}


def paper_e(table, names):
    return fairmend.dependence(table.select(names), table["s"], table["u"], scale="paper")


def archive_e(research, archive, shrinkage, names):
    plan = fairmend.design(research, **ROLES, features=names, shrinkage=shrinkage)
    return paper_e(plan.repair(archive, seed=7), names)


def run(draw, n_research, names, runs=20):
    """Compare the dependence left on archives with and without shrinkage."""
    found = []
    for seed in range(runs):
        table = draw(np.random.default_rng(seed))
        research, archive = table[:n_research], table[n_research:]
        found.append([archive_e(research, archive, s, names) for s in ("auto", 0.0)])
    return np.mean(found, axis=0)


def test_small_groups_are_helped_in_the_papers_simulation():
    def draw(rng):
        return fairmend.datasets.simulate(5_500, rng)

    with_it, without = run(draw, 500, ["x1", "x2"])
    assert with_it < 0.65 * without


SHAPES = {
    "skewed": lambda rng, n: rng.exponential(1, n),
    "two peaks": lambda rng, n: rng.normal(0, 0.5, n) + rng.choice([-1, 1], n),
    "wide": lambda rng, n: rng.normal(0, 2, n),
    "skewed and smooth": lambda rng, n: rng.exponential(1, n) + rng.normal(0, 0.3, n),
}


def different_shapes(shape, n=5_500):
    """One group is normal and the other is not, or not like it."""

    def draw(rng):
        s, u = rng.integers(0, 2, n), rng.integers(0, 2, n)
        x = np.where(s == 0, rng.normal(0, 1, n), SHAPES[shape](rng, n))
        return pl.DataFrame({"s": s, "u": u, "x": x + u})

    return draw


worse = pytest.mark.xfail(reason="8 % worse than plain, standard error 2 %, over 60 runs")


@pytest.mark.parametrize(
    ("shape", "n_research"),
    [
        ("skewed", 500),
        pytest.param("two peaks", 500, marks=pytest.mark.slow),
        pytest.param("wide", 500, marks=pytest.mark.slow),
        pytest.param("skewed and smooth", 500, marks=(pytest.mark.slow, worse)),
        pytest.param("skewed and smooth", 2_000, marks=pytest.mark.slow),
    ],
)
def test_shapes_that_differ_are_not_hurt(shape, n_research):
    with_it, without = run(different_shapes(shape), n_research, ["x"], runs=60)
    assert with_it < 1.05 * without


def test_strength_is_recorded_and_chosen_once_for_all_ordered_columns(people):
    table = people.to_pandas().assign(job=lambda t: np.where(t.hours > 35, "a", "b"))
    roles = {"protected": "sex", "unprotected": "college", "exclude": "id"}
    plan = fairmend.design(table, **roles)
    strength = {feature.name: feature.shrinkage for feature in plan.features}
    assert strength["hours"] == strength["wage"] > 0
    given = fairmend.design(table, **roles, shrinkage=12.5)
    assert {feature.shrinkage for feature in given.features} == {12.5}


def test_shrinkage_mixes_by_pseudo_rows(people):
    roles = {"protected": "sex", "unprotected": "college", "features": "wage"}
    own, shape, half = (
        fairmend.design(people, **roles, shrinkage=k).features[0].cells[0] for k in (0, np.inf, 50)
    )
    n = own.counts[:, None]
    wanted = (n * own.marginals + 50 * shape.marginals) / (n + 50)
    np.testing.assert_allclose(half.marginals, wanted, atol=1e-12)
    # The shape alone: the same for both groups, but for its place.
    means = shape.marginals @ shape.support
    own_means = own.marginals @ own.support
    np.testing.assert_allclose(means, own_means, rtol=0.02)


def test_choice_does_not_depend_on_the_order_of_rows(people):
    frame = people.to_pandas()
    roles = {"protected": "sex", "unprotected": "college", "exclude": "id"}
    one = fairmend.design(frame, **roles)
    other = fairmend.design(frame.sample(frac=1, random_state=1), **roles)
    for a, b in zip(one.features, other.features, strict=True):
        assert a.shrinkage == b.shrinkage


def test_large_samples_of_different_shapes_are_left_alone():
    table = different_shapes("skewed", 40_000)(np.random.default_rng(0))
    plan = fairmend.design(table, **ROLES)
    sizes = plan.features[0].cells[0].counts
    assert plan.features[0].shrinkage < 0.1 * sizes.min()


def test_constant_columns_need_no_shrinkage():
    table = pd.DataFrame({"s": [0, 1] * 20, "x": 3.5})
    assert fairmend.design(table, protected="s").features[0].shrinkage == 0.0
