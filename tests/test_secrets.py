"""What an adversary can read off a repaired file: with the seed everything, without it nothing."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

import fairmend
from fairmend.kernel.draws import mix, row_numbers
from fairmend.kernel.move import Move
from fairmend.kernel.repair import repair_values


@pytest.fixture(scope="module")
def hours():
    adult = fairmend.datasets.adult(complete=True)
    rows = np.random.default_rng(3).permutation(adult.num_rows)
    research, archive = adult.take(rows[:10_000]), adult.take(rows[10_000:16_000])
    plan = fairmend.design(research, protected="sex", features=["hours-per-week"])
    repaired = plan.repair(archive, seed=11)
    male = np.array(archive["sex"].to_pylist()) == "Male"
    return plan, archive, repaired["hours-per-week"].to_numpy().astype(float), male


def told_with_seed(plan, repaired, seed):
    """Score S by how much of each group's law the seed would have sent to the repaired value."""
    feature = plan.features[0]
    cell, keys = feature.cells[0], mix(row_numbers(0, repaired.size))
    move = Move.of(seed, feature.name)
    likelihood = np.zeros((2, repaired.size))
    for group in range(2):
        cells = np.full(repaired.size, group)
        for value, mass in zip(cell.support, cell.marginals[group], strict=True):
            sent = repair_values(feature.table, np.full(repaired.size, value), cells, keys, move)
            likelihood[group] += mass * (sent == repaired)
    return np.log(likelihood[1] + 1e-12) - np.log(likelihood[0] + 1e-12)


def test_the_seed_gives_the_group_away(hours):
    plan, _, repaired, male = hours
    assert roc_auc_score(male, told_with_seed(plan, repaired, seed=11)) > 0.9


def test_without_the_seed_the_plan_is_of_no_help(hours):
    plan, archive, repaired, male = hours
    guessed = [roc_auc_score(male, told_with_seed(plan, repaired, seed)) for seed in (1, 2, 3)]
    cell = plan.features[0].cells[0]
    # What can be told without the plan: each value's share of men.
    _values, place = np.unique(repaired, return_inverse=True)
    share = np.bincount(place, male) / np.bincount(place)
    without_plan = roc_auc_score(male, share[place])
    assert max(guessed) < without_plan + 0.02
    # The exact law of the output is the target for both groups, whatever the plan shows.
    for group in range(2):
        coupling = cell.coupling(group)
        law = np.bincount(coupling.target, coupling.mass, cell.support.size)
        np.testing.assert_allclose(law, cell.target, atol=1e-9)
    assert archive.num_rows == repaired.size


def test_one_draw_for_all_would_give_the_group_away(hours):
    plan, archive, _, male = hours
    feature = plan.features[0]
    x = archive["hours-per-week"].to_numpy().astype(float)
    same_key = np.zeros(x.size, dtype=np.uint64)
    cells = male.astype(np.int64)
    sent = repair_values(feature.table, x, cells, mix(same_key), Move.of(11, feature.name))
    _values, place = np.unique(sent, return_inverse=True)
    share = np.bincount(place, male) / np.bincount(place)
    assert roc_auc_score(male, share[place]) > 0.9


def test_so_single_rows_without_a_key_are_refused(hours):
    plan, archive, _, _ = hours
    with pytest.raises(fairmend.FairmendError, match="key= with the column"):
        plan.repair(archive.slice(0, 1), seed=11)


def test_the_seed_is_in_nothing_that_is_kept(hours, tmp_path):
    plan, archive, _, _ = hours
    summary = {}
    repaired = plan.repair(archive, summary=summary)
    plan.save(tmp_path / "plan.json")
    seed = str(summary["seed"])
    assert seed not in (tmp_path / "plan.json").read_text()
    assert seed not in str(repaired.schema)
    assert summary["seed"] != plan.repair(archive, summary={})
    assert len(seed) > 10
