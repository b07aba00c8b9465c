import json

import numpy as np
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from hidden_groups import ROLES

import fairmend
from fairmend.cli.main import cli
from fairmend.datasets import simulate
from fairmend.errors import AuditError, ColumnError, DataError
from fairmend.files.csv import write_csv
from report.page.page_reader import Reader

ALONE = {"each": False, "all_columns": False, "permutations": 0}


@pytest.fixture(scope="module")
def case():
    table = simulate(6_500, 22)
    research, archive = table.slice(0, 1_500), table.slice(1_500)
    hidden = archive.drop(["s"])
    plan = fairmend.design(research, **ROLES)
    model = fairmend.LabelModel(**ROLES, method="mixture").fit(research, hidden)
    repaired = plan.repair(hidden, labels=model, seed=1)
    found = fairmend.audit_unlabelled(hidden, repaired, plan, model, research=research, repeats=4)
    return research, archive, plan, model, repaired, found


def test_figures_by_probabilities_are_near_those_by_groups(case):
    _, archive, plan, _, repaired, found = case
    sides = ((archive, "before"), (repaired.append_column("s", archive["s"]), "after"))
    for table, side in sides:
        for name in ROLES["features"]:
            ends = found[name][side]
            truth = fairmend.dependence(table[name], table["s"], table["u"], kind="continuous")
            assert ends["value"] == pytest.approx(truth, abs=0.15)
            assert ends["low"] < ends["value"] < ends["high"]
        told = fairmend.leak(table, **ROLES, **ALONE).auc
        ends = found.content["leak"][side]
        assert ends["value"] == pytest.approx(told, abs=0.03)
        assert ends["low"] < told < ends["high"]
    for name in ROLES["features"]:
        change = fairmend.damage(archive[name], repaired[name], archive["u"])
        assert found[name]["change"]["rmse"] == pytest.approx(change.rmse)
        moved = np.abs(repaired[name].to_numpy() - archive[name].to_numpy())
        for group, one in enumerate(found[name]["groups"]):
            rows = archive["s"].to_numpy() == group
            assert one["rows"] == pytest.approx(rows.sum(), rel=0.1)
            assert one["mean_absolute"] == pytest.approx(moved[rows].mean(), rel=0.15)
    assert found.estimated == 1.0
    assert plan.strata.columns == ("u",)


def test_it_says_what_cannot_be_known_and_gives_no_verdict(case):
    found = case[-1]
    assert "Nothing in an archive without groups can show" in str(found)
    assert "no verdict" in repr(found)
    assert "verdict" not in found.to_dict()
    assert json.loads(found.to_json()) == found.to_dict()


