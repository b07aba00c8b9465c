import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairmend.errors import CellError, DataError, OptionError
from fairmend.measures.disparate import disparate_impact, disparate_treatment

HIRED = [1, 0, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0]
SEX = (["f"] * 4 + ["m"] * 4) * 2
DEGREE = ["no"] * 8 + ["yes"] * 8


@st.composite
def decisions(draw):
    rows = draw(
        st.lists(
            st.tuples(st.integers(0, 2), st.sampled_from("abc"), st.integers(0, 1)), min_size=6
        )
    )
    # Every group in every stratum, and both decisions.
    rows += [(y, s, u) for y in (0, 1) for s in "abc" for u in (0, 1)]
    return (np.array(column) for column in zip(*rows, strict=True))


def test_impact_is_the_ratio_of_rates():
    assert disparate_impact(HIRED, SEX, DEGREE, reference="m") == {"no": 0.5, "yes": 2.0}
    assert disparate_impact(HIRED, SEX, DEGREE, reference="f") == {"no": 2.0, "yes": 0.5}
    assert disparate_impact(HIRED, SEX, reference="m") == {None: 1.0}


def test_impact_counts_the_favourable_prediction():
    words = np.where(np.array(HIRED) == 1, "yes", "no")
    found = disparate_impact(words, SEX, DEGREE, reference="m", favourable="yes")
    assert found == {"no": 0.5, "yes": 2.0}
    found = disparate_impact(HIRED, SEX, DEGREE, reference="m", favourable=0)
    assert found == {"no": 1.5, "yes": pytest.approx(2 / 3)}


@given(decisions())
def test_impact_is_that_of_the_group_worst_off(columns):
    y, s, u = columns
    found = disparate_impact(y, s, u, reference="b")
    for level, ratio in found.items():
        here = u == level
        rates = {g: np.mean(y[here & (s == g)] == 1) for g in "abc"}
        assert ratio == pytest.approx(min(rates["a"], rates["c"]) / rates["b"])


@given(decisions())
def test_treatment_is_the_largest_difference(columns):
    y, s, u = columns
    largest = max(
        abs(np.mean(y[(s == g) & (u == v)] == k) - np.mean(y[u == v] == k))
        for k in range(3)
        for g in "abc"
        for v in (0, 1)
    )
    assert disparate_treatment(y, s, u) == pytest.approx(largest)


def test_treatment_by_hand():
    # In each stratum 3 of 8 are hired, 1 of 4 and 2 of 4 by sex.
    assert disparate_treatment(HIRED, SEX, DEGREE) == pytest.approx(0.125)
    assert disparate_treatment(HIRED, SEX) == 0


def test_nobody_of_the_reference_is_inf_and_nobody_at_all_is_nan():
    predictions = [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1]
    groups, strata = ["f", "f", "m", "m"] * 3, [1] * 4 + [2] * 4 + [3] * 4
    found = disparate_impact(predictions, groups, strata, reference="m")
    assert found == {1: np.inf, 2: pytest.approx(np.nan, nan_ok=True), 3: 0.0}


def test_one_group_without_rate_among_more_is_nan():
    groups = ["a", "b", "c"] * 2
    found = disparate_impact([1, 0, 0, 1, 0, 0], groups, reference="b")
    assert np.isnan(found[None])


def test_groups_that_a_stratum_lacks_are_left_out():
    predictions, groups, strata = [*HIRED, 1], [*SEX, "x"], [*DEGREE, "yes"]
    found = disparate_impact(predictions, groups, strata, reference="m")
    assert found == {"no": 0.5, "yes": 2.0}
    # 4 of 9 are hired with a degree, and x is always.
    assert disparate_treatment(predictions, groups, strata) == pytest.approx(5 / 9)


@pytest.mark.parametrize("library", [np.array, pd.Series, pl.Series, pa.array])
def test_any_library_gives_the_same(library):
    columns = library(HIRED), library(SEX), library(DEGREE)
    assert disparate_impact(*columns, reference="m") == {"no": 0.5, "yes": 2.0}
    assert disparate_treatment(*columns) == pytest.approx(0.125)


def test_booleans_are_favourable_as_one():
    found = disparate_impact(np.array(HIRED, dtype=bool), SEX, DEGREE, reference="m")
    assert found == {"no": 0.5, "yes": 2.0}


def test_reference_must_be_a_group():
    with pytest.raises(OptionError, match=r"group='M'.*groups are \['f', 'm'\]"):
        disparate_impact(HIRED, SEX, reference="M")


def test_somebody_must_be_favoured():
    words = np.where(np.array(HIRED) == 1, "yes", "no")
    with pytest.raises(OptionError, match=r"in \['no', 'yes'\]. Pass one of them in favourable="):
        disparate_impact(words, SEX, reference="m")


def test_scores_are_not_listed_one_by_one():
    scores = np.linspace(0, 0.9, 16)
    with pytest.raises(OptionError, match="6 more"):
        disparate_impact(scores, SEX, reference="m")


def test_strata_without_comparison_are_all_named():
    predictions, groups, strata = [1, 0, 1, 0], ["f", "m", "f", "m"], ["a", "b", "c", "c"]
    with pytest.raises(CellError, match=r"'a', groups=\['f'\]; stratum='b', groups=\['m'\]"):
        disparate_impact(predictions, groups, strata, reference="m")


@pytest.mark.parametrize("measure", [disparate_treatment, disparate_impact])
def test_rows_are_checked(measure):
    options = {"reference": "m"} if measure is disparate_impact else {}
    with pytest.raises(DataError, match=r"predictions= has 1, groups= has 2, strata= has 3"):
        measure([1], ["f", "m"], [0, 0, 0], **options)
    with pytest.raises(DataError, match=r"'predictions' \(1 rows\), 'strata' \(1 rows\)"):
        measure([1, None], ["f", "m"], ["a", None], **options)
    with pytest.raises(CellError, match="Pass rows of at least 2 groups"):
        measure([1, 0], ["m", "m"], **options)
