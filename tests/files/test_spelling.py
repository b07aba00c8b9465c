"""The text of a field must not tell whether its value was moved."""

import numpy as np
import pyarrow as pa
import pytest

from fairmend.files.csv import read_csv
from fairmend.files.design import design_file
from fairmend.files.repair import repair_file
from fairmend.files.spelling import spelt
from fairmend.frames.codec import Codec

NUMBER = Codec("number")


def written(text, before, after, codec=NUMBER, planned=None, **options):
    columns = [pa.chunked_array([column]) for column in (text, before, after)]
    rows = np.ones(len(text), bool) if planned is None else np.array(planned, bool)
    return spelt(*columns, codec, rows, **options).to_pylist()


def test_values_are_written_in_one_way_whether_moved_or_not():
    text = ["1.0", "1", "+1", " 1.00", "1e0", "0.50", "-0.0", "0"]
    before = [1.0, 1.0, 1.0, 1.0, 1.0, 0.5, -0.0, 0.0]
    after = [1.0, 0.0, 1.0, 0.5, 1.0, 0.5, -0.0, 1.0]
    assert written(text, before, after) == ["1", "0", "1", "0.5", "1", "0.5", "0", "1"]
    assert written(["007", "7"], [7, 7], [7, 8]) == ["7", "8"]


def test_missing_fields_and_rows_without_a_plan_keep_their_text():
    found = written(["NA", "1.0", "1.0"], [None, 1.0, 1.0], [None, 1.0, 1.0], planned=[1, 0, 1])
    assert found == ["NA", "1.0", "1"]


def test_where_missing_is_a_state_its_text_tells_nothing_either():
    text, before, after = ["NA", "NA", "2.0"], [None, None, 2.0], [None, 1.0, None]
    assert written(text, before, after, missing_too=True) == ["", "1", ""]


def test_a_moved_value_is_never_shown_by_its_old_text():
    assert written(["1.0"], [1.0], [2.0], planned=[0]) == ["2"]
    assert written(["1.0"], [1.0], [None], planned=[0]) == [""]


def test_categories_are_spelt_as_in_the_plan():
    codec = Codec("category", (False, True))
    found = written(["True", "false", "?"], ["True", "false", "?"], ["True", "true", "?"], codec)
    assert found == ["true", "true", "?"]
    found = written(["True", "True"], ["True"] * 2, ["true", "false"], codec, planned=[0, 0])
    assert found == ["True", "false"]
    codec = Codec("category", ("1", "2"))
    assert written(["1.0", "2"], ["1.0", "2"], ["1.0", "1"], codec) == ["1", "1"]


@pytest.mark.parametrize("parting", ["T", " "])
def test_times_are_written_in_the_form_of_the_column(parting):
    text = pa.array([f"2024-01-01{parting}12:00", "2024-01-01"])
    before = text.cast(pa.timestamp("s"))
    after = pa.array(["2024-01-02 08:30:00", "2024-01-01"]).cast(pa.timestamp("s"))
    found = written(text, before, after, Codec("datetime"))
    assert found == [f"2024-01-02{parting}08:30:00", f"2024-01-01{parting}00:00:00"]


@pytest.fixture
def binary(tmp_path):
    """A flag that depends on the group, spelt 1.0 and 0.0, and a pay with two decimals."""
    rng = np.random.default_rng(3)
    for name, n in (("research", 1_000), ("archive", 4_000)):
        s = rng.integers(0, 2, n)
        flag = rng.random(n) < 0.2 + 0.5 * s
        pay = np.round(rng.normal(20 + 5 * s, 4), 2)
        rows = (f"{a},{b:.1f},{c:.2f}\n" for a, b, c in zip(s, flag, pay, strict=True))
        (tmp_path / f"{name}.csv").write_text("s,flag,pay\n" + "".join(rows))
    design_file(tmp_path / "research.csv", tmp_path / "plan.json", protected=["s"])
    return tmp_path


def test_all_groups_have_the_same_strings(binary):
    repair_file(binary / "archive.csv", binary / "plan.json", binary / "out.csv", seed=7)
    table = read_csv(binary / "out.csv").to_pandas()
    strings = table.groupby("s")["flag"].unique().map(set)
    assert strings.tolist() == [{"0", "1"}, {"0", "1"}]
    assert not table["pay"].str.fullmatch(r".*\.\d*0").any(), "no 21.50 beside 21.5"


@pytest.mark.parametrize("amount", [0.0, 0.5, 1.0])
def test_a_partial_repair_does_not_mark_its_rows_either(binary, amount):
    out = binary / "out.csv"
    repair_file(binary / "archive.csv", binary / "plan.json", out, seed=7, amount=amount)
    assert set(read_csv(out)["flag"].to_pylist()) == {"0", "1"}


def test_only_rows_that_a_policy_leaves_keep_their_text(binary):
    (binary / "odd.csv").write_text("s,flag,pay\n0,1.0,20.00\n9,1.0,20.00\n1,1.0,999.00\n")
    policies = {"unseen": "keep", "out_of_range": "keep"}
    repair_file(binary / "odd.csv", binary / "plan.json", binary / "out.csv", seed=7, **policies)
    flags, pays = (read_csv(binary / "out.csv")[name].to_pylist() for name in ("flag", "pay"))
    assert flags[0] in {"0", "1"}
    assert flags[1] == "1.0"
    assert flags[2] in {"0", "1"}
    assert pays[1:] == ["20.00", "999.00"]
    assert not pays[0].endswith("0")


def test_unseen_categories_keep_their_text_and_others_the_plans(tmp_path):
    rows = "".join(f"{at % 2},{'ab'[at % 3 % 2]}\n" for at in range(60))
    (tmp_path / "r.csv").write_text("s,job\n" + rows)
    design_file(tmp_path / "r.csv", tmp_path / "p.json", protected=["s"])
    (tmp_path / "a.csv").write_text("s,job\n0,a\n1, X \n1,b\n")
    repair_file(tmp_path / "a.csv", tmp_path / "p.json", tmp_path / "o.csv", unseen="keep")
    jobs = read_csv(tmp_path / "o.csv")["job"].to_pylist()
    assert jobs[1] == " X "
    assert {jobs[0], jobs[2]} <= {"a", "b"}


def test_a_byte_order_mark_is_dropped_and_lines_end_in_lf(binary):
    text = (binary / "archive.csv").read_text()
    (binary / "dos.csv").write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode())
    for name in ("archive", "dos"):
        out = binary / f"{name}.out.csv"
        repair_file(binary / f"{name}.csv", binary / "plan.json", out, seed=7)
    assert (binary / "dos.out.csv").read_bytes() == (binary / "archive.out.csv").read_bytes()
