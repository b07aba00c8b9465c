from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pytest
from sklearn.linear_model import LogisticRegression

import fairmend


class Case(NamedTuple):
    """An archive, its repair and the plan of it."""

    archive: pa.Table
    repaired: pa.Table
    plan: fairmend.Plan


def people(n: int, rng: np.random.Generator, shift: float = 0.0) -> pa.Table:
    s, u = rng.integers(0, 2, n), rng.integers(0, 2, n)
    pay = rng.normal(20 + 4 * s + 3 * u, 4, n) + shift
    return pa.table(
        {
            "sex": np.array(["F", "M"])[s],
            "college": u,
            "age": pa.array(rng.integers(20, 40, n) + 4 * s, mask=rng.random(n) < 0.05 + 0.1 * s),
            "pay": pay,
            "job": np.array(["clerk", "nurse", "smith"])[rng.binomial(2, 0.4 + 0.2 * s)],
            "hat": np.array(["bonnet", "cap"])[np.where(rng.random(n) < 0.9, s, 1 - s)],
            "hired": np.array(["no", "yes"])[(pay + rng.normal(0, 3, n) > 25).astype(int)],
            "joined": np.datetime64("2020-01-01") + rng.integers(0, 700, n).astype("m8[D]"),
        }
    )


def repaired_case(research: pa.Table, archive: pa.Table, **options) -> Case:
    plan = fairmend.design(
        research, protected="sex", unprotected="college", features=["age", "pay", "job"], **options
    )
    return Case(archive, plan.repair(archive, seed=7), plan)


@pytest.fixture(scope="session")
def case():
    rng = np.random.default_rng(5)
    return repaired_case(people(1_000, rng), people(1_600, rng))


@pytest.fixture(scope="session")
def audited(case):
    return fairmend.audit(
        *case, label="hired", time="joined", paper_grid=100, adversary=LogisticRegression()
    )


@pytest.fixture(scope="session")
def content(audited):
    return audited.content
