import numpy as np
import pyarrow as pa
import pytest
from hidden_groups import ROLES

import fairmend
from fairmend.datasets import simulate


def with_clues(table, rng):
    """Add columns that tell the group and are not repaired, and one that is heaped."""
    s = table["s"].to_numpy()
    town = np.array(["east", "west", "north"])[
        np.where(rng.random(s.size) < 0.5, rng.integers(0, 3, s.size), s)
    ]
    hours = np.where(rng.random(s.size) < 0.4, 40, rng.integers(30, 45, s.size) + 4 * s)
    table = table.append_column("town", pa.array(town, mask=rng.random(s.size) < 0.1))
    return table.append_column("hours", pa.array(hours))


@pytest.fixture(scope="session")
def told():
    """Return research data, an archive, a plan and a model of each built-in method."""
    rng = np.random.default_rng(11)
    table = with_clues(simulate(3_800, 5), rng)
    research, archive = table.slice(0, 800), table.slice(800)
    roles = {**ROLES, "features": ["x1", "x2", "hours"]}
    plan = fairmend.design(research, **roles)
    hidden = archive.drop(["s"])
    models = {
        method: fairmend.LabelModel(**roles, also="town", method=method, folds=3).fit(
            research, hidden
        )
        for method in ("bayes", "mixture")
    }
    return research, archive, plan, models
