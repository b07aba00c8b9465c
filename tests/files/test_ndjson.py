"""NDJSON keeps every character of what is not repaired."""

import json
import re

import pyarrow as pa
import pytest

from fairmend.errors import ColumnError, FormatError, InputError
from fairmend.files.design import design_file
from fairmend.files.formats import read_table, write_table
from fairmend.files.repair import repair_file

ROWS = [
    '{"id": 12345678901234567890, "s": 0, "rate": 1.10, "u":1, "age": 31, "pay": 2.10e1}',
    '{"pay":20.5,"age":null,"u":1,"s":1,"deep":{"age":1,"x":["age",{"pay":2}]}, "rate":-0.0}',
    '{ "u":0,"s":1,\t"age" : 33 , "pay":20,"say":"\\u0041 \\"age\\": 5, {[" }',
    '{"s":0,"u":0,"pay":25,"é":"00123"}',
]
FEATURES = re.compile(r'("(?:age|pay)"\s*:\s*)([-+.eE0-9]+)(?=\s*[,}])')


def repaired(folder, content: str, target: str = "out.ndjson", **options) -> str:
    (folder / "in.ndjson").write_text(content, encoding="utf-8")
    out = folder / target
    options = {"seed": 7, "force": True, **options}
    repair_file(folder / "in.ndjson", folder / "plan.json", out, **options)
    return out.read_text(encoding="utf-8")


def test_every_character_but_the_repaired_values_survives(folder):
    text = "".join(f"{row}\n" for row in ROWS)
    found = repaired(folder, text)
    nested = '"deep":{"age":1,"x":["age",{"pay":2}]}'
    assert nested in found
    blank = [FEATURES.sub(r"\1#", one.replace(nested, "")) for one in (text, found)]
    assert blank[0] == blank[1]
    values = [json.loads(line) for line in found.splitlines()]
    assert values[1]["age"] is None
    assert "age" not in values[3]
    assert [value["pay"] for value in values] != [21.0, 20.5, 20, 25]


def test_values_are_those_of_other_formats(folder):
    write_table(folder.archive, folder / "archive.ndjson")
    for suffix in ("ndjson", "parquet"):
        out = folder / f"out.{suffix}"
        repair_file(folder / f"archive.{suffix}", folder / "plan.json", out, seed=7)
    rows = [json.loads(line) for line in (folder / "out.ndjson").read_text().splitlines()]
    wanted = read_table(folder / "out.parquet")
    for name in wanted.column_names:
        assert [row[name] for row in rows] == wanted[name].to_pylist()


def test_repaired_values_have_one_spelling(folder):
    text = '{"s":0,"u":0,"age":31.0,"pay":2.050e1}\n{"s":1,"u":0,"age":3.2e1,"pay":21.50}\n'
    found = repaired(folder, text, amount=0.0)
    assert found == '{"s":0,"u":0,"age":31,"pay":20.5}\n{"s":1,"u":0,"age":32,"pay":21.5}\n'


def test_rows_that_a_policy_leaves_keep_their_text(folder):
    text = '{"s":0,"u":0,"age":31,"pay":20.5}\n{"s":9,"u":0,"age":3.20e1,"pay":21.50}\n'
    assert repaired(folder, text, unseen="keep").splitlines()[1] == text.splitlines()[1]


def test_numbers_in_strings_stay_strings(folder):
    text = '{"s":"0","u":"0","age":"31","pay":"20.50"}\n{"s":"1","u":"0","age":"32","pay":"21"}\n'
    found = repaired(folder, text, amount=0.0)
    assert found == text.replace("20.50", "20.5")


@pytest.mark.parametrize("odd", ['"31"', "true", "[1]", '{"age":1}', '"unknown"'])
def test_a_column_that_turns_half_way_is_named_with_its_rows(folder, odd):
    rows = ['{"s":0,"u":0,"age":31,"pay":20.5}'] * 20
    rows[15] = f'{{"s":0,"u":0,"age":{odd},"pay":20.5}}'
    files = sorted(folder.path.iterdir())
    with pytest.raises(InputError, match=r"'age'.*in\.ndjson, rows 1 to 20"):
        repaired(folder, "\n".join(rows) + "\n")
    assert sorted({*folder.path.iterdir()} - {folder / "in.ndjson"}) == files


def test_members_are_left_out_with_one_comma_each(folder):
    text = "".join(f"{row}\n" for row in ROWS)
    found = repaired(folder, text, drop_protected=True, amount=0.0)
    for before, after in zip(text.splitlines(), found.splitlines(), strict=True):
        wanted = {name: value for name, value in json.loads(before).items() if name != "s"}
        assert json.loads(after) == wanted
    assert '"rate": 1.10, "u":1' in found
    found = repaired(folder, text, columns_out=["rate", "pay"])
    for line in found.splitlines():
        assert set(json.loads(line)) <= {"rate", "pay"}
    assert '"rate":-0.0' in found


