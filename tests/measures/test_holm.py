import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from fairmend.measures.holm import holm


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_is_the_step_down_of_the_book(p):
    order = np.argsort(p, kind="stable")
    expected, highest = np.empty(len(p)), 0.0
    for step, at in enumerate(order):
        highest = max(highest, min(1.0, (len(p) - step) * p[at]))
        expected[at] = highest
    assert holm(np.array(p)) == pytest.approx(expected)


def test_holm_keeps_the_family_of_dependent_tests():
    rng = np.random.default_rng(0)
    shared = rng.normal(size=(4_000, 1))
    p = stats.norm.sf(0.7 * shared + np.sqrt(0.51) * rng.normal(size=(4_000, 10)))
    assert np.mean([(holm(row) <= 0.05).any() for row in p]) <= 0.06
    assert np.mean((p <= 0.05).any(axis=1)) > 0.2


def test_no_tests_are_no_error():
    assert holm(np.empty(0)).size == 0
