import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from fairmend.transport.bandwidth import bandwidth_of, spread
from fairmend.transport.marginal import counts_marginal, kde_marginal
from fairmend.transport.points import Points
from fairmend.transport.support import uniform_support

SHAPES = {
    "normal": lambda rng, n: rng.normal(size=n),
    "heavy tails": lambda rng, n: rng.standard_t(2, size=n),
    "skewed": lambda rng, n: rng.exponential(size=n),
    "two clusters": lambda rng, n: rng.normal(size=n) * 0.01 + rng.integers(0, 2, n) * 50,
    "at the ends": lambda rng, n: rng.integers(0, 2, n).astype(float),
    "one value": lambda rng, n: np.full(n, 0.1),
}


def exact_sum(values, support, h, weights=None):
    density = stats.norm.pdf(support[:, None], values[None, :], h)
    mass = density.sum(axis=1) if weights is None else density @ weights
    return mass / mass.sum()


def covering(values, n, margin=0.1):
    low, high = values.min(), values.max()
    return uniform_support(low, high if high > low else low + 1, n, margin)


@given(
    st.sampled_from(sorted(SHAPES)),
    st.integers(0, 2**32),
    st.sampled_from([1, 2, 3, 10, 200, 1_500]),
    st.sampled_from([2, 3, 10, 50, 250, 1_000]),
    st.floats(0, 2).map(lambda x: 10**x),
)
def test_kde_is_the_exact_sum(shape, seed, n, points, steps):
    values = SHAPES[shape](np.random.default_rng(seed), n)
    support = covering(values, points)
    h = steps * (support[1] - support[0])
    mass = kde_marginal(Points.of(values), support, h)
    assert np.abs(mass - exact_sum(values, support, h)).sum() < 1e-4
    assert mass.sum() == pytest.approx(1, abs=1e-12)
    assert (mass >= 0).all()


@pytest.mark.parametrize("points", [5_000, 60_000])
def test_kde_is_the_exact_sum_on_long_supports(rng, points):
    values = rng.normal(size=200)
    support = covering(values, points)
    h = bandwidth_of(Points.of(values))
    every = slice(None, None, points // 500)
    mass, exact = (
        kde_marginal(Points.of(values), support, h)[every],
        exact_sum(values, support[every], h),
    )
    assert np.abs(mass / mass.sum() - exact).sum() < 1e-4


def test_kde_is_that_of_scipy(rng):
    values = rng.gamma(2, size=300)
    support = covering(values, 250)
    h = bandwidth_of(Points.of(values))
    theirs = stats.gaussian_kde(values, bw_method=h / values.std(ddof=1))(support)
    assert np.abs(kde_marginal(Points.of(values), support, h) - theirs / theirs.sum()).sum() < 1e-4


@given(st.lists(st.integers(0, 5), min_size=2, max_size=60).filter(any), st.integers(0, 99))
def test_kde_weights_are_repeated_rows(weights, seed):
    values = np.random.default_rng(seed).normal(size=len(weights))
    support = covering(values, 100)
    h = 3 * (support[1] - support[0])
    weighted = kde_marginal(Points.of(values, np.array(weights, dtype=float)), support, h)
    repeated = kde_marginal(Points.of(np.repeat(values, weights)), support, h)
    np.testing.assert_allclose(weighted, repeated, atol=1e-13)


def test_kde_bandwidth_below_a_step_is_floored_there(rng):
    values = rng.random(30)
    support = uniform_support(0.0, 1.0, 21)
    mass = kde_marginal(Points.of(values), support, 1e-5)
    np.testing.assert_array_equal(mass, kde_marginal(Points.of(values), support, 0.05))


def test_kde_has_no_mass_where_no_kernel_reaches(rng):
    # Rounding of the FFT would be some, and then decide where outliers go.
    values = rng.normal(10, 0.5, size=400)
    support = uniform_support(0.0, 100.0, 800)
    mass = kde_marginal(Points.of(values), support, 0.5)
    far = (support < values.min() - 5) | (support > values.max() + 5)
    assert far.sum() > 500
    assert (mass[far] == 0).all()
    assert (mass[np.abs(support - 10) < 2] > 1e-4).all()


# Counts


@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(0, 4)), min_size=1, max_size=40))
def test_counts_are_shares_and_weights_are_repeated_rows(rows):
    values, weights = np.array(rows, dtype=float).T
    atoms = np.arange(-3.0, 4.0)
    shares = [(values == atom).mean() for atom in atoms]
    np.testing.assert_allclose(counts_marginal(Points.of(values), atoms), shares, atol=1e-15)
    if weights.any():
        repeated = np.repeat(values, weights.astype(int))
        np.testing.assert_allclose(
            counts_marginal(Points.of(values, weights), atoms),
            counts_marginal(Points.of(repeated), atoms),
            atol=1e-15,
        )


# Bandwidths


def interquartile_range(values):
    """Interpolate between the middles of the values' ranks; ties share one rank."""
    middles = np.sort((stats.rankdata(values) - 0.5) / values.size)
    return np.ptp(np.interp([0.25, 0.75], middles, np.sort(values)))


@given(st.integers(2, 500), st.integers(0, 99), st.sampled_from(sorted(SHAPES)))
def test_bandwidth_rules_are_those_of_the_literature(n, seed, shape):
    values = SHAPES[shape](np.random.default_rng(seed), n)
    robust = interquartile_range(values) / 1.349
    deviation = values.std(ddof=1) if np.ptp(values) > 0 else 0.0
    scale = min(deviation, robust) if robust > 0 else deviation
    factors = stats.gaussian_kde(np.random.default_rng(0).normal(size=n))  # they need n alone
    silverman, scott = factors.silverman_factor(), factors.scotts_factor()
    assert bandwidth_of(Points.of(values)) == pytest.approx(silverman * scale, rel=1e-12)
    assert bandwidth_of(Points.of(values), "scott") == pytest.approx(scott * scale, rel=1e-12)
    assert bandwidth_of(Points.of(values), 0.37) == 0.37


def test_spread_ignores_one_huge_value(rng):
    values = np.append(rng.normal(size=99), 1e6)
    assert spread(Points.of(values)) < 2


def test_spread_of_a_heaped_column_is_its_deviation():
    values = np.repeat([39.0, 40.0, 45.0], [1, 98, 1])
    assert spread(Points.of(values)) == values.std(ddof=1) > 0


@pytest.mark.parametrize("value", [0.1, 0.5, 1e-6 * 3, 12345.678])
@pytest.mark.parametrize("n", [2, 3, 7])
def test_spread_of_equal_values_is_zero_in_any_units(value, n):
    # The deviation of three 0.1 is 1.7e-17, that of three 0.5 is 0.
    assert spread(Points.of(np.full(n, value))) == 0.0


def test_spread_and_bandwidth_of_weights_do_not_depend_on_their_sum(rng):
    values, weights = rng.normal(size=50), rng.random(50)
    assert spread(Points.of(values, weights)) == pytest.approx(
        spread(Points.of(values, weights * 1e3))
    )
    assert bandwidth_of(Points.of(values, weights)) == pytest.approx(
        bandwidth_of(Points.of(values, weights * 1e3))
    )


def test_bandwidth_of_weights_counts_kish_effective_rows(rng):
    values = rng.normal(size=64)
    weights = np.repeat([1.0, 0.0], 32)
    ratio = bandwidth_of(Points.of(values, weights)) / spread(Points.of(values, weights))
    assert ratio == pytest.approx((4 / 3) ** 0.2 * 32**-0.2)
