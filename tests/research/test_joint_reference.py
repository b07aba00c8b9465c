"""What leaves lean on: laws without interaction, and lines."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as some

from fairmend.research.joint.reference import raked, regressed

tables = some.arrays(
    float,
    st.tuples(st.integers(1, 4), st.integers(2, 4), st.integers(2, 6)),
    elements=st.floats(0.5, 200.0),
)


def root_of(counts):
    laws = counts.sum(axis=0)
    return laws / laws.sum(axis=1, keepdims=True)


@settings(max_examples=50, deadline=None)
@given(tables)
def test_laws_have_the_leafs_values_and_the_stratums_odds(counts):
    root = root_of(counts)
    laws = raked(counts, root, 0.0)
    np.testing.assert_allclose(laws.sum(axis=2), 1.0)
    shares = counts.sum(axis=2) / counts.sum(axis=(1, 2))[:, None]
    everybody = counts.sum(axis=1) / counts.sum(axis=(1, 2))[:, None]
    np.testing.assert_allclose((shares[:, :, None] * laws).sum(axis=1), everybody, atol=5e-3)
    # Group and leaf do not interact: the groups' odds are those in the stratum, value by value.
    for law in laws:
        odds = (law[0] / law[1]) / (root[0] / root[1])
        np.testing.assert_allclose(odds, odds[0], rtol=1e-9)


def test_a_leaf_like_its_stratum_leans_on_the_stratum():
    root = np.array([[0.5, 0.3, 0.2], [0.1, 0.1, 0.8]])
    counts = np.stack([100.0 * root, 7.0 * root])
    np.testing.assert_allclose(raked(counts, root, 30.0), np.stack([root, root]), atol=1e-12)


def test_many_pseudo_rows_lead_back_to_the_stratum():
    root = np.array([[0.5, 0.3, 0.2], [0.1, 0.1, 0.8]])
    counts = np.array([[[1.0, 8.0, 1.0], [0.0, 5.0, 5.0]]])
    away = [np.abs(raked(counts, root, k)[0] - root).max() for k in (0.0, 10.0, 1e6)]
    assert away[0] > away[1] > 0.1
    assert away[2] < 1e-4


def test_a_group_without_rows_in_a_leaf_has_a_law_there():
    root = np.array([[0.5, 0.5, 0.0], [0.1, 0.4, 0.5]])
    laws = raked(np.array([[[0.0, 0.0, 0.0], [4.0, 3.0, 3.0]]]), root, 10.0)
    np.testing.assert_allclose(laws.sum(axis=2), 1.0)
    assert laws[0, 0, 2] == 0  # a value that the group never has stays so


def test_each_group_has_a_line_of_its_own():
    rng = np.random.default_rng(1)
    group = rng.integers(0, 2, 4_000)
    x, other = rng.normal(size=(2, 4_000))
    y = np.where(group == 1, 5.0 + 0.8 * x, -0.3 * x)
    expected = regressed(y, [x, other], group, np.ones(y.size))
    near = np.abs(x) < 2.5
    np.testing.assert_allclose(expected[near], y[near], atol=0.05)


@pytest.mark.parametrize("told", [np.full(50, np.nan), np.full(50, 3.0)])
def test_what_tells_nothing_leaves_the_mean(told):
    y = np.arange(50.0)
    weights = np.where(y < 25, 2.0, 1.0)
    expected = regressed(y, [told], np.zeros(50, dtype=np.int64), weights)
    np.testing.assert_allclose(expected, np.average(y, weights=weights))
