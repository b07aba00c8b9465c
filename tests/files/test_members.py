"""Where members lie is found without a parser, and must be what a parser finds."""

import json

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairmend.files.members import MalformedError, Members, unescaped

NAMES = ["age", "é", 'q"x', "a\\b", "age "]
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text('ab"\\{}[]:,\n\té', max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=3)
    ),
    max_leaves=4,
)
OBJECTS = st.lists(st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=4), max_size=6)


@given(OBJECTS, st.booleans(), st.sampled_from([(",", ":"), (", ", ": "), (" ,\t", " : ")]))
def test_members_are_where_a_parser_finds_them(objects, as_ascii, separators):
    lines = [json.dumps(one, ensure_ascii=as_ascii, separators=separators) for one in objects]
    data = "".join(f" {line}\r\n\n" for line in lines).encode()
    found = Members.of(data)
    assert found.rows == len(objects)
    for name in NAMES:
        for one, member in zip(objects, found.named(name), strict=True):
            assert (member >= 0) == (name in one)
            if member >= 0:
                value = json.loads(data[found.start[member] : found.end[member]])
                assert value == one[name]
                assert found.key(member) == name


@given(OBJECTS)
def test_new_values_are_put_in_and_nothing_else_changes(objects):
    data = "".join(json.dumps(one, separators=(", ", ":")) + "\n" for one in objects).encode()
    found = Members.of(data)
    members = found.named("age")
    members = members[members >= 0]
    texts = pa.array([f"{at}.10" for at in range(members.size)], pa.large_string())
    lines = bytes(found.with_new(found.start[members], found.end[members], texts)).splitlines()
    count = iter(range(members.size))
    wanted = [one | {"age": float(next(count))} if "age" in one else one for one in objects]
    written = [json.loads(line, parse_float=lambda text: float(text) - 0.1) for line in lines]
    for one, other in zip(wanted, written, strict=True):
        assert list(one) == list(other)
        if "age" in one:
            assert other["age"] == pytest.approx(one["age"])


@pytest.mark.parametrize(
    "line",
    [
        *('{"a":1', '{"a":1}}', '{"a" 1}', '{"a":1 "b":2}', '{"a":1,}', "[1]", '{"a":1} x', "x"),
        *('{"a":"b}', '{"a":}', "{:1}", '{"a":1,,"b":2}', "1", '{"a":1}{"b":2}', "{,}", '{"a":[}'),
        *('{"a":1:2}', '{"a"', "]", '{"a":{"b":1}', '{,"a":1}', '"a":1', "{a:1}", '{"a","b":1}'),
        *('{x"a":1}', '{"a":1}{', '{"a":1}]'),
    ],
)
@pytest.mark.parametrize("before", ["", '{"z":1}\n{}\n'])
def test_what_is_no_object_is_refused_with_its_row(line, before):
    with pytest.raises(MalformedError) as refused:
        Members.of(f"{before}{line}\n".encode())
    assert refused.value.row == before.count("\n")


def test_a_member_twice_is_refused():
    with pytest.raises(MalformedError, match="it has 'a' twice"):
        Members.of(b'{"a":1}\n{"a":1,"b":2,"a":3}\n').named("a")


def test_escapes_of_any_spelling_are_read():
    texts = pa.array(["plain", 'a\\"b', "\\u00e9\\n", "\\\\"], pa.large_string())
    assert unescaped(texts).to_pylist() == ["plain", 'a"b', "é\n", "\\"]
    assert np.array_equal(Members.of(b'{"\\u00E9":1}\n{}\n').named("é"), [0, -1])
