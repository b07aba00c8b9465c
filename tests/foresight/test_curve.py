import numpy as np
import pytest

from fairmend.foresight.curve import fit


def rows(n):
    taught = np.array([[0.3 * n, 0.15 * n], [0.5 * n, 0.25 * n], [0.7 * n, 0.35 * n]])
    return taught, np.array([[n, n / 2]]) - taught


def test_noisy_trials_give_the_curve_back():
    taught, held = (np.tile(part, (400, 1)) for part in rows(1_000.0))
    rng = np.random.default_rng(0)
    e = 0.01 + 5 / taught[:, 0] + 5 / taught[:, 1] + rng.normal(0, 0.01, 1_200)
    curve = fit(e, taught, held, (2.0, 2.0))
    assert curve.floor == pytest.approx(0.01, abs=0.004)
    assert curve.costs[0] == curve.costs[1] == pytest.approx(5, rel=0.15)


def test_no_part_is_negative():
    taught, held = rows(1_000.0)
    falling = np.array([0.05, 0.02, 0.001])
    assert fit(falling, taught, held, (1.0, 1.0)).floor == 0.0
    rising = fit(falling[::-1], taught, held, (1.0, 1.0))
    assert rising.costs == (0.0, 0.0)
    assert rising.floor > 0
    assert fit(-falling, taught, held, (1.0, 1.0)) == (0.0, (0.0, 0.0))
