import copy
import json
from importlib.resources import files

import jsonschema
import numpy as np
import pyarrow as pa
import pytest

import fairmend
from fairmend.errors import PlanFileError
from fairmend.plan.documents import digest
from fairmend.plan.soundness import require_sound
from fairmend.plan.storage import from_content, to_content

SCHEMA = json.loads(files("fairmend.plan").joinpath("plan.schema.json").read_text("utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


def paired(n, seed):
    """A grade and a job that tell the group together, and hardly alone."""
    rng = np.random.default_rng(seed)
    s = rng.integers(0, 2, n)
    grade = rng.integers(0, 6, n)
    job = np.array(["cook", "nurse", "smith"])[(grade + s + (rng.random(n) < 0.2)) % 3]
    return pa.table({"s": s, "u": rng.integers(0, 2, n), "grade": grade, "job": job})


@pytest.fixture(scope="module")
def plan():
    return fairmend.design(paired(1_200, 0), protected="s", unprotected="u", joint="sequential")


@pytest.fixture(scope="module")
def archive():
    return paired(4_000, 1)


def refined(content):
    return next(one["refined"] for one in content["features"] if one["refined"])


# The file


def test_a_joint_plan_is_written_as_version_2_and_follows_the_schema(plan, archive, tmp_path):
    assert plan.is_joint
    plan.save(tmp_path / "plan.json")
    content = json.loads((tmp_path / "plan.json").read_text())
    VALIDATOR.validate(content)
    assert content["version"] == 2
    loaded = fairmend.Plan.load(tmp_path / "plan.json")
    assert loaded.held_out == plan.held_out
    assert loaded.repair(archive, seed=7).equals(plan.repair(archive, seed=7))
    loaded.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "plan.json").read_bytes()


def test_a_plan_of_features_by_themselves_stays_version_1():
    plan = fairmend.design(paired(200, 0), protected="s", unprotected="u")
    content = json.loads(json.dumps(to_content(plan)))
    assert content["version"] == 1
    VALIDATOR.validate(content)
    content["version"] = 2
    assert not VALIDATOR.is_valid(content)


def stratum_of(content):
    return refined(content)["strata"][0]


BROKEN = {
    "a split that leads back": lambda c: stratum_of(c)["splits"][-1].update(left=0),
    "a leaf twice": lambda c: stratum_of(c)["splits"][-1].update(left=-1, right=-1),
    "no such leaf": lambda c: stratum_of(c)["splits"][-1].update(left=-40),
    "a leaf too few": lambda c: stratum_of(c)["leaves"].pop(),
    "a feature that comes later": lambda c: stratum_of(c)["splits"][0].update(
        feature=c["features"][1]["name"]
    ),
    "no such feature": lambda c: stratum_of(c)["splits"][0].update(feature="shoe size"),
    "a cut of categories": lambda c: stratum_of(c)["splits"][0].update(at_most=1.0, among=[0]),
    "a law of another support": lambda c: stratum_of(c)["leaves"][0]["marginals"][0].append(0.0),
    "a law that is none": lambda c: stratum_of(c)["leaves"][0]["target"].append(0.5),
    "a stratum too few": lambda c: refined(c)["strata"].pop(),
}


@pytest.mark.parametrize("what", BROKEN)
def test_leaves_that_cannot_be_applied_are_refused(plan, tmp_path, what):
    content = copy.deepcopy(json.loads(json.dumps(to_content(plan))))
    BROKEN[what](content)
    content["sha256"] = digest(content)
    path = tmp_path / "plan.json"
    path.write_text(json.dumps(content))
    with pytest.raises(PlanFileError):
        fairmend.Plan.load(path)


def test_leaves_that_were_not_asked_for_are_refused(plan):
    content = json.loads(json.dumps(to_content(plan)))
    del content["options"]["joint"]
    with pytest.raises(PlanFileError, match="not asked for"):
        require_sound(from_content(fairmend.Plan, content))


# The repair


def test_any_batch_gives_the_same_rows(plan, archive):
    whole = plan.repair(archive, seed=7)
    parts = [plan.repair(archive[a:b], seed=7, first_row=a) for a, b in
             ((0, 1), (1, 700), (700, 4_000))]  # fmt: skip
    assert pa.concat_tables(parts).equals(whole)


def test_both_kernels_give_the_same_rows(plan, archive, monkeypatch):
    whole = plan.repair(archive, seed=7)
    monkeypatch.setenv("FAIRMEND_KERNEL", "numpy")
    assert plan.repair(archive, seed=7).equals(whole)


def test_what_is_repaired_later_depends_on_what_was_repaired_before(plan, archive):
    """A later feature's values follow the leaf of its row, and no other feature of the plan."""
    first, second = plan.feature_names
    whole = plan.repair(archive, seed=7)
    turned = archive.set_column(
        archive.column_names.index(second), second, archive[second].take(np.arange(4_000)[::-1])
    )
    assert plan.repair(turned, seed=7)[first].equals(whole[first])
    turned = archive.set_column(
        archive.column_names.index(first), first, archive[first].take(np.arange(4_000)[::-1])
    )
    assert not plan.repair(turned, seed=7)[second].equals(whole[second])


def test_a_partial_repair_keeps_or_moves_whole_rows(plan, archive):
    before, after = archive.to_pandas(), plan.repair(archive, seed=7).to_pandas()
    names = list(plan.feature_names)
    moved_before = np.zeros(len(before), dtype=bool)
    for amount in (0.0, 0.3, 0.7):
        part = plan.with_amount(amount).repair(archive, seed=7).to_pandas()
        kept = (part[names] == before[names]).all(axis=1)
        moved = (part[names] == after[names]).all(axis=1)
        assert (kept | moved).all()
        assert not (moved_before & ~moved).any()
        changes = ~(before[names] == after[names]).all(axis=1)
        assert abs(moved[changes].mean() - amount) < 0.05
        moved_before = moved & changes


@pytest.mark.parametrize("unseen", ["keep", "pool"])
def test_what_research_did_not_show_goes_a_defined_way(plan, archive, unseen):
    frame = archive.to_pandas()
    frame.loc[:9, "job"] = "pilot"
    frame.loc[10:19, "s"] = 7
    frame.loc[20:29, "u"] = 7
    repaired = plan.repair(frame, seed=7, unseen=unseen)
    if unseen == "keep":
        assert (repaired.loc[:9, "job"] == "pilot").all()
        assert repaired.loc[10:29].equals(frame.loc[10:29])
    whole = plan.repair(archive, seed=7).to_pandas()
    assert repaired.loc[30:].equals(whole.loc[30:])


def test_gaps_in_one_feature_leave_the_others_a_leaf(plan, archive):
    frame = archive.to_pandas()
    gone = np.arange(len(frame)) % 3 == 0
    first = plan.feature_names[0]
    frame[first] = frame[first].astype(object if first == "job" else "Int64").mask(gone)
    repaired = plan.repair(frame, seed=7)
    assert repaired[first].isna().equals(frame[first].isna())
    whole = plan.repair(archive, seed=7).to_pandas()
    second = plan.feature_names[1]
    assert repaired[second][~gone].equals(whole[second][~gone])
    assert set(repaired[second][gone]) <= set(whole[second])


# What looks at plans


def test_the_curve_of_a_joint_plan_ends_without_dependence(plan):
    start, end = plan.tradeoff([0.0, 1.0])
    assert start.damage == 0.0
    assert end.damage > 0.1
    assert end.dependence < 0.01


def test_over_all_leaves_a_group_goes_where_its_target_is(plan):
    for feature in plan.features:
        for stratum, cell in enumerate(feature.cells):
            for group in range(2):
                coupling = feature.coupling(stratum, group)
                n = cell.support.size
                assert coupling.mass.sum() == pytest.approx(1.0)
                lands = np.bincount(coupling.target, coupling.mass, n)
                assert np.abs(lands - cell.target).sum() < 0.15
