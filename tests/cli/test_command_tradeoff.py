import json
from pathlib import Path

import pytest

from fairmend.plan.plan import Plan


def test_the_table_shows_the_curve(planned):
    result = planned("tradeoff plan.json --points 3")
    head, *rows = [line.split() for line in result.stdout.splitlines() if line.strip(" ─")]
    assert head == [
        "amount",
        "E",
        "damage",
        "E",
        "age",
        "damage",
        "age",
        "E",
        "pay",
        "damage",
        "pay",
    ]
    assert [row[0] for row in rows] == ["0", "0.5", "1"]
    assert rows[0][2] == "0"
    assert float(rows[2][1]) < 0.1 * float(rows[0][1])


def test_json_is_the_plans_own_curve(planned):
    found = json.loads(planned("tradeoff plan.json --json").stdout)
    curve = Plan.load("plan.json").tradeoff([point["amount"] for point in found["curve"]])
    assert len(curve) == 11
    for point, one in zip(found["curve"], curve, strict=True):
        assert (point["dependence"], point["damage"]) == (one.dependence, one.damage)
        parts = {k: (v["dependence"], v["damage"]) for k, v in point["by_feature"].items()}
        assert parts == one.by_feature
    planned("tradeoff plan.json --json curve.json")
    assert json.loads(Path("curve.json").read_text()) == found


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("no.json", "cannot be read"),
        ("plan.json --points 1", "1 is not in the range"),
        ("plan.json --force --json plan.json", "is read by this command"),
        ("plan.json --json no/curve.json", "there is no folder no"),
    ],
)
def test_faults_end_in_a_message_and_code_2(planned, line, message):
    assert message in planned(f"tradeoff {line}", 2).stderr
