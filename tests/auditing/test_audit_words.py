"""What a report says in words, on contents made for it."""

from copy import deepcopy

from fairmend.auditing.words import summary_of


def whole(content):
    return [row for row in content["dependence"]["rows"] if row["stratum"] is None]


def test_a_figure_that_could_not_be_made_is_said_to_be_unmeasured(content):
    parts = deepcopy(content)
    for row in whole(parts):
        row["e"]["after"] |= dict.fromkeys(("value", "low", "high"))
    for row in parts["leak"]["rows"][:2]:
        row["after"] |= {"value": None}
    answers = {one["question"]: one["answer"] for one in summary_of(parts)["findings"]}
    assert "pay: not measured." in answers["Do single features still depend on sex?"]
    untested = [one for one in answers if one.startswith("Can anybody")]
    assert [answers[one] for one in untested] == ["Not tested."] * 2


def test_ends_that_are_not_known_are_said_to_be_so(content):
    parts = deepcopy(content)
    for row in whole(parts):
        row["verdict"] = "insufficient evidence"
        row["e"]["after"] |= dict.fromkeys(("low", "high"))
    answer = summary_of(parts)["findings"][0]["answer"]
    assert "(unknown to unknown) after" in answer
