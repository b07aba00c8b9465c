"""What is pushed through a plan as masses is what its repair does to rows."""

import numpy as np
import pyarrow as pa
import pytest

import fairmend
from fairmend.foresight.outlook import sides_of
from fairmend.foresight.places import Places, rank
from fairmend.foresight.trials import Design
from fairmend.research import summarise
from fairmend.research.algorithm import prepared


def table(n, seed):
    rng = np.random.default_rng(seed)
    s = rng.integers(0, 2, n)
    pay = np.where(rng.random(n) < 0.4, 0.0, rng.normal(10 + 3 * s, 2, n).clip(1))
    return pa.table(
        {
            "s": s,
            "whole": rng.poisson(4 + 2 * s),
            "real": rng.normal(s, 1, n),
            "pay": pay,
            "kind": np.array(["a", "b", "c"])[(rng.random(n) < 0.2 + 0.4 * s).astype(int) + 1],
        }
    )


@pytest.mark.parametrize("amount", [1.0, 0.4])
@pytest.mark.parametrize("name", ["whole", "real", "pay", "kind"])
def test_pushed_rows_are_repaired_rows(name, amount):
    """The research rows, many times over, are repaired; and pushed once."""
    research = table(400, 1)
    roles = {"protected": "s", "features": [name]}
    plan = fairmend.design(research, **roles, amount=amount)
    ready = prepared(summarise(research, **roles), plan.options)
    design = Design(ready.columns[name], ready.samples[name], ready.shares, plan.options, 0.0)
    cell = plan.features[0].cells[0]
    places = Places.of(cell, design.column)
    sides = sides_of(design, cell, places, 0)
    many = pa.concat_tables([research] * 300)
    repaired = plan.repair(many, seed=1)
    codec = plan.features[0].codec
    values = codec.encode(repaired[name].combine_chunks())
    group = np.array(many["s"])
    for s, side in enumerate(sides):
        seen = np.bincount(places.find(values[group == s]), minlength=places.scores.size)
        pushed = side.rows @ side.matrix
        assert pushed.sum() == pytest.approx(1)
        apart = seen / seen.sum() - pushed
        # Of 60,000 rows on up to 300 places, chance alone gives less than this.
        assert np.abs(np.cumsum(apart)).max() < 0.01
        if amount == 1 or name in ("whole", "kind"):  # others then lie anywhere between places
            assert 0.5 * np.abs(apart).sum() < 0.03


def test_the_auc_is_that_of_the_best_order():
    p, q = np.array([0.1, 0.6, 0.3]), np.array([0.5, 0.2, 0.3])
    assert rank(p, p) == pytest.approx(0.5)
    assert rank(p, q) == pytest.approx(rank(q, p))
    assert rank(np.array([1.0, 0.0]), np.array([0.0, 1.0])) == 1.0
