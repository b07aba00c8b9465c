import datetime
import json
import os
import re
from importlib.resources import files
from pathlib import Path

import jsonschema
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import fairmend
from fairmend.errors import OutputError, PlanFileError
from fairmend.plan.storage import digest, to_content

ROLES = {"protected": "sex", "unprotected": "college", "exclude": "id"}
SCHEMA = json.loads(files("fairmend.plan").joinpath("plan.schema.json").read_text("utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


@pytest.fixture(scope="module")
def plan(people):
    return fairmend.design(people.slice(0, 500), **ROLES)


@pytest.fixture
def saved(plan, tmp_path):
    path = tmp_path / "plan.json"
    plan.save(path)
    return path


def bytes_of(table):
    return [table[name].to_numpy().tobytes() for name in ("hours", "wage")]


def variants(people):
    """Plans of all kinds of cells, levels and options."""
    rng = np.random.default_rng(3)
    n = 400
    base = {"s": rng.integers(0, 3, n), "u": rng.random(n) < 0.5, "x": rng.normal(size=n)}
    frame = pd.DataFrame(base)
    cents = np.round(rng.lognormal(6, 1, n), 2)
    day = datetime.date(2020, 1, 1)
    yield {"research": people, **ROLES}
    yield {"research": people, **ROLES, "output": "monge", "features": ["wage"]}
    yield {"research": people, **ROLES, "bandwidth": 0.5, "margin": 0, "n_support": np.int64(17)}
    yield {"research": people, **ROLES, "bandwidth": np.float32(0.5), "t": np.float32(0.25)}
    yield {"research": people, **ROLES, "unseen": "keep", "out_of_range": "raise"}
    both = {(s, u): 1.0 for s in range(3) for u in (False, True)}
    inflated = np.where(base["u"], 0.0, cents)
    one_stratum_constant = np.where(base["u"], 0.1, base["x"])
    by_s = {"protected": "s", "features": "x"}
    yield {"research": frame, **by_s, "target_weights": {0: 1, 1: 2, 2: 0}}
    yield {"research": frame, **by_s, "target_weights": np.array([1.0, 2.0, 0.0])}
    yield {"research": frame, "protected": ["s", "u"]}
    yield {"research": frame, "protected": ["s", "u"], "target_weights": both}
    yield {"research": frame.assign(x=cents), **by_s}
    yield {"research": frame.assign(x=inflated), **by_s}
    yield {"research": frame.assign(x=one_stratum_constant), **by_s, "unprotected": "u"}
    yield {"research": frame.assign(x=0.1), **by_s}
    yield {"research": frame.assign(u=day), **by_s, "unprotected": "u"}
    yield {"research": frame.assign(s=np.where(base["u"], "ü", "\u2028")), **by_s}
    yield {"research": frame.assign(s=base["s"] / 3), **by_s}
    binned = {"unprotected": "x", "unprotected_bins": {"x": 3}, "exclude": ["u"]}
    jobs = pa.array(["clerk", "nurse", None, "cook"])
    when = pd.Timestamp(2020, 1, 1) + pd.to_timedelta(rng.integers(0, 900, n), "D")
    gaps = pd.Series(base["x"]).mask(rng.random(n) < 0.1 + 0.2 * (base["s"] == 1))
    alone = frame.assign(s=np.where(np.arange(n) == 3, 9, base["s"]))
    small = {**by_s, "min_group_size": 9}
    yield {"research": frame.assign(y=cents), "protected": "s", **binned}
    yield {"research": frame.assign(x=rng.choice(jobs.to_pylist(), n)), **by_s}
    yield {"research": frame.assign(x=pd.Categorical(base["u"], ordered=True)), **by_s}
    yield {"research": frame.assign(x=base["u"]), **by_s, "kinds": {"x": [True, False]}}
    yield {"research": frame.assign(x=when), **by_s, "output": "dithered", "amount": 0.5}
    yield {"research": frame.assign(x=gaps), **by_s, "missing": "state", "unprotected": "u"}
    yield {"research": alone, **small, "small_groups": "pool", "unprotected": "u"}
    yield {"research": alone, **small, "small_groups": "shrink", "target_weights": "size"}
    yield {"research": frame, **by_s, "shrinkage": 30, "bandwidth": "isj", "unseen": "pool"}
    yield {"research": frame, **by_s, "shrinkage": np.inf}
    yield {"research": frame, **by_s, "solver": "sinkhorn", "n_support": 60}
    yield {"research": frame.assign(x=rng.standard_cauchy(n)), **by_s}
    yield {"research": frame.assign(y=base["x"] * (base["s"] - 1)), **JOINT, "missing": "state"}
    yield {"research": frame.head(20), **JOINT, "exclude": "u"}  # too few rows to judge


JOINT = {"protected": "s", "joint": "sequential"}
N_VARIANTS = 30


# There and back


@pytest.mark.parametrize("at", range(N_VARIANTS))
def test_a_loaded_plan_repairs_to_the_same_bytes_and_saves_to_the_same_file(at, people, tmp_path):
    options = list(variants(people))[at]
    research = options["research"]
    plan = fairmend.design(**options)
    plan.save(tmp_path / "one.json")
    loaded = fairmend.Plan.load(tmp_path / "one.json")
    loaded.save(tmp_path / "two.json")
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "two.json").read_bytes()
    one, two = (one.repair(research, seed=7) for one in (plan, loaded))
    assert one.equals(two)
    assert loaded.groups == plan.groups
    assert loaded.strata == plan.strata
    assert loaded.creator == plan.creator == f"fairmend {fairmend.__version__}"


def test_plans_are_equal_where_their_files_are(plan, saved):
    again = fairmend.Plan.load(saved)
    assert again == plan
    assert {again: 1}[plan] == 1
    assert plan != plan.with_amount(0.5)
    assert plan != "a plan"
    assert plan.sha256 == json.loads(saved.read_text("utf-8"))["sha256"]


@pytest.mark.parametrize("at", range(N_VARIANTS))
def test_every_plan_follows_the_published_schema(at, people, tmp_path):
    fairmend.design(**list(variants(people))[at]).save(tmp_path / "plan.json")
    VALIDATOR.validate(json.loads((tmp_path / "plan.json").read_text("utf-8")))


def test_all_variants_are_tested(people):
    assert len(list(variants(people))) == N_VARIANTS
    kinds = {f.kind for v in variants(people) for f in fairmend.design(**v).features}
    assert kinds == {"continuous", "discrete", "mixed", "ordinal", "categorical"}


def test_two_designs_of_the_same_rows_in_any_order_are_the_same_file(plan, people, tmp_path):
    research = people.slice(0, 500).to_pandas().sample(frac=1, random_state=1)
    fairmend.design(research, **ROLES).save(tmp_path / "shuffled.json")
    shuffled = json.loads((tmp_path / "shuffled.json").read_text())
    for one, other in zip(to_content(plan)["features"], shuffled["features"], strict=True):
        assert one["reason"] == other["reason"]
        for cell, its in zip(one["cells"], other["cells"], strict=True):
            np.testing.assert_allclose(cell["target"], its["target"], atol=1e-12)


def test_the_file_is_for_people_one_line_a_cell(saved):
    lines = saved.read_text().splitlines()
    assert sum(line.startswith('{"atoms":') for line in lines) == 6  # and of all strata
    assert max(map(len, lines)) < 60_000
    assert json.loads("".join(lines))["format"] == "fairmend-plan"


# The schema


def test_the_schema_is_a_schema():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"


def set_(content, path, value):
    for step in path[:-1]:
        content = content[step]
    if value is None:
        del content[path[-1]]
    else:
        content[path[-1]] = value


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["format"], "other"),
        (["version"], 2),
        (["version"], 3),
        (["options", "joint"], "sequential"),
        (["seed"], 7),
        (["sha256"], "00"),
        (["creator"], None),
        (["options", "t"], 1.5),
        (["options", "bandwidth"], "narrow"),
        (["options", "seed"], 7),
        (["options", "amount"], 2),
        (["options", "missing"], "drop"),
        (["options", "min_group_size"], 0),
        (["options", "shrinkage"], -1),
        (["options", "small_groups"], None),
        (["options", "solver"], "fast"),
        (["options", "target_weights"], [-1, 2]),
        (["protected", "columns"], []),
        (["protected", "levels"], [["F"]]),
        (["protected", "levels", 0, 0], [1]),
        (["features"], []),
        (["features", 0, "kind"], "odd"),
        (["features", 0, "type"], "text"),
        (["features", 0, "levels"], ["a", "a"]),
        (["features", 0, "lattice"], -1),
        (["features", 0, "shrinkage"], "some"),
        (["features", 0, "cells"], []),
        (["features", 0, "cells", 0, "rows"], [[1, 2]]),
        (["features", 0, "cells", 0, "grid"], [0, 1]),
        (["features", 0, "cells", 0, "grid"], [0, 1, 2, 3]),
        (["features", 0, "cells", 0, "counts", 0], -1),
        (["features", 0, "cells", 0, "marginals", 0, 0], -0.1),
        (["features", 0, "cells", 0, "target"], []),
        (["features", 0, "cells", 0, "missing"], [0.1, 0.2, 1.3]),
        (["features", 0, "cells", 0, "borrowed"], None),
        (["features", 0, "cells", 0, "couplings"], [[[0], [0]], [[0], [0]]]),
        (["unprotected", "bins"], {"age": {"cuts": [], "names": ["all"]}}),
    ],
)
def test_the_schema_refuses_what_is_no_plan(plan, path, value):
    content = json.loads(json.dumps(to_content(plan)))
    VALIDATOR.validate(content)
    set_(content, path, value)
    assert not VALIDATOR.is_valid(content)


