import numpy as np
import pytest
from scipy import stats

from fairmend.errors import OptionError
from fairmend.measures.inference.estimate import above_floor, corrected, mean_of, p_value, worst_of
from fairmend.measures.inference.tippett import least_p
from fairmend.measures.inference.verdict import TOLERANCES, judge


def test_a_p_value_counts_the_sample_itself():
    assert p_value(5.0, np.arange(9.0)) == pytest.approx(0.5)
    assert p_value(9.0, np.arange(9.0)) == pytest.approx(0.1)


def test_the_least_p_value_is_uniform_where_there_is_nothing():
    rng = np.random.default_rng(1)
    found = []
    for _ in range(2_000):
        x = rng.normal(size=(100, 2)) @ [[1, 0.8], [0, 0.6]]
        found.append(least_p([x[1:, 0], x[1:, 1]], x[0].tolist()))
    assert np.mean(np.array(found) <= 0.05) == pytest.approx(0.05, abs=0.02)
    assert np.mean(np.array(found) <= 0.5) == pytest.approx(0.5, abs=0.05)


def test_one_statistic_alone_keeps_its_p_value():
    null = np.random.default_rng(2).normal(size=199)
    assert least_p([null], [1.7]) == pytest.approx(p_value(1.7, null))


def test_the_floor_is_taken_off():
    rng = np.random.default_rng(3)
    drawn = rng.normal(0.05, 0.01, 999)
    found = above_floor(0.05, rng.normal(0.05, 0.01, 999), drawn).estimate()
    assert found.low == 0
    assert found.value < 0.02
    far = above_floor(0.5, rng.normal(0.05, 0.01, 999), rng.normal(0.5, 0.01, 999)).estimate()
    assert far.value == pytest.approx(0.4975, abs=0.001)


def part(value, half=0.1):
    rng = np.random.default_rng(int(1_000 * value))
    return corrected(value, np.zeros(9), rng.normal(value, half / 2.35, 5_000), value)


def test_strata_add_up_in_quadrature_and_pairs_do_not():
    parts = [part(0.5), part(0.7), part(0.9), part(1.1)]
    apart = mean_of(parts, np.ones(4), independent=True)
    together = mean_of(parts, np.ones(4), independent=False)
    assert apart.value == pytest.approx(0.8, abs=0.01)
    assert apart.high - apart.low == pytest.approx((together.high - together.low) / 2, rel=0.03)


def test_the_worst_allows_for_having_been_chosen():
    parts = [part(0.5), part(0.5), part(0.52)]
    worst = worst_of(parts, np.zeros(9))
    assert worst.high == max(one.high for one in parts)
    assert worst.value - worst.low > 1.15 * max(one.value - one.low for one in parts)


def test_the_default_tolerances_are_one_and_the_same():
    shift = 0.2
    assert TOLERANCES["e"] == pytest.approx(shift**2 / 2)
    assert TOLERANCES["tv"] == pytest.approx(2 * stats.norm.cdf(shift / 2) - 1, abs=0.001)
    assert TOLERANCES["auc"] == pytest.approx(stats.norm.cdf(shift / np.sqrt(2)), abs=0.005)


@pytest.mark.parametrize(
    ("interval", "words"),
    [
        ((0.0, 0.01), "within tolerance"),
        ((0.0, 0.02), "within tolerance"),
        ((0.01, 0.03), "insufficient evidence"),
        ((0.021, 0.03), "above tolerance"),
    ],
)
def test_words(interval, words):
    assert judge("e", float(np.mean(interval)), interval, 100).words == words


@pytest.mark.parametrize(("measure", "value"), [("auc", 0.54), ("e", 0.01), ("e", 0.04)])
def test_the_rows_that_decide_do_in_four_cases_of_five(measure, value):
    to, back = (np.sqrt, np.square) if measure == "e" else (np.asarray, np.asarray)

    def words(estimate, rows):
        half = 1.2 / np.sqrt(rows)
        interval = back(np.maximum(0, to(estimate) + np.array([-half, half])))
        return judge(measure, estimate, tuple(interval), rows)

    told = words(value, 400)
    assert told.words == "insufficient evidence"
    sd = 1.2 / 1.96 / np.sqrt(told.rows_to_decide)
    drawn = back(to(value) + sd * np.random.default_rng(0).normal(size=2_000))
    again = [words(float(one), told.rows_to_decide).words for one in drawn]
    assert np.mean(np.array(again) != told.words) == pytest.approx(0.8, abs=0.03)


def test_on_the_tolerance_no_number_of_rows_is_named():
    assert judge("e", 0.02, (0.0, 0.05), 1_000).rows_to_decide is None
    assert judge("e", 0.0199999, (0.0, 0.05), 1_000).rows_to_decide is None
    assert judge("e", 0.0221, (0.0, 0.0587), 8_000).rows_to_decide is None


def test_a_tolerance_is_a_number_from_zero():
    with pytest.raises(OptionError, match=r"tolerance=-0\.1 is not possible"):
        judge("e", 0.1, (0.0, 0.2), 10, tolerance=-0.1)
    with pytest.raises(OptionError, match="measure='x' is not known"):
        judge("x", 0.1, (0.0, 0.2), 10)
