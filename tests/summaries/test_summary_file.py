import json
import re
from importlib.resources import files

import jsonschema
import numpy as np
import pyarrow as pa
import pytest

import fairmend
from fairmend.errors import OutputError, SummaryFileError
from fairmend.plan.documents import digest
from fairmend.summaries.storage import to_content
from fairmend.transport import tally
from summaries.conftest import FEATURES, ROLES, hash_of

SCHEMA = json.loads(files("fairmend.summaries").joinpath("summary.schema.json").read_text("utf-8"))
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)
SMALL = {"small_groups": "shrink", "shrinkage": 10}


@pytest.fixture(scope="module")
def summary(research):
    return fairmend.summarise(research, **ROLES)


@pytest.fixture
def saved(summary, tmp_path):
    path = tmp_path / "site.json"
    summary.save(path)
    return path


@pytest.fixture
def crowded(monkeypatch):
    """Bin where there are more than a few values."""
    monkeypatch.setattr(tally, "CAPACITY", 400)


VARIANTS = {
    "weights": {"sample_weight": "w"},
    "no strata": {"unprotected": None, "unprotected_bins": {}},
    "kinds": {"kinds": {"age": "continuous", "grade": ["high", "low"], "job": "ordinal"}},
    "named bins": {"unprotected_bins": {"years": {"young": (None, 40), "old": (40, None)}}},
}


# There and back


@pytest.mark.parametrize("roles", VARIANTS.values(), ids=VARIANTS)
@pytest.mark.parametrize("binned", [False, True])
def test_a_loaded_summary_saves_to_the_same_file_and_gives_the_same_plan(
    research, roles, binned, tmp_path, request
):
    if binned:
        request.getfixturevalue("crowded")
    made = fairmend.summarise(research, **(ROLES | roles))
    assert binned == any(feature.tally.binned for feature in made.features)
    made.save(tmp_path / "one.json")
    loaded = fairmend.Summary.load(tmp_path / "one.json")
    loaded.save(tmp_path / "two.json")
    assert (tmp_path / "one.json").read_bytes() == (tmp_path / "two.json").read_bytes()
    plans = [hash_of(fairmend.design(one, **SMALL)) for one in (made, loaded)]
    assert plans[0] == plans[1]
    VALIDATOR.validate(json.loads((tmp_path / "one.json").read_text("utf-8")))


def test_loaded_summaries_are_added_up_as_those_in_memory(research, tmp_path):
    sites = [fairmend.summarise(part, **ROLES) for part in (research[:600], research[600:])]
    for number, site in enumerate(sites):
        site.save(tmp_path / f"{number}.json")
    loaded = [fairmend.Summary.load(tmp_path / f"{number}.json") for number in range(2)]
    whole = hash_of(fairmend.design(research, **ROLES, **SMALL))
    assert hash_of(fairmend.design(loaded, **SMALL)) == whole


def test_a_site_with_one_group_and_a_column_without_values_is_a_summary(tmp_path):
    only = pa.table({"s": ["a"] * 3, "x": pa.nulls(3), "y": [1.5, 2.5, None]})
    fairmend.summarise(only, protected="s").save(tmp_path / "s.json")
    content = json.loads((tmp_path / "s.json").read_text())
    VALIDATOR.validate(content)
    assert content["features"][0]["type"] is None
    other = pa.table({"s": ["a", "b"] * 9, "x": ["p", "q"] * 9, "y": np.arange(18.0)})
    site = fairmend.Summary.load(tmp_path / "s.json")
    plan = fairmend.design([site, fairmend.summarise(other, protected="s")])
    both = fairmend.design([only, other], protected="s")
    assert hash_of(plan) == hash_of(both)


def test_the_file_is_for_people_one_line_a_feature(saved):
    lines = saved.read_text().splitlines()
    assert sum('"name":' in line for line in lines) == len(FEATURES)
    assert json.loads("".join(lines))["format"] == "fairmend-summary"


# The schema


def test_the_schema_is_a_schema():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"


def changed(content, path, value):
    content = json.loads(json.dumps(content))
    at = content
    for step in path[:-1]:
        at = at[step]
    if value is None:
        del at[path[-1]]
    else:
        at[path[-1]] = value
    return content


