import numpy as np
import pyarrow as pa
import pytest

from fairmend.research import design


def people(n, rng, *, third_group=0):
    """Make rows with a heaped, a continuous and a mixed feature that depend on the group."""
    group = rng.integers(0, 2, n)
    income = np.where(rng.random(n) < 0.6, 0.0, rng.lognormal(10 + group / 2, 1, n).round(2))
    table = {
        "group": np.array(["a", "b"])[group],
        "stratum": rng.integers(0, 2, n),
        "hours": np.where(rng.random(n) < 0.5, 40, rng.integers(20, 30 + 30 * group, n)),
        "height": rng.normal(170 + 8 * group, 7),
        "income": income,
    }
    table["group"][:third_group] = "c"
    return pa.table(table)


FEATURES = ["hours", "height", "income"]


@pytest.fixture(scope="session")
def repaired():
    """Return archive, its repair and the plan; the archive's group c has 3 rows in all."""
    rng = np.random.default_rng(1)
    research, archive = people(3_000, rng, third_group=60), people(4_000, rng, third_group=3)
    plan = design(research, protected="group", unprotected="stratum", features=FEATURES)
    return archive, plan.repair(archive, seed=3), plan
