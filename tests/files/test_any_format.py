"""Any format to any, the same values whatever the cut, the threads, the kernel and the format."""

import gzip

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import ipc

from fairmend.errors import ColumnError, DataError, FormatError, InputError
from fairmend.files import arrow, bytestream
from fairmend.files.csv import read_csv
from fairmend.files.formats import read_table, write_table
from fairmend.files.repair import repair_file
from fairmend.plan.plan import Plan

TYPED = ["parquet", "arrow", "feather", "arrows"]
TEXT = ["csv", "csv.gz", "csv.zst", "ndjson", "jsonl.gz", "ndjson.zst"]


def repaired(folder, source: str, target: str, **options) -> pa.Table:
    out = folder / f"out.{target}"
    repair_file(folder / source, folder / "plan.json", out, seed=7, force=True, **options)
    return read_table(out)


@pytest.fixture
def frame(folder):
    """Give the repair of the table in memory."""
    return Plan.load(folder / "plan.json").repair(folder.archive, seed=7)


@pytest.fixture
def small_blocks(monkeypatch):
    """Let a text file have many blocks."""
    monkeypatch.setattr(bytestream, "BLOCK", 1_000)


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("kernel", ["", "numpy"])
def test_any_cut_threads_kernel_and_typed_format_give_the_bytes_of_the_frame(
    folder, frame, monkeypatch, workers, kernel
):
    monkeypatch.setenv("FAIRMEND_KERNEL", kernel)
    for rows in (2_000, 700, 111, 40):
        pq.write_table(folder.archive, folder / "cut.parquet", row_group_size=rows)
        assert repaired(folder, "cut.parquet", "parquet", workers=workers).equals(frame)
        with ipc.new_file(folder / "cut.arrow", folder.archive.schema) as writer:
            writer.write_table(folder.archive, max_chunksize=rows)
        found = repaired(folder, "cut.arrow", "arrow", workers=workers)
        assert found.equals(frame)
        assert found.schema.equals(frame.schema, check_metadata=True)


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("block", [400, 3_000, 1 << 22])
def test_any_block_of_text_gives_the_same_bytes(folder, frame, monkeypatch, workers, block):
    """Two of the notes are in quotes, and one has a line end."""
    repair_file(folder / "archive.csv", folder / "plan.json", folder / "whole.csv", seed=7)
    write_table(folder.archive, folder / "archive.ndjson")
    repair_file(folder / "archive.ndjson", folder / "plan.json", folder / "whole.ndjson", seed=7)
    monkeypatch.setattr(bytestream, "BLOCK", block)
    for suffix in ("csv", "ndjson"):
        out, options = folder / f"o.{suffix}", {"seed": 7, "workers": workers}
        repair_file(folder / f"archive.{suffix}", folder / "plan.json", out, **options)
        assert out.read_bytes() == (folder / f"whole.{suffix}").read_bytes()
    found = read_csv(folder / "o.csv")
    assert [float(pay) for pay in found["pay"].to_pylist()] == frame["pay"].to_pylist()
    ages = [int(age) if age else None for age in found["age"].to_pylist()]
    assert ages == frame["age"].to_pylist()


@pytest.mark.parametrize("source", [*TYPED, *TEXT])
def test_any_format_to_any(folder, frame, small_blocks, source):
    write_table(folder.archive, folder / f"in.{source}")
    for target in (*TYPED, *TEXT):
        found = repaired(folder, f"in.{source}", target)
        assert found.column_names == frame.column_names
        assert found["zip"].to_pylist() == frame["zip"].to_pylist()
        if target in TYPED:
            assert found["pay"].to_pylist() == frame["pay"].to_pylist()
            assert found["age"].to_pylist() == frame["age"].to_pylist()
            assert found.schema.field("age").type == pa.int64()
        else:
            assert [float(pay) for pay in found["pay"].to_pylist()] == frame["pay"].to_pylist()
            assert all(age.isdecimal() for age in found["age"].to_pylist() if age)
        if source in TEXT:  # what is only passed through has the characters that it had
            others = ["rate", "s", "note"]
            before = read_table(folder / f"in.{source}")
            assert found.select(others).to_pylist() == before.select(others).to_pylist()


def test_dictionaries_that_differ_from_batch_to_batch_go_on(folder):
    parts = [folder.archive.slice(at, 1) for at in range(8)]
    notes = [part["note"].combine_chunks().dictionary_decode() for part in parts]
    parts = [
        part.set_column(7, "note", note.dictionary_encode())
        for part, note in zip(parts, notes, strict=True)
    ]
    with pq.ParquetWriter(folder / "d.parquet", parts[0].schema) as writer:
        for part in parts:
            writer.write_table(part)
    for target in ("arrow", "arrows"):
        found = repaired(folder, "d.parquet", target)
        assert found["note"].to_pylist() == [note[0].as_py() for note in notes]
        assert found.schema.field("note").type == parts[0].schema.field("note").type


def test_dictionaries_that_a_file_cannot_go_on_with_are_refused_in_words(folder):
    """An index of 8 bits has no room for the words of both parts."""
    parts = [folder.archive.slice(at, 100) for at in (0, 100)]
    of_bytes = pa.dictionary(pa.int8(), pa.string())
    words = [pa.array([f"{part}{at}" for at in range(100)]).cast(of_bytes) for part in "ab"]
    parts = [part.append_column("w", word) for part, word in zip(parts, words, strict=True)]
    with ipc.new_stream(folder / "w.arrows", parts[0].schema) as writer:
        for part in parts:
            writer.write_table(part)
    with pytest.raises(FormatError, match=r"cannot be written as Arrow .*of another format"):
        repaired(folder, "w.arrows", "arrow")
    assert not list(folder.path.glob("*out.arrow*"))
    assert repaired(folder, "w.arrows", "parquet").num_rows == 200


