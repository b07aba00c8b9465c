import numpy as np
import pytest

from fairmend.measures.leak.pairs import binned, pair_aucs
from fairmend.measures.leak.parts import Part
from fairmend.measures.leak.ranks import rank_auc


def part(s, rows=None):
    rows = np.arange(s.size) if rows is None else rows
    names = tuple(map(str, range(int(s.max()) + 1)))
    return Part("a stratum", rows, s, names)


def test_a_column_that_has_nothing_to_do_with_the_group_is_at_chance():
    rng = np.random.default_rng(1)
    n = 4_000
    s = rng.integers(0, 2, n)
    columns = {"a": rng.integers(0, 10, n), "b": rng.integers(0, 10, n)}
    for told in pair_aucs(columns, [part(s)], 0).values():
        assert told.low < 0.5 < told.high
        assert abs(told.auc - 0.5) < 0.03


def test_one_column_is_told_as_its_shares_would_tell_it():
    """By an oracle: ranks by the true share of the group in each bin."""
    rng = np.random.default_rng(2)
    n = 6_000
    s = rng.integers(0, 2, n)
    a = rng.binomial(5, 0.4 + 0.15 * s)
    truth = rank_auc(a.astype(float), s == 1).auc
    assert pair_aucs({"a": a}, [part(s)], 0)["a", "a"].auc == pytest.approx(truth, abs=0.01)


def test_what_only_two_columns_tell_is_found_for_each_group_and_in_each_stratum():
    rng = np.random.default_rng(3)
    n = 3_000
    s, a, u = rng.integers(0, 3, n), rng.integers(0, 3, n), rng.integers(0, 2, n)
    b = np.where(u == 0, (a + s) % 3, rng.integers(0, 3, n))
    parts = [part(s[u == one], np.flatnonzero(u == one)) for one in (0, 1)]
    told = pair_aucs({"a": a, "b": b}, parts, 0)
    assert told["a", "a"].auc < 0.53
    assert told["b", "b"].auc < 0.53
    share = (u == 0).mean()
    assert told["a", "b"].auc == pytest.approx(share + 0.5 * (1 - share), abs=0.02)


@pytest.mark.parametrize("levels", [0, 40])
def test_bins_are_the_same_before_and_after_and_gaps_have_their_own(levels):
    rng = np.random.default_rng(4)
    before = rng.integers(0, 40, 500).astype(float) if levels else rng.normal(size=500)
    before[:50] = np.nan
    after = before.copy()
    after[50:60] = -1.0 if levels else 1e9
    one, other = binned(before, after, levels)
    np.testing.assert_array_equal(one[60:], other[60:])
    assert np.unique(one[:50]).size == 1
    assert not np.isin(one[:50], one[50:]).any()
    assert np.unique(one).size <= (32 if levels else 11)


def test_few_numbers_are_told_apart():
    before = np.repeat([0.0, 1.0, 40.0], 100)
    one, _ = binned(before, before, 0)
    assert np.unique(one).size == 3
