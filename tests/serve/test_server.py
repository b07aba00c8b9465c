"""The server gives what a call gives, keeps its secrets, and refuses what is hostile."""

import datetime as dt
import io
import json
import logging

import numpy as np
import pyarrow as pa
import pytest
from starlette.testclient import TestClient

import fairmend
from fairmend.errors import OptionError, RowKeyError
from fairmend.serve import create_app, streams
from fairmend.serve.limits import Limits

SEED = 8_888_777_766_665_555
ARROW = "application/vnd.apache.arrow.stream"


def stream_of(table, **options):
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema, options=pa.ipc.IpcWriteOptions(**options)) as writer:
        writer.write_table(table)
    return sink.getvalue()


def post(client, body, kind="application/json", **headers):
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return client.post("/repair", content=content, headers={"content-type": kind, **headers})


@pytest.fixture(scope="module")
def wanted(people, plan):
    return plan.repair(people, seed=SEED, key="id")


# What it gives


def test_a_record_a_batch_and_a_stream_give_what_a_call_gives(client, people, wanted):
    records = people.to_pylist()
    assert post(client, records).json() == wanted.to_pylist()
    for row in (0, 7, 899):
        assert post(client, records[row]).json() == wanted.slice(row, 1).to_pylist()[0]
    answer = post(client, stream_of(people), ARROW)
    assert answer.headers["content-type"] == ARROW
    assert pa.ipc.open_stream(answer.content).read_all().equals(wanted)


def test_a_joint_plan_with_constraints_gives_what_a_call_gives(constrained, crossed):
    client = TestClient(create_app(constrained, SEED, key="id"))
    wanted = constrained.repair(crossed, seed=SEED, key="id")
    assert post(client, crossed.to_pylist()).json() == wanted.to_pylist()
    answer = post(client, stream_of(crossed), ARROW)
    assert pa.ipc.open_stream(answer.content).read_all().equals(wanted)


def test_other_members_come_back_as_they_came(client, people):
    record = {"note": {"deep": [1, None]}, **people.to_pylist()[3], "emoji": "é😀"}
    found = post(client, record).json()
    assert list(found) == list(record)
    assert found["note"] == record["note"]
    assert found["emoji"] == record["emoji"]


def test_keys_count_by_value_and_levels_too(client, people):
    record = people.to_pylist()[3]
    as_text = {**record, "id": str(record["id"]), "college": str(record["college"])}
    one, other = post(client, record).json(), post(client, as_text).json()
    assert (one["wage"], one["hours"]) == (other["wage"], other["hours"])


def test_gaps_stay_and_protected_members_may_be_dropped(client_of, people):
    record = {**people.to_pylist()[3], "wage": None}
    found = post(client_of(drop_protected=True), [record]).json()
    assert found[0]["wage"] is None
    assert list(found[0]) == ["id", "college", "hours", "wage"]


def test_an_empty_batch_is_answered_by_one(client):
    assert post(client, []).json() == []


def test_times_and_categories(people):
    draw = np.random.default_rng(0)
    days = [dt.date(2020, 1, 1) + dt.timedelta(int(d)) for d in draw.integers(0, 300, 900)]
    table = people.append_column("day", pa.array(days))
    table = table.append_column("works", pa.array(draw.random(900) < 0.4))
    plan = fairmend.design(table, protected="sex", features=["day", "works"])
    client = TestClient(create_app(plan, SEED, key="id"))
    records = json.loads(json.dumps(table.to_pylist(), default=str))
    found = post(client, records).json()
    local = plan.repair(table, seed=SEED, key="id")
    assert [one["day"] for one in found] == [str(day) for day in local["day"].to_pylist()]
    assert [one["works"] for one in found] == local["works"].to_pylist()
    mixed = [{**records[0]}, {**records[1], "day": "2020-01-01T05:00:00"}]
    assert post(client, mixed).status_code == 200  # a date is a time, too
    assert post(client, [{**records[0], "day": "yesterday"}]).status_code == 422


def test_the_other_paths(client, people, plan):
    post(client, people.to_pylist()[:30])
    assert client.get("/health").json() == {"status": "ok"}
    assert client.get("/plan").json()["protected"]["columns"] == ["sex"]
    text = client.get("/metrics").text
    assert "fairmend_rows_total 30" in text
    assert "fairmend_distinct_keys 30" in text
    assert 'fairmend_requests_total{path="/repair",status="200"} 1' in text
    assert 'fairmend_repair_seconds_bucket{le="+Inf"} 1' in text
    described = client.get("/openapi.json").json()
    record = described["paths"]["/repair"]["post"]["requestBody"]["content"]["application/json"]
    assert record["schema"]["oneOf"][0]["required"] == ["college", "hours", "id", "sex", "wage"]


# Secrets