# What is not in it


def test_the_file_holds_no_row_and_no_seed(plan, people, tmp_path):
    seed = 0xDEADBEEF12345678
    plan.repair(people, seed=seed, summary={})
    plan.save(tmp_path / "plan.json")
    text = (tmp_path / "plan.json").read_text()
    assert "seed" not in text
    numbers = {float(number) for number in re.findall(r"-?\d+(?:\.\d+)?(?:e-?\d+)?", text)}
    assert len(numbers) > 500
    assert seed not in numbers
    assert numbers.isdisjoint(people["wage"].to_pylist())
    assert numbers.isdisjoint(people["id"].to_pylist())


def test_a_plan_in_memory_keeps_no_research_rows(people):
    research = people.slice(0, 500)
    plan = fairmend.design(research, **ROLES)
    plan.repair(people, seed=1)
    arrays = []

    def visit(thing):
        if isinstance(thing, np.ndarray):
            arrays.append(thing)
        elif isinstance(thing, dict | list | tuple):
            for one in thing.values() if isinstance(thing, dict) else thing:
                visit(one)
        elif hasattr(thing, "__dict__"):
            visit(vars(thing))
        assert not isinstance(thing, pa.Table | pa.Array | pd.DataFrame)

    visit(plan)
    assert len(arrays) > 20
    assert 500 not in {size for array in arrays for size in array.shape}