def test_times_flags_and_words_are_repaired_in_their_own_kind(tmp_path, rng):
    def rows(n):
        for _ in range(n):
            s = int(rng.integers(0, 2))
            day = f"20{10 + 4 * s + int(rng.integers(0, 8))}-0{int(rng.integers(1, 9))}-15"
            yield {
                "s": "FM"[s],
                "job": "ab"[int(rng.random() < 0.3 + 0.4 * s)] + '"',
                "flag": bool(rng.random() < 0.2 + 0.5 * s),
                "day": day,
            }

    for name, n in (("research", 400), ("archive", 400)):
        text = "".join(json.dumps(row) + "\n" for row in rows(n))
        (tmp_path / f"{name}.ndjson").write_text(text)
    plan, out = tmp_path / "plan.json", tmp_path / "out.ndjson"
    designed, _ = design_file(tmp_path / "research.ndjson", plan, protected=["s"])
    assert [codec.type for codec in designed.codecs.values()] == [
        "category",
        "category",
        "datetime",
    ]
    repair_file(tmp_path / "archive.ndjson", plan, out, seed=7)
    before, after = (
        [json.loads(line) for line in (tmp_path / f"{name}.ndjson").read_text().splitlines()]
        for name in ("archive", "out")
    )
    assert {type(row["flag"]) for row in after} == {bool}
    assert {row["job"] for row in after} == {'a"', 'b"'}
    assert all(re.fullmatch(r"20\d\d-\d\d-\d\d", row["day"]) for row in after)
    for name in ("job", "flag", "day"):
        assert [row[name] for row in after] != [row[name] for row in before]


def test_where_missing_is_a_state_absent_members_are_refused_and_null_is_filled(tmp_path, rng):
    def text(n, *, absent):
        lines = []
        for _ in range(n):
            s = int(rng.integers(0, 2))
            none = rng.random() < 0.1 + 0.4 * s
            row = {"s": s, "x": None if none else int(rng.integers(0, 5))}
            lines.append(json.dumps({"s": s} if none and absent else row) + "\n")
        return "".join(lines)

    (tmp_path / "r.ndjson").write_text(text(400, absent=False))
    plan = tmp_path / "plan.json"
    design_file(
        tmp_path / "r.ndjson", plan, protected=["s"], missing="state", kinds={"x": "discrete"}
    )
    (tmp_path / "a.ndjson").write_text('{"s":0,"x":1}\n' + text(400, absent=False))
    repair_file(tmp_path / "a.ndjson", plan, tmp_path / "o.ndjson", seed=7)
    rows = [json.loads(line) for line in (tmp_path / "o.ndjson").read_text().splitlines()]
    assert {type(row["x"]) for row in rows} == {int, type(None)}
    (tmp_path / "b.ndjson").write_text('{"s":0,"x":1}\n' + text(400, absent=True))
    with pytest.raises(InputError, match=r"objects without 'x'.*Write null"):
        repair_file(tmp_path / "b.ndjson", plan, tmp_path / "p.ndjson", seed=7)


def test_other_formats_have_the_first_objects_members_as_text(folder):
    text = '{"s":0,"u":0,"age":31,"pay":20.5,"z":1.10,"n":{"a":[1, 2]}}\n'
    text += '{"u":0,"s":1,"age":32,"n":null,"pay":21.5}\n'
    found = repaired(folder, text, "out.csv", amount=0.0).splitlines()
    assert found == ["s,u,age,pay,z,n", '0,0,31,20.5,1.10,"{""a"":[1, 2]}"', "1,0,32,21.5,,"]
    with pytest.raises(InputError, match=r"member 'new' in row 3 that its first object"):
        repaired(folder, text + '{"s":0,"u":0,"age":31,"pay":20.5,"new":1}\n', "out.csv")


def words(n, rng):
    """Objects whose word depends on the group."""
    for _ in range(n):
        s = int(rng.integers(0, 2))
        yield {
            "s": s,
            "word": ["café", 'a"b', ""][int(rng.integers(0, 2) + (rng.random() < s / 2))],
        }


