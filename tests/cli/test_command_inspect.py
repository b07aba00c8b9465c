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
