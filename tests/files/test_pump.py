"""Bytes of a pipe are handed on as they come."""

import os
import threading
import time

import pytest

from fairmend.errors import InputError, OptionError
from fairmend.files import pump
from fairmend.files.formats import CSV
from fairmend.files.pipes import stdin_as
from fairmend.files.pump import Every, Pump


@pytest.fixture
def pipe():
    """Give the two ends of a pipe; nobody may read from its number when another has it."""
    ends = list(os.pipe())
    yield ends
    close(ends)
    for thread in threading.enumerate():
        if thread.name == "fairmend-pump":
            thread.join(10)
            assert not thread.is_alive()
    os.close(ends[0])


def close(pipe):
    if pipe[1] >= 0:
        os.close(pipe[1])
    pipe[1] = -1


def test_what_has_come_is_handed_on_at_once_and_the_rest_at_the_end(pipe):
    taken = Pump(pipe[0], b"a,")
    assert taken.take() == b"a,"
    os.write(pipe[1], b"b\n1,2")
    assert taken.take() == b"b\n1,2"
    os.write(pipe[1], b"\n")
    close(pipe)
    assert b"".join(iter(taken.take, b"")) == b"\n"
    assert taken.take() == b""


def test_little_is_read_ahead_at_first_and_more_later(pipe, monkeypatch):
    monkeypatch.setattr(pump, "FIRST", 1_000)
    monkeypatch.setattr(pump, "BLOCK", 8_000)

    def fill():
        os.write(pipe[1], b"x" * 60_000)
        close(pipe)

    threading.Thread(target=fill).start()
    taken, sizes = Pump(pipe[0]), []
    time.sleep(0.2)
    while data := taken.take():
        sizes.append(len(data))
        time.sleep(0.02)
    assert sum(sizes) == 60_000
    assert sizes[0] <= 2_000
    assert max(sizes) > 3_000
    assert max(sizes) <= 16_000


def test_rows_are_gathered_where_that_is_asked(pipe):
    taken = Pump(pipe[0], every=Every(rows=3))
    os.write(pipe[1], b"1\n2\n")
    threading.Timer(0.2, os.write, (pipe[1], b"3\n4")).start()
    assert taken.take() == b"1\n2\n3\n4"
    close(pipe)
    assert taken.take() == b""


def test_rows_are_gathered_for_some_time_where_that_is_asked(pipe):
    taken, began = Pump(pipe[0], every=Every(seconds=0.5)), time.monotonic()
    os.write(pipe[1], b"1\n")
    threading.Timer(0.2, os.write, (pipe[1], b"2\n")).start()
    assert taken.take() == b"1\n2\n"
    assert time.monotonic() - began > 0.45


def test_whole_blocks_are_taken_for_a_file(pipe, monkeypatch):
    monkeypatch.setattr(pump, "BLOCK", 3)
    taken = Pump(pipe[0], is_eager=False)
    os.write(pipe[1], b"12")
    threading.Timer(0.1, os.write, (pipe[1], b"34")).start()
    assert len(taken.take()) >= 3
    close(pipe)
    while taken.take():
        pass


def test_the_wait_for_a_whole_block_is_a_sleep(pipe, monkeypatch):
    asked, is_enough = [], Pump._is_enough
    monkeypatch.setattr(Pump, "_is_enough", lambda self: asked.append(1) or is_enough(self))
    taken = Pump(pipe[0], b"1\n", Every(seconds=0.01), is_eager=False)
    ending = threading.Timer(0.3, close, [pipe])
    ending.start()
    assert taken.take() == b"1\n"
    ending.join()
    assert len(asked) < 5


@pytest.mark.parametrize(
    ("start", "name"),
    [
        (b"\xff\xff\xff\xff\x10\0\0\0", "Arrow stream"),
        (b"ARROW1\0\0\xff\xff\xff\xff", "Arrow stream"),
        (b' \n{"a":1}\n', "NDJSON"),
        (b'\xef\xbb\xbf{"a":1}\n', "NDJSON"),
        (b"a,b\n1,2\n", "CSV"),
        (b"a", "CSV"),
        (b"", "CSV"),
    ],
)
def test_the_first_bytes_tell_the_format(pipe, start, name):
    os.write(pipe[1], start)
    close(pipe)
    assert stdin_as(None, None, descriptor=pipe[0]).name == name


@pytest.mark.parametrize(
    ("start", "message"),
    [
        (b"PAR1" + bytes(8), "Parquet, which has to be read from a file"),
        (b"\x1f\x8b" + bytes(8), "compressed by gzip. Put zcat"),
        (b"\x28\xb5\x2f\xfd" + bytes(8), "compressed by zstd. Put zstdcat"),
    ],
)
def test_what_is_no_stream_is_refused(pipe, start, message):
    os.write(pipe[1], start)
    with pytest.raises(InputError, match=message):
        stdin_as(None, None, descriptor=pipe[0])


def test_a_named_format_is_believed_and_record_batches_are_not_gathered(pipe):
    os.write(pipe[1], b"{id},b\n")
    assert stdin_as(CSV, None, descriptor=pipe[0]).name == "CSV"
    os.write(pipe[1], b"\xff\xff\xff\xff\x10\0\0\0")
    with pytest.raises(OptionError, match="record batches"):
        stdin_as(None, Every(rows=2), descriptor=pipe[0])
