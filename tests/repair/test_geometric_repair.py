"""The on-sample baseline."""

import numpy as np
import pandas as pd
import pytest
from repair_tables import to_pandas

from fairmend import GeometricRepair
from fairmend.errors import CellError, ColumnError, DataError, NotOnSampleError, OptionError
from fairmend.transport.geometric import geometric_repair

FEATURES = ["hours", "score", "ratio"]


@pytest.fixture
def repair():
    return GeometricRepair("sex", "college", FEATURES)


def test_each_stratum_and_feature_is_repaired_by_the_two_equations(people, repair, as_table):
    out = to_pandas(repair.fit_transform(as_table(people)))
    for u in (False, True):
        women = (people["college"] == u) & (people["sex"] == "F")
        men = (people["college"] == u) & (people["sex"] == "M")
        for name in FEATURES:
            expected = geometric_repair(people[name][women], people[name][men])
            for rows, its in zip((women, men), expected, strict=True):
                np.testing.assert_allclose(out[name][rows], its, rtol=1e-6)


def test_table_comes_back_as_its_own_type_without_s(people, repair, as_table):
    table = as_table(people)
    out = repair.fit_transform(table)
    assert type(out) is type(table)
    assert list(to_pandas(out)) == ["college", *FEATURES, "id"]
    assert list(repair.get_feature_names_out()) == list(to_pandas(out))
    assert "sex" in to_pandas(repair.set_params(drop_protected=False).fit_transform(table))


def test_integers_come_out_as_floats_and_other_types_stay(people, repair, as_table):
    before = to_pandas(as_table(people))
    after = to_pandas(repair.fit_transform(as_table(people)))
    assert after["hours"].dtype == np.float64
    assert (after["hours"] % 1 != 0).any()
    for name in ("college", "score", "ratio", "id"):
        assert after[name].dtype == before[name].dtype


def test_array_comes_back_as_an_array(people, features):
    repair = GeometricRepair()
    out = repair.fit_transform(features.to_numpy(), sensitive_features=people["sex"])
    table = repair.fit_transform(features, sensitive_features=people["sex"])
    np.testing.assert_allclose(out, table.to_numpy(), rtol=1e-6)
    whole = GeometricRepair(1, features=[0]).fit_transform(
        np.column_stack([people["hours"], people["sex"] == "M"])
    )
    assert whole.dtype == np.float64
    np.testing.assert_allclose(whole[:, 0], table["hours"])


def test_missing_values_are_skipped_and_stay_missing(people, repair, as_table):
    holes = people["id"] % 4 == 0
    people["hours"] = people["hours"].astype("Int64").mask(holes)
    out = to_pandas(repair.fit_transform(as_table(people)))
    assert (out["hours"].isna() == holes).all()
    without = repair.fit_transform(people[~holes])
    np.testing.assert_array_equal(out["hours"][~holes].astype(float), without["hours"])


def test_t_says_which_group_stays(people):
    for t, stays in ((0, "F"), (1, "M")):
        out = GeometricRepair("sex", "college", FEATURES, t=t).fit_transform(people)
        rows = people["sex"] == stays
        assert (out["score"][rows] == people["score"][rows]).all()
        assert not (out["score"][~rows] == people["score"][~rows]).any()


def test_input_is_not_modified_and_nothing_of_it_is_kept(people, repair, as_table):
    table = as_table(people.copy())
    repair.fit_transform(table)
    pd.testing.assert_frame_equal(to_pandas(table), people)
    sizes = [np.size(value) for value in vars(repair).values()]
    assert max(sizes) <= people.shape[1]


def test_any_index_stays(people, repair):
    out = repair.fit_transform(people.set_axis([3] * 300))
    assert list(out.index) == [3] * 300
    np.testing.assert_array_equal(out["score"], repair.fit_transform(people)["score"])


def test_shifts_leak_on_a_heaped_column_as_the_docstring_says(people, repair):
    out = repair.fit_transform(people)
    heap = (people["hours"] == 40) & ~people["college"]
    women, men = (set(out["hours"][heap & (people["sex"] == s)]) for s in "FM")
    assert len(women & men) < 0.2 * len(women | men)


@pytest.mark.parametrize("container", ["pandas", "polars"])
def test_set_output_gives_the_named_container(people, repair, as_table, container):
    out = repair.set_output(transform=container).fit_transform(as_table(people))
    assert type(out).__module__.startswith(container)


# What is refused


def test_fit_and_transform_are_refused_with_the_reason(people, repair):
    with pytest.raises(NotOnSampleError, match="maps that are not defined for any others"):
        repair.fit(people)
    repair.fit_transform(people)
    with pytest.raises(
        NotOnSampleError, match=r"Call fit_transform .* or use DistributionalRepair"
    ):
        repair.transform(people)


@pytest.mark.parametrize("groups", [["a"] * 300, ["a", "b", "c"] * 100])
def test_other_than_two_groups_are_refused_with_their_number(features, groups):
    n = len(set(groups))
    with pytest.raises(OptionError, match=rf"research data has {n}: .* any number of groups"):
        GeometricRepair().fit_transform(features, sensitive_features=groups)


def test_group_without_a_value_in_some_cell_is_refused_by_name(people, repair):
    people["score"] = people["score"].mask(people["college"] & (people["sex"] == "F"))
    with pytest.raises(CellError, match=r"for 'score' where college=True and sex='F', so the"):
        repair.fit_transform(people)


@pytest.mark.parametrize("t", [-0.1, 1.1, None, np.nan])
def test_t_outside_the_geodesic_is_refused(people, t):
    with pytest.raises(OptionError, match="a number from 0 to 1"):
        GeometricRepair("sex", t=t).fit_transform(people)


def test_s_has_to_come_from_somewhere(features):
    with pytest.raises(OptionError, match="There is no protected attribute"):
        GeometricRepair().fit_transform(features)


def test_text_is_no_feature(people):
    with pytest.raises(ColumnError, match=r"'college' is bool \(a number was expected\)"):
        GeometricRepair("sex").fit_transform(people)


def test_two_roles_and_no_feature_are_refused(people):
    with pytest.raises(ColumnError, match="'sex' is named by protected= and features="):
        GeometricRepair("sex", features=["sex"]).fit_transform(people)
    with pytest.raises(OptionError, match="No feature is left"):
        GeometricRepair("sex", features=[]).fit_transform(people)


def test_missing_group_and_infinite_value_are_refused(people):
    people["score"] = people["score"].where(people["id"] > 100, -np.inf)
    with pytest.raises(DataError, match="infinite values in 'score'"):
        GeometricRepair("sex", features=["score"]).fit_transform(people)
    people["sex"] = people["sex"].mask(people["id"] < 100)
    with pytest.raises(DataError, match="missing values in 'sex'"):
        GeometricRepair("sex", features=["ratio"]).fit_transform(people)


def test_no_rows_are_refused(people, repair, as_table):
    with pytest.raises(DataError, match="no rows"):
        repair.fit_transform(as_table(people)[:0])


def test_column_that_is_not_there_is_refused_by_its_parameter(people):
    with pytest.raises(ColumnError, match="named by unprotected="):
        GeometricRepair("sex", "College", ["score"]).fit_transform(people)
