"""Many files as one: numbering, partitions, what is left when a run is stopped, and going on."""

import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import fairmend
from fairmend.errors import (
    ColumnError,
    InputError,
    OptionError,
    OutputError,
    RowKeyError,
    UnseenError,
)
from fairmend.files.csv import read_csv
from fairmend.files.folder import pieces_in
from fairmend.files.formats import CSV, PARQUET
from fairmend.files.journal import NAME
from fairmend.files.repair import repair_file
from fairmend.plan.plan import Plan


@pytest.fixture
def parts(folder):
    """The archive in files of 170 rows, in folders, beside files that are none of it."""
    root = folder / "parts"
    for at in range(12):
        path = root / f"year={2000 + at // 6}" / f"part-{at:02d}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(folder.archive.slice(170 * at, 170), path, row_group_size=50)
    (root / "_SUCCESS").write_text("")
    (root / ".part-00.parquet.crc").write_text("")
    (root / "_old").mkdir()
    (root / "_old" / "x.parquet").write_text("no Parquet")
    (root / "readme.txt").write_text("")
    return root


def files_in(root):
    return {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()}


def bytes_in(root):
    return {name: (root / name).read_bytes() for name in files_in(root)}


def read_all(root):
    return pa.concat_tables(pq.ParquetFile(path).read() for path in sorted(root.rglob("*.parquet")))


def test_many_files_are_numbered_as_one(folder, parts):
    done = repair_file(parts, folder / "plan.json", folder / "out", seed=7)
    wanted = Plan.load(folder / "plan.json").repair(folder.archive, seed=7)
    assert read_all(folder / "out").equals(wanted)
    assert (done["rows"], done["files"]) == (2_000, 12)
    whole = repair_file(folder / "archive.parquet", folder / "plan.json", folder / "o.csv", seed=7)
    assert done["features"] == whole["features"]
    names = {name for name in files_in(parts) if name.startswith("year")}
    assert files_in(folder / "out") == names


def test_a_pattern_names_files(folder, parts):
    pattern = parts / "year=*" / "*-0[01].parquet"
    repair_file(pattern, folder / "plan.json", folder / "out", seed=7)
    wanted = Plan.load(folder / "plan.json").repair(folder.archive.slice(0, 340), seed=7)
    assert read_all(folder / "out").equals(wanted)
    assert files_in(folder / "out") == {f"year=2000/part-0{at}.parquet" for at in range(2)}
    with pytest.raises(InputError, match="has no files to read"):
        repair_file(parts / "*.csv", folder / "plan.json", folder / "no")


def test_another_format_changes_the_suffix(folder, parts):
    repair_file(parts, folder / "plan.json", folder / "out", seed=7, to=CSV)
    repair_file(folder / "archive.parquet", folder / "plan.json", folder / "o.csv", seed=7)
    paths = sorted((folder / "out").rglob("*.csv"))
    found = pa.concat_tables(map(read_csv, paths))
    assert found.equals(read_csv(folder / "o.csv"))
    (parts / "a.csv").write_text("a\n")
    (parts / "a.parquet").write_text("")
    with pytest.raises(OutputError, match="Two outputs would be written"):
        repair_file(parts, folder / "plan.json", folder / "other", to=CSV)


