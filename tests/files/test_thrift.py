from contextlib import suppress

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairmend.files.footer import Footer
from fairmend.files.thrift import ThriftError, parsed, written


@pytest.fixture(scope="module")
def raw():
    sink = pa.BufferOutputStream()
    table = pa.table(
        {"a": [1, 2], "b": [[{"x": 1.5}], None], "c": ["é", None], "d": [True, False]}
    ).replace_schema_metadata({"k": "v" * 300})
    with pq.ParquetWriter(sink, table.schema, sorting_columns=[pq.SortingColumn(0)]) as writer:
        for _ in range(20):  # more than a short list holds
            writer.write_table(table)
    data = sink.getvalue().to_pybytes()
    return data[-8 - int.from_bytes(data[-8:-4], "little") : -8]


def test_what_is_read_is_written_again(raw):
    assert written(parsed(raw)) == raw


def test_columns_are_parts_of_the_tree(raw):
    footer = Footer.of(raw)
    assert [(c.name, list(c.leaves)) for c in footer.columns] == [
        ("a", [0]), ("b", [1]), ("c", [2]), ("d", [3])
    ]  # fmt: skip
    assert [len(c.elements) for c in footer.columns] == [1, 4, 1, 1]


def test_a_torn_footer_is_an_error(raw):
    for size in range(len(raw)):
        with pytest.raises(ThriftError):
            Footer.of(raw[:size])


@given(data=st.data())
def test_a_garbled_footer_is_an_error_or_another_footer(raw, data):
    """Whatever is there: an end without a crash, and nothing that would be written otherwise."""
    garbled = bytearray(raw)
    for _ in range(data.draw(st.integers(1, 4))):
        garbled[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    try:
        footer = Footer.of(bytes(garbled))
    except ThriftError:
        return
    assert written(footer.tree) == garbled


@given(st.binary(max_size=200))
def test_any_bytes_end(data):
    with suppress(ThriftError):
        assert written(parsed(data))[-1] == 0


def test_endless_nesting_is_no_crash():
    with pytest.raises(ThriftError, match="nested"):
        parsed(b"\x1c" * 100_000)
    with pytest.raises(ThriftError, match="nested"):
        parsed(b"\x19" * 100_000)
    with pytest.raises(ThriftError, match="longer than the rest"):
        parsed(b"\x19\xf5\xff\xff\xff\xff\x0f")
