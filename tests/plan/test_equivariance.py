"""Units never matter: a·x + b in, a·x' + b out, with the same seed."""

import numpy as np
import pandas as pd
import pytest

import fairmend

N = 600
SCALES = [1e-6, 1e-3, 0.01, 0.1, 1 / 3, 7.3, 1e3, 1e6]


def draw(seed):
    rng = np.random.default_rng(seed)
    s, u = rng.integers(0, 2 + seed % 2, N), rng.integers(0, 2, N)
    return rng, pd.DataFrame({"s": s, "u": u})


def columns(rng, s):
    """Real columns of one sign."""
    heaped = np.where(rng.random(N) < 0.4, 40, rng.integers(1, 80, N) + 3 * s)
    return {
        "incomes": rng.lognormal(6 + 0.5 * s, 1),
        "losses": -rng.lognormal(6 + 0.5 * s, 1),
        "hours": heaped.astype(float),
        "counts": rng.poisson(1 + s).astype(float),
        "flags": (rng.random(N) < 0.2 + 0.3 * (s == 0)).astype(float),
        "thirds": rng.integers(0, 30, N) / 3,
        "whole dollars": (rng.integers(0, 60_000, N) + 5_000 * s).astype(float),
        "cents": np.round(rng.lognormal(5, 0.7, N) + s, 2),
        "whole debts": -(rng.integers(1, 60_000, N) + 5_000 * s).astype(float),
    }


def changes(rng, s):
    """Columns of both signs, which may be shifted too."""
    normal = rng.normal(s - 0.5, 1)
    normal[:2] = -4, 4
    return {
        "changes": normal,
        "steps": (rng.integers(-9, 10, N) + s).astype(float),
        "heaped changes": np.where(rng.random(N) < 0.4, 0.0, np.round(normal, 1)),
    }


def repaired(table, archive=None, **options):
    plan = fairmend.design(table, protected="s", unprotected="u", **options)
    return plan.repair(table if archive is None else archive, seed=5).x.to_numpy()


def assert_equivariant(table, archive, scale, shift=0.0, **options):
    def moved(one):
        return one.assign(x=scale * one.x + shift)

    wanted = scale * repaired(table, archive, **options) + shift
    found = repaired(moved(table), moved(archive), **options)
    size = np.abs(moved(archive).x).max()
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-9 * size)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("name", columns(*(lambda d: (d[0], d[1].s))(draw(0))))
def test_scale(name, scale):
    for seed in (0, 1):
        rng, table = draw(seed)
        table["x"] = columns(rng, table.s)[name]
        assert_equivariant(table, table, scale)


@pytest.mark.parametrize("name", ["incomes", "hours", "thirds", "whole dollars"])
@pytest.mark.parametrize("scale", [0.01, 1 / 3, 1e6])
def test_scale_of_values_that_research_did_not_show(name, scale):
    rng, archive = draw(2)
    archive["x"] = columns(rng, archive.s)[name]
    few = archive.groupby(["s", "u"]).head(20)
    kind = {"hours": "discrete", "thirds": "discrete"}.get(name)
    assert_equivariant(few, archive, scale, kinds={"x": kind} if kind else {})


@pytest.mark.parametrize(
    "options",
    [
        {"margin": 0},
        {"n_support": 50},
        {"bandwidth": "scott"},
        {"t": 0.25},
        {"t": 1},
        {"output": "monge"},
    ],
    ids=str,
)
def test_scale_with_options(options):
    rng, table = draw(4)
    table["x"] = columns(rng, table.s)["incomes"]
    for scale in SCALES:
        assert_equivariant(table, table, scale, **options)


@pytest.mark.parametrize("name", changes(*(lambda d: (d[0], d[1].s))(draw(0))))
@pytest.mark.parametrize(("scale", "shift"), [(1, 0.5), (1, -3.9), (0.1, 0.37), (1e3, 1)])
def test_shift_where_both_signs_are_there(name, scale, shift):
    for seed in (0, 1):
        rng, table = draw(seed)
        table["x"] = changes(rng, table.s)[name]
        # Without a margin the support cannot meet zero, where it would stop.
        assert_equivariant(table, table, scale, shift, margin=0)


def test_shift_of_a_widened_support():
    rng, table = draw(0)
    table["x"] = rng.uniform(-1, 1, N) + 0.2 * table.s
    for shift in (0.5, -0.7):
        assert_equivariant(table, table, 2.5, shift)


def test_a_group_of_few_equal_values_is_no_exception():
    # The standard deviation of 0.1, 0.1, 0.1 is not 0 in floating point, that of 0.5 is.
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"s": [0] * 3 + [1] * 500, "u": 0})
    table["x"] = np.append(np.full(3, 0.5), rng.normal(0.5, 0.1, 500))
    for scale in (0.2, 0.3, 1 / 7):
        assert_equivariant(table, table, scale, kinds={"x": "continuous"})
