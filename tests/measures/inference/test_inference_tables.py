import numpy as np
import pytest
from inference_samples import KINDS, independent
from scipy import stats

from fairmend.measures.inference.distances import Smoother
from fairmend.measures.inference.resampling import permuted, redrawn
from fairmend.measures.inference.tables import MOST_ATOMS, MOST_BINS, count
from fairmend.measures.sample import Sample


def table_of(*samples, atoms=()):
    return count([Sample(np.asarray(one, dtype=float)) for one in samples], np.array(atoms))


def test_atoms_are_counted_one_by_one():
    table = table_of([1, 1, 3], [3, 2, 2, 2], atoms=[1.0, 2.0, 3.0])
    assert table.counts.tolist() == [[2, 0, 1], [0, 3, 1]]
    assert np.isnan(table.scores).all()


def test_values_between_atoms_stay_between_them():
    table = table_of([0, 0.5, 1, 7], [-1, 0.2, 1], atoms=[0.0, 1.0])
    assert table.counts.tolist() == [[0, 1, 0, 1, 1, 1], [1, 0, 1, 0, 1, 0]]
    assert np.flatnonzero(np.isnan(table.scores)).tolist() == [1, 4]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [30, 20_000])
def test_kolmogorov_smirnov_is_that_of_scipy(kind, n):
    values, groups = independent(kind, (n, 2 * n), 1)
    values[groups == 1] *= 1.1
    a, b = values[groups == 0], values[groups == 1]
    atoms = np.unique(values) if kind == "discrete" else np.zeros(1 if kind == "mixed" else 0)
    table = table_of(a, b, atoms=atoms)
    found = Smoother(table).distances(table.counts[None].astype(float)).ks[0]
    # Bins hold at most 2 % of the rows, and within one the difference hardly changes.
    assert found == pytest.approx(stats.ks_2samp(a, b).statistic, abs=1e-12 if n == 30 else 0.002)


def test_tables_stay_small():
    rng = np.random.default_rng(0)
    assert table_of(*rng.normal(size=(2, 100_000))).scores.size <= MOST_BINS
    many = rng.permutation(10_000).astype(float).reshape(2, -1)
    assert table_of(*many, atoms=np.arange(10_000.0)).scores.size <= MOST_ATOMS


def test_a_monotone_map_changes_nothing():
    a, b = np.random.default_rng(0).normal(size=(2, 1_000))
    plain, mapped = table_of(a, b), table_of(np.exp(3 * a), np.exp(3 * b))
    # Edges are interpolated between values, so a few rows may fall on their other side.
    assert np.abs(plain.counts - mapped.counts).sum() <= 0.02 * 2_000
    e = [Smoother(t).distances(t.counts[None].astype(float)).e[0] for t in (plain, mapped)]
    assert e[0] == pytest.approx(e[1], rel=0.02)


def test_equal_weights_count_as_rows_and_unequal_ones_as_fewer():
    values = np.repeat([0.0, 1.0], 6)
    atoms = np.array([0.0, 1.0])
    plain = count([Sample(values), Sample(values)], atoms)
    equal = count([Sample(values, np.full(12, 3.0))] * 2, atoms)
    assert np.array_equal(plain.counts, equal.counts)
    unequal = count([Sample(values, np.repeat([1.0, 3.0], 6))] * 2, atoms)
    assert unequal.sizes.tolist() == [10, 10]  # 24² / 60 = 9.6
    assert unequal.counts[0] == pytest.approx([2.5, 7.5], abs=0.5)


def test_permuted_tables_keep_both_margins_and_follow_the_hypergeometric_law():
    table = table_of([0] * 5 + [1] * 2, [0] * 3 + [1] * 6, [0] * 4, atoms=[0.0, 1.0])
    drawn = np.concatenate(list(permuted(table, 20_000, np.random.default_rng(0))))
    assert (drawn.sum(axis=1) == table.counts.sum(axis=0)).all()
    assert (drawn.sum(axis=2) == table.sizes).all()
    for group, size in enumerate(table.sizes):
        law = stats.hypergeom(20, 12, size)
        seen = np.bincount(drawn[:, group, 0], minlength=13) / 20_000
        assert np.abs(seen - law.pmf(np.arange(13))).max() < 0.015  # 4 standard errors


def test_permuted_e_is_that_of_permuted_rows():
    values, groups = independent("continuous", (60, 90), 3)
    table = table_of(values[groups == 0], values[groups == 1])
    smoother = Smoother(table)
    drawn = smoother.distances(
        np.concatenate(list(permuted(table, 2_000, np.random.default_rng(1)))).astype(float)
    ).e
    rng = np.random.default_rng(2)
    by_rows = []
    for _ in range(2_000):
        shuffled = rng.permutation(groups)
        other = table_of(values[shuffled == 0], values[shuffled == 1])
        by_rows.append(Smoother(other).distances(other.counts[None].astype(float)).e[0])
    assert stats.ks_2samp(drawn, by_rows).pvalue > 0.001


def test_drawn_samples_have_the_rows_and_the_law():
    table = table_of([0] * 50 + [1] * 50, [0] * 10 + [1] * 30, atoms=[0.0, 1.0])
    laws = np.array([[0.5, 0.5], [0.25, 0.75]])
    drawn = np.concatenate(list(redrawn(table, laws, 4_000, np.random.default_rng(0))))
    assert (drawn.sum(axis=2) == [100, 40]).all()
    assert drawn.mean(axis=0) == pytest.approx(laws * [[100], [40]], abs=0.4)
