"""The studies run, and can be taken up where they were interrupted."""

import importlib.util
import json
import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import pytest

import fairmend.testing

STUDIES = Path(__file__).parents[1] / "studies"


def run(folder, *arguments):
    command = [sys.executable, STUDIES, *arguments]
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "PEERS_PYTHON": "nowhere"},
    )


def test_a_study_writes_its_page_and_goes_on_where_it_was(tmp_path):
    done = run(tmp_path, "--quick", "adult")
    assert done.returncode == 0, done.stderr
    written = tmp_path / "build" / "studies"
    assert sorted(path.name for path in written.iterdir()) == ["adult.csv", "adult.md", "adult.svg"]
    page = (written / "adult.md").read_text()
    assert "| default | 0." in page
    assert "A quick run: 4 runs, seeds 0 to 3" in page
    (kept,) = (tmp_path / "build" / "runs").iterdir()
    results = [json.loads(line) for line in kept.read_text().splitlines()]
    for result in results:
        result["commit"] = f"at{result['run']['seed']}"
        for row in result["rows"]:
            row["paper_E"] = 77.0
    lines = [json.dumps(result) for result in results]
    kept.write_text("\n".join(lines) + '\n{"run": {"se')
    assert run(tmp_path, "--quick", "adult").returncode == 0
    page = (written / "adult.md").read_text()
    assert "| default | 77.000 ± 0.000 |" in page
    assert "commit at0 and at1 and at2 and at3" in page


def test_an_unknown_study_is_refused_with_those_there_are(tmp_path):
    done = run(tmp_path, "amounts")
    assert done.returncode == 2
    assert "no study ['amounts']" in done.stderr
    assert "'simulation'" in done.stderr


@pytest.mark.parametrize(
    ("edit", "same"),
    [
        (("# why", "# why not"), True),
        (("what came out", "what else came out"), True),
        (("range(5)", "range(6)"), True),
        (("seed + STEP", "seed - STEP"), False),
        (("STEP = 1", "STEP = 2"), False),
        (("parts.adult", "parts.simulation"), False),
    ],
)
def test_what_was_run_is_forgotten_with_the_code_and_not_with_the_words(tmp_path, edit, same):
    spec = importlib.util.spec_from_file_location("provenance", STUDIES / "provenance.py")
    provenance = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(provenance)
    source = (
        "from parts.adult import shuffled\nSTEP = 1\ndef runs(quick):\n    return range(5)\n"
        "def measure(seed):\n    # why\n    yield helped(seed)\n"
        "def helped(seed):\n    return shuffled(seed + STEP)\n"
        'def page(table):\n    return "what came out"\n'
    )
    found = []
    for name, text in (("one", source), ("other", source.replace(*edit))):
        assert edit[0] in source
        study = tmp_path / f"{name}.py"
        study.write_text(text)
        found.append(provenance.fingerprint(SimpleNamespace(__file__=study)))
    assert (found[0] == found[1]) is same


def test_laws_that_fairlearn_keeps_and_breaks_are_told_apart_and_laid_out(monkeypatch):
    monkeypatch.syspath_prepend(STUDIES)
    peers, conformance = (import_module(name) for name in ("peers", "parts.conformance"))
    results = {str(r.law): r for r in fairmend.testing.examine(peers.Fairlearn, conformance.LAWS)}
    kept = {name for name, result in results.items() if result.outcome == "holds"}
    assert {"row_does_not_depend_on_its_batch", "three_groups_are_repaired"} < kept
    assert results["missing_stays_missing"].outcome == "stops"
    told = results["adversary_finds_groups_no_better"]
    assert told.outcome == "fails"
    assert re.fullmatch(r"AUC for S was 0\.\d+ and is 0\.99\d", told.reason)
    rows = [vars(r) | {"tool": "fairlearn", "law": n, "version": "1.2"} for n, r in results.items()]
    page, (svg, _) = conformance.page(rows), conformance.figure(rows)
    assert f"fairlearn: {len(kept)} holds, " in re.sub(
        r"\d+ (fails|stops|not applicable), ", "", svg
    )
    assert "| law | fairlearn |" in page
    assert "Versions: fairlearn 1.2." in page
    assert "no better after than before | **fails** |" in page
    assert f"from whole numbers no better after than before. `{told.reason}`" in page
    assert f"| laws kept, of those that apply | {len(kept)} of " in page
