import numpy as np
import ot
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import fairmend
from fairmend.plan.options import Options
from fairmend.research.cells import design_cell
from fairmend.transport.bandwidth import bandwidth_of
from fairmend.transport.layout import Column, Layout, Resolution
from fairmend.transport.points import Points

EQUAL = np.array([0.5, 0.5])
NONE = np.empty(0)


def continuous(lattice=0.0):
    return Column("continuous", "", NONE, lattice)


def discrete(*groups):
    return Column("discrete", "", np.unique(np.concatenate(groups)), 0.0)


def cell_of(column, groups, weights=EQUAL, **resolution):
    """Design one cell from the values of each group alone."""
    points = [Points.of(np.asarray(one, dtype=float)) for one in groups]
    layout = Layout.over(column, points, Resolution(**resolution))
    return design_cell(layout, points, points, weights, Options(), 0.0)


# The paper's Algorithm 1


def algorithm_1(by_group, n, rule):
    """Lines 4 to 8 as they are written: the support and each group's pmf."""
    everybody = np.concatenate(by_group)
    i = np.arange(1, n + 1)
    support = (n - i) / (n - 1) * everybody.min() + (i - 1) / (n - 1) * everybody.max()
    laws = []
    for x in by_group:
        scale = min(x.std(ddof=1), stats.iqr(x, interpolation="hazen") / 1.349)
        h = {"silverman": (4 / 3) ** 0.2, "scott": 1.0}[rule] * scale * x.size**-0.2
        p = np.exp(-((support[:, None] - x) ** 2) / (2 * h**2)).sum(axis=1)
        laws.append(p / p.sum())
    return support, np.array(laws)


@pytest.mark.parametrize("rule", ["silverman", "scott"])
@pytest.mark.parametrize("n", [50, 250])
def test_design_without_margin_is_algorithm_1_from_end_to_end(n, rule):
    research = fairmend.datasets.simulate(500, rng=1).to_pandas()
    plan = fairmend.design(
        research, protected="s", unprotected="u", n_support=n, margin=0, bandwidth=rule, shrinkage=0
    )
    for feature in plan.features:
        assert feature.kind == "continuous"
        for u, cell in enumerate(feature.cells):
            here = research[research.u == u]
            by_group = [here.loc[here.s == s, feature.name].to_numpy() for s in (0, 1)]
            support, laws = algorithm_1(by_group, n, rule)
            np.testing.assert_allclose(cell.support, support, rtol=0, atol=1e-13)
            assert np.abs(cell.marginals - laws).sum(axis=1).max() < 1e-4
            assert cell.counts.tolist() == [x.size for x in by_group]
            cost = (support[:, None] - support[None, :]) ** 2
            for group, marginal in enumerate(cell.marginals):
                theirs = ot.emd2(marginal, cell.target, cost)
                mine = cell.coupling(group).cost(cell.support)
                assert mine == pytest.approx(theirs, rel=1e-10)


# Cells of each kind


@given(st.lists(st.lists(st.integers(0, 9), min_size=2, max_size=30), min_size=2, max_size=6))
def test_discrete_cell_has_the_values_as_support_and_their_shares_as_laws(lists):
    groups = [np.array(one, dtype=float) for one in lists]
    cell = cell_of(discrete(*groups), groups, np.ones(len(groups)))
    np.testing.assert_array_equal(cell.support, np.unique(np.concatenate(groups)))
    assert cell.grid.size == 0
    for marginal, values in zip(cell.marginals, groups, strict=True):
        shares = (values[:, None] == cell.support).mean(axis=0)
        np.testing.assert_allclose(marginal, shares, atol=1e-15)
    assert cell.counts.tolist() == [len(one) for one in lists]


def test_mixed_cell_gives_atoms_their_exact_share_and_the_rest_a_density(rng):
    groups = [np.where(rng.random(400) < p, 0.0, rng.lognormal(8, 1, 400)) for p in (0.6, 0.3)]
    cell = cell_of(Column("mixed", "", np.array([0.0]), 0.0), groups)
    assert cell.atoms.tolist() == [0.0]
    for marginal, values in zip(cell.marginals, groups, strict=True):
        held = marginal[cell.support == 0].sum()
        # The grid may begin at zero, too, and then has some of its density there.
        grid_there = marginal[np.searchsorted(cell.support, cell.grid[1])]
        assert (values == 0).mean() <= held <= (values == 0).mean() + grid_there + 1e-9
        assert marginal.sum() == pytest.approx(1, abs=1e-12)


def test_atoms_are_those_that_the_stratum_shows(rng):
    groups = [np.array([1.0, 2.0, 2.0]), np.array([2.0, 2.0])]
    column = Column("discrete", "", np.arange(50.0), 0.0)
    assert cell_of(column, groups).support.tolist() == [1.0, 2.0]


