from fractions import Fraction

import numpy as np
import ot
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairmend.transport.barycentre import barycentre
from fairmend.transport.coupling import Coupling, quantile_index


@st.composite
def odds(draw, n):
    return np.array(
        draw(st.lists(st.sampled_from([0, 0, 1, 1, 2, 7]), min_size=n, max_size=n).filter(any))
    )


@st.composite
def pairs(draw, most=25):
    """Two laws on one support of irregular gaps, with zeros on purpose."""
    n = draw(st.integers(1, most))
    gaps = draw(st.lists(st.floats(0.05, 5), min_size=n, max_size=n))
    source, target = draw(odds(n)), draw(odds(n))
    return np.cumsum(gaps), source / source.sum(), target / target.sum()


@given(pairs())
def test_rows_sum_to_the_marginal_and_columns_to_the_target(pair):
    _, source, target = pair
    coupling = Coupling.monotone(source, target)
    n = source.size
    np.testing.assert_allclose(
        np.bincount(coupling.source, coupling.mass, n), source, rtol=0, atol=1e-12
    )
    np.testing.assert_allclose(
        np.bincount(coupling.target, coupling.mass, n), target, rtol=0, atol=1e-12
    )


@given(pairs())
def test_it_is_monotone_sparse_and_without_empty_entries(pair):
    _, source, target = pair
    coupling = Coupling.monotone(source, target)
    assert (np.diff(coupling.source) >= 0).all()
    assert (np.diff(coupling.target) >= 0).all()
    assert 1 <= coupling.mass.size <= 2 * source.size - 1
    assert (coupling.mass > 0).all()
    assert source[coupling.source].min() > 0
    assert target[coupling.target].min() > 0
    assert len(set(zip(coupling.source, coupling.target, strict=True))) == coupling.mass.size


@given(st.integers(1, 25).flatmap(lambda n: st.tuples(odds(n), odds(n))))
def test_every_entry_is_real_by_exact_arithmetic(pair):
    # An entry that is there by rounding alone makes rows longer, so that they draw otherwise.
    source, target = pair
    coupling = Coupling.monotone(source / source.sum(), target / target.sum())

    def upto(whole):
        return {Fraction(int(s), int(whole.sum())) for s in np.cumsum(whole)} - {0}

    assert coupling.mass.size == len(upto(source) | upto(target))


@pytest.mark.parametrize("p", [1, 2, 3])
@given(pairs())
def test_cost_is_that_of_the_exact_solver(p, pair):
    support, source, target = pair
    distance = np.abs(support[:, None] - support[None, :]) ** p
    theirs = ot.emd2(source, target, distance)
    mine = Coupling.monotone(source, target).cost(support, p)
    assert mine == pytest.approx(theirs, rel=1e-12, abs=1e-14 * distance.max())


@given(pairs(), st.integers(1, 5))
def test_coupling_with_a_barycentre_has_its_law(pair, weight):
    support, *laws = pair
    target = barycentre(support, laws, np.array([1.0, weight]))
    for law in laws:
        coupling = Coupling.monotone(law, target)
        landed = np.bincount(coupling.target, coupling.mass, support.size)
        np.testing.assert_allclose(landed, target, rtol=0, atol=1e-12)


def test_long_laws_keep_all_of_the_above(rng):
    n = 20_000
    source, target = (rng.random(n) * (rng.random(n) < 0.5) for _ in range(2))
    source, target = source / source.sum(), target / target.sum()
    coupling = Coupling.monotone(source, target)
    assert coupling.mass.size <= 2 * n - 1
    np.testing.assert_allclose(np.bincount(coupling.source, coupling.mass, n), source, atol=1e-12)
    np.testing.assert_allclose(np.bincount(coupling.target, coupling.mass, n), target, atol=1e-12)


# Quantiles


@given(st.integers(1, 12).flatmap(odds), st.integers(0, 60))
def test_quantile_is_the_first_point_that_passes_the_probability(whole, sixtieths):
    probability = Fraction(sixtieths, 60)
    sums = [Fraction(int(s), int(whole.sum())) for s in np.cumsum(whole)]
    passing = [i for i, s in enumerate(sums) if s > probability]
    wanted = passing[0] if passing else int(np.flatnonzero(whole)[-1])
    found = quantile_index(whole / whole.sum(), np.array([float(probability)]))
    assert found.tolist() == [wanted]
    assert whole[found[0]] > 0