def test_results_of_another_format_are_in_the_same_order(folder):
    from fairmend.files.formats import write_table

    # By whole names x.csv is before x.d.csv, and x.d.parquet before x.parquet.
    names = ["x-1", "x", "x.d", "x/y", "X"]
    for at, name in enumerate(names):
        path = folder / "lines" / f"{name}.csv"
        path.parent.mkdir(parents=True, exist_ok=True)
        write_table(folder.archive.slice(10 * at, 10), path)
    repair_file(folder / "lines", folder / "plan.json", folder / "out", seed=7, to=PARQUET)
    orders = [
        [piece.path.relative_to(root).with_suffix("") for piece in pieces_in(root)]
        for root in (folder / "lines", folder / "out")
    ]
    assert orders[0] == orders[1]
    assert len(orders[0]) == len(names)


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_a_folders_name_can_hold_a_role(folder, suffix):
    from fairmend.files.formats import read_table, write_table

    tables = []
    for u in (0, 1):
        table = folder.archive.filter(pa.array(folder.archive["u"].to_numpy() == u))
        tables.append(table)
        path = folder / "hive" / f"u={u}" / f"part.{suffix}"
        path.parent.mkdir(parents=True)
        write_table(table.drop_columns(["u"]), path)
    repair_file(folder / "hive", folder / "plan.json", folder / "out", seed=7, to=None)
    wanted = Plan.load(folder / "plan.json").repair(pa.concat_tables(tables), seed=7)
    found = [read_table(p) for p in sorted((folder / "out").rglob(f"*.{suffix}"))]
    assert pa.concat_tables(found).column_names == [n for n in wanted.column_names if n != "u"]
    pay = pa.concat_tables(found)["pay"].cast(pa.float64())
    assert pay.equals(wanted["pay"])


def test_a_number_in_a_folders_name_may_have_any_length(folder):
    path = folder / "hive" / f"s={10**30}" / "part.parquet"
    path.parent.mkdir(parents=True)
    pq.write_table(folder.archive.drop_columns(["s"]), path)
    with pytest.raises(UnseenError, match=str(10**30)):
        repair_file(folder / "hive", folder / "plan.json", folder / "out")


def test_a_role_in_a_folders_name_cannot_be_dropped(folder):
    path = folder / "hive" / "s=0" / "part.parquet"
    path.parent.mkdir(parents=True)
    pq.write_table(folder.archive.drop_columns(["s"]), path)
    with pytest.raises(OptionError, match="folders' names hold"):
        repair_file(folder / "hive", folder / "plan.json", folder / "o", drop_protected=True)
    path = folder / "hive2" / "pay=0" / "part.parquet"
    path.parent.mkdir(parents=True)
    pq.write_table(folder.archive.drop_columns(["pay"]), path)
    with pytest.raises(ColumnError, match="no column 'pay'"):
        repair_file(folder / "hive2", folder / "plan.json", folder / "o2")


def test_places_that_would_mix_results_and_sources_are_refused(folder, parts):
    plan = folder / "plan.json"
    for out in (parts, parts / "out", folder.path):
        with pytest.raises(OutputError, match=r"lie within each other|is not empty"):
            repair_file(parts, plan, out)
    with pytest.raises(OutputError, match="is a file"):
        repair_file(parts, plan, folder / "archive.csv")
    (folder / "out").mkdir()
    (folder / "empty").mkdir()
    with pytest.raises(InputError, match="has no files to read"):
        repair_file(folder / "empty", plan, folder / "out")
    repair_file(parts, plan, folder / "out")
    with pytest.raises(OutputError, match="is not empty"):
        repair_file(parts, plan, folder / "out")
    with pytest.raises(OutputError, match="no record of an interrupted run"):
        repair_file(parts, plan, folder / "out", seed=7, resume=True)


def test_a_fault_in_one_file_leaves_the_complete_ones_and_names_it(folder, parts):
    path, plan = parts / "year=2001" / "part-07.parquet", folder / "plan.json"
    good = path.read_bytes()
    pay = pq.ParquetFile(path).metadata.row_group(1).column(6)
    assert pay.path_in_schema == "pay"
    start = pay.dictionary_page_offset
    path.write_bytes(good[:start] + b"\xff" * pay.total_compressed_size
                     + good[start + pay.total_compressed_size :])  # fmt: skip
    with pytest.raises(InputError, match=r"part-07\.parquet, row group 2.*; 7 of 12 files"):
        repair_file(parts, plan, folder / "out", seed=7, workers=2)
    assert len(files_in(folder / "out")) == 7 + 1
    path.write_bytes(good)
    stamp = json.loads((folder / "out" / NAME).read_text().splitlines()[0])["sources"]
    os.utime(path, ns=(0, stamp["year=2001/part-07.parquet"][1]))
    repair_file(parts, plan, folder / "out", seed=7, resume=True)
    assert read_all(folder / "out").equals(Plan.load(plan).repair(folder.archive, seed=7))


