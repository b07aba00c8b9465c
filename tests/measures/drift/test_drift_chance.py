"""The bounds hold, and are near enough to be of use."""

import numpy as np
import pytest
from scipy.special import kolmogorov

from fairmend.measures.drift.chance import Chance

UNIFORM = Chance(400, np.full(50, 0.02), ordered=True)


@pytest.mark.parametrize(("n", "rows"), [(25, 25), (25, 10_000), (400, 400), (400, 10**6)])
def test_two_samples_of_one_law_are_rarely_as_far_apart_as_said(n, rows, rng):
    law = np.array([0.4, 0.3, 0.1, 0.1, 0.05, 0.05])
    research, archive = rng.multinomial(n, law, 4_000) / n, rng.multinomial(rows, law, 4_000) / rows
    apart = {
        True: np.abs(np.cumsum(research - archive, axis=1)).max(axis=1),
        False: 0.5 * np.abs(research - archive).sum(axis=1),
    }
    for ordered, distances in apart.items():
        for level in (0.5, 0.1, 0.01):
            reach = Chance(n, law, ordered=ordered).reach(rows, level)
            assert (distances > reach).mean() <= level


def test_the_bound_is_near_kolmogorovs_law_where_that_holds(rng):
    m = 400 * 10**9 / (400 + 10**9)
    for distance in (0.08, 0.1, 0.13):
        exact = kolmogorov(np.sqrt(m) * distance)
        assert exact <= UNIFORM.probability(distance, 10**9) <= 1.5 * exact


@pytest.mark.parametrize("ordered", [True, False])
def test_reach_and_probability_are_inverse(ordered):
    chance = Chance(400, np.full(50, 0.02), ordered=ordered)
    for level in (0.2, 1e-3, 1e-9):
        assert chance.probability(chance.reach(5_000, level), 5_000) == pytest.approx(level)


def test_more_research_rows_decide_as_said():
    rows = UNIFORM.research_rows(0.05, 10_000, 0.01)
    assert Chance(rows, UNIFORM.mass, ordered=True).reach(10_000, 0.01) <= 0.05
    assert Chance(rows - 1, UNIFORM.mass, ordered=True).reach(10_000, 0.01) > 0.05
    assert UNIFORM.research_rows(0.05, 1_000, 0.01) is None  # the archive itself says too little


def test_nothing_is_known_without_rows():
    assert UNIFORM.probability(0.9, 0) == 1.0
    assert UNIFORM.reach(0, 0.05) == 1.0
