from fractions import Fraction
from math import gcd, lcm

import numpy as np
import ot
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairmend.errors import DataError, OptionError
from fairmend.transport.geometric import geometric_repair, rank_coupling

SIZES = st.integers(1, 40)
TS = st.floats(0, 1)
VALUES = st.floats(-1e6, 1e6).map(lambda x: round(x, 3))
# Few different values, so that most samples have ties, within a group and between the two.
TIED = st.integers(-3, 3).map(lambda x: x / 10)
SAMPLES = st.one_of(*(st.lists(of, min_size=1, max_size=30).map(np.array) for of in (VALUES, TIED)))


def emd_plan(x0, x1):
    # Squared distance: it is strictly convex, so that no other plan between the values is optimal.
    cost = (x0[:, None] - x1[None, :]) ** 2
    weights0, weights1 = (np.full(x.size, 1 / x.size) for x in (x0, x1))
    return ot.emd(weights0, weights1, cost), cost


def repaired_by_emd(x0, x1, t):
    """The paper's two equations as they are written, with the plan as a matrix."""
    plan, _ = emd_plan(x0, x1)
    return (
        (1 - t) * x0 + x0.size * t * (plan @ x1),
        x1.size * (1 - t) * (plan.T @ x0) + t * x1,
    )


def mean_by_value(key, values):
    levels, code = np.unique(key, return_inverse=True)
    return levels, np.bincount(code, weights=values) / np.bincount(code)


def span(x0, x1):
    return max(np.abs(x0).max(), np.abs(x1).max(), 1e-9)


# The plan


@given(SIZES, SIZES)
def test_plan_has_the_samples_as_marginals(n0, n1):
    row, column, mass = rank_coupling(n0, n1)
    unit = lcm(n0, n1)
    assert [Fraction(int(m), unit) for m in np.bincount(row, mass)] == [Fraction(1, n0)] * n0
    assert [Fraction(int(m), unit) for m in np.bincount(column, mass)] == [Fraction(1, n1)] * n1


@given(SIZES, SIZES)
def test_plan_is_monotone_and_has_no_spurious_entry(n0, n1):
    row, column, mass = rank_coupling(n0, n1)
    assert (np.diff(row) >= 0).all()
    assert (np.diff(column) >= 0).all()
    assert mass.min() >= 1
    assert row.size == column.size == mass.size == n0 + n1 - gcd(n0, n1)


@given(SAMPLES, SAMPLES)
def test_plan_costs_no_more_than_the_solvers(x0, x1):
    x0, x1 = np.sort(x0), np.sort(x1)
    row, column, mass = rank_coupling(x0.size, x1.size)
    plan, cost = emd_plan(x0, x1)
    mine = (mass / mass.sum()) @ cost[row, column]
    assert mine == pytest.approx((plan * cost).sum(), rel=1e-9, abs=1e-9 * cost.max())


# The repair


@pytest.mark.parametrize("t", [0, 0.2, 0.5, 0.9, 1])
@pytest.mark.parametrize(("n0", "n1"), [(1, 1), (1, 7), (12, 12), (12, 18), (13, 30), (40, 9)])
def test_without_ties_each_point_goes_where_the_solvers_plan_sends_it(n0, n1, t):
    rng = np.random.default_rng([n0, n1])
    x0, x1 = rng.normal(size=n0), rng.normal(1, 2, size=n1)
    for mine, theirs in zip(geometric_repair(x0, x1, t), repaired_by_emd(x0, x1, t), strict=True):
        np.testing.assert_allclose(mine, theirs, atol=1e-12)


@given(SAMPLES, SAMPLES, TS)
def test_with_ties_each_value_goes_on_average_where_the_solvers_plan_sends_it(x0, x1, t):
    # Which of two equal points is coupled with what is free, so that points cannot be compared.
    mine, theirs = geometric_repair(x0, x1, t), repaired_by_emd(x0, x1, t)
    for key, repaired, expected in zip((x0, x1), mine, theirs, strict=True):
        found = mean_by_value(key, repaired)[1]
        np.testing.assert_allclose(found, mean_by_value(key, expected)[1], atol=1e-9 * span(x0, x1))


@given(SAMPLES, SAMPLES, TS)
def test_both_groups_get_the_same_mean(x0, x1, t):
    mean = (1 - t) * x0.mean() + t * x1.mean()
    for repaired in geometric_repair(x0, x1, t):
        assert repaired.mean() == pytest.approx(mean, abs=1e-9 * span(x0, x1))


@given(st.lists(st.tuples(VALUES, VALUES), min_size=1, max_size=30), TS)
def test_samples_of_one_size_become_the_same_values_to_the_last_bit(pairs, t):
    repaired0, repaired1 = geometric_repair(*np.array(pairs).T, t)
    np.testing.assert_array_equal(np.sort(repaired0), np.sort(repaired1))


