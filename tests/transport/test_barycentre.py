import numpy as np
import ot
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fairmend.transport.barycentre import barycentre, cumulative

GROUPS, POINTS = st.integers(1, 6), st.integers(1, 12)


@st.composite
def masses(draw, n):
    """A law on n points with small whole-number odds, many of them zero on purpose."""
    odds = draw(st.lists(st.sampled_from([0, 0, 0, 1, 2, 5]), min_size=n, max_size=n).filter(any))
    return np.array(odds) / sum(odds)


@st.composite
def problems(draw, groups=GROUPS, points=POINTS, *, uniform=False):
    """A support, laws on it, and weights, some of them zero."""
    n, n_groups = draw(points), draw(groups)
    gaps = st.just(1.0) if uniform else st.floats(0.01, 100)
    support = np.cumsum(draw(st.lists(gaps, min_size=n, max_size=n))) - draw(st.integers(0, 50))
    laws = np.array([draw(masses(n)) for _ in range(n_groups)])
    weights = st.lists(st.sampled_from([0, 1, 1, 2, 3.7]), min_size=n_groups, max_size=n_groups)
    return support, laws, np.array(draw(weights.filter(any)), dtype=float)


def span(support):
    return max(np.ptp(support), 1e-9)


def objective(target, support, laws, weights):
    cost = (support[:, None] - support[None, :]) ** 2
    share = weights / weights.sum()
    return sum(w * ot.emd2(law, target, cost) for w, law in zip(share, laws, strict=True))


def best_objective(support, laws, weights):
    cost = (support[:, None] - support[None, :]) ** 2
    best = ot.lp.barycenter(laws.T.copy(), cost, weights / weights.sum())
    best = np.maximum(best, 0)
    return objective(best / best.sum(), support, laws, weights)


@given(problems())
def test_is_a_law_with_the_weighted_mean_of_the_means(problem):
    support, laws, weights = problem
    target = barycentre(support, laws, weights)
    assert (target >= 0).all()
    assert target.sum() == pytest.approx(1, abs=1e-12)
    means = laws @ support
    wanted = weights @ means / weights.sum()
    assert target @ support == pytest.approx(wanted, abs=1e-9 * span(support))


@given(problems(groups=st.just(2)), st.sampled_from([0, 1]))
def test_ends_of_the_geodesic_are_the_groups_own_laws(problem, t):
    support, laws, _ = problem
    target = barycentre(support, laws, np.array([1.0 - t, t]))
    np.testing.assert_allclose(target, laws[t], atol=1e-12)


@given(problems(groups=st.just(1)), st.integers(1, 6))
def test_groups_that_agree_are_their_own_target(problem, n_groups):
    support, laws, _ = problem
    target = barycentre(support, np.repeat(laws, n_groups, axis=0), np.arange(1.0, n_groups + 1))
    np.testing.assert_allclose(target, laws[0], atol=1e-12)


@given(problems())
def test_order_of_the_groups_and_sum_of_the_weights_do_not_matter(problem):
    support, laws, weights = problem
    mirrored = barycentre(support, laws[::-1], 7 * weights[::-1])
    np.testing.assert_allclose(mirrored, barycentre(support, laws, weights), atol=1e-12)


@given(problems(groups=st.just(2), points=st.integers(2, 10), uniform=True))
@settings(max_examples=40)
def test_no_better_target_for_two_equal_weights_on_a_uniform_support(problem):
    support, laws, _ = problem
    weights = np.array([0.5, 0.5])
    mine = objective(barycentre(support, laws, weights), support, laws, weights)
    best = best_objective(support, laws, weights)
    assert mine <= best * (1 + 1e-6) + 1e-9 * span(support) ** 2


@given(problems(groups=st.integers(2, 4), points=st.integers(2, 9)))
@settings(max_examples=40)
def test_elsewhere_the_split_costs_at_most_a_quarter_of_the_largest_gap_squared(problem):
    support, laws, weights = problem
    mine = objective(barycentre(support, laws, weights), support, laws, weights)
    best = best_objective(support, laws, weights)
    assert mine <= best + np.diff(support).max() ** 2 / 4 + 1e-9 * span(support) ** 2


@given(problems(uniform=True), st.sampled_from([1e-6, 0.1, 1 / 3, 1e6]), st.integers(-9, 9))
def test_other_units_give_the_same_target_and_no_mass_by_rounding(problem, unit, shift):
    support, laws, weights = problem
    target = barycentre(support, laws, weights)
    other = barycentre(unit * support + unit * shift, laws, weights)
    np.testing.assert_allclose(other, target, atol=1e-9)
    # Equal sums that differ in their last bit would leave 1e-17 at places without mass.
    np.testing.assert_array_equal(other > 0, target > 0)
    assert target[target > 0].min() > 1e-6


def test_two_gaussians_meet_in_the_gaussian_between_them():
    support = np.linspace(-8, 12, 2_001)

    def gaussian(mean, deviation):
        density = np.exp(-0.5 * ((support - mean) / deviation) ** 2)
        return density / density.sum()

    for t in (0.25, 0.5):
        laws = [gaussian(-1, 0.5), gaussian(3, 2)]
        target = barycentre(support, laws, np.array([1 - t, t]))
        closed_form = gaussian((1 - t) * -1 + t * 3, (1 - t) * 0.5 + t * 2)
        assert np.abs(cumulative(target) - cumulative(closed_form)).max() < 0.005


@given(st.integers(1, 12).flatmap(masses))
def test_cumulative_ends_at_exactly_one(mass):
    sums = cumulative(mass)
    assert sums[-1] == 1.0
    assert (np.diff(sums) >= 0).all()
    np.testing.assert_allclose(sums, np.cumsum(mass), atol=1e-15)
