"""Every kind of column must leave the groups on the same values in the same proportions."""

import itertools

import numpy as np
import pyarrow as pa
import pytest

import fairmend

N_RESEARCH, N_ARCHIVE = 4_000, 12_000


def heaped(rng, n, men):
    hours = np.where(rng.random(n) < 0.45, 40, rng.normal(38 + 5 * men, 9, n).round())
    return np.clip(hours, 1, 99).astype(int)


def zero_inflated(rng, n, men):
    return np.where(rng.random(n) < 0.7 - 0.2 * men, 0.0, rng.lognormal(3 + 0.4 * men, 0.6, n))


def heaped_income(rng, n, men):
    income = rng.lognormal(10.3 + 0.4 * men, 0.6, n)
    heap = rng.random(n) < 0.6
    return np.where(heap, (income / 1_000).round() * 1_000, income.round()).astype(int)


MAKERS = {
    "continuous": lambda rng, n, men: rng.normal(men, 1 + 0.3 * men, n),
    "two decimals": lambda rng, n, men: rng.normal(3 - 0.3 * men, 0.4, n).round(2),
    "wide integers": lambda rng, n, men: rng.normal(50_000 + 9_000 * men, 9_000, n).astype(int),
    "heaped hours": heaped,
    "zero inflated": zero_inflated,
    "heaped income": heaped_income,
    "binary": lambda rng, n, men: (rng.random(n) < 0.2 + 0.5 * men).astype(int),
    "category": lambda rng, n, men: np.array(["a", "b", "c"])[
        (rng.random(n) ** (1 + men) * 3).astype(int)
    ],
    "boolean": lambda rng, n, men: rng.random(n) < 0.2 + 0.5 * men,
    "date": lambda rng, n, men: (
        np.datetime64("2000-01-01") + rng.normal(3_000 + 600 * men, 900, n).astype("timedelta64[D]")
    ),
}


def tables(make, seed=0):
    rng = np.random.default_rng(seed)
    n = N_RESEARCH + N_ARCHIVE
    men = (rng.random(n) < 0.6).astype(int)
    table = pa.table({"s": men, "x": pa.array(make(rng, n, men))})
    return table.slice(0, N_RESEARCH), table.slice(N_RESEARCH)


@pytest.mark.parametrize("output", ["support", "dithered"])
@pytest.mark.parametrize("name", MAKERS)
def test_an_adversary_finds_little_of_the_group(name, output):
    research, archive = tables(MAKERS[name])
    plan = fairmend.design(research, protected="s", features=["x"], output=output)
    repaired = plan.repair(archive, seed=5)
    assert repaired.schema == archive.schema
    options = {"protected": "s", "features": ["x"], "permutations": 0}
    before, after = (fairmend.leak(table, **options).auc for table in (archive, repaired))
    assert before > 0.57
    # The plan is learnt from 4,000 rows, so the groups' laws differ by a little: 0.5 ± 0.035.
    assert after < 0.535


def test_shifting_each_group_leaks_and_the_test_would_see_it():
    _research, archive = tables(MAKERS["heaped hours"])
    x, s = archive["x"].to_numpy().astype(float), archive["s"].to_numpy()
    shifted = x - np.where(s == 1, x[s == 1].mean(), x[s == 0].mean())
    leaking = archive.set_column(1, "x", pa.array(shifted))
    auc = fairmend.leak(leaking, protected="s", features="x", permutations=1)
    assert auc.auc > 0.99
    assert abs(auc.null - 0.5) < 0.03


@pytest.mark.parametrize("name", MAKERS)
def test_amount_zero_changes_nothing(name):
    research, archive = tables(MAKERS[name])
    plan = fairmend.design(research, protected="s", features=["x"], amount=0.0)
    assert plan.repair(archive, seed=5).equals(archive)


@pytest.mark.parametrize("name", MAKERS)
def test_dependence_falls_with_the_amount_on_the_plans_own_laws(name):
    research, _ = tables(MAKERS[name])
    plan = fairmend.design(research, protected="s", features=["x"])
    curve = plan.tradeoff(np.linspace(0, 1, 11))
    left = [point.dependence for point in curve]
    assert all(a >= b for a, b in itertools.pairwise(left))
    assert left[0] > 0.02
    assert left[-1] < 1e-12
    damage = [point.damage for point in curve]
    assert all(a <= b for a, b in itertools.pairwise(damage))


@pytest.mark.parametrize("name", ["heaped hours", "zero inflated", "category"])
def test_dependence_falls_with_the_amount_on_archive_rows(name):
    research, archive = tables(MAKERS[name])
    plan = fairmend.design(research, protected="s", features=["x"])
    x = [plan.with_amount(a).repair(archive, seed=5)["x"] for a in (0.0, 0.25, 0.5, 0.75, 1.0)]
    if name == "category":
        x = [np.unique(one.to_pylist(), return_inverse=True)[1] for one in x]
    left = [fairmend.dependence(one, archive["s"], kind="discrete") for one in x]
    # Two standard errors of E at 12,000 rows are about 0.005.
    assert all(a > b - 0.005 for a, b in itertools.pairwise(left))
    assert left[-1] < 0.3 * left[0]


def test_rows_moved_at_a_small_amount_are_moved_at_a_larger_one():
    research, archive = tables(MAKERS["heaped hours"])
    plan = fairmend.design(research, protected="s", features=["x"])
    x = archive["x"].to_numpy()
    moved = [
        plan.with_amount(a).repair(archive, seed=5)["x"].to_numpy() != x for a in (0.3, 0.6, 1.0)
    ]
    assert (moved[0] <= moved[1]).all()
    assert (moved[1] <= moved[2]).all()
    assert 0.2 < moved[0].sum() / moved[2].sum() < 0.4


def test_a_budget_of_damage_is_kept():
    research, archive = tables(MAKERS["heaped hours"])
    plan = fairmend.design(research, protected="s", features=["x"])
    full = plan.tradeoff([1.0])[0].damage
    half = plan.for_damage(0.5 * full)
    x = archive["x"].to_numpy().astype(float)
    change = half.repair(archive, seed=5)["x"].to_numpy() - x
    assert np.sqrt((change**2).mean()) / x.std() == pytest.approx(0.5 * full, rel=0.06)
    assert plan.for_damage(2 * full).options.amount == 1.0
    assert plan.for_damage(0.0).options.amount == 0.0
