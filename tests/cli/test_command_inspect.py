import json
from pathlib import Path


def test_it_shows_what_the_plan_holds(planned):
    result = planned("inspect plan.json")
    content = json.loads(Path("plan.json").read_text())
    assert result.stderr == ""
    assert content["sha256"] in result.stdout
    for part in (
        "sex='F'",
        "college=1",
        "protected    sex",
        "margin=0.1",
        "discrete",
        "continuous",
    ):
        assert part in result.stdout
    counts = content["features"][1]["cells"][0]["counts"]
    assert all(str(count) in result.stdout for count in counts)
    assert content["features"][0]["reason"] in result.stdout


def test_it_says_which_kernel_is_in_use(planned, monkeypatch):
    monkeypatch.setenv("FAIRMEND_KERNEL", "numpy")
    assert "kernel here  NumPy" in planned("inspect plan.json").stdout
    assert json.loads(planned("inspect plan.json --json").stdout)["kernel"] == "numpy"


def test_names_in_brackets_are_shown_as_they_are(run):
    Path("r.csv").write_text("[red]sex,:smile:\nF,1\nM,2\nF,3\nM,4\n")
    run("design r.csv --protected [red]sex -o plan.json")
    shown = run("inspect plan.json").stdout
    assert "[red]sex='F'" in shown
    assert ":smile:" in shown
    assert "none: one stratum" in shown


def test_a_damaged_plan_is_refused(planned):
    plan = Path("plan.json").read_text()
    Path("plan.json").write_text(plan.replace('"margin":0.1', '"margin":0.2'))
    assert "was changed or damaged" in planned("inspect plan.json", 2).stderr


def test_it_shows_types_levels_bins_and_what_small_groups_lean_on(run):
    text = Path("research.csv").read_text().splitlines()
    rows = [f"{row},{'abc'[at % 3]}" for at, row in enumerate(text[1:])]
    Path("research.csv").write_text("\n".join([text[0] + ",letter", *rows]) + "\n")
    run(
        "design research.csv --protected sex --unprotected pay --features letter,age "
        "--bins pay=22,30 --min-group-size 120 --small-groups pool --missing state "
        "--shrinkage 5 --kind letter=ordinal -o p.json"
    )
    shown = run("inspect p.json").stdout
    lines = shown.splitlines()
    assert "pay: below 22; 22 to below 30; 30 and above (cut at 22, 30)" in shown
    features = next(at for at, line in enumerate(lines) if line.strip() == "Features")
    head, _, letter, age = (line.split() for line in lines[features + 2 : features + 6])
    assert head == ["feature", "type", "levels", "step", "shrinkage"]
    assert letter == ["letter", "category", "3", "5"]
    assert age == ["age", "number", "5"]
    cells = next(line for line in lines if "ordinal" in line)
    assert cells.split()[-6:-3] == ["3", "a", "c"], cells
    small = shown.split("Small groups")[1]
    assert "its rows in all strata" in small
    missing = shown.split("Missing values, a state")[1]
    assert next(line for line in missing.splitlines() if "age" in line).count("%") == 3


def test_json_is_printed_or_written(planned):
    said = json.loads(planned("inspect plan.json --json").stdout)
    assert [(one["name"], one["type"], one["kind"]) for one in said["features"]] == [
        ("age", "number", "discrete"),
        ("pay", "number", "continuous"),
    ]
    assert "Research rows" in planned("inspect plan.json --json said.json").stdout
    assert json.loads(Path("said.json").read_text()) == said
    assert "said.json exists already" in planned("inspect plan.json --json said.json", 2).stderr
    planned("inspect plan.json --json said.json --force")


def test_ends_of_times_are_dates(run):
    text = Path("research.csv").read_text().splitlines()
    rows = [f"{row},2024-0{1 + at % 9}-15" for at, row in enumerate(text[1:])]
    Path("research.csv").write_text("\n".join([text[0] + ",hired", *rows]) + "\n")
    run("design research.csv --protected sex --features hired -o p.json")
    (cell,) = json.loads(run("inspect p.json --json").stdout)["features"][0]["cells"]
    assert (cell["low"], cell["high"]) == ("2024-01-15", "2024-09-15")


def test_many_groups_are_below_each_other(run):
    text = Path("research.csv").read_text().splitlines()
    rows = [f"{row},{'abcdef'[at % 6]}" for at, row in enumerate(text[1:])]
    Path("research.csv").write_text("\n".join([text[0] + ",letter", *rows]) + "\n")
    run("design research.csv --protected letter,sex --features pay -o p.json")
    shown = run("inspect p.json").stdout.split("Features")[0]
    rows = [line.split() for line in shown.splitlines() if "all rows" in line]
    assert len(rows) == 12
    assert sum(int(row[-1]) for row in rows) == 800


def test_it_says_whether_a_repair_is_joint_and_by_which_leaves(run):
    rows = [f"{at % 2},{at % 6},{(at % 6 + at % 2 + (at % 7 == 0)) % 3}" for at in range(900)]
    Path("r.csv").write_text("\n".join(["s,grade,step", *rows]) + "\n")
    run("design r.csv --protected s --joint sequential -o p.json")
    shown = run("inspect p.json").stdout
    assert "joint        yes: in 900 held-out research rows an adversary reached AUC" in shown
    leaves = shown[shown.index("Leaves, in the order of repair") :].split()
    assert "step" in leaves
    said = json.loads(run("inspect p.json --json").stdout)
    assert said["held_out"]["alone"] > said["held_out"]["joint"]
    assert [one["refined"] is None for one in said["features"]] == [True, False]
