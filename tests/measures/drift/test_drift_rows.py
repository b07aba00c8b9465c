"""Rows to look at: chosen by their numbers alone, and fewer the longer the archive."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from fairmend.measures.drift.rows import DENSE, sampled_rows


@given(st.lists(st.integers(0, 700), max_size=12), st.sampled_from([4, 64]))
def test_batches_choose_what_the_whole_chooses(lengths, dense):
    ends = np.cumsum([0, *lengths])
    parts = [sampled_rows(int(a), n, dense) for a, n in zip(ends, lengths, strict=False)]
    whole = sampled_rows(0, int(ends[-1]), dense)
    assert np.concatenate([np.empty(0), *parts]).tolist() == whole.tolist()


@given(st.integers(0, 10**9), st.integers(0, 3_000))
def test_rows_rise_within_their_batch(first, n):
    rows = sampled_rows(first, n, 8)
    assert (np.diff(rows) > 0).all()
    assert all(first <= row < first + n for row in rows.tolist())


def test_each_doubling_has_as_many_rows():
    rows = sampled_rows(0, 8 * DENSE)
    counts, _ = np.histogram(rows, [0, DENSE, 2 * DENSE, 4 * DENSE, 8 * DENSE])
    assert counts.tolist() == [DENSE, DENSE // 2, DENSE // 2, DENSE // 2]


def test_no_period_of_the_data_is_in_step():
    rows = sampled_rows(2**20, 2**20, 2**10)
    for period in (2, 7, 12, 64, 1_024):
        counts = np.bincount(rows % period, minlength=period)
        mean = rows.size / period
        if mean >= 30:
            assert np.abs(counts - mean).max() < 6 * np.sqrt(mean)
