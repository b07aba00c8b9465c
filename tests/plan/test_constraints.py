import json
from dataclasses import replace
from datetime import date, timedelta
from importlib.resources import files

import jsonschema
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fairmend
from fairmend.errors import OptionError, PlanFileError
from fairmend.frames.codec import Codec
from fairmend.plan.constraints import bins_inside, bins_of_constraints, checked_constraints, named
from fairmend.plan.documents import digest
from fairmend.plan.guard import refuse_dead_ends

SCHEMA = json.loads(files("fairmend.plan").joinpath("plan.schema.json").read_text("utf-8"))
FEATURES = {
    "job": Codec("category", ("cook", "nurse", "smith")),
    "pay": Codec("number"),
    "hired": Codec("datetime"),
    "shift": Codec("duration"),
}


# How they are written


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ({"job": "cook", "pay": 3.0}, {"job": ["cook"], "pay": [3]}),
        ({"job": ["cook", "smith"], "pay": {"below": "18"}},
         {"job": ["cook", "smith"], "pay": [{"below": 18}]}),
        ({"pay": [1, {"from": 3, "to": 3.5}], "hired": date(2024, 1, 31)},
         {"pay": [1, {"from": 3, "to": 3.5}], "hired": ["2024-01-31"]}),
        ({"job": "cook", "shift": {"above": timedelta(minutes=30)}},
         {"job": ["cook"], "shift": [{"above": 1800}]}),
    ],
)  # fmt: skip
def test_constraints_are_written_in_one_way(given, wanted):
    assert checked_constraints([given], FEATURES, []) == (wanted,)
    assert checked_constraints([wanted], FEATURES, []) == (wanted,)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("cook", "no combination"),
        ({"job": "cook"}, "no combination"),
        ({"job": "cook", "pay": []}, "no combination"),
        ({"job": "Cook", "pay": 1}, "Did you mean 'cook'?"),
        ({"job": None, "pay": 1}, "does not show"),
        ({"job": "cook", "shoe": 1}, "'shoe', which is not repaired"),
        ({"job": "cook", "sex": "F"}, "'sex', which is a role"),
        ({"job": "cook", "pay": "much"}, "neither a number"),
        ({"job": "cook", "pay": True}, "neither a number"),
        ({"job": "cook", "pay": float("nan")}, "neither a number"),
        ({"job": "cook", "pay": {"over": 3}}, "neither a number"),
        ({"job": "cook", "pay": {"from": 3, "above": 2}}, "neither a number"),
        ({"job": "cook", "pay": {"from": 3, "to": 2}}, "neither a number"),
        ({"job": "cook", "pay": {"above": 3, "below": 3}}, "neither a number"),
        ({"job": "cook", "pay": {}}, "neither a number"),
        ({"job": "cook", "hired": 3}, "neither a number"),
        ({"job": "cook", "hired": "yesterday"}, "neither a number"),
        ({"job": "cook", "hired": "today"}, "neither a number"),  # another day tomorrow
        ({"job": "cook", "hired": {"above": "NaT"}}, "neither a number"),
        ({"job": "cook", "shift": "long"}, "neither a number"),
    ],
)
def test_what_cannot_be_a_constraint_is_refused(given, said):
    with pytest.raises(OptionError, match=said.replace("?", r"\?")):
        checked_constraints([given], FEATURES, ["sex"])


def test_a_constraint_has_words():
    one = {"job": ["cook", "smith"], "pay": [{"from": 3, "below": 4}]}
    assert named(one) == "(job='cook' or job='smith') and pay from 3 and below 4"


numbers = st.sampled_from([-1.5, 0.0, 1.0, 2.0, 3.5])
ranges = st.tuples(
    st.sampled_from(["from", "above", None]), numbers, st.sampled_from(["to", "below", None]),
    numbers,
)  # fmt: skip


def holds(x, kind, low, other, high):
    """Say whether a number is in a range, written out."""
    x = np.asarray(x)
    above = x >= low if kind == "from" else x > low if kind == "above" else np.full(x.shape, True)
    below = x <= high if other == "to" else x < high if other == "below" else above
    return above & below


