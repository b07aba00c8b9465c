"""Standard input and output: rows come out as they come in."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import ipc

from fairmend.files.csv import read_csv
from fairmend.files.formats import read_table, write_table

COMMAND = (sys.executable, "-m", "fairmend", "repair")
PLAN = ("--plan", "plan.json", "--seed", "7")


def piped(*arguments, stdin: bytes = b"", code: int = 0) -> subprocess.CompletedProcess:
    done = subprocess.run((*COMMAND, *arguments), input=stdin, capture_output=True, check=False)
    assert done.returncode == code, done.stderr.decode()
    return done


def started(*arguments) -> subprocess.Popen:
    pipe = subprocess.PIPE
    return subprocess.Popen((*COMMAND, *arguments), stdin=pipe, stdout=pipe, stderr=pipe)


@pytest.mark.parametrize("suffix", ["csv", "ndjson", "arrows"])
def test_a_pipe_gives_the_bytes_of_a_file(planned, suffix):
    write_table(pq.read_table("archive.parquet"), Path(f"in.{suffix}"))
    planned(f"repair in.{suffix} --plan plan.json --seed 7 -o out.{suffix}")
    done = piped("-", *PLAN, stdin=Path(f"in.{suffix}").read_bytes())
    if suffix == "arrows":
        assert ipc.open_stream(done.stdout).read_all().equals(read_table(Path(f"out.{suffix}")))
    else:
        assert done.stdout == Path(f"out.{suffix}").read_bytes()
    assert done.stderr.decode().startswith("Repaired 2,000 rows into standard output; age: ")


def test_a_joint_plan_goes_through_a_pipe(joint, crossed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    joint.save("plan.json")
    write_table(crossed, Path("in.csv"))
    done = piped("-", *PLAN, "-o", "out.parquet", stdin=Path("in.csv").read_bytes())
    assert b"Repaired 900 rows" in done.stderr
    found, wanted = pq.read_table("out.parquet"), joint.repair(crossed, seed=7)
    for name in ("hours", "wage", "job"):
        assert [str(x) for x in found[name].to_pylist()] == [
            str(x) for x in wanted[name].to_pylist()
        ]


def test_pipes_change_formats_and_know_the_options_of_files(planned):
    extra = ("--key", "id", "--workers", "1", "--save-seed", "seed", "--summary", "s.json")
    done = piped(
        *("-", "--plan", "plan.json", *extra, "--monitor", "m.json", "--stop-on-drift"),
        *("--format", "ndjson", "--from", "csv", "--drop-protected", "--flush-every", "500"),
        stdin=Path("archive.csv").read_bytes(),
    )
    assert json.loads(Path("s.json").read_text())["rows"] == 2_000
    assert json.loads(Path("m.json").read_text())["complete"] is True
    planned("repair archive.csv --plan plan.json --key id --seed-file seed -o out.csv")
    wanted = read_csv(Path("out.csv"))
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert "sex" not in rows[0]
    assert [row["pay"] for row in rows] == [float(pay) for pay in wanted["pay"].to_pylist()]
    assert [row["zip"] for row in rows] == wanted["zip"].to_pylist()


def test_a_file_to_a_pipe_and_a_pipe_to_a_file(planned):
    planned("repair archive.parquet --plan plan.json --seed 7 -o wanted.parquet")
    wanted = pq.read_table("wanted.parquet")
    out = piped("archive.parquet", *PLAN, "-o", "-", "--format", "arrow").stdout
    assert ipc.open_stream(out).read_all().equals(wanted)
    write_table(pq.read_table("archive.parquet"), Path("in.arrows"))
    piped("-", *PLAN, "-o", "back.parquet", stdin=Path("in.arrows").read_bytes())
    assert pq.read_table("back.parquet").equals(wanted)
    write_table(pq.read_table("archive.parquet"), Path("whole.arrow"))
    out = piped("-", *PLAN, stdin=Path("whole.arrow").read_bytes()).stdout
    assert ipc.open_stream(out).read_all().equals(wanted), "the file format works, too"


def test_the_first_output_comes_before_a_twentieth_of_the_input_is_read(planned):
    header, *rows = Path("archive.csv").read_bytes().splitlines(keepends=True)
    block = b"".join(rows)
    total = 200 * len(block)
    run = started("-", *PLAN)
    os.set_blocking(run.stdin.fileno(), False)
    os.set_blocking(run.stdout.fileno(), False)
    written, left, ends = 0, header + block, time.monotonic() + 60
    while time.monotonic() < ends and written < total:
        if run.stdout.read(1):
            break
        try:
            sent = os.write(run.stdin.fileno(), left)
        except BlockingIOError:
            time.sleep(0.001)
            continue
        written, left = written + sent, left[sent:] or block
    run.kill()
    run.communicate()
    assert 0 < written < 0.05 * total


def test_a_trickle_is_answered_row_by_row_after_the_second(planned):
    run = started("-", *PLAN)
    run.stdin.write(b"sex,college,age,pay\nF,0,30,20\n")
    run.stdin.flush()
    time.sleep(0.3)
    run.stdin.write(b"M,0,31,21\n")
    run.stdin.flush()
    first = [run.stdout.readline() for _ in range(3)]
    assert first[0] == b"sex,college,age,pay\n"
    assert first[1].startswith(b"F,0,")
    for _ in range(3):
        run.stdin.write(b"M,1,31,21\n")
        run.stdin.flush()
        assert run.stdout.readline().startswith(b"M,1,")
    out, error = run.communicate()
    assert (out, run.returncode) == (b"", 0)
    assert error.startswith(b"Repaired 5 rows")


def test_a_reader_who_stops_early_ends_it_quietly(planned):
    run = started("archive.parquet", *PLAN, "-o", "-", "--format", "csv")
    run.stdin.close()
    run.stdout.close()
    assert run.wait(60) == -signal.SIGPIPE, "which shells call 141"
    assert run.stderr.read() == b""
    run.stderr.close()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_pipe_is_stopped_while_it_waits(planned, number, code):
    run = started("-", *PLAN)
    run.stdin.write(b"sex,college,age,pay\nF,0,30,20\nM,0,30,20\n")
    run.stdin.flush()
    assert run.stdout.readline() == b"sex,college,age,pay\n"
    run.send_signal(number)
    assert run.wait(30) == code
    assert run.stderr.read().startswith(b"fairmend: stopped")
    for end in (run.stdin, run.stdout, run.stderr):
        end.close()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("form", ["csv", "arrow"])
def test_no_room_for_stdout_is_said(planned, form):
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            (*COMMAND, "archive.parquet", *PLAN, "-o", "-", "--format", form),
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr.startswith(b"fairmend: error: stdout cannot be written (No space left")


@pytest.mark.parametrize(
    ("line", "content", "message"),
    [
        ("- --plan plan.json", "sex,college,age,pay\nF,0,30,20\n", "one-row"),
        ("- --plan plan.json", "", "stdin cannot be read as CSV (Empty CSV file)"),
        ("- --plan plan.json", "sex,age,pay\nF,30,20\n", "no column 'college'"),
        ("- --plan plan.json --key sex", "sex,college,age,pay\nF,0,30,20\n", "is a protected"),
        ("- --plan plan.json --resume -o out.csv", "", "what came through a pipe is gone"),
        ("archive.csv --plan plan.json --resume -o -", "", "what came through a pipe is gone"),
        (
            "archive.csv --plan plan.json -o out.csv --from csv",
            "",
            "--from is about standard input",
        ),
        (
            "archive.csv --plan plan.json -o - --flush-every 5",
            "",
            "--flush-every is about standard",
        ),
        ("archive.parquet --plan plan.json -o -", "", "Parquet cannot go through a pipe"),
        ("archive.csv --plan plan.json -o - --format csv.gz", "", ".csv.gz cannot go through"),
        ("archive.csv --plan plan.json", "", "Missing option '-o'"),
        ("- --plan plan.json --flush-every soon", "", "neither rows nor seconds"),
        ("- --plan plan.json -o no/out.csv", "", "there is no folder no."),
    ],
)
def test_what_does_not_go_through_a_pipe_is_refused_and_nothing_is_written(
    planned, line, content, message
):
    done = piped(*line.split(), stdin=content.encode(), code=2)
    assert message in " ".join(done.stderr.decode().split())
    assert done.stdout == b""


def test_a_fault_half_way_says_so_by_its_code_and_what_was_written_is_whole_rows(planned):
    text = Path("archive.csv").read_text()
    done = piped("-", *PLAN, stdin=(text + "F,1\n").encode(), code=2)
    assert b"stdin has 1 row(s) of another length" in done.stderr
    wanted = planned("repair archive.csv --plan plan.json --seed 7 -o out.csv")
    assert wanted.exit_code == 0
    assert Path("out.csv").read_bytes().startswith(done.stdout)


def test_keys_that_do_not_identify_rows_are_refused_on_the_way(planned):
    table = pq.read_table("archive.parquet")
    same = table.set_column(0, "id", pa.array([at // 50 for at in range(len(table))]))
    write_table(same, Path("same.csv"))
    done = piped("-", *PLAN, "--key", "id", stdin=Path("same.csv").read_bytes(), code=2)
    assert b"distinct values in" in done.stderr
    assert done.stdout.count(b"\n") < 1_500, "there are 2,000"
