import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from fairmend.kernel import numpy_kernel
from fairmend.kernel.draws import mix, row_numbers
from fairmend.kernel.move import Move
from fairmend.kernel.numpy_kernel import repair_values
from fairmend.kernel.table import compile_table
from fairmend.plan.options import Options
from fairmend.research.cells import design_cell
from fairmend.transport.barycentre import barycentre
from fairmend.transport.cell import Cell
from fairmend.transport.layout import Column, Layout, Resolution
from fairmend.transport.points import Points

NONE = np.empty(0)


def cell_of(groups, kind="discrete", atoms=None, **resolution):
    """Design one cell from the values of each group."""
    points = [Points.of(np.asarray(one, dtype=float)) for one in groups]
    if atoms is None:
        atoms = NONE if kind == "continuous" else Points.together(points).values
    column = Column(kind, "", np.asarray(atoms, dtype=float), 0.0)
    layout = Layout.over(column, points, Resolution(**resolution))
    return design_cell(layout, points, points, np.ones(len(groups)), Options(), 0.0)


def repair(cells, values, group, stratum=0, first=0, lattice=0.0, **move):
    values = np.asarray(values, dtype=float)
    n_groups = cells[0].marginals.shape[0]
    where = np.full(values.size, stratum * n_groups) + group
    keys = mix(row_numbers(first, values.size))
    table = compile_table(cells, lattice)
    return repair_values(table, values, where, keys, Move.of(7, "x", **move))


def output_law(cells, stratum, group):
    """Add up where a group lands if its values follow its marginal, exactly."""
    cell, table = cells[stratum], compile_table(cells)
    n_groups = cell.marginals.shape[0]
    points = np.concatenate([cell.grid, cell.atoms])
    # A grid point that is an atom too has the atom's row; the grid's is then for values around it.
    rows = np.arange(points.size) + table.first_row[stratum * n_groups + group]
    _, last = np.unique(points[::-1], return_index=True)
    chosen = rows[::-1][last]
    law = np.zeros(cell.support.size)
    for row, mass in zip(chosen, cell.marginals[group], strict=True):
        size = 1 << int(table.slot_log2[row])
        slots = int(table.slot_start[row]) + np.arange(size)
        kept = table.threshold[slots].astype(float) / 2**32
        for passed_on, share in ((0, kept), (1, 1 - kept)):
            values = table.targets[2 * slots + passed_on]
            np.add.at(law, np.searchsorted(cell.support, values), mass * share / size)
    return law


# The law of what comes out

GROUPS = st.lists(st.lists(st.integers(0, 12), min_size=2, max_size=25), min_size=2, max_size=6)


@given(st.lists(GROUPS, min_size=1, max_size=3).filter(lambda s: len({len(g) for g in s}) == 1))
def test_discrete_groups_all_get_the_law_of_the_barycentre(strata):
    cells = [cell_of(groups) for groups in strata]
    for stratum, cell in enumerate(cells):
        for group in range(cell.marginals.shape[0]):
            law = output_law(cells, stratum, group)
            np.testing.assert_allclose(law, cell.target, atol=1e-8)


@given(st.integers(0, 99), st.integers(1, 6), st.sampled_from([2, 40, 150]))
def test_continuous_groups_all_get_the_law_of_the_barycentre(seed, n_groups, n):
    rng = np.random.default_rng(seed)
    groups = [rng.normal(g, 1 + g, size=rng.integers(2, 60)) for g in range(n_groups)]
    cells = [cell_of(groups, "continuous", n_support=n), cell_of(groups[::-1], "continuous")]
    for stratum, cell in enumerate(cells):
        for group in range(n_groups):
            law = output_law(cells, stratum, group)
            np.testing.assert_allclose(law, cell.target, atol=1e-8)


def test_mixed_groups_all_get_the_law_of_the_barycentre(rng):
    groups = [np.where(rng.random(300) < p, 0.0, rng.lognormal(3, 1, 300)) for p in (0.6, 0.2)]
    cell = cell_of(groups, "mixed", atoms=[0.0])
    for group in (0, 1):
        np.testing.assert_allclose(output_law([cell], 0, group), cell.target, atol=1e-8)


def test_repaired_values_follow_that_law(rng):
    groups = [rng.binomial(8, 0.3, 500), rng.binomial(8, 0.6, 800)]
    cell = cell_of(groups)
    n = 400_000
    for group in (0, 1):
        x = rng.choice(cell.support, n, p=cell.marginals[group])
        landed = repair([cell], x, group)
        counts = (landed[:, None] == cell.support).sum(axis=0)
        assert counts.sum() == n
        held = cell.target > 0
        assert counts[~held].sum() == 0
        assert stats.chisquare(counts[held], n * cell.target[held]).pvalue > 1e-6