@given(SAMPLES, SAMPLES)
def test_at_the_ends_one_group_stays_and_the_other_moves_to_its_means(x0, x1):
    row, column, mass = rank_coupling(x0.size, x1.size)
    at_0, at_1 = geometric_repair(x0, x1, 0), geometric_repair(x0, x1, 1)
    np.testing.assert_array_equal(at_0[0], x0)
    np.testing.assert_array_equal(at_1[1], x1)
    for moved, point, partner in [
        (at_0[1], column, np.sort(x0)[row]),
        (at_1[0], row, np.sort(x1)[column]),
    ]:
        means = np.bincount(point, mass * partner) / np.bincount(point, mass)
        np.testing.assert_allclose(np.sort(moved), means, atol=1e-9 * span(x0, x1))


@given(SAMPLES, SAMPLES, TS)
def test_points_keep_their_order(x0, x1, t):
    slack = 1e-9 * span(x0, x1)
    for x, repaired in zip((x0, x1), geometric_repair(x0, x1, t), strict=True):
        assert (np.diff(repaired[np.argsort(x, kind="stable")]) >= -slack).all()


@given(SAMPLES, SAMPLES, TS, st.randoms(use_true_random=False))
def test_order_of_rows_changes_no_value(x0, x1, t, random):
    shuffled0, shuffled1 = (np.array(random.sample(list(x), x.size)) for x in (x0, x1))
    straight, shuffled = geometric_repair(x0, x1, t), geometric_repair(shuffled0, shuffled1, t)
    for a, b in zip(straight, shuffled, strict=True):
        np.testing.assert_array_equal(np.sort(a), np.sort(b))


@given(SAMPLES, SAMPLES, TS, st.floats(1e-3, 1e3), st.floats(-1e3, 1e3))
def test_units_do_not_matter(x0, x1, t, a, b):
    for before, after in zip(
        geometric_repair(x0, x1, t), geometric_repair(a * x0 + b, a * x1 + b, t), strict=True
    ):
        np.testing.assert_allclose(after, a * before + b, atol=1e-9 * (a * span(x0, x1) + abs(b)))


@given(SAMPLES, SAMPLES, TS)
def test_names_of_the_groups_do_not_matter(x0, x1, t):
    straight, swapped = geometric_repair(x0, x1, t), geometric_repair(x1, x0, 1 - t)
    for a, b in zip(straight, reversed(swapped), strict=True):
        np.testing.assert_allclose(a, b, atol=1e-9 * span(x0, x1))


@given(st.floats(-1e6, 1e6), SIZES, SIZES, TS)
def test_rounding_makes_no_new_values_out_of_ties(value, n0, n1, t):
    for repaired in geometric_repair(np.full(n0, value), np.full(n1, value), t):
        assert set(repaired) == {value}


def test_result_is_in_the_order_of_the_input():
    repaired0, repaired1 = geometric_repair([30, 10, 20], [0, 40, 20])
    np.testing.assert_array_equal(repaired0, [35, 5, 20])
    np.testing.assert_array_equal(repaired1, [5, 35, 20])


def test_input_is_not_modified():
    x0, x1 = np.array([3.0, 1.0]), np.array([2.0, 5.0, 4.0])
    for x in (x0, x1):
        x.flags.writeable = False
    for x, repaired in zip((x0, x1), geometric_repair(x0, x1, 0), strict=True):
        assert not np.shares_memory(x, repaired)
    np.testing.assert_array_equal(x0, [3.0, 1.0])
    np.testing.assert_array_equal(x1, [2.0, 5.0, 4.0])


def test_groups_can_be_large():
    # As a matrix, this plan would be 80 GB.
    rng = np.random.default_rng(0)
    x0, x1 = rng.normal(size=100_000), rng.normal(1, 1, size=100_001)
    repaired0, repaired1 = geometric_repair(x0, x1)
    np.testing.assert_allclose(repaired0.mean(), repaired1.mean(), atol=1e-12)
    np.testing.assert_allclose(np.sort(repaired0), np.sort(repaired1)[:-1], atol=0.5)


# What is refused


@pytest.mark.parametrize("t", [-0.1, 1.1, np.nan])
def test_t_outside_the_geodesic_is_refused(t):
    with pytest.raises(OptionError, match="Pass a number from 0 to 1"):
        geometric_repair([1.0], [2.0], t)


@pytest.mark.parametrize("empty", [[], [[1.0, 2.0]], 3.0])
def test_what_is_no_sample_is_refused(empty):
    with pytest.raises(DataError, match=r"x1 has shape .* pass a one-dimensional array"):
        geometric_repair([1.0], empty)


@pytest.mark.parametrize("fault", [np.nan, np.inf, -np.inf])
def test_values_without_a_rank_are_refused(fault):
    with pytest.raises(DataError, match=r"x0 has 1 missing or infinite values, .* Leave those"):
        geometric_repair([1.0, fault], [2.0])
