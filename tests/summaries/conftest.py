import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from fairmend.plan.storage import to_content


def table(n: int, seed: int = 0) -> pa.Table:
    """Return columns of every type, with gaps, crossed roles and weights that add exactly."""
    rng = np.random.default_rng(seed)
    sex, race, u = rng.integers(0, 2, n), rng.integers(0, 3, n), rng.integers(0, 2, n)
    day = np.datetime64("2020-01-01") + rng.integers(0, 900, n)
    cents = np.round(rng.lognormal(6 + 0.2 * sex, 1, n), 2)
    cents[rng.random(n) < 0.2] = 0.0
    order = pd.CategoricalDtype(["low", "mid", "high"], ordered=True)
    return pa.table(
        {
            "sex": np.array(["F", "M"])[sex],
            "race": race,
            "college": u == 1,
            "years": rng.integers(20, 70, n),
            "w": rng.integers(0, 5, n) / 4,
            "age": pa.array(rng.integers(20, 60, n) + 3 * sex, mask=rng.random(n) < 0.1),
            "wage": rng.normal(20 + sex, 4, n),
            "pay": cents,
            "job": pa.array(rng.choice(["cook", "nurse", "clerk"], n), mask=rng.random(n) < 0.05),
            "grade": pa.array(pd.Categorical.from_codes(rng.integers(0, 3, n), dtype=order)),
            "hired": day,
            "remote": rng.random(n) < 0.3 + 0.1 * sex,
        }
    )


FEATURES = ["age", "wage", "pay", "job", "grade", "hired", "remote"]
ROLES = {
    "protected": ["sex", "race"],
    "unprotected": ["college", "years"],
    "features": FEATURES,
    "unprotected_bins": {"years": [40]},
}


def hash_of(plan) -> str:
    return to_content(plan)["sha256"]


@pytest.fixture(scope="session")
def research():
    return table(1_500)
