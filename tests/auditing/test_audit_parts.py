import numpy as np
import pyarrow as pa
import pytest

import fairmend
from fairmend.auditing import damage as damage_module
from fairmend.errors import ColumnError


def damage_of(content, *at):
    keys = ("feature", "stratum", "group")
    rows = content["damage"]["rows"]
    return next(row for row in rows if tuple(row[key] for key in keys) == at)


def test_damage_is_measured_everywhere_and_for_every_group(case, content):
    archive, repaired = case.archive, case.repaired
    sex, college = (archive[name].to_numpy() for name in ("sex", "college"))
    for at, rows in (
        (("pay", None, None), college >= 0),
        (("pay", "college=1", None), college == 1),
        (("pay", None, "sex='F'"), sex == "F"),
        (("pay", "college=0", "sex='M'"), (college == 0) & (sex == "M")),
    ):
        x, y = (table["pay"].to_numpy()[rows] for table in (archive, repaired))
        expected = fairmend.damage(x, y, college[rows]).to_dict()
        found = damage_of(content, *at)
        assert found["rows"] == expected.pop("n") == rows.sum()
        assert {name: found[name] for name in expected} == pytest.approx(expected)
        assert found["rmse_deviations"] == pytest.approx(expected["rmse"] / x.std())
    job = damage_of(content, "job", None, None)
    assert job["rmse"] is job["rank_correlation"] is None
    assert 0 < job["share_changed"] < 1
    (pair,) = content["damage"]["correlations"]
    x, y = (archive[name].to_pandas() for name in ("age", "pay"))
    assert pair["before"] == pytest.approx(x.corr(y, method="spearman"))


def test_damage_of_a_sample_is_that_of_all(case, content, monkeypatch):
    monkeypatch.setattr(damage_module, "MOST_ROWS", 500)
    found = fairmend.audit(*case, leak=False).content
    assert found["damage"]["rows_used"] == 500
    some, all_ = (damage_of(one, "pay", None, None) for one in (found, content))
    assert some["rows"] == all_["rows"]
    assert some["rmse"] == pytest.approx(all_["rmse"], rel=0.15)


def test_missing_values_are_compared_between_groups(case, content):
    missing = {(row["feature"], row["stratum"]): row for row in content["missing"]}
    assert set(missing) == {("age", None), ("age", "college=0"), ("age", "college=1")}
    gone = np.isnan(case.archive["age"].to_numpy())
    here = case.archive["college"].to_numpy() == 1
    sex = case.archive["sex"].to_numpy()
    shares = [gone[here & (sex == g)].mean() for g in ("F", "M")]
    row = missing["age", "college=1"]
    assert [group["before"] for group in row["groups"]] == pytest.approx(shares)
    assert row["before"] == pytest.approx(shares[1] - shares[0])


def test_half_a_standard_deviation_of_drift_is_flagged_and_none_is_not(case, content):
    assert not content["drift"]["detected"]
    shifted = [
        table.set_column(3, "pay", pa.array(table["pay"].to_numpy() + 2.0)) for table in case[:2]
    ]
    drift = fairmend.audit(*shifted, case.plan, leak=False).content["drift"]
    assert drift["detected"]
    assert drift["verdict"] != "within tolerance"
    assert "'pay'" in drift["words"]
    assert {cell["feature"] for cell in drift["cells"] if cell["detected"]} == {"pay"}


def test_drift_is_looked_for_by_period(case, content):
    periods = content["drift"]["periods"]
    assert [period["name"] for period in periods][:2] == ["2020-01", "2020-02"]
    assert len(periods) == 23
    assert sum(period["rows"] for period in periods) == 1_600
    late = case.archive["joined"].to_numpy() >= np.datetime64("2021-09-01")
    moved = pa.array(case.archive["pay"].to_numpy() + 8.0 * late)
    archive = case.archive.set_column(3, "pay", moved)
    drift = fairmend.audit(archive, case.repaired, case.plan, leak=False, time="joined").content[
        "drift"
    ]
    flagged = {period["name"] for period in drift["periods"] if period["detected"]}
    assert flagged
    assert flagged <= {"2021-09", "2021-10", "2021-11"}


def test_periods_of_numbers_and_labels(case):
    for column, names in (
        (np.arange(1_600), ["part 1 of 12", "part 2 of 12"]),
        (np.arange(1_600) % 3, ["0", "1", "2"]),
        (np.array(["b", "a"])[np.arange(1_600) % 2], ["a", "b"]),
    ):
        archive = case.archive.append_column("at", pa.array(column))
        drift = fairmend.audit(archive, case.repaired, case.plan, leak=False, time="at").content
        periods = drift["drift"]["periods"]
        assert [period["name"] for period in periods][: len(names)] == names
        assert "by whom" not in str(periods)
    archive = case.archive.append_column("at", pa.array([f"t{i % 99}" for i in range(1_600)]))
    with pytest.raises(ColumnError, match="has 99 values, and at most 24 periods"):
        fairmend.audit(archive, case.repaired, case.plan, leak=False, time="at")


def test_columns_of_one_value_are_shown_to_no_adversary():
    table = pa.table({"g": ["a", "b"] * 100, "x": [1.0] * 200})
    plan = fairmend.design(table, protected="g", features=["x"])
    leak = fairmend.audit(table, table, plan, exclude=["g"]).content["leak"]
    assert [row["after"] for row in leak["rows"]] == [None, None]
    assert list(leak["unseen"]) == ["x"]