CELL = ["features", 0, "cells", 0]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["format"], "fairmend-plan"),
        (["version"], 2),
        (["seed"], 7),
        (["sha256"], "00"),
        (["creator"], None),
        (["rows", 0, 0], -1),
        (["rows", 0, 0], 1.5),
        (["rows", 0], []),
        (["weights", 0, 0], -1),
        (["protected", "columns"], []),
        (["protected", "levels", 0, 0], [1]),
        (["features"], []),
        (["features", 0, "type"], "text"),
        (["features", 0, "kind"], "odd"),
        (["features", 0, "order"], "random"),
        (["features", 0, "bits"], 53),
        (["features", 0, "lattice"], {"low": 0}),
        (["features", 0, "missing", 0], -1),
        ([*CELL, "rows", 0], 0),
        ([*CELL, "values", 0], "a"),
        ([*CELL, "squares"], -1),
        ([*CELL, "weights"], [-1]),
        ([*CELL, "ids"], [1]),
        ([*CELL, "bins"], {"keys": []}),
    ],
)
def test_the_schema_refuses_what_is_no_summary(summary, path, value):
    content = json.loads(json.dumps(to_content(summary)))
    assert VALIDATOR.is_valid(content)
    assert not VALIDATOR.is_valid(changed(content, path, value))


# Damage


@pytest.mark.parametrize("at", [0.2, 0.5, 0.9])
def test_one_changed_digit_is_found(saved, at):
    text = saved.read_text()
    # The first digit of a number: the last one of a float may round to the same float.
    place = re.compile(r"[\[,][2-8]").search(text, int(at * len(text))).end() - 1
    saved.write_text(text[:place] + str(int(text[place]) + 1) + text[place + 1 :])
    with pytest.raises(SummaryFileError, match=r"changed or damaged: .*Summarise the research"):
        fairmend.Summary.load(saved)


def test_a_torn_file_a_plan_and_another_version_are_refused(saved, research):
    text = saved.read_text()
    for content, said in (
        (text[: len(text) // 2], "no summary file: it is not JSON .* Summarise the research data"),
        (text.replace("-summary", "-plan"), "its format is not 'fairmend-summary'"),
        (text.replace('"version":1', '"version":2'), r"has summary version 2, .* reads version 1"),
    ):
        saved.write_text(content)
        with pytest.raises(SummaryFileError, match=said):
            fairmend.Summary.load(saved)
    with pytest.raises(SummaryFileError, match="cannot be read"):
        fairmend.Summary.load(saved.with_name("none.json"))


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["rows", 0, 0], 10_000),
        (["rows", 0], [1]),
        (["weights", 0, 0], -1.0),
        (["features", 0, "bits"], 99),
        (["features", 0, "kind"], "odd"),
        (["features", 0, "order"], "random"),
        (["features", 0, "type"], "text"),
        (["features", 0, "cells"], []),
        (["features", 0, "missing", 0], 9),
        (["features", 1, "name"], "age"),
        (["features", 3, "levels"], ["cook"]),
        ([*CELL, "rows", 0], 0),
        ([*CELL, "values", 0], 1e9),
        ([*CELL, "squares"], -1.0),
        ([*CELL, "weights"], [1.0]),
        ([*CELL, "values"], None),
        (["features"], 3),
    ],
)
def test_a_file_that_fits_its_hash_but_not_itself_is_refused(summary, saved, path, value):
    content = changed(to_content(summary), path, value)
    content["sha256"] = digest(content)
    saved.write_text(json.dumps(content))
    with pytest.raises(SummaryFileError, match="does not follow the summary schema"):
        fairmend.Summary.load(saved)


@pytest.mark.parametrize(("name", "value"), [("keys", -1e9), ("offsets", 1e999), ("rows", 0)])
def test_bins_that_do_not_fit_are_refused(research, crowded, saved, name, value):
    content = to_content(fairmend.summarise(research, **(ROLES | {"features": ["wage"]})))
    bins = json.loads(json.dumps(content))["features"][0]["cells"][0]["bins"]
    bins[name][-1] = value
    content["features"][0]["cells"][0]["bins"] = bins
    if np.isfinite(value):
        content["sha256"] = digest(content)
    saved.write_text(json.dumps(content))
    with pytest.raises(SummaryFileError, match=r"summary schema|hash does not fit"):
        fairmend.Summary.load(saved)


# Outputs


def test_an_existing_file_is_kept_unless_forced(summary, saved):
    before = saved.read_bytes()
    with pytest.raises(OutputError, match="exists already"):
        summary.save(saved)
    saved.write_text("other")
    summary.save(saved, force=True)
    assert saved.read_bytes() == before