@given(several=st.lists(ranges, min_size=1, max_size=3))
def test_bins_hold_the_values_of_a_range_and_no_others(several):
    values = []
    for kind, low, other, high in several:
        ends = {key: end for key, end in ((kind, low), (other, high)) if key}
        closed = kind in ("from", None) and other in ("to", None)
        empty = kind and other and (low > high or (low == high and not closed))
        values.append(low if empty or not ends else ends)
    bins = bins_of_constraints(FEATURES, [{"pay": values}])["pay"]
    inside = bins_inside(values, FEATURES["pay"], bins)
    exact = np.array([-1.5, 0.0, 1.0, 2.0, 3.5])
    x = np.concatenate([exact, np.nextafter(exact, 9), np.nextafter(exact, -9), [-9.0, 9.0]])
    wanted = np.zeros(x.size, dtype=bool)
    for value, (kind, low, other, high) in zip(values, several, strict=True):
        ends = value if isinstance(value, dict) else {"from": low, "to": low}
        low_kind, high_kind = kind, other
        if not isinstance(value, dict):
            low_kind, high_kind, high = "from", "to", low
        wanted |= [holds(one, low_kind, low, high_kind, high) for one in x]
        assert ends
    np.testing.assert_array_equal(inside[bins.of(x)], wanted)
    assert not inside[bins.of(np.array([np.nan]))].any()


# What a plan with constraints does

COOKS = {"job": "cook", "grade": [0, 1, {"from": 4}]}
RICH = {"pay": {"above": 1.0}, "grade": {"to": 2}, "job": ["nurse", "smith"]}


def paired(n, seed):
    """A grade, a job and a pay that tell the group together, and hardly alone."""
    rng = np.random.default_rng(seed)
    s = rng.integers(0, 2, n)
    grade = rng.integers(0, 6, n)
    job = np.array(["cook", "nurse", "smith"])[(grade + s + (rng.random(n) < 0.2)) % 3]
    pay = rng.normal(size=n) + np.where((job == "cook") == (s == 1), 1.0, -1.0)
    u = rng.integers(0, 2, n)
    return pa.table({"s": s, "u": u, "grade": grade, "job": job, "pay": pay})


def forbidden(table):
    """Find the rows with a forbidden combination, written out."""
    frame = table if isinstance(table, pd.DataFrame) else table.to_pandas()
    grade, job, pay = frame["grade"], frame["job"], frame["pay"]
    cooks = (job == "cook") & (grade.isin([0, 1]) | (grade >= 4))
    return cooks | ((pay > 1) & (grade <= 2) & job.isin(["nurse", "smith"]))


@pytest.fixture(scope="module")
def plan():
    return fairmend.design(
        paired(1_200, 0), protected="s", unprotected="u", joint="sequential",
        constraints=[COOKS, RICH],
    )  # fmt: skip


@pytest.fixture(scope="module")
def archive():
    return paired(4_000, 1)


def test_no_repaired_row_has_a_forbidden_combination(plan, archive):
    assert plan.is_joint
    summary = {}
    before, after = forbidden(archive), forbidden(plan.repair(archive, seed=7, summary=summary))
    assert before.mean() > 0.2
    assert not after.any()
    counts = summary["features"].values()
    assert sum(one.get("forbidden_left", 0) for one in counts) == 0
    assert sum(one.get("forbidden_before", 0) for one in counts) >= before.sum()


def test_what_it_forbids_does_not_tell_the_group(archive):
    """By the purpose: an adversary finds no more than without constraints."""
    options = {"protected": "s", "unprotected": "u", "joint": "sequential"}
    found = []
    for constraints in ((), [COOKS, RICH]):
        plan = fairmend.design(paired(3_000, 0), **options, constraints=constraints)
        repaired = plan.repair(paired(12_000, 1), seed=1)
        found.append(
            fairmend.leak(
                repaired, protected="s", unprotected="u", features=["grade", "job", "pay"],
                permutations=0, each=False, all_columns=False,
            ).auc
        )  # fmt: skip
    assert found[1] < max(found[0], 0.5) + 0.02
    assert found[1] < 0.6