def test_a_constant_stratum_of_a_continuous_column_is_one_point():
    cell = cell_of(continuous(), [np.full(3, 0.1), np.full(2, 0.1)])
    assert cell.support.tolist() == [0.1]
    assert cell.target.tolist() == [1.0]


@pytest.mark.parametrize("value", [0.1, 0.5])
def test_a_group_of_equal_values_takes_a_twentieth_of_the_support_as_bandwidth(rng, value):
    # 0.1, 0.1, 0.1 has a standard deviation of 1e-17, and so another fate than 0.5, 0.5, 0.5.
    groups = [np.full(3, value), rng.normal(value, 0.1, size=400)]
    cell = cell_of(continuous(), groups, margin=0.0)
    h = (cell.support[-1] - cell.support[0]) / 20
    density = stats.norm.pdf(cell.support, value, h)
    assert np.abs(cell.marginals[0] - density / density.sum()).sum() < 1e-4


@pytest.mark.parametrize(("n", "wanted"), [(None, None), (7, 7), (500, 500)])
def test_number_of_points(rng, n, wanted):
    groups = [rng.normal(size=200), rng.normal(1, 0.2, size=200)]
    cell = cell_of(continuous(), groups, n_support=n)
    if wanted:
        assert cell.support.size == wanted
    else:  # two points a bandwidth, between 100 and 2,000
        step = cell.support[1] - cell.support[0]
        narrowest = min(bandwidth_of(Points.of(one)) for one in groups)
        assert 0.45 * narrowest < step <= 0.5 * narrowest * (1 + 2 / cell.support.size)


def test_number_of_points_is_bounded(rng):
    wide = [rng.normal(size=20), rng.normal(size=20)]
    assert cell_of(continuous(), wide).support.size == 100


def heavy(rng, n=2_000):
    """Incomes of two groups whose largest is a thousand times the median."""
    return [rng.lognormal(10 + 0.2 * g, 0.5, n) for g in (0, 1)] + [np.array([3e7, 5e7])]


def test_a_range_too_wide_for_a_uniform_grid_has_most_points_where_most_values_are(rng):
    low, high, rich = heavy(rng)
    cell = cell_of(continuous(), [np.append(low, rich), high])
    assert 200 < cell.support.size <= 300
    assert cell.support[0] >= 0
    assert cell.support[-1] >= 5e7
    middle = np.quantile(np.concatenate([low, high]), [0.05, 0.95])
    inside = (cell.support > middle[0]) & (cell.support < middle[1])
    assert inside.sum() > 40
    for marginal, values in zip(cell.marginals, (low, high), strict=True):
        assert marginal.sum() == pytest.approx(1, abs=1e-12)
        # The laws are those of the groups, up to the smoothing.
        for q in (0.1, 0.5, 0.9):
            upto = marginal[cell.support <= np.quantile(values, q)].sum()
            assert upto == pytest.approx(q, abs=0.03)


@pytest.mark.parametrize("unit", [1.0, 0.01])
def test_support_of_whole_steps_returns_whole_steps(rng, unit):
    groups = [rng.integers(0, 90_000, 100) * unit for _ in range(2)]
    cell = cell_of(continuous(lattice=unit), groups, n_support=300)
    steps = cell.support / unit
    np.testing.assert_allclose(steps, np.rint(steps), atol=1e-6)


# Rows of points without mass


@given(st.lists(st.lists(st.integers(0, 15), min_size=2, max_size=12), min_size=2, max_size=4))
def test_every_point_has_a_row_and_empty_ones_go_where_the_target_has_mass(lists):
    groups = [np.array(one, dtype=float) for one in lists]
    cell = cell_of(discrete(*groups), groups, np.ones(len(groups)))
    for group, marginal in enumerate(cell.marginals):
        rows = cell.every_row(group)
        assert set(rows.source) == set(range(cell.support.size))
        assert (np.diff(rows.source) >= 0).all()
        assert cell.target[rows.target].min() > 1e-9
        # Together with the others, the map stays monotone.
        assert (np.diff(rows.target) >= 0).all()
        for empty in np.flatnonzero(marginal == 0):
            assert (rows.source == empty).sum() == 1


def test_a_point_beyond_its_group_goes_to_that_end_of_the_target():
    low, high = np.array([0.0, 1.0, 1.0, 2.0]), np.array([8.0, 9.0, 9.0, 10.0])
    cell = cell_of(discrete(low, high), [low, high])
    rows = cell.every_row(0)
    top = np.flatnonzero(cell.target > 0)[-1]
    assert rows.target[rows.source == cell.support.size - 1].tolist() == [top]


def test_outliers_of_a_group_land_in_the_bulk_of_the_target(rng):
    groups = [rng.normal(10, 1, 500), rng.normal(110, 1, 500)]
    cell = cell_of(continuous(), groups)
    for group in (0, 1):
        rows = cell.every_row(group)
        landed = cell.support[rows.target]
        assert landed.min() > 50
        assert landed.max() < 70