def test_a_token_is_asked_for_everywhere_but_where_it_is_not(client_of, people):
    client = client_of(token="s3cret")
    for path in ("/plan", "/metrics", "/openapi.json", "/nothing"):
        assert client.get(path).status_code == 401
    assert client.get("/health").status_code == 200
    record = people.to_pylist()[0]
    for wrong in ("Bearer s3cre", "Bearer s3crets", "Basic s3cret", "s3cret", "Bearer \xe9"):
        answer = client.post(
            "/repair", json=record, headers={b"authorization": wrong.encode("latin1")}
        )
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"] == "Bearer"
    assert post(client, record, authorization="Bearer s3cret").status_code == 200
    assert (
        client.get("/openapi.json", headers={"authorization": "bearer s3cret"}).status_code == 200
    )


def test_the_seed_is_in_no_answer_and_nobody_is_in_the_log(client_of, people, caplog):
    caplog.set_level(logging.DEBUG)
    client = client_of()
    strange = {**people.to_pylist()[0], "sex": "Martian"}
    answers = [post(client, people.to_pylist()[:5]), post(client, strange), post(client, b"{")]
    answers += [client.get(path) for path in ("/plan", "/metrics", "/openapi.json", "/health")]
    for answer in answers:
        assert str(SEED) not in answer.text + str(answer.headers)
    assert "Martian" not in caplog.text
    assert str(SEED) not in caplog.text
    assert str(SEED) not in repr(client.app.user_middleware)


def test_a_fault_of_ours_is_logged_by_its_place_only(client_of, people, caplog, monkeypatch):
    def fail(*args, **kwargs):
        message = "this message holds sex='F'"
        raise ZeroDivisionError(message)

    monkeypatch.setattr(fairmend.Plan, "repair", fail)
    answer = post(client_of(), people.to_pylist()[0])
    assert answer.status_code == 500
    assert answer.json() == {"detail": "A fault of the server's own; its log says where."}
    assert "ZeroDivisionError (" in caplog.text
    assert "sex=" not in caplog.text


# Hostile bodies