def test_drawn_and_drawn_again_a_value_has_the_target_without_what_is_forbidden(plan):
    """Whoever the row is: the law that all groups have, less what is forbidden."""
    guard = next(step.guard for step in reversed(plan.steps) if step.guard is not None)
    cell, n = guard.cells[0], 20_000
    rng, every = np.random.default_rng(0), np.ones(n, dtype=bool)
    drawn = rng.choice(cell.support, n, p=cell.target)
    keys = np.arange(n, dtype=np.uint64)
    tried = 0
    earlier = {name: guard.bins[name].size for name in guard.masks if name != guard.name}
    for case in np.ndindex(*earlier.values()):
        marks = {
            name: np.full(n, at, dtype=np.uint16) for name, at in zip(earlier, case, strict=True)
        }
        found = guard.kept_out(drawn, np.zeros(n, dtype=np.int64), marks, keys, 3, every)
        gone = np.unique(drawn[found != drawn])
        allowed = ~np.isin(cell.support, gone)
        assert not np.isin(found, gone).any()
        if cell.target[~allowed].sum() > 0.05:
            tried += 1
            wanted = np.cumsum(np.where(allowed, cell.target, 0.0))
            got = np.searchsorted(np.sort(found), cell.support, side="right") / n
            assert np.abs(got - wanted / wanted[-1]).max() < 0.02
    assert tried


def test_any_batch_and_both_kernels_give_the_same_rows(plan, archive, monkeypatch):
    whole = plan.repair(archive, seed=7)
    parts = [plan.repair(archive[a:b], seed=7, first_row=a) for a, b in
             ((0, 1), (1, 700), (700, 4_000))]  # fmt: skip
    assert pa.concat_tables(parts).equals(whole)
    monkeypatch.setenv("FAIRMEND_KERNEL", "numpy")
    assert plan.repair(archive, seed=7).equals(whole)


def test_rows_without_anything_forbidden_stay_as_a_plan_without_constraints_has_them(plan, archive):
    """Constraints that forbid nothing there change no byte of other features' draws."""
    free = replace(plan, options=replace(plan.options, constraints=()))
    one, other = plan.repair(archive, seed=7), free.repair(archive, seed=7)
    first = plan.feature_names[0]
    assert one[first].equals(other[first])


jobs = st.lists(st.sampled_from(["cook", "nurse", "smith"]), min_size=1, max_size=2, unique=True)
grades = st.lists(st.integers(0, 5), min_size=1, max_size=4, unique=True)
pays = st.sampled_from([[{"above": 0}], [{"to": -1}], [{"from": -1, "below": 1}], [{"below": 2}]])
combinations = st.fixed_dictionaries({}, optional={"job": jobs, "grade": grades, "pay": pays})


def having(frame, constraint):
    """Find the rows with a combination, written out."""
    found = np.ones(len(frame), dtype=bool)
    for name, values in constraint.items():
        x = frame[name]
        if name != "pay":
            found &= x.isin(values)
            continue
        (ends,) = values
        found &= holds(x, "from" if "from" in ends else "above" if "above" in ends else None,
                       ends.get("from", ends.get("above")),
                       "to" if "to" in ends else "below" if "below" in ends else None,
                       ends.get("to", ends.get("below")))  # fmt: skip
    return found


@given(several=st.lists(combinations.filter(lambda one: len(one) > 1), min_size=1, max_size=6))
def test_constraints_are_kept_whatever_they_are_or_refused(plan, archive, several):
    """Whether some combination leaves nothing is found before any row is repaired."""
    checked = checked_constraints(several, plan.codecs, ["s", "u"])
    try:
        refuse_dead_ends(plan.features, checked)
    except OptionError:
        return
    limited = replace(plan, options=replace(plan.options, constraints=checked))
    frame, summary = archive.slice(0, 700).to_pandas(), {}
    repaired = limited.repair(frame, seed=7, summary=summary)
    for one in several:
        assert not having(repaired, one).any()
    counts = summary["features"].values()
    assert not any(one.get("forbidden_left") for one in counts)
    came = np.logical_or.reduce([having(frame, one) for one in several])
    assert sum(one.get("forbidden_before", 0) for one in counts) >= came.sum()


def test_it_is_written_as_version_3_and_follows_the_schema(plan, archive, tmp_path):
    plan.save(tmp_path / "plan.json")
    content = json.loads((tmp_path / "plan.json").read_text())
    validator = jsonschema.Draft202012Validator(SCHEMA)
    validator.validate(content)
    assert content["version"] == 3
    loaded = fairmend.Plan.load(tmp_path / "plan.json")
    assert loaded.options == plan.options
    assert loaded.repair(archive, seed=7).equals(plan.repair(archive, seed=7))
    assert not validator.is_valid({**content, "version": 2})
    content["options"]["constraints"][0]["job"] = ["pilot"]
    content["sha256"] = digest(content)
    (tmp_path / "other.json").write_text(json.dumps(content))
    with pytest.raises(PlanFileError):
        fairmend.Plan.load(tmp_path / "other.json")


