from pathlib import Path

import pyarrow as pa
import pytest

from fairmend.errors import ColumnError, FormatError, InputError
from fairmend.files.csv import read_csv, write_csv
from fairmend.files.formats import read_table


def written(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize(
    "text",
    [
        "id,price\n00123,1.10\n1e5,\n",
        'a,b\n"x,y","say ""hi"""\n"two\nlines",\n',
        '"a,b","c ""d"""\n1,2\n',
        "a,b\n 1,x \nNA,null\nTrue,0x1F\n",
        "ä,b\nü,→\n",
        "a,b\n",
        '"two\nlines",b\n1,2\n',
        'only\n1\n""\n',
    ],
)
def test_every_character_of_a_field_survives(tmp_path, text):
    source = written(tmp_path / "in.csv", text)
    write_csv(read_csv(source), tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text(encoding="utf-8") == text


def test_needless_quotes_and_other_line_ends_are_normalised(tmp_path):
    source = written(tmp_path / "in.csv", '\ufeff"a",b\r\n"x",""\r\n\r\ny,2')
    write_csv(read_csv(source), tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text() == "a,b\nx,\ny,2\n"


def test_many_rows_over_several_batches(tmp_path):
    rows = "".join(f"{i:07d},{'q,' if i % 3 else 'p'}\n" for i in range(200_000))
    text = "id,x\n" + rows.replace("q,", '"q,"')
    source = written(tmp_path / "in.csv", text)
    write_csv(read_csv(source), tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text() == text


def test_typed_columns_are_written_as_text(tmp_path):
    table = pa.table(
        {
            "i": pa.array([1, None], pa.int8()),
            "f": [40.0, 0.1],
            "b": [True, False],
            "d": pa.array(["x", None]).dictionary_encode(),
        }
    )
    write_csv(table, tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text() == "i,f,b,d\n1,40,true,x\n,0.1,false,\n"


def test_a_slice_is_written_as_its_own_rows(tmp_path):
    write_csv(pa.table({"a": ["x", "y", "z"], "b": [1, 2, 3]}).slice(1, 1), tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text() == "a,b\ny,2\n"


def test_a_column_that_csv_cannot_hold_is_named(tmp_path):
    with pytest.raises(FormatError, match=r"CSV cannot hold column 'l' of type list"):
        write_csv(pa.table({"l": [[1, 2]]}), tmp_path / "out.csv")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            "a,b\n1,2\n3\n4,5,6\n",
            r"2 row\(s\) of another length .* 2 fields; the first is row 3 with 1",
        ),
        ('a,b\n1,2\n"3,4\n5,6\n', "ends inside quotes"),
        ('a,b\n1,2\n3,"4\n5,6\n', "ends inside quotes"),
        ('a,b\n1,2\n3,"4', "ends inside quotes"),
        (b"a,b\n1,\xff\n", "not in UTF-8"),
        (b"a\xff,b\n1,2\n", "not in UTF-8"),
        ("", r"cannot be read as CSV \(Empty CSV file\)"),
        ('a;"b, c";d, e\n1;2,5;3\n', r"separated by ';', .* sep=';'\).*decimal=','"),
        ("a\tb\n1\t2\n", r"separated by '\\t'"),
    ],
)
def test_torn_files_are_refused(tmp_path, content, message):
    source = written(tmp_path / "in.csv", content)
    with pytest.raises(InputError, match=message):
        read_table(source)


def test_other_signs_in_quoted_names_are_no_separators(tmp_path):
    found = read_csv(written(tmp_path / "in.csv", '"a;b;c","d"\n1,2\n'))
    assert found.column_names == ["a;b;c", "d"]


@pytest.mark.parametrize("end", ['""', '"4"', '"4"\n', '"a ""b"""', '"4\n"', "4"])
def test_closed_quotes_at_the_end_are_no_tear(tmp_path, end):
    assert read_csv(written(tmp_path / "in.csv", f"a,b\n3,{end}")).num_rows == 1


def test_a_torn_row_does_not_show_a_persons_values(tmp_path):
    with pytest.raises(InputError) as refused:
        read_csv(written(tmp_path / "in.csv", "name,age\nJane Doe\n"))
    assert "Jane" not in str(refused.value)


@pytest.mark.parametrize("header", ["a,b", "a,b\n", "\ufeffa,b\r\n", '"a","b"'])
def test_a_header_without_rows_is_a_table_without_rows(tmp_path, header):
    found = read_csv(written(tmp_path / "in.csv", header))
    assert (found.num_rows, found.column_names) == (0, ["a", "b"])


def test_repeated_column_names_are_refused(tmp_path):
    with pytest.raises(ColumnError, match=r"more than one column named \['a'\]"):
        read_csv(written(tmp_path / "in.csv", "a,b,a\n1,2,3\n"))
