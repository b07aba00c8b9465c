import pytest

from fairmend.auditing.gates import FIGURES, Gate, failures, refuse_unmeasured
from fairmend.errors import AuditError, OptionError


def test_a_gate_fails_only_where_its_condition_holds(content):
    for name, figure in FIGURES.items():
        value = figure.of(content)
        assert value is not None, name
        assert failures(content, [f"{name} > {value - 0.001:.9f}"]), name
        assert failures(content, [f"{name}<{value + 0.001:.9f}"]), name
        assert not failures(content, [f"{name}>{value + 0.001:.9f}"]), name
        assert not failures(content, [f"{name.upper()} < {value - 0.001:.9f}"]), name


def test_figures_are_the_worst_ones_after_the_repair(content):
    rows = [
        row["e"]["after"]["value"]
        for row in content["dependence"]["rows"]
        if row["stratum"] is row["groups"] is None
    ]
    assert FIGURES["E"].of(content) == max(rows)
    assert FIGURES["leak"].of(content) == content["leak"]["rows"][0]["after"]["value"]
    ratios = [row["after"] for row in content["outcomes"]["rows"]]
    assert FIGURES["di"].of(content) == min(ratios)


def test_the_verdict_is_a_gate(content):
    assert content["summary"]["verdict"] == "above tolerance"
    assert failures(content, ["verdict"]) == ["verdict: the verdict is above tolerance"]
    assert failures(content, ["verdict = above"])
    assert not failures(content, ["verdict=insufficient"])


@pytest.mark.parametrize(
    "text", ["", "leak", "leak=0.6", "leek>0.6", "leak>much", "leak>0.6.1", "verdict=good", ">1"]
)
def test_what_is_no_gate_is_explained(text):
    with pytest.raises(
        OptionError, match=r"is no gate\. Write a figure, one of < <= > >=.*leak_all"
    ):
        Gate.of(text)


def test_what_was_not_measured_cannot_pass(content):
    bare = content | {"leak": None, "outcomes": None}
    for gate, hint in (("leak>0.6", "left out"), ("di<0.8", "--label"), ("utility<1", "--label")):
        with pytest.raises(AuditError, match=f"has not measured.*{hint}"):
            failures(bare, [gate])


def test_gates_on_what_is_not_going_to_be_measured_are_refused_at_once():
    gates = [Gate.of(text) for text in ("E>1", "leak>0.6", "di<0.8")]
    refuse_unmeasured(gates, leak=True, decisions=True)
    with pytest.raises(AuditError, match=r"'leak>0.6' .* --no-leak"):
        refuse_unmeasured(gates, leak=False, decisions=True)
    with pytest.raises(AuditError, match=r"'di<0.8' .*--label"):
        refuse_unmeasured(gates, leak=True, decisions=False)


def test_a_gate_that_a_shell_has_cut_is_told_from_a_wrong_one():
    with pytest.raises(OptionError, match=r"'E' is no gate.* in quotes"):
        Gate.of("E")
