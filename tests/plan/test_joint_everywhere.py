"""A joint plan beside all that a plan can do: each works, or is refused with what to do."""

import numpy as np
import pyarrow as pa
import pytest

import fairmend
from fairmend.errors import OptionError, SummaryError

ROLES = {"protected": "sex", "unprotected": "college", "exclude": ["id"]}


@pytest.fixture(scope="module")
def model(crossed):
    return fairmend.LabelModel(
        protected="sex", unprotected="college", features=["hours", "wage", "job"]
    ).fit(crossed.slice(0, 500))


def test_the_largest_amount_within_a_budget(joint):
    half = joint.for_damage(0.5 * joint.tradeoff([1.0])[0].damage)
    assert 0 < half.options.amount < 1
    assert half.is_joint
    assert half.tradeoff([half.options.amount])[0].damage <= 0.5 * joint.tradeoff([1.0])[0].damage


def test_a_blind_plan_is_refused(joint):
    with pytest.raises(OptionError, match="Design the plan without joint="):
        joint.blind(0.3)


@pytest.mark.parametrize("draw", ["sample", "map"])
def test_estimated_groups_are_repaired_as_recorded_ones(joint, model, crossed, draw):
    gone = crossed.drop_columns(["sex"])
    repaired = joint.repair(gone, seed=7, labels=model, draw=draw, write_labels="guess")
    guesses = [name.removeprefix("sex=") for name in repaired["guess"].to_pylist()]
    told = gone.append_column("sex", pa.array(guesses))
    again = joint.repair(told, seed=7)
    for name in joint.feature_names:
        assert repaired[name].equals(again[name])


def test_averaged_groups_are_refused(joint, model, crossed):
    with pytest.raises(OptionError, match="Pass draw='sample' or 'map'"):
        joint.repair(crossed.drop_columns(["sex"]), seed=7, labels=model, draw="expected")


def test_three_groups_crossed_from_two_columns_with_weights_and_gaps_as_a_state(crossed):
    rng = np.random.default_rng(1)
    table = crossed.append_column("race", pa.array(rng.choice(["x", "y"], 900)))
    table = table.append_column("w", pa.array(rng.uniform(0.5, 2.0, 900)))
    options = ROLES | {"protected": ["sex", "race"], "sample_weight": "w", "missing": "state"}
    plan = fairmend.design(table, **options, joint="sequential", small_groups="shrink")
    assert len(plan.groups) == 4
    summary = {}
    repaired = plan.repair(table, seed=1, summary=summary)
    assert repaired.schema == table.schema
    assert summary["rows"] == 900
    gone = [np.array(repaired["job"].is_null())[np.array(table["sex"]) == s] for s in "FM"]
    assert abs(gone[0].mean() - gone[1].mean()) < 0.08


def test_small_groups_are_refused_as_without_joint(crossed):
    few = crossed.set_column(
        1,
        "sex",
        pa.array(["X" if at < 3 else s for at, s in enumerate(crossed["sex"].to_pylist())]),
    )
    with pytest.raises(fairmend.FairmendError, match="small_groups="):
        fairmend.design(few, **ROLES, joint="sequential", min_group_size=20)


def test_counts_of_several_sites_are_refused_as_they_show_no_rows(crossed):
    sites = [fairmend.summarise(part, **ROLES) for part in (crossed[:400], crossed[400:])]
    with pytest.raises(SummaryError, match="as one table, a sample of it"):
        fairmend.design(sites, joint="sequential")
    with pytest.raises(SummaryError, match="a stream, read once"):
        fairmend.design(crossed.to_reader(), **ROLES, joint="sequential")


def test_a_monitor_watches_the_rows_that_a_joint_plan_repairs(joint, crossed):
    monitor = fairmend.Monitor(joint)
    parts = [crossed[:300], crossed[300:]]
    repaired = pa.concat_tables(joint.repair_stream(iter(parts), seed=7, monitor=monitor))
    assert repaired.equals(joint.repair(crossed, seed=7))
    assert monitor.alarm is None


def test_the_estimator_designs_and_repairs_jointly(crossed):
    frame = crossed.to_pandas()
    options = ROLES | {"exclude": ["id", "wage"], "joint": "sequential"}
    forbidden = {"job": "cook", "hours": {"above": 40}}
    repair = fairmend.DistributionalRepair(**options, constraints=[forbidden], seed=1)
    repaired = repair.fit(frame).transform(frame)
    assert not ((repaired["job"] == "cook") & (repaired["hours"] > 40)).any()
    assert repair.plan_.options.constraints == ({"hours": [{"above": 40}], "job": ["cook"]},)
