import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from fairmend.measures.leak.ranks import rank_auc


@given(
    st.lists(st.tuples(st.integers(-5, 5), st.booleans()), min_size=2, max_size=60).filter(
        lambda rows: len({member for _, member in rows}) == 2
    )
)
def test_auc_is_scikit_learns_with_ties(rows):
    scores, member = np.array(rows, dtype=float).T
    found = rank_auc(scores, member.astype(bool))
    assert found.auc == pytest.approx(roc_auc_score(member, scores), abs=1e-12)


def test_influences_add_up_to_delongs_variance():
    rng = np.random.default_rng(0)
    member = rng.random(80) < 0.3
    scores = rng.normal(member).round(1)
    x, y = scores[member], scores[~member]
    kernel = (x[:, None] > y) + 0.5 * (x[:, None] == y)
    delong = kernel.mean(axis=1).var(ddof=1) / x.size + kernel.mean(axis=0).var(ddof=1) / y.size
    found = rank_auc(scores, member)
    assert found.influence @ found.influence == pytest.approx(delong, rel=1e-12)


def test_variance_is_that_of_repeated_samples():
    rng = np.random.default_rng(1)
    member = np.arange(300) < 120
    found = [rank_auc(rng.normal(1.0 * member), member) for _ in range(2_000)]
    real = np.var([one.auc for one in found], ddof=1)
    said = np.mean([one.influence @ one.influence for one in found])
    # The standard error of a variance of 2,000 draws is 3 %.
    assert said == pytest.approx(real, rel=0.12)
