import json
from pathlib import Path
from typing import get_args

import numpy as np
import pandas as pd
import pytest

from fairmend.cli import options as written
from fairmend.cli.design import design
from fairmend.cli.options import OUT_OF_RANGE, UNSEEN
from fairmend.kernel.move import Output
from fairmend.plan.options import Missing, OutOfRange, SmallGroups, Unseen
from fairmend.plan.plan import Plan

ROLES = "--protected sex --unprotected college"


def test_it_writes_a_plan_and_says_so_in_one_line_on_stderr(run):
    result = run(f"design research.parquet {ROLES} --features age,pay -o plan.json")
    assert result.stdout == ""
    assert result.stderr.startswith("Designed plan.json from 800 rows: 2 groups in 2 strata; age (")
    assert result.stderr.count("\n") == 1
    assert Plan.load("plan.json").feature_names == ("age", "pay")


def test_keys_among_the_features_are_said(run):
    result = run(f"design research.parquet {ROLES} --exclude id -o plan.json")
    assert "'zip': hardly a value occurs twice. Keys and names are no features" in result.stderr


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


@pytest.mark.parametrize(
    ("given", "names"),
    [
        (["age, hours ,"], ("age", "hours")),
        (['age,"pay, net"', "id"], ("age", "pay, net", "id")),
        ([' " padded " , x'], (" padded ", "x")),
        (['"the ""old"" one"'], ('the "old" one',)),
        (['5" pipe,"a"b'], ('5" pipe', '"a"b')),
        ([" ", ""], ()),
    ],
)
def test_lists_are_written_as_in_csv(given, names):
    assert written.names(None, None, given) == names


def test_a_name_before_values_is_written_likewise():
    read = written.bins(None, None, ['" pay, net"=3,', "age =2"])
    assert read == {" pay, net": [3.0], "age": 2}


def plan_of(run, line):
    run(f"design research.csv --protected sex {line} -o p.json --force")
    return Plan.load("p.json")


def test_options_for_columns_as_they_really_are(run):
    options = plan_of(
        run,
        "--features age,pay --output dithered --unseen pool --amount 0.25 --missing state "
        "--target-weights size --bandwidth isj",
    ).options
    assert (options.output, options.policies.unseen) == ("dithered", "pool")
    assert (options.amount, options.missing) == (0.25, "state")
    assert (options.target_weights, options.resolution.bandwidth) == ("size", "isj")


def test_options_for_small_groups(run):
    plan = plan_of(
        run,
        "--features age --min-group-size 2000 --small-groups shrink --shrinkage 12.5 "
        "--min-atom-rows 3",
    )
    small = plan.options.small
    assert (small.min_group_size, small.small_groups) == (2000, "shrink")
    assert (small.shrinkage, small.min_atom_rows) == (12.5, 3)
    assert all(plan.features[0].cells[0].borrowed)
    auto = plan_of(run, "--features age --shrinkage auto")
    assert auto.options.small.shrinkage == "auto"
    message = "a marginal needs at least 2000 research rows"
    line = "design research.csv --protected sex --features age --min-group-size 2000 -o no.json"
    assert message in run(line, 2).stderr


def test_the_entropic_solver(run):
    pytest.importorskip("ot")
    options = "--solver sinkhorn --regularisation 0.2 --n-support 30"
    plan = plan_of(run, f"--features pay {options}")
    assert (plan.options.solver, plan.options.regularisation) == ("sinkhorn", 0.2)
    assert plan.features[0].cells[0].couplings is not None


@pytest.mark.parametrize(
    ("bins", "names"),
    [
        ("pay=22,28", ("below 22", "22 to below 28", "28 and above")),
        ("pay=25,", ("below 25", "25 and above")),
        ("pay=25.5", ("below 25.5", "25.5 and above")),
    ],
)
def test_bins_make_strata_by_their_cuts(run, bins, names):
    plan = plan_of(run, f"--unprotected pay --features age --bins {bins}")
    assert plan.strata.bins["pay"].names == names
    assert [one for (one,) in plan.strata.combinations] == list(names)


def test_a_whole_number_alone_is_a_number_of_bins(run):
    plan = plan_of(run, "--unprotected pay,college --features age --bins pay=4")
    assert len(plan.strata.bins["pay"].names) == 4
    assert len(plan.strata) == 8


def test_kinds_of_categories_and_levels_in_order(run):
    text = Path("research.csv").read_text().splitlines()
    grades = ["low", "mid", "top"]
    rows = [f"{row},{grades[at % 3]},0{at % 4}" for at, row in enumerate(text[1:])]
    Path("research.csv").write_text("\n".join([text[0] + ",grade,code", *rows]) + "\n")
    plan = plan_of(run, "--features grade,code --levels grade=top,mid,low --kind code=categorical")
    assert [feature.kind for feature in plan.features] == ["ordinal", "categorical"]
    assert plan.codecs["grade"].levels == ("top", "mid", "low")
    assert plan.codecs["code"].levels == ("00", "01", "02", "03")
    plan = plan_of(run, "--features grade,code --kind grade=ordinal")
    assert plan.codecs["grade"].levels == ("low", "mid", "top")
    assert plan.features[1].kind == "discrete"