def test_a_large_record_batch_is_read_bit_by_bit(folder, frame, monkeypatch):
    monkeypatch.setattr(arrow, "LARGE", 1_000)
    monkeypatch.setattr(arrow, "CUT_ROWS", 300)
    write_table(folder.archive, folder / "in.feather")
    out = repaired(folder, "in.feather", "feather")
    assert out.equals(frame)
    with ipc.open_file(folder / "out.feather") as reader:
        assert reader.num_record_batches == 7


@pytest.mark.parametrize("keep", [0, 5, 0.5, -10])
@pytest.mark.parametrize("suffix", ["arrow", "arrows", "csv.gz", "csv.zst", "ndjson.gz"])
def test_a_torn_file_is_refused_and_leaves_nothing(folder, suffix, keep):
    path = folder / f"torn.{suffix}"
    write_table(folder.archive, path)
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * keep) if isinstance(keep, float) else keep])
    files = sorted(folder.path.iterdir())
    with pytest.raises(InputError, match=rf"torn\.{suffix}.* cannot be read as .*torn"):
        repaired(folder, path.name, "csv")
    assert sorted(folder.path.iterdir()) == files


def test_a_column_that_turns_to_words_half_way_is_named_with_its_rows(folder, small_blocks):
    lines = (folder / "archive.csv").read_text().replace("two\nlines", "one").splitlines()
    lines[1_500] = lines[1_500].replace(lines[1_500].split(",")[6], "unknown")
    (folder / "turns.csv").write_text("\n".join(lines))
    files = sorted(folder.path.iterdir())
    message = r"no numbers in 'pay' \(1 rows\).* \(In turns\.csv, rows 1,4\d\d to 1,5\d\d\.\)"
    with pytest.raises(InputError, match=message) as refused:
        repaired(folder, "turns.csv", "csv")
    assert "unknown" not in str(refused.value)
    assert sorted(folder.path.iterdir()) == files


def test_a_ragged_row_in_a_later_block_is_named_by_its_number(folder, small_blocks):
    rows = "0,0,30,20.5\n1,0,31,21.5\n" * 500
    (folder / "ragged.csv").write_text(f"s,u,age,pay\n{rows}0,0,3\n")
    with pytest.raises(InputError, match="first is row 1002 with 3"):
        repaired(folder, "ragged.csv", "csv")


def test_rows_that_never_end_are_refused(folder, small_blocks, monkeypatch):
    monkeypatch.setattr("fairmend.files.cuts.LONGEST", 5_000)
    rows = "0,0,30,20.5\n1,0,31,21.5\n" * 500
    (folder / "open.csv").write_text(f's,u,age,pay\n0,0,30,20.5\n1,0,31,"21.5\n{rows}')
    with pytest.raises(InputError, match="row of more than 5,000 bytes"):
        repaired(folder, "open.csv", "csv")


def test_fractions_in_a_column_of_integers_are_refused_where_the_target_has_types(folder):
    (folder / "f.csv").write_text("s,u,age,pay\n0,0,30.5,20.5\n1,0,31,21.5\n")
    repair_file(folder / "f.csv", folder / "plan.json", folder / "o.csv", amount=0.0)
    assert read_csv(folder / "o.csv")["age"].to_pylist() == ["30.5", "31"]
    with pytest.raises(InputError, match="1 values of 'age' with a fraction"):
        repair_file(folder / "f.csv", folder / "plan.json", folder / "o.parquet", amount=0.0)


def test_integers_beyond_floats_are_refused_in_text(folder):
    (folder / "f.csv").write_text("s,u,age,pay\n0,0,9007199254740993,20.5\n1,0,31,1e300\n")
    with pytest.raises(DataError, match=r"numbers beyond 2\^53 in 'age' \(1 rows\)"):
        repaired(folder, "f.csv", "csv")


def test_large_whole_numbers_are_written_with_all_their_digits(folder):
    (folder / "f.csv").write_text("s,u,age,pay\n0,0,30,20000000000.0\n1,0,31,1e10\n")
    repair_file(
        folder / "f.csv", folder / "plan.json", folder / "o.csv", amount=0.0, out_of_range="clip"
    )
    assert read_csv(folder / "o.csv")["pay"].to_pylist() == ["20000000000", "10000000000"]


def test_concatenated_gzip_members_are_one_file(folder):
    text = (folder / "archive.csv").read_bytes()
    (folder / "two.csv.gz").write_bytes(gzip.compress(text[:999]) + gzip.compress(text[999:]))
    assert repaired(folder, "two.csv.gz", "csv").equals(repaired(folder, "archive.csv", "csv"))


def test_a_compressed_file_of_another_format_is_refused(folder):
    (folder / "plain.csv.gz").write_text("s,u,age,pay\n0,0,30,20\n")
    with pytest.raises(InputError, match="cannot be read as CSV"):
        repaired(folder, "plain.csv.gz", "csv")


def test_columns_are_missed_in_any_format(folder):
    for suffix in ("arrow", "arrows", "csv.zst"):
        write_table(folder.archive.drop_columns(["pay"]), folder / f"less.{suffix}")
        with pytest.raises(ColumnError, match="no column 'pay'"):
            repaired(folder, f"less.{suffix}", "csv")
