from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairmend.kernel.alias import alias_table
from fairmend.kernel.numpy_kernel import _draw

MASSES = st.one_of(st.sampled_from([1.0, 1.0, 2.0, 1 / 3]), st.floats(1e-12, 1.0))
ROWS = st.lists(st.lists(MASSES, min_size=1, max_size=40), min_size=1, max_size=8)


def table_of(rows, rng):
    """Build a table of rows of masses, each with distinct random targets."""
    row = np.repeat(np.arange(len(rows)), [len(one) for one in rows])
    target = np.concatenate([np.sort(rng.choice(5_000, len(one), replace=False)) for one in rows])
    return (
        row,
        target,
        np.concatenate(rows),
        alias_table(row, target, np.concatenate(rows), len(rows)),
    )


def law_of(table, row, n_targets=5_000):
    """Add up the probability of each target of a row, exactly, as the integers say it."""
    size = 1 << int(table.size_log2[row])
    slots = int(table.start[row]) + np.arange(size)
    # Of the 2^32 draws, a slot has 2^32 / size, which it compares in steps of size.
    kept = -(-table.threshold[slots].astype(np.int64) // size)
    per_slot = 2**32 // size
    assert (kept >= 0).all()
    assert (kept <= per_slot).all()
    law = np.zeros(n_targets)
    np.add.at(law, table.own[slots], kept)
    np.add.at(law, table.alias[slots], per_slot - kept)
    assert law.sum() == 2**32
    return law / 2**32


def check(rows, seed=0):
    row, target, mass, table = table_of(rows, np.random.default_rng(seed))
    for at in range(len(rows)):
        wanted = np.zeros(5_000)
        wanted[target[row == at]] = mass[row == at] / mass[row == at].sum()
        law = law_of(table, at)
        np.testing.assert_allclose(law, wanted, rtol=0, atol=1e-9)
        assert not law[wanted == 0].any()


@given(ROWS, st.integers(0, 99))
def test_table_draws_each_row_by_its_law(rows, seed):
    check([np.array(one) for one in rows], seed)


@pytest.mark.parametrize("entries", [1, 2, 255, 256, 257, 1_500, 4_096])
def test_table_draws_long_rows_by_their_law(entries):
    rng = np.random.default_rng(entries)
    check([rng.random(entries), rng.random(entries) ** 20, np.ones(entries), np.ones(3)])


def test_table_survives_masses_of_all_magnitudes():
    check([np.array([1e-300, 1e-290, 1.0]), np.array([1e-300, 2e-300]), np.logspace(-30, 0, 60)])


@given(ROWS, st.floats(1 - 1e-15, 1 + 1e-15), st.floats(1e-6, 1e6))
def test_rounding_of_masses_does_not_change_the_table(rows, last_bits, unit):
    # Ties must stay ties, or the same plan in other units would draw other values.
    rows = [np.array(one) for one in rows]
    first = np.random.default_rng(0).random(sum(map(len, rows))) < 0.5
    row, target, mass, table = table_of(rows, np.random.default_rng(0))
    other = alias_table(row, target, np.where(first, mass * last_bits, mass) * unit, len(rows))
    np.testing.assert_array_equal(other.alias, table.alias)
    difference = other.threshold.astype(np.int64) - table.threshold.astype(np.int64)
    sizes = np.repeat(1 << table.size_log2.astype(int), 1 << table.size_log2.astype(int))
    assert (np.abs(difference) <= 2 * sizes).all()


def test_equal_masses_take_equal_shares_of_the_draws():
    _, target, _, table = table_of([np.full(3, 0.1)], np.random.default_rng(0))
    shares = law_of(table, 0)[target] * 2**32
    assert sorted(shares.tolist()) == [1431655765, 1431655765, 1431655766]


def test_rows_are_built_one_by_one():
    rng = np.random.default_rng(3)
    rows = [rng.random(n) for n in (5, 1, 8, 2, 7, 1)]
    together = table_of(rows, np.random.default_rng(0))
    alone = np.random.default_rng(0)
    for at, one in enumerate(rows):
        np.testing.assert_array_equal(law_of(together[3], at), law_of(table_of([one], alone)[3], 0))


@pytest.mark.parametrize("entries", [1, 3, 100])
def test_the_kernel_draws_what_the_table_says(entries):
    # The first and the last draw of every slot, and a sweep over all of the 2^32.
    rng = np.random.default_rng(entries)
    *_, alias = table_of([rng.random(entries)], rng)
    size = 1 << int(alias.size_log2[0])
    sweep = np.linspace(0, 2**32 - 1, 200_001).astype(np.uint64)
    edges = (np.arange(size + 1) * (2**32 // size)).astype(np.uint64)
    bits = np.concatenate([sweep, edges[:-1], edges[1:] - np.uint64(1)])
    compiled = SimpleNamespace(
        slot_start=alias.start, slot_log2=alias.size_log2, threshold=alias.threshold
    )
    drawn = alias.own_and_alias[_draw(compiled, np.zeros(bits.size, dtype=np.int64), bits)]
    assert set(drawn.tolist()) <= set(alias.own.tolist())
    shares = np.bincount(drawn[: sweep.size], minlength=5_000) / sweep.size
    np.testing.assert_allclose(shares, law_of(alias, 0), atol=2 * size / sweep.size)