@pytest.mark.parametrize("amount", [0.0, 0.4])
def test_a_partial_repair_keeps_rows_whole_or_allows_them_nothing_forbidden(plan, archive, amount):
    part = plan.with_amount(amount).repair(archive, seed=7).to_pandas()
    before = archive.to_pandas()
    kept = (part == before).all(axis=1)
    assert not forbidden(part)[~kept].any()
    assert forbidden(part).sum() == forbidden(before)[kept].sum()


@pytest.mark.parametrize("unseen", ["keep", "pool"])
def test_only_what_a_policy_leaves_as_it_is_may_stay_forbidden(plan, archive, unseen):
    frame = archive.to_pandas()
    frame.loc[:999, "u"] = 7
    frame.loc[1_000:1_999, "s"] = 7
    frame.loc[2_000:2_099, "job"] = "pilot"
    summary = {}
    repaired = plan.repair(frame, seed=7, unseen=unseen, summary=summary)
    left = forbidden(repaired)
    if unseen == "keep":
        assert left[:2_000].equals(forbidden(frame)[:2_000])
        assert not left[2_000:].any()
    else:
        assert not left.any()
    assert sum(one.get("forbidden_left", 0) for one in summary["features"].values()) >= left.sum()


def test_missing_values_are_part_of_no_combination_and_stay(plan, archive):
    frame = archive.to_pandas()
    frame["pay"] = frame["pay"].mask(np.arange(len(frame)) % 3 == 0)
    repaired = plan.repair(frame, seed=7)
    assert repaired["pay"].isna().equals(frame["pay"].isna())
    assert not forbidden(repaired).any()


# What is refused


def design(constraints, **options):
    options = {"joint": "sequential"} | options
    return fairmend.design(
        paired(300, 0), protected="s", unprotected="u", constraints=constraints, **options
    )


@pytest.mark.parametrize(
    ("constraints", "options", "said"),
    [
        ([COOKS], {"joint": None}, "joint='sequential'"),
        ([COOKS], {"output": "dithered"}, "output='support'"),
        (5, {}, "no list of combinations"),
        (["unseen"], {}, "'unseen-pairs'"),
        ([{"job": "cook", "u": 1}], {}, "'u', which is a role"),
        ([{"job": ["cook", "nurse", "smith"], "grade": {"from": 0}}], {}, "leave no value"),
    ],
)  # fmt: skip
def test_constraints_that_cannot_be_kept_are_refused(constraints, options, said):
    with pytest.raises(OptionError, match=said):
        design(constraints, **options)


def test_what_earlier_constraints_rule_out_is_no_dead_end():
    """No pay is left to cooks of grade 2, but there are none."""
    cooks = {"grade": 2, "job": "cook"}
    never = [{**cooks, "pay": {"above": 0}}, {**cooks, "pay": {"to": 0}}]
    repaired = design([cooks, *never]).repair(paired(2_000, 3), seed=1).to_pandas()
    assert not ((repaired["grade"] == 2) & (repaired["job"] == "cook")).any()
    with pytest.raises(OptionError, match="leave no value of"):
        design(never)


def test_a_blind_plan_and_averaged_groups_know_no_constraints():
    plan = design([COOKS])
    with pytest.raises(OptionError, match="without joint="):
        plan.blind(0.3)
    model = fairmend.LabelModel(protected="s", features=["grade", "job", "pay"])
    model.fit(paired(300, 0))
    archive = paired(500, 1).drop_columns(["s"])
    with pytest.raises(OptionError, match="draw='sample'"):
        plan.repair(archive, seed=1, labels=model, draw="expected")
    assert not forbidden_to_cooks(plan.repair(archive, seed=1, labels=model)).any()


def forbidden_to_cooks(table):
    frame = table.to_pandas()
    return (frame["job"] == "cook") & (frame["grade"].isin([0, 1]) | (frame["grade"] >= 4))


def test_the_curve_moves_constrained_features_whole():
    """Between two allowed values there may be forbidden ones, so nothing goes part of the way."""
    plan = design([{"pay": {"above": 0}, "job": "cook"}])
    half, full = plan.tradeoff([0.5, 1.0])
    assert half.by_feature["pay"][1] == pytest.approx(0.5**0.5 * full.by_feature["pay"][1])