# Damage


@pytest.mark.parametrize("at", [0.2, 0.5, 0.9])
def test_one_changed_digit_is_found(saved, at):
    text = saved.read_text()
    place = next(i for i in range(int(at * len(text)), len(text)) if text[i] in "2345678")
    saved.write_text(text[:place] + str(int(text[place]) + 1) + text[place + 1 :])
    with pytest.raises(PlanFileError, match=r"changed or damaged: its hash does not fit\. Design"):
        fairmend.Plan.load(saved)


def test_an_added_member_is_found(saved):
    saved.write_text(saved.read_text().replace('"version":1', '"version":1,"seed":7'))
    with pytest.raises(PlanFileError, match="its hash does not fit"):
        fairmend.Plan.load(saved)


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.999])
def test_a_torn_file_is_not_json(saved, share):
    text = saved.read_text()
    saved.write_text(text[: int(share * len(text))])
    with pytest.raises(PlanFileError, match=r"no plan file: it is not JSON .* Design the plan"):
        fairmend.Plan.load(saved)


@pytest.mark.parametrize(
    ("content", "help_"),
    [
        (b"id,age\n1,2\n", "not JSON"),
        (b"\x89PNG\r\n\x1a\n\xff\xfe", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"[]", "format is not 'fairmend-plan'"),
        (b'"fairmend-plan"', "format is not 'fairmend-plan'"),
        (b"null", "format is not 'fairmend-plan'"),
        (b'{"format":"other-plan"}', "format is not 'fairmend-plan'"),
        (b'{"format":"fairmend-plan","version":1}', "its hash does not fit"),
        (b'{"format":"fairmend-plan","version":1,"t":NaN}', "its hash does not fit"),
        (b'{"format":"fairmend-plan","version":1,"t":"\\ud800"}', "its hash does not fit"),
    ],
)
def test_other_files_are_no_plans(tmp_path, content, help_):
    path = tmp_path / "plan.json"
    path.write_bytes(content)
    with pytest.raises(PlanFileError, match=help_):
        fairmend.Plan.load(path)


def test_a_plan_of_an_earlier_release_repairs_as_it_did(tmp_path):
    """The file, and what came of it, were written before plans were designed from counts."""
    old = Path(__file__).with_name("plan_version_1.json")
    plan = fairmend.Plan.load(old)
    plan.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == old.read_bytes()
    archive = pa.table(
        {
            "sex": ["F", "M"] * 3,
            "college": [True, True, False, False, True, True],
            "age": [20, 21, 24, 22, 22, 24],
            "wage": [at * 37 % 101 / 7 for at in range(6)],
            "job": ["cook", None, "cook", "nurse", "cook", None],
        }
    )
    repaired = plan.repair(archive, seed=7)
    assert repaired["age"].to_pylist() == [21, 21, 24, 22, 22, 24]
    grid = [0.0, 7.42857142857143, 12.428571428571432]
    grid += [0.42857142857142855, 7.42857142857143, 11.142857142857144]
    assert repaired["wage"].to_pylist() == grid
    assert repaired["job"].to_pylist() == ["cook", None, "cook", "nurse", "cook", None]