def test_sample_weights_are_read_as_numbers_and_are_no_feature(run):
    plan = plan_of(run, "--unprotected college --exclude id,zip --sample-weight pay")
    assert plan.feature_names == ("age",)
    plain = plan_of(run, "--unprotected college --exclude id,zip,pay")
    assert (plan.features[0].cells[0].marginals != plain.features[0].cells[0].marginals).any()


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
        ("--protected sex --features age --t 2", "t=2.0 is not possible"),
        ("--protected sex --features age --target-weight X=1", "names the groups ['X']"),
        (
            "--protected sex --features age --target-weight F=1,M=2 --target-weights size",
            "say the same thing twice",
        ),
        (
            "--protected sex --features age --kind age=ordinal --levels age=1,2",
            "--kind and --levels say the same thing twice",
        ),
        ("--protected sex --features age --amount 2", "amount=2.0 is not possible"),
        ("--protected sex --features age --shrinkage much", "shrinkage='much' is not known"),
        ("--protected sex --features age --sample-weight zip,", "no column 'zip,'"),
        ("--protected sex --features age --bins pay=3", "'pay', which is not in unprotected="),
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
        ("--protected sex --missing never", "'never' is not one of"),
        ("--protected sex --bins age", "'age' is not NAME=VALUE,VALUE,..."),
        ("--protected sex --bins age=1,x", "'x' is not a number"),
    ],
)
def test_wrong_usage_is_code_2(run, arguments, message):
    assert message in run(f"design research.csv {arguments} -o plan.json", 2).stderr


def test_an_existing_plan_needs_force(planned):
    before = Path("plan.json").read_bytes()
    line = f"design research.csv {ROLES} --features age -o plan.json"
    assert "plan.json exists already. Pass force=True (--force)" in planned(line, 2).stderr
    assert Path("plan.json").read_bytes() == before
    planned(f"{line} --force")
    assert len(json.loads(Path("plan.json").read_text())["features"]) == 1


def test_a_folder_that_does_not_exist_is_named(run):
    result = run(f"design research.csv {ROLES} --features age -o no/plan.json", 2)
    assert "there is no folder no. Make it first." in result.stderr


def test_choices_are_those_of_the_library():
    types = {param.name: param.type for param in design.params}
    for choice, literal in (
        (UNSEEN, Unseen),
        (OUT_OF_RANGE, OutOfRange),
        (types["output"], Output),
        (types["missing"], Missing),
        (types["small_groups"], SmallGroups),
    ):
        assert set(choice.choices) == set(get_args(literal))


def test_every_option_of_the_library_is_one_here():
    import inspect

    from fairmend.research import design as in_library

    mine = {param.name for param in design.params}
    assert set(inspect.signature(in_library).parameters) <= mine


def test_the_smallest_group_is_named_and_warned_of_where_it_is_small(run):
    line = "design research.csv --protected sex --unprotected college --features pay -o plan"
    result = run(line)
    text = Path("research.csv").read_text().splitlines()
    counts = {
        (sex, college): sum(f",{sex},{college}," in row for row in text)
        for sex in "FM"
        for college in "01"
    }
    (sex, college), rows = min(counts.items(), key=lambda item: item[1])
    said = f"smallest group: sex='{sex}' where college={college}, {rows} rows ("
    assert said in result.stderr
    assert "warning" not in result.stderr
    few = [row for row in text if ",F,1," in row][:5]
    rest = [row for row in text if ",F,1," not in row]
    Path("few.csv").write_text("\n".join([*rest, *few]) + "\n")
    shown = run(line.replace("research", "few") + " --force").stderr
    assert "fairmend: warning: the group sex='F' where college=1 has 5 research rows" in shown


def related(path):
    at = np.arange(900)
    role = np.where(at % 3 == 0, "child", np.where(at % 2 == 1, "husband", "wife"))
    status = np.where(at % 3 == 0, np.where(at % 7 < 3, "single", "widowed"), "married")
    frame = pd.DataFrame({"s": at % 2, "role": role, "status": status, "age": 16 + at % 31})
    frame.to_csv(path, index=False)


@pytest.mark.parametrize("how", ["options", "file", "unseen"])
def test_constraints_reach_the_plan_and_are_inspected(run, how):
    related("r.csv")
    listed = [{"role": ["wife", "husband"], "status": ["single"]},
              {"age": [{"to": 17}], "status": ["married"]}]  # fmt: skip
    Path("c.json").write_text(json.dumps(listed))
    said = {
        "options": "--forbid role=wife,role=husband,status=single --forbid age=..17,status=married",
        "file": "--constraints c.json",
        "unseen": "--constraints unseen-pairs --forbid age=..17,status=married",
    }[how]
    run(f"design r.csv --protected s --joint sequential {said} -o p.json")
    plan = Plan.load("p.json")
    if how != "unseen":
        assert list(plan.options.constraints) == listed
    run("repair r.csv --plan p.json -o out.csv")
    out = pd.read_csv("out.csv")
    assert not (out["role"].isin(["wife", "husband"]) & (out["status"] == "single")).any()
    assert not ((out["age"] <= 17) & (out["status"] == "married")).any()
    shown = " ".join(run("inspect p.json").stdout.split())
    assert "no repair produces" in shown
    assert "age to 17 and status='married'" in shown
    assert "constraints=" not in shown


def test_constraints_that_cannot_be_read_are_refused(run):
    related("r.csv")
    start = "design r.csv --protected s --joint sequential -o p.json"
    assert "cannot be read as JSON" in run(f"{start} --constraints c.json", exit_code=2).stderr
    assert "no combination" in run(f"{start} --constraints unseen", exit_code=2).stderr
    assert "is not NAME=VALUE" in run(f"{start} --forbid single", exit_code=2).stderr
    run(f"{start} --forbid role=wife,status=singel", exit_code=2)
