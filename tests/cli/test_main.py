import os
import resource
import signal
import subprocess
import sys
import types
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from fairmend._version import __version__
from fairmend.cli.main import cli

COMMANDS = [
    "design",
    "repair",
    "audit",
    "leak",
    "inspect",
    "tradeoff",
    "label-model",
    "blind",
    "summarise",
    "demo",
]
HEAVY = ("numpy", "pyarrow", "sklearn", "narwhals", "pandas", "polars", "rich", "scipy")


def fairmend(*arguments: str, **options) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "fairmend", *arguments]
    return subprocess.run(line, capture_output=True, text=True, check=False, **options)


def test_help_imports_nothing_heavy_and_takes_little_time():
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    code = (
        "import sys; from fairmend.cli.main import cli\n"
        "try: cli(['--help'])\n"
        f"except SystemExit: print([name for name in {HEAVY} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.stdout.splitlines()[-1] == "[]"
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 0.3


def test_help_lists_the_commands_in_order_and_the_exit_codes():
    shown = CliRunner().invoke(cli, ["--help"]).output
    places = [shown.index(f"\n  {command} ") for command in COMMANDS]
    assert places == sorted(places)
    assert all(f"\n    {code} " in shown for code in (0, 1, 2, 130, 141))


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_a_line_an_example_and_all_options_explained(command):
    found = cli.commands[command]
    assert found.short_help
    shown = CliRunner().invoke(cli, [command, "-h"]).output
    assert f"Example:\n    fairmend {command}" in shown
    options = [param for param in found.params if isinstance(param, click.Option)]
    assert all(option.help for option in options)


def test_python_m_and_the_script_are_the_same():
    assert fairmend("--version").stdout == f"fairmend, version {__version__}\n"
    script = Path(sys.executable).with_name("fairmend")
    shown = subprocess.run([script, "--help"], capture_output=True, text=True, check=True).stdout
    assert shown == fairmend("--help").stdout


@pytest.mark.parametrize(("given", "found"), [({}, "PASSIVE"), ({"OMP_WAIT_POLICY": "x"}, "x")])
def test_threads_of_openmp_sleep_while_they_wait_unless_told_otherwise(given, found):
    code = (
        "import os, fairmend.cli.main as main\n"
        "main.cli = lambda **_: print(os.environ['OMP_WAIT_POLICY'])\n"
        "main.main()"
    )
    env = {name: value for name, value in os.environ.items() if name != "OMP_WAIT_POLICY"}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env=env | given, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == found


def test_a_users_fault_has_no_traceback(tmp_path):
    done = fairmend("inspect", "no.json", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("fairmend: error: ")
    assert done.stderr.count("\n") == 1
    assert fairmend("no-such-command").returncode == 2


def test_a_fault_of_ours_keeps_its_traceback(planned, monkeypatch):
    def fail(path):
        raise RuntimeError

    monkeypatch.setattr("fairmend.files.describe.describe_plan_file", fail)
    result = planned("inspect plan.json", 1)
    assert isinstance(result.exception, RuntimeError)


def test_ctrl_c_is_130(planned, monkeypatch):
    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("fairmend.files.repair.repair_piece", interrupt)
    result = planned("repair archive.csv --plan plan.json -o out.csv", 130)
    assert result.stderr.startswith("fairmend: stopped")


def test_ctrl_c_while_writing_leaves_nothing(planned, monkeypatch):
    def interrupt(table):
        yield b"half"
        raise KeyboardInterrupt

    files = sorted(Path().iterdir())
    monkeypatch.setattr("fairmend.files.csv.csv_lines", interrupt)
    planned("repair archive.csv --plan plan.json -o out.csv", 130)
    assert sorted(Path().iterdir()) == files


@pytest.mark.parametrize("suffix", ["csv", "parquet", "arrow", "arrows", "csv.gz", "ndjson"])
def test_when_the_disk_is_full_the_old_file_survives(planned, suffix):
    """A limit on file sizes fails as a full disk does: half-way through writing."""
    out = Path(f"out.{suffix}")
    out.write_text("old")
    files = sorted(Path().iterdir())
    archive = "archive.parquet" if suffix == "parquet" else "archive.csv"
    done = fairmend(
        *("repair", archive, "--plan", "plan.json", "-o", str(out), "--force"),
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000)),
    )
    assert done.returncode == 2, done.stderr
    assert done.stderr.startswith("fairmend: error: ")
    assert f"{out} cannot be written (" in done.stderr
    assert "Traceback" not in done.stderr
    assert out.read_text() == "old"
    assert sorted(Path().iterdir()) == files


@pytest.mark.parametrize("line", ["inspect plan.json", "inspect plan.json --json", "--help"])
def test_a_reader_who_stops_early_ends_it_quietly(planned, line):
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "fairmend", *line.split()]
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, check=False)
    os.close(writing)
    assert done.returncode == -signal.SIGPIPE, "which shells call 141"
    assert done.stderr == b""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("line", ["inspect plan.json", "inspect plan.json --json", "--help"])
def test_no_room_for_stdout_is_said(planned, line):
    command = [sys.executable, "-m", "fairmend", *line.split()]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 2
    reason = "No space left on device"
    expected = f"stdout cannot be written ({reason}). Send it to another place."
    assert done.stderr == f"fairmend: error: {expected}\n"


def test_progress_is_shown_on_a_terminal_only(planned, monkeypatch):
    line = "repair archive.csv --plan plan.json --force -o out.csv"
    assert "Repairing" not in planned(line).stderr
    monkeypatch.setenv("FORCE_COLOR", "1")  # rich then takes any stream for a terminal
    shown = planned(line)
    assert "Repairing archive.csv" in shown.stderr
    assert shown.stdout == ""


def test_demo_calls_the_demo(monkeypatch):
    called = []
    fake = types.SimpleNamespace(run_demo=lambda out, force: called.append((out, force)))
    monkeypatch.setitem(sys.modules, "fairmend.demo", fake)
    for line in (["demo"], ["demo", "--out", "there", "--force"]):
        assert CliRunner().invoke(cli, line).exit_code == 0
    assert called == [(Path("demo"), False), (Path("there"), True)]
