import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from fairlearn.metrics import MetricFrame, selection_rate
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

import fairmend
from fairmend.errors import AuditError, ColumnError


@pytest.fixture(scope="module")
def decided(case):
    """The tables with a column of decisions each, and one of probabilities."""
    rng = np.random.default_rng(2)
    tables = []
    for table in (case.archive, case.repaired):
        chance = 1 / (1 + np.exp(-(table["pay"].to_numpy() - 23) / 3))
        yes = np.array(["no", "yes"])[(rng.random(len(table)) < chance).astype(int)]
        tables.append(
            table.append_column("hire", pa.array(yes)).append_column("p", pa.array(chance))
        )
    return tables


def outcomes(tables, plan, **options):
    return fairmend.audit(*tables, plan, leak=False, **options).content["outcomes"]


def test_ratios_are_fairlearns(decided, case):
    found = outcomes(decided, case.plan, predictions="hire")
    assert (found["favourable"], found["rule"], found["utility_after"]) == ("yes", 0.8, None)
    for when, table in zip(("before", "after"), decided, strict=True):
        yes = (table["hire"].to_numpy() == "yes").astype(int)
        sex, college = (pd.Series(case.archive[name].to_numpy()) for name in ("sex", "college"))
        roles = {"y_true": yes, "y_pred": yes, "sensitive_features": sex.rename("sex")}
        by_stratum = MetricFrame(
            metrics=selection_rate, **roles, control_features=college.rename("college")
        )
        ratio = by_stratum.ratio(method="between_groups")
        overall = MetricFrame(metrics=selection_rate, **roles).ratio(method="between_groups")
        expected = {None: overall, "college=0": ratio[0], "college=1": ratio[1]}
        for row in found["rows"]:
            assert (row["group"], row["reference"]) == ("sex='F'", "sex='M'")
            least = min(row[when], 1 / row[when])  # fairlearn divides by the larger rate
            assert least == pytest.approx(expected[row["stratum"]])
        assert len(found["rows"]) == 3
        treatment = fairmend.disparate_treatment(yes, sex.to_numpy(), college.to_numpy())
        assert found[f"treatment_{when}"] == pytest.approx(treatment)
        impact = fairmend.disparate_impact(yes, sex.to_numpy(), college.to_numpy(), reference="M")
        assert [row[when] for row in found["rows"][1:]] == pytest.approx(list(impact.values()))


def test_probabilities_are_decisions_from_a_half_on_and_have_a_utility(decided, case):
    found = outcomes(decided, case.plan, predictions="p", label="hired", reference="F")
    assert found["rows"][0]["group"] == "sex='M'"
    true = case.archive["hired"].to_numpy() == "yes"
    for when, table in zip(("before", "after"), decided, strict=True):
        p = table["p"].to_numpy()
        assert found[f"utility_{when}"] == pytest.approx(roc_auc_score(true, p))
        rate = {g: (p[case.archive["sex"].to_numpy() == g] >= 0.5).mean() for g in "FM"}
        assert found["rows"][0][when] == pytest.approx(rate["M"] / rate["F"])


@pytest.mark.parametrize("model", [None, LogisticRegression(max_iter=1000)])
def test_a_model_learns_the_label_before_and_after(case, model):
    found = outcomes(case[:2], case.plan, label="hired", model=model)
    assert found["rows"][0]["before"] < 0.8 < found["rows"][0]["after"]
    assert found["utility_before"] > found["utility_after"] > 0.55
    name = "gradient boosting" if model is None else "LogisticRegression"
    assert found["decided_by"].startswith(f"{name}, trained on age, pay, job, college")


def test_a_trained_model_decides_as_it_is(case):
    frames = [table.to_pandas() for table in case[:2]]
    model = LogisticRegression().fit(frames[0][["pay", "college"]], frames[0]["hired"])
    found = outcomes(frames, case.plan, model=model, label="hired", favourable="no")
    chosen = model.predict(frames[1][["pay", "college"]]) == "no"
    rate = [chosen[frames[0]["sex"] == g].mean() for g in ("M", "F")]
    assert found["rows"][0]["after"] == pytest.approx(rate[0] / rate[1])
    assert found["decided_by"] == "the model (LogisticRegression)"


def test_what_cannot_be_decided_is_explained(case, decided):
    for options, error, message in (
        ({"label": "job"}, AuditError, "has 3 outcomes.*favourable="),
        ({"label": "hired", "favourable": "maybe"}, AuditError, "No row of 'hired'.*'maybe'"),
        ({"predictions": "pay"}, AuditError, "no probabilities"),
        ({"predictions": "nothing"}, ColumnError, "no column 'nothing', named by predictions="),
        ({"model": LogisticRegression()}, AuditError, "not trained.*label="),
        ({"predictions": "hire", "reference": "X"}, AuditError, "no group 'X'"),
    ):
        with pytest.raises(error, match=message):
            outcomes(decided, case.plan, **options)
