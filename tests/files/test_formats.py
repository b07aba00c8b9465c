import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fairmend.errors import FormatError, InputError, OutputError
from fairmend.files.formats import check_outputs, format_of, read_table


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("a.parquet", "Parquet"),
        ("a.PQ", "Parquet"),
        ("a.csv", "CSV"),
        ("a.b.Csv", "CSV"),
        ("a.csv.gz", "CSV"),
        ("a.csv.zst", "CSV"),
        ("a.arrow", "Arrow"),
        ("a.ipc", "Arrow"),
        ("a.feather", "Feather"),
        ("a.arrows", "Arrow stream"),
        ("a.NDJSON", "NDJSON"),
        ("a.jsonl", "NDJSON"),
        ("a.ndjson.zst", "NDJSON"),
    ],
)
def test_the_suffix_tells_the_format(tmp_path, name, form):
    assert format_of(tmp_path / name).name == form


@pytest.mark.parametrize("name", ["a.xlsx", "a", "csv", "a.gz"])
def test_other_suffixes_are_refused_with_those_that_are_known(tmp_path, name):
    with pytest.raises(FormatError, match=r"must be one of \['\.parquet', '\.pq', '\.csv', "):
        format_of(tmp_path / name)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_missing_file_is_answered_with_the_nearest_name(tmp_path, suffix):
    (tmp_path / f"archive.{suffix}").touch()
    with pytest.raises(InputError, match=rf"no file .*Did you mean 'archive\.{suffix}'\?"):
        read_table(tmp_path / f"archiv.{suffix}")
    with pytest.raises(InputError, match=rf"no file .*zzz\.{suffix}\.$"):
        read_table(tmp_path / "no" / f"zzz.{suffix}")


def test_a_folder_is_no_file(tmp_path):
    (tmp_path / "parts.parquet").mkdir()
    with pytest.raises(InputError, match="is a folder"):
        read_table(tmp_path / "parts.parquet")


@pytest.mark.parametrize("keep", [0, 3, 100, 0.5, -10])
def test_a_torn_parquet_file_is_refused(tmp_path, keep):
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"x": list(range(5_000))}), path)
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * keep) if isinstance(keep, float) else keep])
    with pytest.raises(InputError, match=r"cannot be read as Parquet \(.*torn"):
        read_table(path)


def test_a_damaged_page_is_refused(tmp_path):
    path = tmp_path / "a.parquet"
    table = pa.table({"x": [f"{i * 7919 % 10_007}" for i in range(5_000)]})
    pq.write_table(table, path, write_page_checksum=True, use_dictionary=False)
    content = bytearray(path.read_bytes())
    content[200:300] = bytes(100)
    path.write_bytes(content)
    with pytest.raises(InputError, match="cannot be read as Parquet"):
        read_table(path)


def test_a_folder_named_like_a_partition_adds_no_column(tmp_path):
    (tmp_path / "sex=F").mkdir()
    pq.write_table(pa.table({"x": [1]}), tmp_path / "sex=F" / "a.parquet")
    assert read_table(tmp_path / "sex=F" / "a.parquet").column_names == ["x"]


def test_outputs_are_refused_before_the_work(tmp_path):
    there = tmp_path / "there.csv"
    there.touch()
    with pytest.raises(OutputError, match="exists already"):
        check_outputs(tmp_path / "a.csv", there, force=False)
    check_outputs(there, None, force=True)
    with pytest.raises(OutputError, match="there is no folder"):
        check_outputs(tmp_path / "no" / "a.csv", force=True)
    with pytest.raises(OutputError, match="there is no folder"):
        check_outputs(there / "a.csv", force=True)
    with pytest.raises(OutputError, match="Two outputs"):
        check_outputs(tmp_path / "a.csv", tmp_path / "a.csv", force=True)
    (tmp_path / "link.csv").symlink_to(tmp_path / "a.csv")
    with pytest.raises(OutputError, match="Two outputs"):
        check_outputs(tmp_path / "a.csv", tmp_path / "link.csv", force=True)
    (tmp_path / "loop.csv").symlink_to(tmp_path / "loop.csv")
    with pytest.raises(OutputError, match="is read by this command"):
        check_outputs(there, inputs=[None, tmp_path / "loop.csv", there], force=True)
    with pytest.raises(OutputError, match="File name too long"):
        check_outputs(tmp_path / ("a" * 300 + ".csv"), force=False)


def test_a_folder_that_may_not_be_written_to_is_refused(tmp_path, monkeypatch):
    """The test may run as root, who may write everywhere."""
    monkeypatch.setattr("os.access", lambda path, mode: False)
    with pytest.raises(OutputError, match="may not be written to"):
        check_outputs(tmp_path / "a.csv", force=False)
