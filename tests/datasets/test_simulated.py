import numpy as np
import pyarrow as pa
import pytest

from fairmend.datasets import simulate

N = 200_000


@pytest.fixture(scope="module")
def draws():
    table = simulate(N, rng=20_240_101)
    return {name: table[name].to_numpy() for name in table.column_names}


def test_columns_and_types():
    table = simulate(10, rng=0)
    assert table.schema == pa.schema(
        {"s": pa.int64(), "u": pa.int64(), "x1": pa.float64(), "x2": pa.float64()}
    )
    assert table.num_rows == 10


def test_shares_are_the_papers(draws):
    s, u = draws["s"], draws["u"]
    assert set(s) == set(u) == {0, 1}
    assert np.mean(u == 0) == pytest.approx(0.5, abs=0.006)
    assert np.mean(s[u == 0] == 0) == pytest.approx(0.3, abs=0.008)
    assert np.mean(s[u == 1] == 0) == pytest.approx(0.1, abs=0.005)


@pytest.mark.parametrize(("u", "s", "mean"), [(0, 0, -1.0), (0, 1, 0.0), (1, 0, 1.0), (1, 1, 0.0)])
def test_each_component_is_the_papers_normal(draws, u, s, mean):
    rows = (draws["u"] == u) & (draws["s"] == s)
    x = np.stack([draws["x1"][rows], draws["x2"][rows]])
    error = 5 / np.sqrt(rows.sum())
    np.testing.assert_allclose(x.mean(axis=1), [mean, mean], atol=error)
    np.testing.assert_allclose(np.cov(x), np.eye(2), atol=2 * error)
    assert np.mean(np.abs(x - mean) < 1) == pytest.approx(0.6827, abs=error)


def test_rows_are_in_no_order(draws):
    for name in ("s", "u", "x1", "x2"):
        values = draws[name]
        assert abs(np.corrcoef(values[1:], values[:-1])[0, 1]) < 5 / np.sqrt(N)


def test_seed_repeats_and_generator_moves_on():
    assert simulate(50, rng=3).equals(simulate(50, rng=3))
    assert simulate(50, rng=3).equals(simulate(50, rng=np.random.default_rng(3)))
    rng = np.random.default_rng(3)
    assert not simulate(50, rng=rng).equals(simulate(50, rng=rng))


def test_no_rows_are_an_empty_table():
    assert simulate(0, rng=1).num_rows == 0
