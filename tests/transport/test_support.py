import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairmend.transport.support import even_points, split_onto, uniform_support

LOWS = st.floats(-1e4, 1e4)
WIDTHS = st.floats(1e-3, 1e4)
POINTS = st.integers(2, 400)
MARGINS = st.floats(0, 2)
STEPS = st.sampled_from([0.01, 0.1, 1 / 3, 1.0, 10.0])


def algorithm_1_line_4(low, high, n):
    """ζ_i as the paper writes it, i = 1..n."""
    i = np.arange(1, n + 1)
    return (n - i) / (n - 1) * low + (i - 1) / (n - 1) * high


@given(LOWS, WIDTHS, POINTS)
def test_without_margin_it_is_algorithm_1_to_the_letter(low, width, n):
    high = low + width
    support = uniform_support(low, high, n)
    assert support.size == n
    assert (support[0], support[-1]) == (low, high)
    scale = max(abs(low), abs(high))
    np.testing.assert_allclose(
        support, algorithm_1_line_4(low, high, n), rtol=0, atol=1e-14 * scale
    )


@given(LOWS, WIDTHS, POINTS, MARGINS)
def test_margin_widens_each_side_by_its_share_or_up_to_zero(low, width, n, margin):
    high = low + width
    support = uniform_support(low, high, n, margin)
    wide_low, wide_high = low - margin * width, high + margin * width
    if low >= 0:
        wide_low = max(wide_low, 0.0)
    if high <= 0:
        wide_high = min(wide_high, 0.0)
    assert support[0] == pytest.approx(wide_low, abs=1e-9)
    assert support[-1] == pytest.approx(wide_high, abs=1e-9)


@given(st.integers(0, 3_000), st.integers(1, 3_000), POINTS, MARGINS, STEPS, st.booleans())
def test_support_of_one_sign_never_crosses_zero(low, width, n, margin, step, laid_on_lattice):
    low, high = low * step, (low + width) * step
    lattice = step if laid_on_lattice else 0.0
    assert uniform_support(low, high, n, margin, lattice).min() >= 0
    assert uniform_support(-high, -low, n, margin, lattice).max() <= 0


@pytest.mark.parametrize("k", [3, 7, 12, 23, 199])
def test_lattice_of_decimals_reaches_zero_itself(k):
    # 0.7 is less than 7 * 0.1, so seven steps down from it are below zero.
    low = k / 10
    assert uniform_support(low, low + 20, 10_000, 1, 0.1)[0] == 0.0
    assert uniform_support(-low - 20, -low, 10_000, 1, 0.1)[-1] == 0.0


def test_support_of_both_signs_may_widen_over_both_ends():
    assert uniform_support(-1.0, 1.0, 3, 0.5).tolist() == [-2.0, 0.0, 2.0]
    assert uniform_support(-1.0, 1.0, 5, 0.5, 1.0).tolist() == [-2.0, -1.0, 0.0, 1.0, 2.0]


@given(st.integers(-3_000, 3_000), st.integers(1, 3_000), POINTS, MARGINS, STEPS)
def test_lattice_points_are_whole_equal_steps_around_the_range(low, width, n, margin, step):
    low, high = low * step, (low + width) * step
    support = uniform_support(low, high, n, margin, step)
    steps = (support - low) / step
    np.testing.assert_allclose(steps, np.rint(steps), atol=1e-6)
    strides = np.diff(np.rint(steps))
    assert strides.min() == strides.max() >= 1
    assert 2 <= support.size <= n + 1
    # To the bit: a research value beyond the support would count as out of range.
    assert support[0] <= low
    assert support[-1] >= high
    beyond = margin * (high - low) + strides[0] * step
    assert support[0] >= low - beyond - 1e-9
    assert support[-1] <= high + beyond + 1e-9


@given(st.integers(-3_000, 3_000), st.integers(1, 3_000), POINTS, MARGINS, st.floats(1e-6, 1e6))
def test_lattice_is_the_same_in_other_units(low, width, n, margin, unit):
    whole = uniform_support(low, low + width, n, margin, 1.0)
    other = uniform_support(low * unit, (low + width) * unit, n, margin, unit)
    assert other.size == whole.size
    scale = unit * np.abs(whole).max()
    np.testing.assert_allclose(other, whole * unit, rtol=0, atol=1e-12 * scale)


@given(
    st.integers(-3_000, 3_000), st.integers(1, 3_000), POINTS, MARGINS, st.sampled_from([0, 0.1])
)
def test_support_is_rebuilt_to_the_bit_from_its_ends_and_size(low, width, n, margin, lattice):
    support = uniform_support(low / 10, (low + width) / 10, n, margin, lattice)
    rebuilt = even_points(support[0], support[-1], support.size, lattice)
    assert rebuilt.tobytes() == support.tobytes()


# Splitting mass

SUPPORTS = st.lists(st.floats(0.01, 10), min_size=1, max_size=12).map(lambda g: np.cumsum(g) - 20)
PLACED = st.lists(
    st.tuples(st.floats(-40, 140), st.sampled_from([0.0, 0.25, 1.0, 3.0])), min_size=1, max_size=20
)


@given(SUPPORTS, PLACED)
def test_split_keeps_mass_and_mean_of_what_is_inside(support, placed):
    values, mass = np.array(placed).T
    split = split_onto(support, values, mass)
    inside = np.clip(values, support[0], support[-1])
    assert (split >= 0).all()
    assert split.sum() == pytest.approx(mass.sum(), rel=1e-12)
    assert split @ support == pytest.approx(mass @ inside, rel=1e-8, abs=1e-6)


@given(SUPPORTS)
def test_split_leaves_mass_that_is_on_a_point_there(support):
    mass = np.arange(support.size) % 3.0
    np.testing.assert_array_equal(split_onto(support, support, mass), mass)


def test_split_uses_only_the_two_neighbours():
    split = split_onto(np.array([0.0, 1.0, 4.0, 9.0]), np.array([2.0]), np.array([1.0]))
    np.testing.assert_allclose(split, [0, 2 / 3, 1 / 3, 0])
