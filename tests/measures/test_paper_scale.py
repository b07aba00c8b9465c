import numpy as np
import pytest
from scipy.stats import gaussian_kde

from fairmend.datasets import simulate
from fairmend.measures import paper_scale
from fairmend.measures.dependence import dependence
from fairmend.measures.paper_scale import paper_divergence


@pytest.mark.parametrize(("n", "m", "grid"), [(30, 50, 100), (200, 20, 500)])
def test_it_is_the_sum_over_scipys_densities(n, m, grid):
    rng = np.random.default_rng(n)
    a, b = rng.normal(40, 12, n), np.round(rng.normal(45, 10, m))
    points = np.linspace(min(a.min(), b.min()), max(a.max(), b.max()), grid)
    p, q = (
        gaussian_kde(x, bw_method=(x.size * 3 / 4) ** -0.2 / x.std(ddof=1))(points) + 1e-10
        for x in (a, b)
    )
    said = 0.5 * np.sum(p * np.log(p / q)) + 0.5 * np.sum(q * np.log(q / p))
    assert paper_divergence(a, b, grid) == pytest.approx(said, rel=1e-9)


def test_it_does_not_depend_on_the_chunk(monkeypatch):
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=1_000), rng.normal(size=900)
    whole = paper_divergence(a, b, 100)
    monkeypatch.setattr(paper_scale, "CHUNK", 7)
    assert paper_divergence(a, b, 100) == pytest.approx(whole)


def test_it_is_the_papers_simulation_table():
    # Table I, without repair: 7.49 ± 1.45 and 7.27 ± 1.48 research, 6.28 ± 0.54 and 6.38 ± 0.52
    # archive. Four standard errors of 60 draws and two features.
    research, archive = [], []
    rng = np.random.default_rng(1)
    for _ in range(60):
        table = simulate(5_500, rng)
        for part, found in ((table.slice(0, 500), research), (table.slice(500), archive)):
            by_feature = dependence(
                part.select(["x1", "x2"]), part["s"], part["u"], scale="paper", by="feature"
            )
            found += by_feature.values()
    assert 6.9 < np.mean(research) < 8.4
    assert 1.0 < np.std(research) < 2.5
    assert 6.2 < np.mean(archive) < 6.7
    assert 0.4 < np.std(archive) < 0.8


def test_it_is_nats_over_the_step():
    rng = np.random.default_rng(2)
    a, b = rng.normal(size=20_000), rng.normal(1, 1, size=20_000)
    step = (max(a.max(), b.max()) - min(a.min(), b.min())) / 499
    assert paper_divergence(a, b, 500) * step == pytest.approx(0.5, abs=0.05)


def test_it_depends_on_the_units():
    rng = np.random.default_rng(3)
    a, b = rng.normal(size=500), rng.normal(1, 1, size=500)
    assert paper_divergence(100 * a, 100 * b, 100) != pytest.approx(paper_divergence(a, b, 100))