def test_the_page_is_whole_and_fetches_nothing(case, tmp_path):
    found = case[-1]
    page = found.to_html(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == page
    reader = Reader(page)
    assert reader.faults == []
    ids = reader.ids()
    assert len(set(ids)) == len(ids)
    assert {one["href"].removeprefix("#") for one in reader.all("a")} <= set(ids)
    assert not reader.all("script")
    for sentence in (*found.content["sentences"], *found.content["unknowable"]):
        assert sentence in page
    found.save(tmp_path / "page.json")
    assert json.loads((tmp_path / "page.json").read_text()) == found.to_dict()


def test_names_are_text_wherever_they_stand(case):
    research, archive, *_ = case
    nasty = "<script>alert(1)</script>&"
    roles = {"protected": nasty, "unprotected": "u", "features": ["x1"]}
    known, hidden = (
        one.rename_columns([nasty if name == "s" else name for name in one.column_names])
        for one in (research, archive)
    )
    hidden = hidden.slice(0, 500).drop([nasty])
    plan = fairmend.design(known, **roles)
    model = fairmend.LabelModel(**roles, method="bayes", folds=2).fit(known)
    repaired = plan.repair(hidden, labels=model, seed=1)
    found = fairmend.audit_unlabelled(hidden, repaired, plan, model, leak=False)
    assert found.content["leak"] is None
    assert found["x1"]["after"]["low"] is None
    page = found.to_html()
    assert Reader(page).faults == []
    assert "<script" not in page


def test_recorded_groups_count_as_they_are(told):
    _, archive, plan, models = told
    found = fairmend.audit_unlabelled(archive, archive, plan, models["bayes"], leak=False)
    assert found.estimated == 0.0
    s = archive["s"].to_numpy()
    for feature in plan.features:
        wanted = fairmend.dependence(
            archive[feature.name], archive["s"], archive["u"], kind=feature.kind
        )
        one = found[feature.name]
        assert one["before"]["value"] == pytest.approx(wanted, rel=1e-9)
        assert [group["rows"] for group in one["groups"]] == np.bincount(s).tolist()
        assert one["change"]["share_changed"] == 0.0


def test_strata_with_few_rows_of_a_group_are_left_out(told):
    _, archive, plan, models = told
    s, u = (archive[name].to_numpy() for name in ("s", "u"))
    many = np.flatnonzero(u == 1)
    few = np.append(np.flatnonzero((u == 0) & (s == 1)), np.flatnonzero((u == 0) & (s == 0))[:3])
    table = archive.take(np.append(many, few))
    found = fairmend.audit_unlabelled(table, table, plan, models["bayes"], leak=False)
    alone = fairmend.audit_unlabelled(
        archive.take(many), archive.take(many), plan, models["bayes"], leak=False
    )
    for one, other in zip(found.content["features"], alone.content["features"], strict=True):
        assert one["after"] == other["after"]
        assert [cell["stratum"] for cell in one["strata"]] == ["u=1"]
    with pytest.raises(DataError, match="in no stratum are 5 rows of each group"):
        fairmend.audit_unlabelled(archive.take(few), archive.take(few), plan, models["bayes"])


def test_what_is_wrong_is_said(case):
    _, archive, plan, model, repaired, _ = case
    hidden = archive.drop(["s"])
    with pytest.raises(AuditError):
        fairmend.audit_unlabelled(hidden, repaired.slice(1), plan, model)
    with pytest.raises(ColumnError, match="named by features="):
        fairmend.audit_unlabelled(hidden, repaired.drop(["x1"]), plan, model)
    with pytest.raises(ColumnError, match=r"fairmend\.audit_unlabelled"):
        fairmend.audit(hidden, repaired, plan)


@pytest.fixture(scope="module")
def files(case, tmp_path_factory):
    research, archive, plan, model, repaired, _ = case
    folder, hidden = tmp_path_factory.mktemp("audit"), archive.drop(["s"])
    plan.save(folder / "plan.json")
    model.save(folder / "model.json")
    tables = {"research": research.slice(0, 400), "archive": hidden, "repaired": repaired}
    for name, table in tables.items():
        pq.write_table(table, folder / f"{name}.parquet")
        write_csv(table, folder / f"{name}.csv")
    return folder


def run(folder, suffix, *given):
    args = ["audit", folder / f"archive.{suffix}", folder / f"repaired.{suffix}"]
    args += ["--plan", folder / "plan.json", *given]
    return CliRunner().invoke(cli, list(map(str, args)))


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_the_command_writes_what_the_function_finds(files, case, suffix):
    _, archive, plan, model, repaired, _ = case
    out, page = files / f"{suffix}.json", files / f"{suffix}.html"
    found = run(files, suffix, "--labels", files / "model.json", "-o", out, "-o", page)
    assert found.exit_code == 0, found.output
    wanted = fairmend.audit_unlabelled(archive.drop(["s"]), repaired, plan, model)
    assert json.loads(out.read_text()) == json.loads(wanted.to_json())
    assert page.read_text(encoding="utf-8").rstrip() == wanted.to_html().rstrip()
    assert "Audited 5,000 rows by estimated groups" in found.output
    assert "there is no verdict" in found.output


def test_a_loaded_model_is_fitted_anew_for_intervals(files, case):
    binned = fairmend.datasets.adult(complete=True).slice(0, 1_200)
    roles = {"protected": "sex", "unprotected": "age", "features": ["hours-per-week"]}
    options = {**roles, "also": "occupation", "unprotected_bins": {"age": [30, 50]}}
    model = fairmend.LabelModel(**options, method="bayes", folds=2).fit(binned)
    model.save(files / "binned.json")
    again = fairmend.LabelModel.load(files / "binned.json")
    plan = fairmend.design(binned, **roles, unprotected_bins={"age": [30, 50]})
    hidden = binned.drop(["sex"])
    repaired = plan.repair(hidden, labels=again, seed=1)
    options = {"research": binned, "repeats": 2, "leak": False}
    one, other = (
        fairmend.audit_unlabelled(hidden, repaired, plan, m, **options) for m in (model, again)
    )
    assert one.to_dict() == other.to_dict()
    found = run(files, "csv", "--labels", files / "model.json", "--research", "research.csv")
    assert found.exit_code == 2  # it lies in the folder, not here
    research = ["--research", files / "research.csv", "--no-leak", "--json"]
    found = run(files, "csv", "--labels", files / "model.json", *research)
    assert found.exit_code == 0, found.output
    shown = json.loads(found.stdout)
    assert shown["features"][0]["after"]["low"] < shown["features"][0]["after"]["value"]


def test_options_that_need_groups_are_refused(files):
    labels = ["--labels", files / "model.json"]
    found = run(files, "parquet", *labels, "--fail-if", "E>0.1", "--time", "u")
    assert found.exit_code == 2
    assert "--fail-if, --time cannot be had by estimated groups" in found.output
    found = run(files, "parquet")
    assert found.exit_code == 2
    assert "--labels" in found.output
