import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairmend.transport.points import RUN, Points


@given(
    st.integers(0, 2**32),
    st.integers(1, 4 * RUN),
    st.sampled_from(["none", "any", "some zero"]),
    st.floats(0.001, 0.999),
)
def test_quantiles_are_between_the_middles_of_all_shares(seed, n, weighted, probability):
    rng = np.random.default_rng(seed)
    weights = None if weighted == "none" else rng.random(n) + 1e-3
    if weighted == "some zero":
        weights[1:] *= rng.random(n - 1) < 0.5
    points = Points.of(rng.normal(size=n).round(rng.integers(1, 9)), weights)
    middles = (np.cumsum(points.weights) - 0.5 * points.weights) / points.total
    wanted = np.interp(probability, middles, points.values)
    assert points.quantile(probability) == pytest.approx(wanted, rel=1e-9, abs=1e-12)
    moved = points.at(points.values * 2.0 + 1.0)
    assert moved.quantile(probability) == pytest.approx(2.0 * wanted + 1.0, rel=1e-9, abs=1e-12)


@given(st.lists(st.lists(st.integers(0, 9), max_size=30), min_size=1, max_size=4), st.booleans())
def test_points_together_are_those_of_all_rows(parts, weighted):
    together = Points.together(
        [Points.of(np.array(one, float), np.ones(len(one)) if weighted else None) for one in parts]
    )
    wanted = Points.of(np.concatenate([np.array(one, float) for one in parts]))
    for name in ("values", "rows", "weights", "squares"):
        np.testing.assert_array_equal(getattr(together, name), getattr(wanted, name))


@pytest.mark.parametrize("size", [0, 1, RUN, 5 * RUN])
def test_single_rows_together_are_those_of_all_rows(rng, size):
    parts = [rng.normal(size=size), rng.normal(size=2 * size + 1), rng.normal(size=3)]
    parts[1][: size // 2] = parts[0][: size // 2]  # some are in both
    together = Points.together([Points.of(one.copy()) for one in parts])
    wanted = Points.of(np.concatenate(parts))
    for name in ("values", "rows", "weights", "squares"):
        np.testing.assert_array_equal(getattr(together, name), getattr(wanted, name))
