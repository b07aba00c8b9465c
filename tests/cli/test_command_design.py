import json
from pathlib import Path
from typing import get_args

import pytest

from fairmend.cli.options import OUT_OF_RANGE, UNSEEN
from fairmend.plan.options import OutOfRange, Output, Unseen
from fairmend.plan.plan import Plan

ROLES = "--protected sex --unprotected college"


def test_it_writes_a_plan_and_says_so_in_one_line_on_stderr(run):
    result = run(f"design research.parquet {ROLES} --features age,pay -o plan.json")
    assert result.stdout == ""
    assert result.stderr.startswith("Designed plan.json from 800 rows: 2 groups in 2 strata; age (")
    assert result.stderr.count("\n") == 1
    assert Plan.load("plan.json").feature_names == ("age", "pay")


def test_every_option_reaches_the_plan(run):
    run(
        f"design research.csv {ROLES} --features age --features pay --kind age=discrete "
        "--kind pay=continuous --n-support 50 --margin 0 --bandwidth 0.5 --unseen keep "
        "--target-weight F=0.3,M=0.7 --out-of-range keep --output support -o plan.json"
    )
    plan = Plan.load("plan.json")
    options = plan.options
    assert plan.feature_names == ("age", "pay")
    assert [feature.reason for feature in plan.features] == ["given by kinds="] * 2
    assert options.resolution.n_support == 50
    assert options.resolution.margin == 0
    assert options.resolution.bandwidth == 0.5
    assert dict(options.target_weights) == {"F": 0.3, "M": 0.7}
    assert (options.policies.unseen, options.policies.out_of_range) == ("keep", "keep")
    run(f"design research.csv {ROLES} --exclude id,zip --bandwidth scott --t 0.25 -o b.json")
    options = Plan.load("b.json").options
    assert (options.resolution.bandwidth, options.t) == ("scott", 0.25)
    run(f"design research.csv {ROLES} --features pay --output monge -o c.json")
    assert Plan.load("c.json").options.output == "monge"


def test_names_with_commas_are_quoted(run):
    Path("r.csv").write_text('sex,"a,b",c\nF,1,2\nM,2,3\nF,3,4\nM,4,5\n')
    run('design r.csv --protected sex --features "a,b",c -o plan.json')
    assert Plan.load("plan.json").feature_names == ("a,b", "c")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (f"{ROLES} --features aeg", "has no column 'aeg', named by features=.*Did you mean 'age'?"),
        ("--protected Sex", "Did you mean 'sex'?"),
        ("--protected sex --features sex", "A column has one role"),
        ("--protected sex --features zip,college,age --kind pay=mixed", "'pay', which is not a"),
        ("--protected sex --features age --kind age=odd", "kinds['age']='odd' is not known"),
        ("--protected sex --features age --t 2", "t=2.0 is not known"),
        ("--protected sex --features age --target-weight X=1", "names the groups ['X']"),
    ],
)
def test_the_users_faults_end_in_a_message_and_code_2(run, arguments, message):
    result = run(f"design research.csv {arguments} -o plan.json", 2)
    assert result.stderr.startswith("fairmend: error: ")
    for part in message.split(".*"):
        assert part in result.stderr
    assert not Path("plan.json").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--features age", "Missing option '--protected'"),
        ("--protected sex --kind age", "'age' is not NAME=VALUE"),
        ("--protected sex --target-weight F=x", "'x' is not a number"),
        ("--protected sex --unseen maybe", "'maybe' is not one of"),
    ],
)
def test_wrong_usage_is_code_2(run, arguments, message):
    assert message in run(f"design research.csv {arguments} -o plan.json", 2).stderr


def test_an_existing_plan_needs_force(planned):
    before = Path("plan.json").read_bytes()
    line = f"design research.csv {ROLES} --features age -o plan.json"
    assert "plan.json exists already. Pass --force" in planned(line, 2).stderr
    assert Path("plan.json").read_bytes() == before
    planned(f"{line} --force")
    assert len(json.loads(Path("plan.json").read_text())["features"]) == 1


def test_a_folder_that_does_not_exist_is_named(run):
    result = run(f"design research.csv {ROLES} --features age -o no/plan.json", 2)
    assert "there is no folder no. Make it first." in result.stderr


def test_choices_are_those_of_the_library():
    from fairmend.cli.design import design

    output = next(param for param in design.params if param.name == "output")
    for choice, literal in ((UNSEEN, Unseen), (OUT_OF_RANGE, OutOfRange), (output.type, Output)):
        assert tuple(choice.choices) == get_args(literal)