def test_escapes_do_not_tell_who_was_moved(tmp_path, rng):
    rows = list(words(600, rng))
    plan, out = tmp_path / "plan.json", tmp_path / "out.ndjson"
    texts = ["".join(json.dumps(row, ensure_ascii=e) + "\n" for row in rows) for e in (0, 1)]
    (tmp_path / "plain.ndjson").write_text(texts[0], encoding="utf-8")
    (tmp_path / "escaped.ndjson").write_text(texts[1], encoding="utf-8")
    design_file(tmp_path / "plain.ndjson", plan, protected=["s"])
    found = []
    for name in ("plain", "escaped"):
        repair_file(tmp_path / f"{name}.ndjson", plan, out, seed=7, force=True)
        found.append(out.read_text(encoding="utf-8"))
    assert "\\u00e9" in texts[1]
    assert "\\u00e9" not in found[1]
    assert found[0] == found[1] != texts[0]


def test_where_missing_is_a_state_an_empty_text_does_not_tell_who_was_missing(tmp_path, rng):
    text = "".join(json.dumps(row) + "\n" for row in words(600, rng))
    source, plan = tmp_path / "in.ndjson", tmp_path / "plan.json"
    source.write_text(text)
    design_file(source, plan, protected=["s"], missing="state")
    out = tmp_path / "out.ndjson"
    repair_file(source, plan, out, seed=7)
    found = {json.loads(line)["word"] for line in out.read_text(encoding="utf-8").splitlines()}
    assert found == {"café", 'a"b', None}
    design_file(source, plan, protected=["s"], force=True)
    repair_file(source, plan, out, seed=7, force=True)
    kept = out.read_text(encoding="utf-8").splitlines()
    assert ['"word": ""}' in line for line in kept] == [
        '"word": ""}' in line for line in text.splitlines()
    ]


def test_half_a_character_passes_and_is_read_nowhere(folder):
    text = '{"s":0,"u":0,"age":31,"pay":20.5,"say":"\\ud83d"}\n' * 2
    assert repaired(folder, text, amount=0.0) == text
    with pytest.raises(InputError, match="wrong escape"):
        repaired(folder, text, "out.csv")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "cannot be read as NDJSON .it holds no object"),
        ("\n\n", "it holds no object"),
        ('{"s":0,"u":0,"age":31,"pay":20.5}\n{"s":0,"u"', "no JSON object in row 2"),
        ('{"s":0,"u":0,"age":31,"pay":20.5}\n{"s":"0', "row 2: it ends inside quotes"),
        ('{"s":0,"u":0,"age":31,"pay":20.5}\n{ \\\n', "row 2: it is no complete object"),
        ('{"s":0,"u":0,"age":31,"pay":20.5,"say":"a\\\nb"}\n', "row 1: it ends inside quotes"),
        ('{"s":"\\x","u":0,"age":31,"pay":20.5}\n', "from row 1 on, .* wrong escape"),
        ('{"s":0,"u":0,"age":31,"pay":20.5,"\\x":3}\n', "from row 1 on, .* wrong escape"),
        ('{"s":0,"u":0,"age":31,"pay":20.5,"a\x01":3}\n', "from row 1 on, .* wrong escape"),
        ('{"s":0,"u":0,"age":31,"pay":20.5,"age":3}\n', "row 1: it has 'age' twice"),
    ],
)
def test_torn_files_are_refused(folder, content, message):
    with pytest.raises(InputError, match=message):
        repaired(folder, content)


def test_a_missing_column_and_another_encoding_are_refused(folder):
    with pytest.raises(ColumnError, match="no column 'pay'"):
        repaired(folder, '{"s":0,"u":0,"age":31}\n' * 2)
    with pytest.raises(ColumnError, match=r"Its columns are \[\]"):
        repaired(folder, "{}\n" * 2)
    (folder / "l.ndjson").write_bytes(b'{"s":0,"u":0,"age":31,"pay":1,"\xff":2}\n' * 2)
    with pytest.raises(InputError, match="not in UTF-8"):
        repair_file(folder / "l.ndjson", folder / "plan.json", folder / "o.ndjson")


def test_any_column_that_json_has_is_written(tmp_path):
    table = pa.table(
        {
            'a"b': pa.array([1, None], pa.int8()),
            "f": [0.1, float("nan")],
            "b": [True, None],
            "d": pa.array(['q"\\\n\x01', None]).dictionary_encode(),
            "t": pa.array([0, None], pa.timestamp("s")),
        }
    )
    write_table(table, tmp_path / "t.ndjson")
    rows = [json.loads(line) for line in (tmp_path / "t.ndjson").read_text().splitlines()]
    first = {'a"b': 1, "f": 0.1, "b": True, "d": 'q"\\\n\x01', "t": "1970-01-01T00:00:00"}
    assert rows == [first, dict.fromkeys(first)]
    with pytest.raises(FormatError, match="NDJSON cannot hold column 'l' of type list"):
        write_table(pa.table({"l": [[1]]}), tmp_path / "l.ndjson")
