"""Tallies: what Algorithm 2 would do to each value, counted exactly and in any order."""

from functools import reduce
from itertools import pairwise
from operator import add

import numpy as np
import pyarrow as pa
import pytest
from drift_archives import of_every_kind, rows_of

import fairmend
from fairmend.measures.drift.tally import Tally

KINDS = ["real", "flat", "hours", "gain", "heavy", "place"]


def _same(one, other):
    assert one.cells.tolist() == other.cells.tolist()
    for name, counts in one.features.items():
        for part, its_part in vars(counts).items():
            assert np.array_equal(its_part, getattr(other.features[name], part)), (name, part)


def test_tallies_of_any_batches_add_up_to_the_same_bits(designed, rng):
    plan = designed(600, 1)
    values, cells = rows_of(plan, of_every_kind(5_000, 2))
    whole = Tally.of(plan, values, cells)
    cuts = [0, 1, *sorted(rng.integers(0, 5_000, 9).tolist()), 5_000]
    parts = [
        Tally.of(plan, {k: x[a:b] for k, x in values.items()}, cells[a:b])
        for a, b in pairwise(cuts)
    ]
    _same(reduce(add, parts), whole)
    _same(reduce(add, rng.permutation(np.array(parts, dtype=object))), whole)
    assert whole.rows == 5_000


@pytest.mark.parametrize("name", KINDS)
def test_every_value_is_counted_once_in_its_own_cell(designed, name):
    plan = designed(600, 1)
    values, cells = rows_of(plan, of_every_kind(5_000, 2))
    tally, table = Tally.of(plan, values, cells), plan.features[KINDS.index(name)].table
    held = tally.features[name].exact + tally.features[name].between
    ends = np.append(table.first_row, held.size)
    by_cell = [held[a:b].sum() for a, b in pairwise(ends)]
    assert np.allclose(by_cell, np.bincount(cells, minlength=table.first_row.size))


def test_a_value_between_two_points_counts_for_both():
    research = pa.table({"s": [0, 1] * 4, "x": [1.0, 1.0, 1.0, 1.0, 3.0, 3.0, 3.0, 3.0]})
    plan = fairmend.design(research, protected="s", features="x")
    values, cells = rows_of(plan, pa.table({"s": [0, 0, 1, 1], "x": [1.0, 2.5, 9.0, None]}))
    counts = Tally.of(plan, values, cells).features["x"]
    held = (counts.exact + counts.between).reshape(-1, 2)
    assert held[0] == pytest.approx([1.25, 0.75], abs=1e-6)
    assert held[1] == pytest.approx([0.0, 1.0])  # beyond the support: at its end
    assert counts.beyond[:2].tolist() == [0, 1]
    assert counts.missing[:2].tolist() == [0, 1]


def test_what_research_did_not_show_is_counted_apart(designed):
    plan = designed(600, 1)
    archive = of_every_kind(400, 3)
    strange = archive.set_column(0, "s", pa.array([7] * 100 + archive["s"].to_pylist()[100:]))
    strange = strange.set_column(7, "place", pa.array(["z"] * 200 + ["a"] * 200))
    values, cells = rows_of(plan, strange)
    tally = Tally.of(plan, values, cells)
    assert tally.cells.reshape(-1)[:-1].reshape(3, 3)[:, -1].sum() == 100  # the pooled group
    assert tally.features["place"].unseen.sum() == 200
    left = Tally.of(plan, values, np.where(np.arange(400) < 100, -1, cells))
    assert left.cells[-1] == 100
    assert left.features["place"].unseen.sum() == 100


def test_missing_is_counted_as_a_state_where_it_is_one():
    gone = np.arange(400) % 4 == 0
    x = np.where(gone, np.nan, np.random.default_rng(0).normal(size=400))
    table = pa.table({"s": np.arange(400) // 2 % 2, "x": pa.array(x, from_pandas=True)})
    plan = fairmend.design(table, protected="s", features="x", missing="state")
    counts = Tally.of(plan, *rows_of(plan, table)).features["x"]
    assert (counts.exact + counts.between).sum() == pytest.approx(400)
    assert counts.exact[plan.features[0].table.missing_row].sum() == 100