# Pairs that nobody has


def families(n, seed):
    """A place in a family that follows from the group and from being married, and a pay."""
    rng = np.random.default_rng(seed)
    s, married = rng.integers(0, 2, n), rng.random(n) < 0.6
    role = np.where(married, np.array(["wife", "husband"])[s], "child")
    status = np.where(married, "married", np.where(rng.random(n) < 0.2, "widowed", "single"))
    pay = rng.normal(size=n) + married + 0.5 * s
    return pa.table({"s": s, "role": role, "status": status, "pay": pay})


def test_unseen_pairs_are_not_produced(tmp_path):
    research, archive = families(600, 0), families(3_000, 1)
    features = ["role", "status", "pay"]
    options = {"protected": "s", "joint": "sequential", "features": features}
    plan = fairmend.design(research, **options, constraints="unseen-pairs")
    free = replace(plan, options=replace(plan.options, constraints=()))
    before, after = (
        fairmend.unseen_pairs(one.repair(archive, seed=1), research, features=features)
        for one in (free, plan)
    )
    assert before["role", "status"] > 0.01
    assert set(after.values()) == {0.0}
    words = [named(one) for one in plan.options.constraints]
    assert any("role='husband'" in one and "status='single'" in one for one in words)
    plan.save(tmp_path / "plan.json")
    assert fairmend.Plan.load(tmp_path / "plan.json").options == plan.options


def test_unseen_pairs_stand_beside_others_in_a_list():
    options = {"protected": "s", "joint": "sequential"}
    also = {"status": "widowed", "pay": {"above": 2}}
    plan = fairmend.design(families(600, 0), **options, constraints=["unseen-pairs", also])
    repaired = plan.repair(families(3_000, 1), seed=1).to_pandas()
    assert not ((repaired["status"] == "widowed") & (repaired["pay"] > 2)).any()
    assert not ((repaired["role"] == "husband") & (repaired["status"] != "married")).any()


def test_nobody_is_above_a_column_that_is_cut_off_there():
    rng = np.random.default_rng(0)
    s = rng.integers(0, 2, 1_500)
    pay = np.round(np.minimum(rng.gamma(2, 20, 1_500) * (1 + 0.3 * s), 60), 2)
    assert (pay == 60).mean() > 0.1
    table = pd.DataFrame({"s": s, "pay": pay, "rent": 2 * pay + rng.normal(size=1_500)})
    plan = fairmend.design(table, protected="s", joint="sequential", constraints="unseen-pairs")
    many, summary = pd.concat([table] * 20, ignore_index=True), {}
    repaired = plan.repair(many, seed=1, summary=summary)
    counts = [one for one in summary["features"].values() if "forbidden_left" in one]
    assert [one["forbidden_before"] for one in counts] == [0]
    assert [one["forbidden_left"] for one in counts] == [0]
    assert (repaired["pay"] > 60).any()  # the support reaches beyond the values: they are allowed
    assert max(fairmend.unseen_pairs(repaired, table, features=["pay", "rent"]).values()) == 0


def test_durations_are_constrained_in_seconds_and_their_plans_can_be_read(tmp_path):
    rng = np.random.default_rng(0)
    s = rng.integers(0, 2, 1_000)
    shift = rng.gamma(2, 1_000, 1_000) * (1 + 0.3 * s)
    job = np.where(
        shift > np.quantile(shift, 0.9), "night", np.where(rng.random(1_000) < 0.5, "a", "b")
    )
    shift = (shift * 1e6).astype("m8[us]")
    table = pa.table({"s": s, "shift": shift, "job": job})
    plan = fairmend.design(table, protected="s", joint="sequential", constraints="unseen-pairs")
    plan.save(tmp_path / "plan.json")
    assert fairmend.Plan.load(tmp_path / "plan.json").repair(table, seed=1) == plan.repair(
        table, seed=1
    )
    long = [{"job": "a", "shift": {"above": 1_800}}]
    plan = fairmend.design(table, protected="s", joint="sequential", constraints=long)
    repaired = plan.repair(table, seed=1).to_pandas()
    seconds = repaired["shift"].dt.total_seconds()
    assert not ((repaired["job"] == "a") & (seconds > 1_800)).any()
    assert ((repaired["job"] == "b") & (seconds > 1_800)).any()