def test_a_value_between_points_is_split_by_its_distance():
    # The identity on a coarse grid: 0.3 has to come out as 1 in 30 % and as 0 in 70 % of the rows.
    cell = Cell("continuous", np.arange(3.0), NONE, np.full((1, 3), 1 / 3), np.full(3, 1 / 3), NONE)
    n = 100_000
    for x, share in ((0.3, 0.3), (1.9, 0.9), (1.5, 0.5), (0.001, 0.001)):
        landed = repair([cell], np.full(n, x), 0)
        assert set(landed) == {np.floor(x), np.floor(x) + 1}
        ups = int((landed > x).sum())
        assert stats.binomtest(ups, n, share).pvalue > 1e-6


def test_split_and_draw_of_one_row_are_independent():
    # Two points, from both of which one goes to either: the split must not tell where.
    laws = np.array([[0.5, 0.5], [0.5, 0.5]])
    cell = Cell("continuous", np.arange(2.0), NONE, laws, laws[0], NONE)
    table = compile_table([cell])
    bits = mix(mix(row_numbers(0, 100_000)) ^ Move.of(7, "x").repair)
    ups = (bits >> np.uint64(32)) < 2.0**31
    # Rows that draw their target, as no coupling of a law with itself would.
    cell = Cell("continuous", np.arange(3.0), NONE, np.array([[0.5, 0, 0.5]]), np.ones(3) / 3, NONE)
    landed = repair([cell], np.full(bits.size, 1.0), 0)
    assert table.n_groups == 2
    assert set(landed) == {1.0}
    landed = repair([cell], np.full(bits.size, 0.0), 0)
    counts = np.array([[(landed[ups == up] == v).sum() for v in (0.0, 1.0)] for up in (0, 1)])
    assert stats.chi2_contingency(counts).pvalue > 1e-6


# Where values belong


def test_a_value_equal_to_an_atom_takes_the_row_of_that_atom(rng):
    # All who have -5 keep it; who is beside it belongs to the density, which moves.
    rests = [rng.normal(0, 0.5, 50), rng.normal(9, 1, 50)]
    groups = [np.append(np.full(50, -5.0), rest) for rest in rests]
    cell = cell_of(groups, "mixed", atoms=[-5.0])
    assert set(repair([cell], np.full(1_000, -5.0), 0)) == {-5.0}
    for beside in np.nextafter(-5.0, [-9.0, 0.0]):
        assert repair([cell], np.full(1_000, beside), 0).min() > 0


def test_every_atom_of_a_long_list_finds_its_own_row(rng):
    atoms = np.unique(np.round(rng.normal(0, 50, 400), 2))
    laws = np.full((1, atoms.size), 1 / atoms.size)
    cell = Cell("discrete", NONE, atoms, laws, laws[0], NONE)
    np.testing.assert_array_equal(repair([cell], atoms, 0), atoms)


def test_atoms_of_one_stratum_mean_nothing_in_another(rng):
    cells = [cell_of([[1, 2, 3], [1, 2, 3]]), cell_of([[2, 8], [2, 8]]), cell_of([[5, 5], [5, 5]])]
    x = np.array([1.0, 2.0, 3.0])
    np.testing.assert_array_equal(repair(cells, x, 0, stratum=0), x)
    assert set(repair(cells, x, 1, stratum=1)) <= {2.0, 8.0}
    assert repair(cells, x, 1, stratum=1)[1] == 2.0
    assert set(repair(cells, x, 1, stratum=2)) == {5.0}


def test_strata_of_different_make_up_stand_side_by_side(rng):
    grid = [rng.normal(100, 1, 50), rng.normal(103, 1, 50)]
    cells = [
        cell_of([[7.0, 7.0], [7.0, 7.0]], "mixed", atoms=[7.0]),
        cell_of(grid, "continuous"),
        cell_of([np.append(g + 0.123, np.full(9, 7.0)) for g in grid], "mixed", atoms=[7.0]),
    ]
    x = np.array([7.0, 100.0, 101.5, -5.0, 1e9])
    assert set(repair(cells, x, 0, stratum=0)) == {7.0}
    for stratum, within in ((1, cells[1]), (2, cells[2])):
        landed = repair(cells, np.tile(x, 200), 1, stratum=stratum)
        assert set(landed) <= set(within.support)
    assert set(repair(cells, np.full(500, 7.0), 0, stratum=2)) == {7.0}