RECORD = {"id": 1, "sex": "F", "college": 0, "hours": 40, "wage": 12.5}
HOSTILE = {
    "nothing": (b"", 400, "not JSON"),
    "half": (b'{"id": 1,', 400, "line 1"),
    "not UTF-8": (b'{"id": "\xff"}', 400, "UTF-8"),
    "NaN": (b'{"id": 1, "wage": NaN}', 400, "NaN"),
    "a very long number": (b'{"id": ' + b"9" * 100_000 + b"}", 400, "too long"),
    "deep": (b"[" * 200_000, 400, "nested"),
    "a number": (b"7", 422, "one record"),
    "a list of numbers": (b"[1, 2]", 422, "list of such objects"),
    "no members": (b"{}", 422, "lack"),
    "no key": ({**RECORD, "id": None}, 422, "same draw"),
    "a real key": ({**RECORD, "id": 1.5}, 422, "'id'"),
    "a huge key": ({**RECORD, "id": 2**70}, 422, "64 bits"),
    "a true key": ({**RECORD, "id": True}, 422, "'id'"),
    "a nested feature": ({**RECORD, "wage": {"a": 1}}, 422, "'wage'"),
    "a text feature": ({**RECORD, "wage": "12.5"}, 422, "'wage'"),
    "a true feature": ({**RECORD, "hours": True}, 422, "'hours'"),
    "an infinite feature": ({**RECORD, "wage": 1e999}, 400, "infinity"),
    "an inexact feature": ({**RECORD, "wage": 2**60}, 422, "2^53"),
    "a nested group": ({**RECORD, "sex": ["F"]}, 422, "'sex'"),
    "no group": ({**RECORD, "sex": None}, 422, "missing"),
    "a strange group": ({**RECORD, "sex": "\x00'; DROP TABLE"}, 422, "no plan"),
    "half a character": ({**RECORD, "id": "\ud800"}, 422, "'id'"),
    "one key for all": ([RECORD] * 30, 422, "1 distinct values in 30 rows"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_json_is_refused_with_what_to_do(client, name):
    body, status, said = HOSTILE[name]
    if name == "an infinite feature":
        body = json.dumps(body).replace("Infinity", "1e999").encode()
    answer = post(client, body)
    assert answer.status_code in (status, 422)
    assert said in answer.json()["detail"] or name == "an infinite feature"
    assert "Traceback" not in answer.text


def test_bodies_of_another_type_size_or_pace_are_refused(client_of, people):
    client = client_of(limits=Limits(2_000, 10, 0.2))
    assert post(client, b"id,sex", "text/csv").status_code == 415
    assert client.post("/repair").status_code == 415
    answer = post(client, b" " * 2_001)
    assert answer.status_code == 413
    assert "2,000 bytes" in answer.json()["detail"]
    in_parts = client.post(
        "/repair", content=iter([b" " * 1_500] * 2), headers={"content-type": "application/json"}
    )
    assert in_parts.status_code == 413
    assert post(client, people.to_pylist()[:11]).status_code == 413
    assert client.get("/repair").status_code == 405
    assert client.get("/nothing").status_code == 404


def test_a_repair_that_takes_too_long_is_answered(client_of, people, monkeypatch):
    import time

    def slow(*args, **kwargs):
        time.sleep(0.4)

    monkeypatch.setattr(fairmend.Plan, "repair", slow)
    answer = post(client_of(limits=Limits(10_000, 10, 0.05)), people.to_pylist()[0])
    assert answer.status_code == 503


def test_hostile_streams_are_refused(client_of, people):
    client = client_of(limits=Limits(200_000, 1_000, 5.0))
    sound = stream_of(people)
    refused = {
        b"": 400,
        b"ARROW1\x00\x00": 400,
        sound[: len(sound) // 2]: 400,
        b"\xff\xff\xff\xff\xff\xff\xff\x7f": 400,
        stream_of(people, compression="zstd"): 400,
        stream_of(pa.concat_tables([people] * 2)): 413,
        stream_of(people.drop_columns("id")): 422,
        stream_of(pa.table([[1], [2]], names=["id", "id"])): 422,
        stream_of(pa.table({"id": pa.nulls(10**9)})): 413,
    }
    for body, status in refused.items():
        answer = post(client, body, ARROW)
        assert answer.status_code == status, answer.text
        assert answer.json()["detail"]
    flipped = np.frombuffer(sound, dtype=np.uint8).copy()
    draw = np.random.default_rng(1)
    for _ in range(100):
        at = draw.integers(0, 1_000)
        was, flipped[at] = flipped[at], draw.integers(0, 256)
        assert post(client, flipped.tobytes(), ARROW).status_code in (200, 400, 413, 422)
        flipped[at] = was


def views_of(text, n):
    """Make n views of the same text."""
    views = np.zeros((n, 4), dtype=np.int32)
    views[:, 0] = len(text)
    views[:, 1] = int.from_bytes(text[:4], "little")
    buffers = [None, pa.py_buffer(views.tobytes()), pa.py_buffer(text)]
    return pa.Array.from_buffers(pa.string_view(), n, buffers)


def test_streams_that_stand_for_more_than_they_are_get_refused(client_of, people):
    client = client_of(limits=Limits(200_000, 1_000, 5.0))
    text = b"x" * 50_000  # 900 times: 45 MB of 200 kB
    places = pa.array(np.zeros(900, dtype=np.int8))

    def answer(column, at=1):
        table = people.append_column("note", column) if at is None else people
        table = table if at is None else table.set_column(at, table.column_names[at], column)
        return post(client, stream_of(table), ARROW)

    one = pa.array([text.decode()])
    by_place = pa.DictionaryArray.from_arrays(places, one)
    nested = pa.StructArray.from_arrays([views_of(text, 900)], names=["deep"])
    lists = pa.ListArray.from_arrays(np.arange(901, dtype=np.int32), views_of(text, 900))
    for bomb in (views_of(text, 900), by_place, nested, lists):
        for at in (0, 1, None):
            refused = answer(bomb, at)
            assert refused.status_code == 413
            assert "larger than 2,000,000 bytes" in refused.json()["detail"]
    nobody = pa.DictionaryArray.from_arrays(places, pa.nulls(10**7))
    assert "10,000,000 entries" in answer(nobody).json()["detail"]
    runs = pa.RunEndEncodedArray.from_arrays(pa.array([900], pa.int32()), pa.array(["M"]))
    inner = pa.DictionaryArray.from_arrays(places, pa.array([["M"]]))
    for folded in (runs, inner):
        assert answer(folded).status_code == 422
        assert "Send its values as they are" in answer(folded).json()["detail"]


def test_streams_of_views_and_dictionaries_are_repaired(client, people, wanted):
    import polars as pl

    body = io.BytesIO()
    pl.from_arrow(people).write_ipc_stream(body)
    coded = people.set_column(1, "sex", people["sex"].combine_chunks().dictionary_encode())
    for sent in (body.getvalue(), stream_of(coded)):
        found = pa.ipc.open_stream(post(client, sent, ARROW).content).read_all()
        assert found["wage"].equals(wanted["wage"])
    gaps = people.append_column("note", pa.array([None, "a", *["é"] * 898]).dictionary_encode())
    assert post(client, stream_of(gaps[1:]), ARROW).status_code == 200


def test_an_answer_does_not_repeat_texts_of_any_length(client, people):
    refused = post(client, {**people.to_pylist()[0], "sex": "x" * 100_000})
    assert refused.status_code == 422
    assert "there is no plan for them" in refused.json()["detail"]
    assert len(refused.content) < 3_000


def test_compression_is_seen_in_dictionaries_too(people):
    coded = people.set_column(1, "sex", people["sex"].combine_chunks().dictionary_encode())
    streams.refuse_compressed(stream_of(coded))
    with pytest.raises(Exception, match="compressed"):
        streams.refuse_compressed(stream_of(coded, compression="lz4"))


def test_an_application_needs_a_key_and_whole_secrets(plan):
    with pytest.raises(OptionError, match="must not be empty"):
        create_app(plan, SEED, key=())
    with pytest.raises(OptionError, match="must not be empty"):
        create_app(plan, SEED, key="id", token="")
    with pytest.raises(RowKeyError, match="whole group"):
        create_app(plan, SEED, key="sex")
