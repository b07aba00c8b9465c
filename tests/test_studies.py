"""The studies run, and can be taken up where they were interrupted."""

import json
import os
import subprocess
import sys
from pathlib import Path

STUDIES = Path(__file__).parents[1] / "studies"


def run(folder, *arguments):
    command = [sys.executable, STUDIES, *arguments]
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )


def test_a_study_writes_its_page_and_goes_on_where_it_was(tmp_path):
    done = run(tmp_path, "--quick", "amount")
    assert done.returncode == 0, done.stderr
    written = tmp_path / "build" / "studies"
    assert sorted(path.name for path in written.iterdir()) == [
        "amount.csv",
        "amount.md",
        "amount.svg",
    ]
    page = (written / "amount.md").read_text()
    assert "| amount | 1 | 0.0" in page
    (kept,) = (tmp_path / "build" / "runs").iterdir()
    content = json.loads(kept.read_text())
    content["rows"][0]["E"] = 77.0
    kept.write_text(json.dumps(content) + '\n{"run": {"se')
    assert run(tmp_path, "--quick", "amount").returncode == 0
    assert "| amount | 0 | 77.000 |" in (written / "amount.md").read_text()


def test_an_unknown_study_is_refused_with_those_there_are(tmp_path):
    done = run(tmp_path, "amounts")
    assert done.returncode == 2
    assert "no study ['amounts']" in done.stderr
    assert "'simulation'" in done.stderr