def test_values_beyond_the_support_act_as_its_ends():
    cell = cell_of([[1, 2, 3], [1, 2, 3]])
    assert repair([cell], [-1e300, 0.9, 3.1, 1e300], 0).tolist() == [1.0, 1.0, 3.0, 3.0]
    grid = Cell("continuous", np.arange(3.0), NONE, np.full((1, 3), 1 / 3), np.full(3, 1 / 3), NONE)
    assert repair([grid], [-1e300, -0.1, 2.1, 1e300], 0).tolist() == [0.0, 0.0, 2.0, 2.0]


@pytest.mark.parametrize("kind", ["discrete", "continuous", "mixed"])
@pytest.mark.parametrize("output", ["support", "dithered", "monge"])
def test_nan_stays_and_infinity_is_no_crash(kind, output):
    atoms = [2.0] if kind == "mixed" else None
    cell = cell_of([[1, 2, 3.5], [2, 2, 3]], kind, atoms=atoms)
    landed = repair([cell], [np.nan, 1.0, np.inf, -np.inf, np.nan], 1, output=output)
    np.testing.assert_array_equal(np.isnan(landed), [True, False, False, False, True])
    assert cell.support[0] <= landed[1:4].min() <= landed[1:4].max() <= cell.support[-1]


def test_a_point_without_mass_in_a_group_goes_where_the_target_has_mass():
    low, high = [0, 1, 1, 2], [6, 8, 8, 10]
    cell = cell_of([low, high])
    held = set(cell.support[cell.target > 0])
    assert held < set(cell.support)
    for group, others in ((0, high), (1, low)):
        landed = repair([cell], np.tile(others, 100), group)
        assert set(landed) <= held


# Blocks


@pytest.mark.parametrize("n", [0, 1, 16_383, 16_384, 16_385, 40_000])
def test_blocks_leave_no_trace(rng, monkeypatch, n):
    cell = cell_of([rng.normal(size=90), rng.normal(2, 1, size=90)], "continuous")
    x, group = rng.normal(1, 1, n), rng.integers(0, 2, n)
    whole = repair([cell], x, group)
    assert numpy_kernel.BLOCK == 16_384
    for block in (7_001, 100_000):
        monkeypatch.setattr(numpy_kernel, "BLOCK", block)
        assert repair([cell], x, group).tobytes() == whole.tobytes()


def test_input_is_not_modified(rng):
    cell = cell_of([[1, 2, 3], [1, 1, 3]])
    x = np.array([1.0, np.nan, 2.5])
    keys = mix(row_numbers(0, 3))
    where = np.array([0, 1, 1])
    before = [a.copy() for a in (x, keys, where)]
    for array in (x, keys, where):
        array.flags.writeable = False
    repair_values(compile_table([cell]), x, where, keys, Move.of(7, "x"))
    for array, was in zip((x, keys, where), before, strict=True):
        np.testing.assert_array_equal(array, was)


# The map


def gaussian_cell(support, *laws):
    densities = [np.exp(-0.5 * ((support - m) / s) ** 2) for m, s in laws]
    marginals = np.array([d / d.sum() for d in densities])
    target = barycentre(support, marginals, np.ones(len(laws)))
    return Cell("continuous", support, NONE, marginals, target, NONE)


def test_monge_is_the_closed_form_between_two_gaussians():
    support = np.linspace(-12, 16, 4_001)
    cell = gaussian_cell(support, (-1.0, 0.5), (3.0, 2.0))
    for group, (mean, deviation) in enumerate([(-1.0, 0.5), (3.0, 2.0)]):
        x = mean + deviation * np.linspace(-3, 3, 601)
        wanted = 1.0 + 1.25 * (x - mean) / deviation
        moved = repair([cell], x, group, output="monge")
        # Mass is coupled point by point, so a map that stretches is off by a step or two.
        steps = 1.25 / deviation + 1
        assert np.abs(moved - wanted).max() < steps * (support[1] - support[0])


def test_monge_is_monotone_and_draws_nothing(rng):
    cell = cell_of([rng.normal(size=60), rng.exponential(size=40)], "continuous")
    x = np.sort(rng.normal(size=3_000) * 2)
    for group in (0, 1):
        moved = repair([cell], x, group, output="monge")
        assert (np.diff(moved) >= -1e-12).all()
        assert moved.tobytes() == repair([cell], x, group, output="monge", first=9_999).tobytes()
    assert repair([cell], x, 0).tobytes() != repair([cell], x, 0, first=9_999).tobytes()
