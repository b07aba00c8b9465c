import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import entropy, gaussian_kde, norm

from fairmend.measures import density
from fairmend.measures.density import common_bandwidth, log_masses, tail_spread
from fairmend.measures.divergence import divergence
from fairmend.measures.sample import Sample
from fairmend.transport.bandwidth import bandwidth_of
from fairmend.transport.points import Points

NO_ATOMS = np.empty(0)


def normal(rng, n, mean=0.0, sd=1.0):
    return Sample(rng.normal(mean, sd, n))


def on_a_fine_grid(a, b):
    """E of the documented densities, from SciPy's exact kernel density and 40,000 points."""
    h = common_bandwidth(a, b)
    spread = tail_spread(a, b, h)
    both = np.concatenate([a.values, b.values])
    grid = np.linspace(both.min() - 9 * spread, both.max() + 9 * spread, 40_000)

    def law(one):
        kde = gaussian_kde(one.values, bw_method=h / one.values.std(ddof=1))
        tail, n = norm(one.values.mean(), spread), one.values.size
        return (n * kde(grid) + tail.pdf(grid)) / (n + 1)

    p, q = law(a), law(b)
    return 0.5 * np.sum((p - q) * np.log(p / q)) * (grid[1] - grid[0])


@pytest.mark.parametrize(("n", "m", "mean", "sd"), [(40, 25, 1, 1), (60, 60, 0, 3), (30, 50, 4, 1)])
def test_densities_are_scipys_with_one_pseudo_row(n, m, mean, sd):
    rng = np.random.default_rng(n)
    a, b = normal(rng, n), normal(rng, m, mean, sd)
    # Linear binning on an eighth of a bandwidth is what remains.
    assert divergence(a, b, NO_ATOMS) == pytest.approx(on_a_fine_grid(a, b), rel=4e-3)


def test_finer_nodes_converge_to_scipys(monkeypatch):
    rng = np.random.default_rng(1)
    a, b = normal(rng, 40), normal(rng, 25, 1)
    monkeypatch.setattr(density, "STEPS_A_BANDWIDTH", 64)
    monkeypatch.setattr(density, "REACH", 8 * 64)
    assert divergence(a, b, NO_ATOMS) == pytest.approx(on_a_fine_grid(a, b), rel=1e-4)


@pytest.mark.parametrize(("mean", "error"), [(0.5, 0.006), (1.0, 0.012), (2.0, 0.06)])
def test_two_normals_have_their_closed_form(mean, error):
    # Errors are three standard deviations over seeds, and for the largest mean the tails' bias.
    rng = np.random.default_rng(3)
    a, b = normal(rng, 200_000), normal(rng, 200_000, mean)
    smoothed = 1 + common_bandwidth(a, b) ** 2  # the variance of what is compared
    assert divergence(a, b, NO_ATOMS) == pytest.approx(mean**2 / 2 / smoothed, abs=error)


def test_far_apart_is_finite_and_near_the_truth():
    # The truth is 200. A kernel density alone gives 5,000, and a floor of 1e-10 gives 22.
    rng = np.random.default_rng(4)
    found = [
        divergence(normal(rng, 10_000), normal(rng, 10_000, 20.0), NO_ATOMS) for _ in range(30)
    ]
    assert np.mean(found) == pytest.approx(204, abs=8)  # about 200 + log n, of deviation 12
    assert min(found) > 140
    assert max(found) < 225


def test_farther_apart_stays_finite():
    rng = np.random.default_rng(0)
    found = divergence(normal(rng, 100), normal(rng, 100, 1e9), NO_ATOMS)
    assert np.isfinite(found)
    assert found > 1e15


@pytest.mark.parametrize("law", ["standard_cauchy", "exponential", "lognormal"])
def test_remote_values_do_not_show_dependence_where_there_is_none(law):
    # The tails of a kernel density alone give 0.68 for lognormal samples and 10^5 for Cauchy ones.
    rng = np.random.default_rng(5)
    for _ in range(10):
        a, b = (Sample(getattr(rng, law)(size=5_000)) for _ in "ab")
        assert divergence(a, b, NO_ATOMS) < 0.16


def test_one_bandwidth_shows_no_dependence_on_whole_numbers():
    # A bandwidth each smooths the large group's whole numbers less: E of equal laws is then 0.6.
    rng = np.random.default_rng(6)
    hours = rng.choice([20.0, 30.0, 40.0, 45.0, 50.0], size=20_500, p=[0.1, 0.1, 0.5, 0.15, 0.15])
    a, b = Sample(hours[:500]), Sample(hours[500:])
    own = [
        gaussian_kde(
            one.values, bw_method=bandwidth_of(Points.of(one.values)) / one.values.std(ddof=1)
        )
        for one in (a, b)
    ]
    grid = np.linspace(0, 70, 2001)
    p, q = (one(grid) for one in own)
    apart = 0.5 * np.sum((p - q) * np.log(p / q)) * (grid[1] - grid[0])
    assert divergence(a, b, NO_ATOMS) < 0.3 * apart


