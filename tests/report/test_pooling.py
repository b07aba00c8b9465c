import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairmend.report.pooling import FEWEST, pool_small

RARE = st.integers(0, FEWEST - 1)
COUNTS = (
    st.lists(st.one_of(RARE, st.integers(0, 200)), min_size=1, max_size=40)
    .map(np.array)
    .filter(lambda counts: counts.sum() >= FEWEST)
)


@given(COUNTS)
def test_nobody_is_lost(counts):
    pooled, _ = pool_small(counts)
    assert pooled.sum() == pytest.approx(counts.sum())
    assert (pooled >= 0).all()


@given(COUNTS)
def test_every_count_that_is_shown_holds_enough_rows(counts):
    pooled, runs = pool_small(counts)
    within = np.zeros(counts.size, dtype=bool)
    for first, end in runs:
        assert 0 <= first < end <= counts.size
        assert not within[first:end].any(), "runs overlap"
        within[first:end] = True
        held = counts[first:end].sum()
        if pooled[first] > 0:
            assert held >= FEWEST
            np.testing.assert_allclose(pooled[first:end], held / (end - first))
        else:
            assert 0 < held < FEWEST
    own = pooled[~within]
    assert ((own == 0) | (own >= FEWEST)).all()


@given(COUNTS)
def test_a_peak_stays_where_it_is_and_gains_few_rows(counts):
    pooled, _ = pool_small(counts)
    gained = (pooled - counts)[counts >= FEWEST]
    assert ((gained >= 0) & (gained <= 2 * (FEWEST - 1))).all()


@given(COUNTS.filter(lambda counts: not ((counts > 0) & (counts < FEWEST)).any()))
def test_where_nothing_is_rare_nothing_changes(counts):
    pooled, runs = pool_small(counts)
    np.testing.assert_array_equal(pooled, counts)
    assert runs == []


def test_counts_are_not_modified():
    counts = np.array([9, 1, 1, 9])
    pool_small(counts)
    assert counts.tolist() == [9, 1, 1, 9]
