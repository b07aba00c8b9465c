import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from sklearn.linear_model import LogisticRegression

import fairmend
from fairmend.errors import AuditError, ColumnError, DataError, OptionError
from fairmend.measures.inference.examine import examine
from fairmend.report.content import Content


def leaves(content: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """List what a dict holds, with the way to it."""
    if isinstance(content, dict | list):
        items = content.items() if isinstance(content, dict) else enumerate(content)
        for name, part in items:
            yield from leaves(part, (*at, name))
    else:
        yield at, content


def whole(content):
    rows = content["dependence"]["rows"]
    return {row["feature"]: row for row in rows if row["stratum"] is row["groups"] is None}


def test_it_has_all_that_a_report_says_as_plain_content(audited):
    assert set(audited.content) == Content.__required_keys__
    empty = [name for name, part in audited.content.items() if not part]
    assert empty == ["unseen", "combinations"], "every part that was asked for was measured"
    assert json.loads(audited.to_json()) == json.loads(json.dumps(audited.to_dict()))
    audited.to_dict()["plan"].clear()
    assert audited.content["plan"]["protected"] == ["sex"], "what is given away is a copy"


def test_the_same_tables_give_the_same_audit(case, audited):
    again = fairmend.audit(*case, leak=False)
    assert again.content["dependence"] == audited.content["dependence"]
    assert again.content["damage"] == audited.content["damage"]


def test_every_table_type_gives_the_same_audit(case, as_table):
    expected = fairmend.audit(*case, leak=False).content
    found = fairmend.audit(as_table(case.archive), as_table(case.repaired), case.plan, leak=False)
    assert found.content == expected


def test_dependence_is_what_examine_finds(case, content):
    found = whole(content)
    for when, table in (("before", case.archive), ("after", case.repaired)):
        pay = examine(
            {"pay": table["pay"].to_numpy()},
            case.archive["sex"],
            case.archive["college"],
            kinds={"pay": "continuous"},
        ).features["pay"]
        assert pay.total is not None
        assert found["pay"]["e"][when]["value"] == pytest.approx(pay.total.e.value, rel=0.1)
        assert found["pay"]["tv"][when]["raw"] == pytest.approx(pay.total.tv.raw)
    assert found["age"]["rows"] == len(case.archive) - case.archive["age"].null_count
    for row in found.values():
        assert row["e"]["after"]["value"] < 0.2 * row["e"]["before"]["value"]
        assert row["e"]["before"]["low"] > row["e"]["after"]["high"]


def test_adversaries_see_features_columns_and_each_column(content):
    rows = {(row["sees"], row["name"]): row for row in content["leak"]["rows"]}
    features, columns = content["leak"]["rows"][:2]
    assert (features["sees"], columns["sees"]) == ("features", "columns")
    assert features["before"]["value"] > features["after"]["value"] + 0.1
    assert columns["after"]["value"] > 0.85, "the hat gives it away"
    hat = rows["column", "hat"]
    assert hat["before"] == hat["after"], "tested once"
    assert not hat["is_feature"]
    assert hat["drop"] > 0.3
    assert hat["verdict"] == "above tolerance"
    assert {name for sees, name in rows if sees == "column"} == {
        "age", "pay", "job", "hat", "hired", "joined"
    }  # fmt: skip
    assert "itself" in content["leak"]["unseen"]["sex"]


def test_columns_that_are_not_handed_on_are_not_seen(case):
    archive = case.archive.drop_columns(["joined", "hired"])
    repaired = case.repaired.drop_columns(["sex", "joined", "hired"])
    found = fairmend.audit(
        archive, repaired, case.plan, exclude=["hat"], adversary=LogisticRegression()
    ).content["leak"]
    assert [row["name"] for row in found["rows"][2:]] != []
    assert "hat" not in {row["name"] for row in found["rows"]}
    assert found["unseen"] == {}
    assert found["rows"][0]["after"] == found["rows"][1]["after"], "nothing else is left"


def test_a_repaired_archive_without_its_groups_says_the_same_of_its_features(case):
    repaired = case.repaired.drop_columns(["sex"])
    with_groups = fairmend.audit(*case, leak=False)
    without = fairmend.audit(case.archive, repaired, case.plan, leak=False)
    assert without.content == with_groups.content


def test_no_value_of_a_person_and_no_small_count_is_in_it():
    rng = np.random.default_rng(8)
    n = 600
    sex, pay = rng.choice(["F", "M"], n), rng.integers(20, 60, n).astype(float)
    sex[:3], pay[3] = "X", 31_415.5
    town = np.where(np.arange(n) == 7, "Kleinkleckersdorf", "Berlin")
    missing = np.isin(np.arange(n), [9, 10, 11])
    note = [f"note{i}" for i in range(n)]
    table = pa.table(
        {
            "sex": sex,
            "pay": pay,
            "town": town,
            "age": pa.array(pay % 40, mask=missing),
            "note": note,
        }
    )
    plan = fairmend.design(table, protected="sex", features=["pay", "age"], min_group_size=2)
    found = fairmend.audit(table, plan.repair(table, seed=77_001_234), plan, leak=False)
    text = found.to_json()
    for secret in ("31415", "Kleinkleckersdorf", "77001234", "note7"):
        assert secret not in text
    counted = {"rows", "research_rows", "rows_used", "unseen"}
    for at, value in leaves(found.content):
        if isinstance(value, int) and not isinstance(value, bool) and at[-1] in counted:
            assert value == 0 or value >= 5, at
    assert "seed" not in text.replace("The seed is in no file of an audit", "").replace(
        "the seed, a row", ""
    )
    few = [row for row in found.content["damage"]["rows"] if row["group"] == "sex='X'"]
    assert few == []


def test_unseen_groups_are_counted_and_left_out(case):
    sex = np.array(case.archive["sex"], dtype=object)
    sex[:20] = "X"
    tables = [table.set_column(0, "sex", pa.array(sex)) for table in (case.archive, case.repaired)]
    found = fairmend.audit(*tables, case.plan, leak=False).content
    assert found["unseen"] == 20
    assert found["summary"]["verdict"] != "within tolerance", "nobody tested who can tell"
    assert whole(found)["pay"]["rows"] == len(sex) - 20
    assert any("20 rows have no group" in limit for limit in found["limits"])


def test_groups_too_small_to_compare_leave_nothing_measured(case):
    tables = [table.slice(0, 6) for table in (case.archive, case.repaired)]
    found = fairmend.audit(*tables, case.plan)
    assert found.verdict == "insufficient evidence"
    assert "no adversary was tested" in str(found)
    assert found.content["leak"] is None
    json.dumps(found.to_dict(), allow_nan=False)


def test_several_groups_are_told_apart_pair_by_pair(case):
    rng = np.random.default_rng(3)
    table = pa.table(
        {"g": (g := rng.choice(["a", "b", "c"], 3_000)), "x": rng.normal(g == "c"), "u": g < "z"}
    )
    plan = fairmend.design(table, protected="g", features=["x"])
    rows = fairmend.audit(table, table, plan, leak=False).content["dependence"]["rows"]
    e = {row["groups"]: row["e"]["after"]["value"] for row in rows}
    assert list(e) == [None, "g='a' and g='b'", "g='a' and g='c'", "g='b' and g='c'"]
    assert e["g='a' and g='b'"] < 0.02 < 0.4 < e["g='a' and g='c'"]
    del case


def test_tables_that_are_no_archive_and_its_repair_are_refused(case):
    archive, repaired, plan = case
    with pytest.raises(AuditError, match="archive has 1,600 rows and the repaired"):
        fairmend.audit(archive, repaired.slice(0, 5), plan)
    with pytest.raises(AuditError, match=r"differ in \['sex'\] in [\d,]+ rows"):
        fairmend.audit(archive, repaired.sort_by("pay"), plan)
    with pytest.raises(ColumnError, match="repaired archive has no column 'pay'"):
        fairmend.audit(archive, repaired.drop_columns(["pay"]), plan)
    with pytest.raises(ColumnError, match="archive has no column 'sex'"):
        fairmend.audit(archive.drop_columns(["sex"]), repaired, plan)
    filled = repaired.set_column(2, "age", pc.fill_null(repaired["age"], 30))
    with pytest.raises(DataError, match="missing either before or after"):
        fairmend.audit(archive, filled, plan)
    with pytest.raises(DataError, match="has no rows"):
        fairmend.audit(archive.slice(0, 0), repaired.slice(0, 0), plan)
    with pytest.raises(OptionError, match="tolerances='auc'"):
        fairmend.audit(archive, repaired, plan, tolerances={"auc": 0.6})
    with pytest.raises(ColumnError, match="no column 'when', named by time="):
        fairmend.audit(archive, repaired, plan, time="when")


def test_a_tolerance_moves_the_verdict(case):
    strict = fairmend.audit(*case, leak=False, tolerances={"E": 0.0, "drift": 0.9}).content
    assert strict["dependence"]["tolerance"] == 0.0
    assert "as stated" in strict["dependence"]["reason"]
    assert all(row["verdict"] != "within tolerance" for row in whole(strict).values())
    assert strict["drift"]["verdict"] == "within tolerance"


def test_it_says_itself_and_writes_itself(audited, tmp_path, case):
    assert repr(audited) == f"<fairmend.Audit of 1,600 rows: {audited.verdict}>"
    assert str(audited).startswith("Above tolerance: sex still shows")
    audited.save(tmp_path / "a.json")
    assert json.loads((tmp_path / "a.json").read_text())["rows"] == 1_600
    audited.save(tmp_path / "a.html")
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert page.strip() == audited.to_html(tmp_path / "b.html").strip()
    assert len(page) < 1_000_000
    assert audited._repr_html_().startswith("<iframe ")
    with pytest.raises(fairmend.FairmendError, match=r"a\.json exists already"):
        audited.save(tmp_path / "a.json")
    with pytest.raises(fairmend.FairmendError, match="told by its suffix"):
        audited.save(tmp_path / "a.pdf")
    del case


def test_a_polars_frame_is_not_changed(case):
    frames = [pl.from_arrow(table) for table in (case.archive, case.repaired)]
    copies = [frame.clone() for frame in frames]
    fairmend.audit(*frames, case.plan, leak=False)
    for frame, copy in zip(frames, copies, strict=True):
        assert frame.equals(copy)


def test_rows_without_a_group_or_stratum_are_left_out_and_counted(case):
    gone = np.arange(len(case.archive)) % 10 == 3
    options = {"leak": True, "adversary": LogisticRegression(), "label": "hired"}
    with_gaps = []
    for table in (case.archive, case.repaired):
        sex = pa.array(table["sex"].to_pylist(), mask=gone)
        with_gaps.append(table.set_column(table.column_names.index("sex"), "sex", sex))
    found = fairmend.audit(*with_gaps, case.plan, **options).content
    kept = [table.filter(pa.array(~gone)) for table in (case.archive, case.repaired)]
    expected = fairmend.audit(*kept, case.plan, leak=False).content
    assert (found["rows"], found["unseen"]) == (len(case.archive), int(gone.sum()))
    assert found["dependence"] == expected["dependence"]
    assert any("160 rows have no group or stratum" in one for one in found["limits"])
    assert found["leak"]["rows_used"] == int((~gone).sum())
