import json
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import fairmend
from fairmend import demo
from fairmend.errors import OutputError
from fairmend.measures.dependence import dependence

FILES = set(demo.FILES)


@pytest.fixture(scope="module", autouse=True)
def quick():
    """Show adversaries few rows: what they find is tested elsewhere."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(demo, "LEAK_ROWS", 120)
        yield


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo") / "new" / "folder"
    demo.run_demo(folder, force=False)
    return folder


@pytest.fixture(scope="module")
def tables(out):
    return {path.stem: pq.read_table(path) for path in out.glob("*.parquet")}


def paper_e(table, feature):
    columns = (table[name].to_numpy() for name in (feature, "sex", "college"))
    return dependence(*columns, scale="paper", grid=500)


def test_it_writes_what_it_says(out):
    assert {path.name for path in out.iterdir()} == FILES


def test_research_and_archive_are_all_complete_rows(tables):
    assert (len(tables["research"]), len(tables["archive"])) == (10_000, 35_222)
    weights = pc.sum(fairmend.datasets.adult(complete=True)["fnlwgt"])
    found = [pc.sum(tables[name]["fnlwgt"]).as_py() for name in ("research", "archive")]
    assert sum(found) == weights.as_py()


@pytest.mark.parametrize(
    ("feature", "none", "most"), [("age", 0.55, 0.40), ("hours-per-week", 1.22, 0.31)]
)
def test_dependence_of_the_archive_falls(tables, feature, none, most):
    assert paper_e(tables["archive"], feature) == pytest.approx(none, rel=0.05)
    assert paper_e(tables["repaired"], feature) <= most


@pytest.mark.parametrize("feature", demo.FEATURES)
def test_values_stay_whole_and_inside_the_research_range(tables, feature):
    research, repaired = (tables[name] for name in ("research", "repaired"))
    assert repaired.schema == research.schema
    for college in (False, True):
        known, found = (
            t.filter(pc.equal(t["college"], college))[feature].to_numpy()
            for t in (research, repaired)
        )
        assert known.min() <= found.min()
        assert found.max() <= known.max()
        assert np.issubdtype(found.dtype, np.integer)
        assert set(found) <= set(known)


def test_only_features_are_changed(tables):
    kept = [name for name in tables["archive"].column_names if name not in demo.FEATURES]
    assert tables["repaired"].select(kept).equals(tables["archive"].select(kept))


def test_the_plan_that_it_saves_repairs_the_same(out, tables):
    plan = fairmend.Plan.load(out / "adult.plan.json")
    again = plan.repair(tables["archive"], seed=demo.REPAIR_SEED)
    assert again.equals(tables["repaired"])
    assert "seed" not in json.loads((out / "adult.plan.json").read_text())


def test_it_draws_the_archive(out):
    root = ET.parse(out / "densities.svg").getroot()
    assert root[0].text == demo.TITLE


def test_it_prints_our_figures_beside_the_papers(out, tables, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    demo.run_demo(out, force=True)
    said = capsys.readouterr().out
    assert max(map(len, (line for line in said.splitlines() if "fairmend" not in line))) <= 80
    for theirs in demo.PAPER.values():
        for figure in theirs:
            assert f"{figure:.3f}" in said
    for feature in demo.FEATURES:
        assert f"{paper_e(tables['repaired'], feature):.3f}" in said
    for command in ("inspect", "repair", "audit"):
        assert f"fairmend {command} " in said
    assert "secret" in " ".join(said.split())


def test_commands_are_named_so_that_a_shell_finds_them(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    script = tmp_path / "my venv" / "bin" / "fairmend"
    script.parent.mkdir(parents=True)
    script.touch()
    script.chmod(0o755)
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr("sys.argv", ["my venv/bin/fairmend"])
    assert demo.as_invoked() == "'my venv/bin/fairmend'"
    monkeypatch.setattr("sys.argv", [str(script)])
    assert demo.as_invoked() == "'my venv/bin/fairmend'"
    monkeypatch.chdir(script.parents[1])
    assert demo.as_invoked() == "bin/fairmend"
    monkeypatch.setattr("sys.argv", ["/there/fairmend/__main__.py"])
    assert demo.as_invoked() == f"{sys.executable} -m fairmend"
    monkeypatch.setenv("PATH", str(script.parent))
    assert demo.as_invoked() == "fairmend"


def test_it_is_the_same_every_time(out, tmp_path):
    before = {name: (out / name).read_bytes() for name in FILES}
    demo.run_demo(tmp_path, force=False)
    assert {name: (tmp_path / name).read_bytes() for name in FILES} == before


def test_the_floor_has_no_dependence_but_by_chance(tables):
    rows = list(
        demo.measure({"archive": tables["archive"]}, {"archive": tables["repaired"]}, "paper")
    )
    assert [row.feature for row in rows] == list(demo.FEATURES)
    for row in rows:
        assert 0.1 < row.floor < row.after < row.before


def test_a_folder_that_is_in_use_is_refused_and_untouched(tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(OutputError, match=r"is not empty\. Name another folder, or pass --force"):
        demo.run_demo(tmp_path, force=False)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


def test_force_leaves_other_files_alone(out):
    (out / "mine.txt").write_text("mine")
    demo.run_demo(out, force=True)
    assert (out / "mine.txt").read_text() == "mine"
    (out / "mine.txt").unlink()


def test_what_is_no_folder_is_refused(tmp_path):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(OutputError, match="cannot be made a folder"):
        demo.run_demo(tmp_path / "file", force=True)


def test_the_picture_in_the_documentation_is_up_to_date(out):
    picture = Path(__file__).parents[1] / "docs" / "images" / "adult.svg"
    assert picture.read_text(encoding="utf-8") == (out / "densities.svg").read_text(
        encoding="utf-8"
    ), "Run `fairmend demo --out demo --force` and copy demo/densities.svg to docs/images/adult.svg"


@pytest.mark.slow
def test_other_splits_are_as_the_output_says_and_this_one_is_usual():
    assert "0.28 ± 0.02 (age) and 0.24 ± 0.02 (hours)" in demo.NOTE_SPLITS
    assert "0.95 and 1.76" in demo.NOTE_SPLITS
    found = np.array([figures_of_split(seed) for seed in range(100)])
    mean, deviation = found.mean(axis=0), found.std(axis=0)
    np.testing.assert_allclose(mean[1, 1], [0.28, 0.24], atol=0.006)
    assert (mean[1, 1] <= [0.40, 0.31]).all()
    np.testing.assert_allclose(deviation[1, 1], [0.02, 0.02], atol=0.006)
    np.testing.assert_allclose(found[:, 0, 0].max(axis=0), [0.95, 1.76], atol=0.006)
    assert (np.abs(found[demo.SPLIT_SEED] - mean) < deviation).all()


def figures_of_split(seed):
    """Return E by before and after, research and archive, feature."""
    before, after, _ = demo.split_and_repair(seed)
    return [
        [[paper_e(side[name], f) for f in demo.FEATURES] for name in ("research", "archive")]
        for side in (before, after)
    ]