def test_another_version_is_refused_with_the_way_out(saved):
    saved.write_text(saved.read_text().replace('"version":1', '"version":4'))
    with pytest.raises(
        PlanFileError, match=r"has plan version 4, .* reads version 1 and 2 and 3\. Use the fair"
    ):
        fairmend.Plan.load(saved)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["options"], None),
        (["features", 0, "cells", 0, "target"], None),
        (["features", 0, "cells", 0, "marginals", 0], [1.0]),
        (["features", 0, "cells", 0, "grid"], [0.0, 1.0, -3]),
        (["features", 0, "cells", 0, "grid"], [0.0]),
        (["features", 0, "cells"], 3),
        (["features"], 3),
        (["options", "t"], 7),
        (["options", "colour"], "red"),
        (["protected"], []),
    ],
)
def test_a_file_that_fits_its_hash_but_not_the_schema_is_refused(plan, tmp_path, path, value):
    content = json.loads(json.dumps(to_content(plan)))
    set_(content, path, value)
    content["sha256"] = digest(content)
    file = tmp_path / "plan.json"
    file.write_text(json.dumps(content))
    with pytest.raises(PlanFileError, match="does not follow the plan schema"):
        fairmend.Plan.load(file)


@pytest.mark.parametrize("name", ["nowhere.json", "."])
def test_a_file_that_cannot_be_read_is_named(tmp_path, name):
    with pytest.raises(PlanFileError, match=r"plan file .* cannot be read \("):
        fairmend.Plan.load(tmp_path / name)


# Outputs


def test_an_existing_file_is_kept_unless_forced(plan, saved):
    saved.write_text("precious")
    with pytest.raises(OutputError, match=r"exists already\. Pass force=True \(--force\)"):
        plan.save(saved)
    assert saved.read_text() == "precious"
    plan.save(saved, force=True)
    assert fairmend.Plan.load(saved).groups == plan.groups
    assert [path.name for path in saved.parent.iterdir()] == ["plan.json"]


@pytest.mark.parametrize("call", ["fsync", "replace", "write"])
def test_a_full_disk_leaves_the_old_file_and_no_other(plan, saved, monkeypatch, call):
    def full(*_args, **_options):
        raise OSError(28, "No space left on device")

    before = saved.read_bytes()
    if call == "fsync":
        monkeypatch.setattr(os, "fsync", full)
    else:
        monkeypatch.setattr(Path, {"replace": "replace", "write": "write_text"}[call], full)
    with pytest.raises(OutputError, match=r"cannot be written \(No space left on device\)"):
        plan.save(saved, force=True)
    assert saved.read_bytes() == before
    assert [path.name for path in saved.parent.iterdir()] == ["plan.json"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_an_unwritable_folder_leaves_the_old_file(plan, saved):
    before = saved.read_bytes()
    saved.parent.chmod(0o500)
    try:
        with pytest.raises(OutputError, match="cannot be written"):
            plan.save(saved, force=True)
    finally:
        saved.parent.chmod(0o700)
    assert saved.read_bytes() == before


@pytest.mark.parametrize("name", ["nowhere/plan.json", "plan.json/plan.json", "n" * 250])
def test_an_output_that_cannot_be_made_is_named(plan, saved, name):
    with pytest.raises(OutputError, match=r"cannot be written \("):
        plan.save(saved.parent / name)


def test_a_folder_is_no_output(plan, tmp_path):
    with pytest.raises(OutputError, match=r"is a directory\. Name a file"):
        plan.save(tmp_path, force=True)


def test_an_interrupted_save_leaves_nothing(plan, tmp_path, monkeypatch):
    def interrupted(*_args, **_options):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        plan.save(tmp_path / "plan.json")
    assert list(tmp_path.iterdir()) == []


def test_cents_stay_cents_moved_or_kept_also_by_a_saved_plan(tmp_path):
    rng = np.random.default_rng(3)
    s = rng.integers(0, 2, 3_000)
    pay = np.round(np.exp(rng.normal(7.5 + 0.2 * s, 0.4)), 2)
    heavy = np.round(np.exp(rng.normal(4 + 0.2 * s, 3.0)), 2)
    people = pa.table({"s": s, "pay": pay, "heavy": heavy})
    plan = fairmend.design(people, protected="s", features=["pay", "heavy"], amount=0.5)
    assert [feature.lattice for feature in plan.features] == pytest.approx([0.01, 0.01])
    repaired = plan.repair(people, seed=1)
    for name in ("pay", "heavy"):
        values = repaired[name].to_numpy()
        assert 0.2 < (values != people[name].to_numpy()).mean() < 0.8
        odd = int((values != np.round(values, 2)).sum())
        assert odd == 0, "16.840000000000003 beside 16.84 tells who was moved"
    plan.save(tmp_path / "plan.json")
    assert fairmend.Plan.load(tmp_path / "plan.json").repair(people, seed=1).equals(repaired)
