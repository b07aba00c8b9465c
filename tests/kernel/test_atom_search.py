import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairmend.kernel.table import MOST_BUCKETS, AtomSearch

TINY = 5e-324
HUGE = np.finfo(float).max
ADVERSARIAL = {
    "none": [],
    "one": [3.0],
    "zero": [0.0],
    "two": [-1.0, 1.0],
    "denormal gap": [0.0, TINY],
    "denormal gap in a range": [0.0, TINY, 1.0],
    "all there is": [-HUGE, 0.0, HUGE],
    "two ends": [-HUGE, HUGE],
    "neighbours": [1.0, np.nextafter(1.0, 2), 2.0],
    "neighbours far out": [1e300, np.nextafter(1e300, np.inf)],
    "negative": list(-np.arange(1.0, 60.0)[::-1]),
    "tenths": [i / 10 for i in range(-50, 51)],
    "tenths by sums": list(np.cumsum(np.full(100, 0.1))),
    "squares": [float(i * i) for i in range(200)],
    "one far": [0.0, 1.0, 2.0, 40_000.0],
    "one too far": [0.0, 1.0, 2.0, 50_000.0],
    "many": list(np.arange(0.0, 40_000.0)),
    "shifted": list(1e12 + np.arange(100.0)),
}


def around(atoms):
    """The atoms, their neighbours to the last bit, the middles, and all that is extreme."""
    atoms = np.asarray(atoms, dtype=float)
    with np.errstate(over="ignore"):
        middles = atoms[:-1] / 2 + atoms[1:] / 2
        bits = [np.nextafter(atoms, -np.inf), np.nextafter(atoms, np.inf)]
    extreme = [-np.inf, -HUGE, -1.0, -TINY, -0.0, 0.0, TINY, 1.0, HUGE, np.inf]
    return np.concatenate([atoms, *bits, middles, extreme])


@pytest.mark.parametrize("name", ADVERSARIAL)
def test_count_is_that_of_bisection(name):
    atoms = np.array(ADVERSARIAL[name], dtype=float)
    x = around(atoms)
    found = AtomSearch.over(atoms).count(x)
    np.testing.assert_array_equal(found, np.searchsorted(atoms, x, side="right"))


@given(
    st.lists(st.floats(-1e9, 1e9) | st.integers(-99, 99).map(float), max_size=30),
    st.sampled_from([1e-300, 1e-6, 0.1, 1.0, 1e6, 1e290]),
    st.lists(st.floats(allow_nan=False), max_size=10),
)
def test_count_is_that_of_bisection_for_any_atoms(values, unit, more):
    atoms = np.unique(np.array(values) * unit) + 0.0
    x = np.concatenate([around(atoms), more])
    found = AtomSearch.over(atoms).count(x)
    np.testing.assert_array_equal(found, np.searchsorted(atoms, x, side="right"))


@pytest.mark.parametrize("name", ADVERSARIAL)
def test_count_of_nan_is_in_range(name):
    atoms = np.array(ADVERSARIAL[name], dtype=float)
    count = AtomSearch.over(atoms).count(np.array([np.nan]))
    assert 0 <= count[0] <= atoms.size


@pytest.mark.parametrize(
    ("name", "most"),
    [("one", 1), ("tenths", 1), ("squares", 2), ("one too far", 3), ("many", 3), ("two ends", 2)],
)
def test_a_bucket_holds_one_atom_where_there_may_be_enough_of_them(name, most):
    search = AtomSearch.over(np.array(ADVERSARIAL[name]))
    assert search.most == most
    assert search.below.size <= MOST_BUCKETS + 1


def test_atoms_that_crowd_at_one_end_share_few_buckets():
    # The places of a warped grid: bisection alone would take eleven steps.
    search = AtomSearch.over(np.sinh(np.linspace(-3, 8, 1_500)))
    assert 1 < search.most < 16