def test_when_the_disk_is_full_the_complete_files_stay_and_the_run_goes_on(folder, parts):
    """A limit on file sizes fails as a full disk does: half-way through writing."""
    path = parts / "year=2001" / "part-07.parquet"
    pq.write_table(pa.concat_tables([folder.archive] * 3), path)
    command = [sys.executable, "-m", "fairmend", "repair", str(parts), "--plan",
               str(folder / "plan.json"), "-o", str(folder / "out"), "--seed", "7"]  # fmt: skip
    limit = max(one.stat().st_size for one in parts.rglob("part-*") if one != path) + 10_000
    assert limit < path.stat().st_size
    done = subprocess.run(
        command,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2, done.stderr
    assert re.search(r"part-07\.parquet cannot be written \(.*7 of 12 files", done.stderr)
    assert len(files_in(folder / "out")) == 7 + 1
    subprocess.run([*command, "--resume"], check=True, stderr=subprocess.DEVNULL)
    repair_file(parts, folder / "plan.json", folder / "whole", seed=7)
    assert bytes_in(folder / "out") == bytes_in(folder / "whole")


def test_a_schema_that_changes_names_the_file_and_the_column(folder, parts):
    path = parts / "year=2001" / "part-07.parquet"
    table = pq.ParquetFile(path).read()
    at = table.column_names.index("zip")
    pq.write_table(table.set_column(at, "zip", table["zip"].cast(pa.int64())), path)
    with pytest.raises(InputError, match=r"part-07.* 'zip' is int64 and was string.*7 of 12"):
        repair_file(parts, folder / "plan.json", folder / "out")


def test_keys_are_judged_before_a_file_appears(folder, parts):
    for path in parts.glob("year*/*.parquet"):
        table = pq.ParquetFile(path).read()
        same = pa.repeat(pa.scalar(1, pa.int32()), len(table))
        pq.write_table(table.set_column(0, "id", same), path)
    with pytest.raises(RowKeyError, match="1 distinct values in 170 rows"):
        repair_file(parts, folder / "plan.json", folder / "out", key=["id"])
    assert files_in(folder / "out") == {NAME}


def test_keys_are_judged_over_all_files_by_a_run_that_is_taken_up_again_too(folder, parts):
    for path in parts.glob("year*/*.parquet"):
        table = pq.ParquetFile(path).read()
        pq.write_table(table.set_column(0, "id", pa.array(range(len(table)))), path)
    options = {"seed": 7, "key": ["id"]}
    for resume in (False, True):
        with pytest.raises(RowKeyError, match=r"170 distinct values in 1,870 rows.*10 of 12"):
            repair_file(parts, folder / "plan.json", folder / "out", resume=resume, **options)


# Going on


@pytest.fixture
def stopped(folder, parts, monkeypatch):
    """A run that was stopped in its eighth file."""
    from fairmend.files import run

    count, whole = 0, run.repair_piece

    def stop(piece, beside, *args, **options):
        nonlocal count
        count += 1
        if count == 8:
            beside.write_text("half")
            raise KeyboardInterrupt
        return whole(piece, beside, *args, **options)

    monkeypatch.setattr(run, "repair_piece", stop)
    with pytest.raises(KeyboardInterrupt):
        repair_file(parts, folder / "plan.json", folder / "out", save_seed=folder / "seed")
    monkeypatch.setattr(run, "repair_piece", whole)
    assert (folder / "seed").stat().st_mode & 0o777 == 0o600
    return folder / "out"


def again(folder, **options):
    options = {"seed_file": folder / "seed", "resume": True, **options}
    return repair_file(folder / "parts", folder / "plan.json", folder / "out", **options)


def test_a_stopped_run_goes_on(folder, stopped):
    assert len(files_in(stopped)) == 7 + 1
    (stopped / "year=2001" / ".part-07.parquet.0123abcd.part").write_text("of a killed run")
    (stopped / "year=2001" / ".mine.part").write_text("of somebody else")
    before = {name: (stopped / name).stat().st_mtime_ns for name in files_in(stopped)}
    done = again(folder)
    assert done["rows"] == 2_000
    seed = int((folder / "seed").read_text())
    wanted = Plan.load(folder / "plan.json").repair(folder.archive, seed=seed)
    assert read_all(stopped).equals(wanted)
    after = {name: (stopped / name).stat().st_mtime_ns for name in files_in(stopped)}
    assert len(after) == 12 + 1
    assert (stopped / "year=2001" / ".mine.part").exists()
    kept = [name for name in before if name in after and name.endswith("parquet")]
    assert len(kept) == 7
    assert all(before[name] == after[name] for name in kept)


def test_the_record_says_nothing_of_the_seed(folder, stopped):
    seed = int((folder / "seed").read_text())
    text = (stopped / NAME).read_text()
    assert str(seed) not in text
    assert f"{seed:x}" not in text
    assert set(json.loads(text.splitlines()[0])) == {"fairmend run", "plan", "options", "sources"}


def test_only_the_same_run_goes_on(folder, stopped):
    with pytest.raises(OutputError, match=r"The seed is not the one"):
        again(folder, seed_file=None, seed=1)
    with pytest.raises(OutputError, match=r"only go on with the seed"):
        again(folder, seed_file=None)
    with pytest.raises(OutputError, match=r"differs in options \(amount\)"):
        again(folder, amount=0.5)
    with pytest.raises(OutputError, match=r"Pass --resume and its seed"):
        again(folder, resume=False)
    with pytest.raises(OptionError, match=r"--force starts it again: pass one of them"):
        again(folder, force=True)
    os.utime(folder / "parts" / "year=2001" / "part-11.parquet")
    with pytest.raises(OutputError, match=r"differs in sources \(year=2001/part-11.parquet\)"):
        again(folder)
    assert len(files_in(stopped)) == 7 + 1
    again(folder, resume=False, force=True)
    assert len(files_in(stopped)) == 12


def test_a_torn_record_and_a_torn_result_are_done_again(folder, stopped):
    record = stopped / NAME
    lines = record.read_text().splitlines(keepends=True)
    record.write_text("".join(lines[:-1]) + lines[-1][:20])
    (stopped / "year=2000" / "part-03.parquet").write_bytes(b"torn")
    again(folder)
    seed = int((folder / "seed").read_text())
    wanted = Plan.load(folder / "plan.json").repair(folder.archive, seed=seed)
    assert read_all(stopped).equals(wanted)
    record.write_text("{")
    with pytest.raises(OutputError, match="is damaged"):
        again(folder)


def test_a_run_that_was_killed_before_it_had_a_record_is_begun(folder, parts):
    (folder / "out").mkdir()
    (folder / "out" / f".{NAME}.0123abcd.part").write_text("{")
    repair_file(parts, folder / "plan.json", folder / "out", seed=7, resume=True)
    assert read_all(folder / "out").equals(
        Plan.load(folder / "plan.json").repair(folder.archive, seed=7)
    )
    assert not list((folder / "out").glob(".*"))
    (folder / "other").mkdir()
    (folder / "other" / ".mine.part").write_text("of somebody else")
    with pytest.raises(OutputError, match="no record of an interrupted run"):
        repair_file(parts, folder / "plan.json", folder / "other", seed=7, resume=True)


def written_at(path):
    """Say when a file was last written; a run removes its record as it ends."""
    try:
        return path.stat().st_mtime_ns
    except FileNotFoundError:
        return None


@pytest.mark.parametrize("between", ["T", " "])
def test_lines_are_compared_with_lines_of_the_same_form(tmp_path, between, monkeypatch):
    """Large numbers, times and members that come later do not look like another seed."""
    from fairmend.files import run

    rng, parts, plan = np.random.default_rng(3), tmp_path / "parts", tmp_path / "plan.json"
    s = rng.integers(0, 2, 1_200)
    pay = np.round(rng.normal(3e10 + 1e9 * s, 1e9), 1)
    day = np.datetime64("2024-01-01T00", "s") + 3_600 * (rng.integers(0, 5_000, 1_200) + 500 * s)
    research = pa.table({"s": s, "pay": pay, "day": day})
    fairmend.design(research, protected="s").save(plan)
    parts.mkdir()
    for at in range(0, 1_200, 400):
        rows = [
            {"s": int(s[i]), "pay": pay[i], "day": str(day[i]).replace("T", between), "of": {}}
            for i in range(at, at + 400)
        ]
        del rows[0]["of"]
        (parts / f"{at}.ndjson").write_text("".join(json.dumps(row) + "\n" for row in rows))
    repair_file(parts, plan, tmp_path / "whole", seed=7)
    whole = run.repair_piece

    def stop(piece, *args, **options):
        if piece.path.name == "800.ndjson":
            raise KeyboardInterrupt
        return whole(piece, *args, **options)

    monkeypatch.setattr(run, "repair_piece", stop)
    with pytest.raises(KeyboardInterrupt):
        repair_file(parts, plan, tmp_path / "out", seed=7)
    monkeypatch.undo()
    with pytest.raises(OutputError, match="seed is not the one"):
        repair_file(parts, plan, tmp_path / "out", seed=8, resume=True)
    repair_file(parts, plan, tmp_path / "out", seed=7, resume=True)
    assert bytes_in(tmp_path / "out") == bytes_in(tmp_path / "whole")


def killed_and_resumed(folder, out, kills, rng):
    """Kill a run at random moments until it has been killed often enough, then let it end."""
    command = [sys.executable, "-m", "fairmend", "repair", str(folder / "parts"), "--plan",
               str(folder / "plan.json"), "-o", str(out), "--seed", "7", "--resume"]  # fmt: skip
    killed, longest = 0, 0.15
    for _ in range(10 * kills):
        if killed == kills:
            break
        before = written_at(out / NAME)
        process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        while process.poll() is None and written_at(out / NAME) in {before, None}:
            time.sleep(0.001)
        time.sleep(rng.random() * longest)
        process.send_signal(signal.SIGKILL)
        assert process.wait() in {0, -signal.SIGKILL}
        if written_at(out / NAME) is not None:
            killed += 1
        else:  # it was complete before: begin again, and kill sooner
            shutil.rmtree(out, ignore_errors=True)
            longest /= 2
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    return killed


def _kills(folder, kills, seed):
    repair_file(folder / "parts", folder / "plan.json", folder / "undisturbed", seed=7)
    assert killed_and_resumed(folder, folder / "out", kills, random.Random(seed)) == kills
    assert bytes_in(folder / "out") == bytes_in(folder / "undisturbed")


@pytest.mark.usefixtures("parts")
def test_a_killed_run_goes_on_to_the_same_files(folder):
    _kills(folder, 3, 1)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
@pytest.mark.usefixtures("parts")
def test_twenty_killed_runs_go_on_to_the_same_files(folder, seed):
    _kills(folder, 1, seed)


@pytest.mark.parametrize(("sign", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
@pytest.mark.usefixtures("parts")
def test_a_stopped_run_leaves_nothing_half_written(folder, sign, code):
    out = folder / "out"
    slow = (
        "import time, fairmend.files.engine as e\n"
        "from fairmend.cli.main import main\n"
        "work = e.Work.__call__\n"
        "e.Work.__call__ = lambda *a: (time.sleep(0.05), work(*a))[1]\n"
        "main()"
    )
    command = [sys.executable, "-c", slow, "repair", str(folder / "parts"), "--plan",
               str(folder / "plan.json"), "-o", str(out)]  # fmt: skip
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    while not list(out.rglob("*.parquet")):
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(sign)
    _, said = process.communicate()
    assert process.returncode == code
    assert "Traceback" not in said
    assert not list(out.rglob("*.part"))
    for path in out.rglob("*.parquet"):
        assert pq.ParquetFile(path).metadata.num_rows == 170
    assert Path(out / NAME).exists()