def test_discrete_laws_have_their_closed_form():
    rng = np.random.default_rng(7)
    p, q = np.array([0.5, 0.3, 0.2]), np.array([0.2, 0.3, 0.5])
    a, b = (Sample(rng.choice(3, size=200_000, p=one).astype(float)) for one in (p, q))
    truth = (entropy(p, q) + entropy(q, p)) / 2
    assert divergence(a, b, np.arange(3.0)) == pytest.approx(truth, rel=0.02)


def test_discrete_laws_with_nothing_shared_are_finite():
    a, b = Sample(np.zeros(9)), Sample(np.ones(9))
    # Half a row each where the group has none: shares 0.95 and 0.05.
    assert divergence(a, b, np.array([0.0, 1.0])) == pytest.approx(0.9 * np.log(19))


def test_many_rare_values_have_a_low_floor():
    # One pseudo-row for all values together, instead of half a row each, makes this 0.7.
    rng = np.random.default_rng(8)
    values = np.round(rng.normal(0, 3, 10_000), 2)
    found = divergence(Sample(values[::2]), Sample(values[1::2]), np.unique(values))
    assert found < 0.3


def zero_inflated(rng, n, zeros, mean):
    return Sample(np.where(rng.random(n) < zeros, 0.0, rng.normal(mean, 1, n)))


@pytest.mark.parametrize("mean", [0.0, 1.0])
def test_mixed_laws_are_taken_apart_exactly(mean):
    rng = np.random.default_rng(9)
    a, b = zero_inflated(rng, 100_000, 0.5, 0), zero_inflated(rng, 100_000, 0.3, mean)
    atoms = entropy([0.5, 0.5], [0.3, 0.7]) / 2 + entropy([0.3, 0.7], [0.5, 0.5]) / 2
    truth = atoms + (0.5 + 0.7) / 2 * mean**2 / 2
    assert divergence(a, b, np.zeros(1)) == pytest.approx(truth, abs=0.015)


def test_group_without_rest_has_only_its_atoms_compared():
    rng = np.random.default_rng(10)
    a = Sample(np.concatenate([np.zeros(50), rng.normal(size=50)]))
    for rest in ([], [3.0]):
        found = divergence(a, Sample(np.array([0.0] * 99 + rest)), np.zeros(1))
        assert 0.5 < found < 3


def test_equal_samples_have_no_divergence():
    values = Sample(np.random.default_rng(11).normal(size=50))
    assert divergence(values, values, NO_ATOMS) == 0
    assert divergence(values, values, values.values.copy()) == 0


def test_groups_without_spread_are_finite():
    ones, twos = Sample(np.ones(5)), Sample(np.full(5, 2.0))
    assert divergence(ones, ones, NO_ATOMS) == 0
    assert 1 < divergence(ones, twos, NO_ATOMS) < 100
    assert 0 < divergence(ones, Sample(np.array([0.0, 1.0, 2.0])), NO_ATOMS) < 100


def test_nodes_are_bounded_whatever_the_spread(monkeypatch):
    monkeypatch.setattr(density, "MOST_NODES", 20_000)
    rng = np.random.default_rng(12)
    # Half the rows within 1e-6, so the bandwidth is tiny, and half all over the place.
    wild = np.where(rng.random(4_000) < 0.6, 1e-6, 1e6) * rng.random(4_000)
    log_p, log_q = log_masses(Sample(wild[::2]), Sample(wild[1::2]))
    assert log_p.size < 20_000 + 2 * density.TAIL_NODES
    assert np.isfinite(log_p).all()
    assert np.isfinite(log_q).all()


@given(st.integers(0, 10_000), st.integers(2, 30), st.integers(2, 30))
def test_masses_sum_to_one(seed, n, m):
    rng = np.random.default_rng(seed)
    masses = log_masses(Sample(rng.standard_cauchy(n)), Sample(rng.normal(size=m)))
    for one in masses:
        assert np.exp(one).sum() == pytest.approx(1)


def test_weights_stand_for_rows():
    rng = np.random.default_rng(13)
    a, b = rng.normal(size=20_000), rng.normal(1, 1, size=20_000)
    # Weighting N(0, 1) by exp(x / 2) makes it N(1/2, 1), so E falls from 1/2 to 1/8.
    found = divergence(Sample(a, np.exp(a / 2)), Sample(b), NO_ATOMS)
    assert found == pytest.approx(0.125, abs=0.015)
    equal = divergence(Sample(a, np.full(a.size, 3.0)), Sample(b), NO_ATOMS)
    assert equal == pytest.approx(divergence(Sample(a), Sample(b), NO_ATOMS), rel=1e-3)


def test_weights_count_in_discrete_laws():
    a, b = Sample(np.array([0.0, 1.0]), np.array([3e6, 1e6])), Sample(np.array([0.0, 1.0]))
    # Kish's size of (3, 1) is 1.6: shares (1.2 + 1/2) / 2.6 against 1/2.
    p = 1.7 / 2.6
    truth = 0.5 * (p - 0.5) * np.log(p / (1 - p))
    assert divergence(a, b, np.array([0.0, 1.0])) == pytest.approx(truth)
