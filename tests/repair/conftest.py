import numpy as np
import pandas as pd
import pytest
from repair_tables import CONTAINERS


@pytest.fixture
def people():
    """300 rows: S and U, a heaped integer, a float, a narrow float, and a key."""
    rng = np.random.default_rng(5)
    n = 300
    man, college = rng.random(n) < 0.6, rng.random(n) < 0.4
    return pd.DataFrame(
        {
            "sex": np.where(man, "M", "F"),
            "college": college,
            "hours": np.where(rng.random(n) < 0.4, 40, rng.integers(20, 40, n) + 15 * man),
            "score": rng.normal(size=n) + man - college,
            "ratio": (rng.random(n) + 0.3 * man).astype(np.float32),
            "id": rng.permutation(10 * n)[:n],
        }
    )


@pytest.fixture
def features(people):
    """The same without S, U and key."""
    return people[["hours", "score", "ratio"]]


@pytest.fixture(params=CONTAINERS)
def as_table(request):
    return CONTAINERS[request.param]
