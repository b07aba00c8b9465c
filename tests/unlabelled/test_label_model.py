import json

import numpy as np
import pyarrow as pa
import pytest
from hidden_groups import ROLES
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

import fairmend
from fairmend.datasets import simulate
from fairmend.datasets.simulated import MEANS, PR_S0
from fairmend.errors import ColumnError, LabelError, LabelFileError, OptionError


def true_posterior(table):
    """Bayes' rule on the laws that the data was drawn from: Pr[s = 0 | x, u]."""
    u = table["u"].to_numpy()
    x = np.column_stack([table[name].to_numpy() for name in ("x1", "x2")])
    density = [np.exp(-0.5 * ((x - MEANS[u, s]) ** 2).sum(axis=1)) for s in (0, 1)]
    first = PR_S0[u] * density[0]
    return first / (first + (1 - PR_S0[u]) * density[1])


@pytest.mark.parametrize(("method", "most"), [("bayes", 0.06), ("mixture", 0.03)])
def test_a_large_sample_gives_the_true_posterior(method, most):
    research, archive = simulate(20_000, 1), simulate(5_000, 2)
    model = fairmend.LabelModel(**ROLES, method=method, folds=2).fit(research)
    told = model.predict_proba(archive)
    np.testing.assert_allclose(told.sum(axis=1), 1.0, atol=1e-12)
    assert np.abs(told[:, 0] - true_posterior(archive)).mean() < most / 2
    assert np.quantile(np.abs(told[:, 0] - true_posterior(archive)), 0.95) < most


def test_it_is_calibrated_and_says_how_much_is_told(told):
    research, archive, _, models = told
    for model in models.values():
        found = model.calibration
        assert found.log_loss < found.chance - 0.05
        assert found.error < 0.05
        p = model.predict_proba(archive)[:, 0]
        s0 = archive["s"].to_numpy() == 0
        for low, high in ((0.0, 0.1), (0.1, 0.3), (0.3, 0.6), (0.6, 1.0)):
            rows = (p >= low) & (p < high)
            expected, spread = p[rows].mean(), np.sqrt((p * (1 - p))[rows].sum()) / rows.sum()
            assert abs(s0[rows].mean() - expected) < 4 * spread + 0.03
        assert "likeliest group right for" in str(found)
        assert sum(one.rows for one in found.bins) == research.num_rows


def test_overconfidence_of_repeated_columns_is_taken_back():
    table = simulate(1_000, 3)
    for copy in range(4):
        table = table.append_column(f"again{copy}", table["x1"])
    again = [f"again{copy}" for copy in range(4)]
    model = fairmend.LabelModel(**ROLES, also=again, method="bayes", folds=3).fit(table)
    assert model.fitted_.temper <= 0.5
    assert model.calibration.error < 0.04


def test_the_better_method_is_chosen_by_log_loss(told):
    research = told[0]
    model = fairmend.LabelModel(**ROLES, classifier=LogisticRegression(max_iter=500), folds=3).fit(
        research
    )
    losses = model.calibration.by_method
    assert set(losses) == {"bayes", "mixture", "classifier"}
    assert losses[model.chosen] == min(losses.values()) == model.calibration.log_loss


def test_the_archive_helps_a_small_sample():
    """Normal laws from 100 rows and from 100 with 5,000 that have no group: W2 to the truth."""
    gained = []
    for seed in range(2):
        table = simulate(5_100, 40 + seed)
        research, archive = table.slice(0, 100), table.slice(100)
        errors = []
        for rest in (None, archive):
            model = fairmend.LabelModel(**ROLES, method="mixture").fit(research, rest)
            parts = []
            for k, name in enumerate(("x1", "x2")):
                mean, deviation = model.fitted_.teller.moments(name)
                parts.append(np.sqrt((mean - MEANS[:, :, k]) ** 2 + (deviation - 1.0) ** 2))
            errors.append(np.mean(parts))
        gained.append(errors[1] - errors[0])
    assert max(gained) < 0.0
    assert np.mean(gained) < -0.015


def test_what_is_saved_tells_the_same_and_holds_no_row(told, tmp_path):
    research, archive, _, models = told
    for method, model in models.items():
        path = tmp_path / f"{method}.json"
        model.save(path)
        again = fairmend.LabelModel.load(path)
        np.testing.assert_array_equal(again.predict_proba(archive), model.predict_proba(archive))
        assert str(again.calibration) == str(model.calibration)
        assert repr(again) == repr(model)
        text = path.read_text()
        for name in ("x1", "x2"):
            held = [value for value in research[name].to_pylist() if repr(value) in text]
            # The ends of a support are not the ends of the sample, so no value is there.
            assert held == []


def test_a_file_that_was_changed_is_refused(told, tmp_path):
    path = tmp_path / "model.json"
    told[3]["mixture"].save(path)
    content = json.loads(path.read_text())
    content["temper"] = 0.5
    path.write_text(json.dumps(content))
    with pytest.raises(LabelFileError, match="changed or damaged"):
        fairmend.LabelModel.load(path)


def test_a_classifier_is_used_and_not_saved(told, tmp_path):
    research, archive, plan, _ = told
    model = fairmend.LabelModel(
        **ROLES, method="classifier", classifier=KNeighborsClassifier(40), folds=2
    ).fit(research)
    assert model.calibration.log_loss < model.calibration.chance
    assert plan.repair(archive.drop(["s"]), labels=model, seed=1).num_rows == archive.num_rows
    with pytest.raises(LabelError, match="pickle"):
        model.save(tmp_path / "model.json")
    assert not (tmp_path / "model.json").exists()


def test_strata_and_categories_that_research_did_not_show_are_told_from_the_rest(told):
    _, archive, _, models = told
    strange = archive.slice(0, 50).set_column(1, "u", pa.array([9] * 50))
    town = strange.schema.get_field_index("town")
    strange = strange.set_column(town, "town", pa.array(["Atlantis"] * 50))
    for model in models.values():
        found = model.predict_proba(strange)
        assert np.isfinite(found).all()
        assert ((found > 0) & (found < 1)).all()


def test_missing_values_tell_what_is_left(told):
    _, archive, _, models = told
    gaps = archive.set_column(2, "x1", pa.array([None] * archive.num_rows, pa.float64()))
    s0 = archive["s"].to_numpy() == 0
    for model in models.values():
        whole, part = (model.predict_proba(table)[:, 0] for table in (archive, gaps))
        loss = [-np.log(np.where(s0, p, 1 - p)).mean() for p in (whole, part)]
        assert loss[0] < loss[1] < model.calibration.chance


def test_a_row_is_told_the_same_whatever_is_beside_it(told):
    _, archive, _, models = told
    for model in models.values():
        whole = model.predict_proba(archive)
        parts = [model.predict_proba(archive.slice(at, 37)) for at in range(0, 3_000, 37)]
        np.testing.assert_array_equal(np.concatenate(parts), whole)


def test_what_is_wrong_is_said(told):
    research = told[0]
    with pytest.raises(LabelError, match="not fitted"):
        fairmend.LabelModel(**ROLES).predict_proba(research)
    with pytest.raises(OptionError, match="Pass classifier="):
        fairmend.LabelModel(**ROLES, method="classifier").fit(research)
    with pytest.raises(ColumnError, match="named by also="):
        fairmend.LabelModel(**ROLES, also="Town").fit(research)
    with pytest.raises(LabelError, match="one group only"):
        fairmend.LabelModel(**ROLES).fit(research.filter(research["s"].to_numpy() == 1))
