"""Partial repair: nothing, all, and in between; and the budget that chooses."""

import numpy as np
import pandas as pd
import pytest

import fairmend
from fairmend.errors import OptionError

N = 4_000


def table_of(seed):
    rng = np.random.default_rng(seed)
    s, u = rng.integers(0, 2, N), rng.integers(0, 2, N)
    hours = np.where(rng.random(N) < 0.4, 40, rng.integers(10, 70, N) + 4 * s)
    return pd.DataFrame(
        {
            "s": s,
            "u": u,
            "real": rng.normal(s + u),
            "inflated": np.where(rng.random(N) < 0.6 - 0.2 * s, 0.0, rng.lognormal(8 + 0.3 * s, 1)),
            "hours": hours,
            "dollars": rng.integers(0, 60_000, N) + 9_000 * s,
            "job": np.where(rng.random(N) < 0.3 + 0.3 * s, "clerk", "cook"),
            "grade": pd.Categorical.from_codes(rng.binomial(4, 0.4 + 0.2 * s), list("abcde"), True),
            "when": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, N) * s, "D"),
        }
    )


FEATURES = list(table_of(0).columns[2:])


@pytest.fixture(scope="module")
def plan():
    return fairmend.design(table_of(0), protected="s", unprotected="u")


@pytest.fixture(scope="module")
def archive():
    return table_of(1)


def test_the_table_has_columns_of_every_kind(plan):
    kinds = [feature.kind for feature in plan.features]
    assert set(kinds) == {"continuous", "mixed", "discrete", "categorical", "ordinal"}


def test_nothing_changes_at_zero_and_all_at_one(plan, archive):
    pd.testing.assert_frame_equal(plan.with_amount(0.0).repair(archive, seed=7), archive)
    whole = plan.repair(archive, seed=7)
    pd.testing.assert_frame_equal(plan.with_amount(1.0).repair(archive, seed=7), whole)


def test_continuous_values_go_part_of_the_way(plan, archive):
    whole, third = (plan.with_amount(a).repair(archive, seed=7).real for a in (1.0, 0.3))
    np.testing.assert_allclose(third, 0.7 * archive.real + 0.3 * whole, atol=1e-12)


@pytest.mark.parametrize("name", FEATURES[1:])
def test_other_columns_move_part_of_the_rows_and_those_stay_moved(plan, archive, name):
    before, whole = archive[name], plan.repair(archive, seed=7)[name]
    moved = {0.0: np.zeros(N, dtype=bool)}
    for amount in (0.2, 0.5, 0.8):
        now = plan.with_amount(amount).repair(archive, seed=7)[name]
        changed = (now != before).to_numpy()
        assert (now[changed] == whole[changed]).all()
        assert changed[list(moved.values())[-1]].all()
        share = changed.sum() / (whole != before).sum()
        assert share == pytest.approx(amount, abs=0.08)
        moved[amount] = changed


def test_dependence_falls_and_damage_rises_with_the_amount(plan):
    curve = plan.tradeoff()
    assert [point.amount for point in curve] == np.linspace(0, 1, 21).tolist()
    assert curve[0].damage == 0
    assert curve[-1].dependence < 1e-6 < 0.05 < curve[0].dependence
    for name in FEATURES:
        dependence, damage = np.array([point.by_feature[name] for point in curve]).T
        assert (np.diff(dependence) < 0).all()
        assert (np.diff(damage) > 0).all()


def test_the_amount_of_a_budget_is_the_largest_within_it(plan):
    full = plan.tradeoff([1.0])[0].damage
    for budget in (0.0, 0.1, 0.5 * full, full, 9.0):
        amount = plan.for_damage(budget).options.amount
        damage = plan.tradeoff([amount])[0].damage
        assert damage <= budget
        assert amount == 1.0 or damage == pytest.approx(budget, abs=1e-6)


@pytest.mark.parametrize("amount", [-0.1, 1.1, np.nan, "half", True, None])
def test_an_amount_that_cannot_be_is_refused(plan, amount):
    with pytest.raises(OptionError, match="amount="):
        plan.with_amount(amount)


@pytest.mark.parametrize("budget", [-1, np.nan])
def test_a_budget_that_cannot_be_is_refused(plan, budget):
    with pytest.raises(OptionError, match=r"budget=.* is no damage"):
        plan.for_damage(budget)
