import numpy as np
import pytest

from fairmend.report.bins import MOST_BINS, bin_counts, bin_edges, holds_one_value
from fairmend.transport.cell import Cell
from fairmend.transport.kinds import atoms_of, lattice_step
from fairmend.transport.layout import Column, Layout, Resolution
from fairmend.transport.points import Points


def cell_of(values, kind):
    values = np.asarray(values, dtype=float)
    points = Points.of(values)
    lattice = 0.0 if kind == "discrete" else lattice_step(points.values)
    column = Column(kind, "", atoms_of(points, kind), lattice)
    layout = Layout.over(column, [points, points], Resolution())
    law = layout.marginal(points)
    counts = np.array([points.size] * 2)
    return Cell(kind, layout.grid, layout.atoms, np.array([law, law]), law, counts)


NORMAL = np.random.default_rng(0).normal(size=300)


@pytest.mark.parametrize(
    ("values", "kind", "one"),
    [
        (np.arange(17, 91), "discrete", True),
        (0.1 * np.arange(1, 30), "discrete", True),
        ([5, 5], "discrete", True),
        ([0, 1], "discrete", True),
        ([1, 2, 1000], "discrete", False),
        ([0.1, 0.2, np.pi], "discrete", False),
        (NORMAL, "continuous", False),
        (np.concatenate([np.zeros(100), np.abs(NORMAL)]), "mixed", False),
        (np.rint(1e6 * NORMAL), "continuous", False),
    ],
)
def test_bins_hold_the_support_evenly(values, kind, one):
    cell = cell_of(values, kind)
    edges = bin_edges(cell)
    assert 2 <= edges.size <= MOST_BINS + 1
    np.testing.assert_allclose(np.diff(edges), np.diff(edges)[0])
    assert edges[0] < cell.support[0]
    assert cell.support[-1] < edges[-1]
    assert holds_one_value(cell, edges) == one
    if one:
        assert bin_counts(cell.support, edges).max() == 1
    if cell.grid.size:
        on_grid = bin_counts(cell.grid, edges)
        assert on_grid[:-1].max() == on_grid[:-1].min(), "an uneven grid would draw a comb"


def test_values_beyond_the_plan_are_counted_at_its_ends():
    edges = bin_edges(cell_of([1, 2, 3], "discrete"))
    assert bin_counts(np.array([-1e300, 2, 1e9]), edges).tolist() == [1, 1, 1]
