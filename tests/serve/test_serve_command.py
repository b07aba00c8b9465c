"""``fairmend serve`` as a process: it starts, answers, keeps silent and holds under load."""

import json
import os
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner

from fairmend.cli.main import cli

SEED = "8888777766665555"
LOAD_SECONDS = 30


@contextmanager
def server(plan, folder, *options, **environment):
    """Start a server on a free port; yield its address and the file of its log."""
    plan.save(folder / "plan.json", force=True)
    log = (folder / "log").open("w+")
    command = [sys.executable, "-m", "fairmend", "serve", "--plan", folder / "plan.json"]
    variables = {"FAIRMEND_SEED": SEED, **os.environ, **environment}
    process = subprocess.Popen(
        [*map(str, command), "--key", "id", "--port", "0", *options],
        stdout=log,
        stderr=subprocess.STDOUT,
        env=variables,
    )
    try:
        yield _address(process, Path(log.name)), process, Path(log.name)
    finally:
        process.terminate()
        process.wait(20)
        log.close()


def _address(process, log):
    until = time.monotonic() + 60
    while time.monotonic() < until and process.poll() is None:
        found = re.search(r"http://127\.0\.0\.1:\d+", log.read_text())
        if found:
            return found.group()
        time.sleep(0.05)
    raise AssertionError(log.read_text())


def ask(address, record, token=None):
    headers = {"Content-Type": "application/json"}
    if token is not None:
        headers["Authorization"] = f"Bearer {token}"
    request = urllib.request.Request(f"{address}/repair", json.dumps(record).encode(), headers)
    with urllib.request.urlopen(request, timeout=20) as answer:
        return json.load(answer)


def test_it_answers_and_says_nothing_of_people_or_secrets(plan, people, tmp_path):
    wanted = plan.repair(people, seed=int(SEED), key="id").to_pylist()
    records = people.to_pylist()
    with server(plan, tmp_path, FAIRMEND_TOKEN="s3cret") as (address, process, log):
        assert ask(address, records[5], "s3cret") == wanted[5]
        with pytest.raises(urllib.error.HTTPError, match="401"):
            ask(address, records[5])
        with pytest.raises(urllib.error.HTTPError, match="422"):
            ask(address, {**records[5], "sex": "Martian"}, "s3cret")
    said = log.read_text()
    assert process.returncode in (0, -15, 143)
    assert "POST /repair" in said
    assert not any(secret in said for secret in (SEED, "s3cret", "Martian", "Traceback"))


def test_what_is_missing_is_said(plan, tmp_path, monkeypatch):
    monkeypatch.delenv("FAIRMEND_SEED", raising=False)
    plan.save(tmp_path / "plan.json")
    start = ["serve", "--plan", str(tmp_path / "plan.json")]
    assert "Missing option '--key'" in CliRunner().invoke(cli, start).output
    without = CliRunner().invoke(cli, [*start, "--key", "id"])
    assert without.exit_code == 2
    assert "FAIRMEND_SEED" in without.output
    odd = CliRunner().invoke(cli, [*start, "--key", "id"], env={"FAIRMEND_SEED": "hush-hush"})
    assert odd.exit_code == 2
    assert "hush-hush" not in odd.output


@pytest.mark.slow
def test_load_makes_no_error_and_takes_no_memory(plan, people, tmp_path):
    """Four connections at once, of a second process."""
    with server(plan, tmp_path, "--max-rows", "1000") as (address, process, log):
        sizes = []
        load = [sys.executable, str(Path(__file__).parent / "load.py"), address]
        told = json.dumps(people.to_pylist())
        subprocess.run([*load, "5"], input=told, text=True, capture_output=True, check=True)
        sizes.append(_resident(process.pid))
        run = subprocess.run(
            [*load, str(LOAD_SECONDS)], input=told, text=True, capture_output=True, check=True
        )
        sizes.append(_resident(process.pid))
        assert "Traceback" not in log.read_text()
    found = json.loads(run.stdout)
    sys.stdout.write(f"{found}, resident MB before and after: {sizes}\n")
    assert found["errors"] == 0
    assert found["requests"] > 20 * LOAD_SECONDS
    assert sizes[1] < 1.1 * sizes[0] + 10


def _resident(pid):
    status = Path(f"/proc/{pid}/status")
    if not status.exists():
        pytest.skip("memory is read from /proc, which this system has not")
    return int(re.search(r"VmRSS:\s+(\d+)", status.read_text()).group(1)) / 1e3
