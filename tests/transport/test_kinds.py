import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairmend.transport.kinds import atoms_of, kind_of, lattice_step
from fairmend.transport.points import Points

rng = np.random.default_rng(5)
HEAPED = np.where(rng.random(3_000) < 0.46, 40, rng.integers(1, 99, 3_000)).astype(float)
GRADES = np.round(rng.normal(3, 0.5, 20_000).clip(0, 5), 2)
DOLLARS = rng.integers(1_000, 400_000, 2_000).astype(float)
INFLATED = np.where(rng.random(3_000) < 0.6, 0.0, rng.lognormal(8, 1, 3_000))


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (HEAPED, "discrete"),
        (rng.integers(17, 90, 500).astype(float), "discrete"),
        (np.repeat([0.0, 1.0, 2.0, 3.0, 4.0], [40, 35, 20, 4, 1]), "discrete"),
        (np.append(np.zeros(200), rng.normal(size=4)), "discrete"),
        (np.append(np.zeros(200), rng.normal(size=5)), "mixed"),
        (rng.integers(0, 2, 50).astype(float), "discrete"),
        (np.array([0.0, 1.0]), "discrete"),
        (np.full(40, 3.7), "discrete"),
        (np.array([3.7]), "discrete"),
        (rng.normal(size=5_000), "continuous"),
        (rng.normal(size=3), "continuous"),
        (rng.normal(size=5_000).astype(np.float32).astype(float), "continuous"),
        (DOLLARS, "continuous"),
        (INFLATED, "mixed"),
        (np.minimum(rng.normal(size=1_000), 1.0), "mixed"),
        (GRADES[:1_000], "continuous"),
        (GRADES, "continuous"),
    ],
    ids=[
        "heaped hours",
        "ages",
        "counts with a rare one",
        "an atom and too few to smooth",
        "an atom and a few",
        "binary",
        "one of each",
        "constant",
        "one value",
        "normal",
        "three values",
        "float32",
        "wide integers",
        "zero-inflated",
        "censored",
        "grades of 1,000",
        "grades of 20,000",
    ],
)
def test_kind(values, kind):
    found, reason = kind_of(Points.of(values))
    assert found == kind, reason


@pytest.mark.parametrize("scale", [1e-6, 0.1, 1 / 3, 1e6])
@pytest.mark.parametrize("values", [HEAPED, GRADES[:60], DOLLARS, INFLATED])
def test_kind_does_not_depend_on_units_or_order(values, scale):
    assert kind_of(Points.of(values[::-1] * scale)) == kind_of(Points.of(values))


@pytest.mark.parametrize("n", [20, 60, 100])
def test_grades_that_are_too_few_to_be_discrete_are_laid_on_hundredths(n):
    assert kind_of(Points.of(GRADES[:n]))[0] != "discrete"
    assert lattice_step(np.unique(GRADES[:n])) == pytest.approx(0.01, rel=1e-9)


def test_reason_gives_the_counts():
    heaped = np.repeat([1.0, 2.0, 3.0], [50, 40, 1])
    assert kind_of(Points.of(heaped)) == ("discrete", "3 distinct values in 91 rows")
    wide = np.append(np.zeros(100), np.linspace(1, 2, 300))
    reason = "301 distinct values in 400 rows, of which 1 hold 25%"
    assert kind_of(Points.of(wide)) == ("mixed", reason)


# Either side of each bound of the rule.


@pytest.mark.parametrize(("n", "kind"), [(150, "discrete"), (151, "continuous")])
def test_a_column_of_more_values_than_150_is_a_fine_lattice(n, kind):
    assert kind_of(Points.of(np.repeat(np.arange(float(n)), 2)))[0] == kind


@pytest.mark.parametrize(("tied", "kind"), [(50, "discrete"), (48, "continuous")])
def test_few_values_are_discrete_where_half_of_the_rows_repeat(tied, kind):
    once = np.arange(100.0 - tied) + 0.5
    values = np.append(once * 1.01, np.repeat(-np.arange(1.0, 1 + tied / 2), 2))
    assert kind_of(Points.of(values))[0] == kind


@pytest.mark.parametrize(("rows", "kind"), [(400, "mixed"), (20, "continuous")])
def test_an_atom_stands_out_of_its_neighbours(rows, kind):
    # Of 2,000 normal rows about 470 lie within one bandwidth of 0.
    values = np.append(np.random.default_rng(2).normal(size=2_000), np.zeros(rows))
    assert kind_of(Points.of(values))[0] == kind


def test_the_last_value_of_a_tail_is_no_atom():
    # Nobody is beside it, so that it holds all rows within a bandwidth; they are too few.
    values = np.append(np.random.default_rng(2).normal(size=2_000), np.full(9, 50.0))
    assert kind_of(Points.of(values))[0] == "continuous"


def test_heaped_incomes_of_thousands_of_values_are_mixed_at_their_heaps():
    draws = np.random.default_rng(4)
    incomes = np.round(draws.lognormal(10.5, 0.5, 20_000))
    heaps = draws.choice([30_000.0, 40_000.0, 50_000.0], 20_000)
    values = Points.of(np.where(draws.random(20_000) < 0.3, heaps, incomes))
    assert values.values.size > 10_000
    assert kind_of(values)[0] == "mixed"
    assert atoms_of(values, "mixed").tolist() == [30_000.0, 40_000.0, 50_000.0]
    assert lattice_step(values.values) == 1.0


def test_atoms_are_all_values_or_those_that_stand_out_or_none():
    values = Points.of(np.array([0.0, 0.0, 0.0, 1.0, 1.0, 2.0]))
    assert atoms_of(values, "discrete").tolist() == [0.0, 1.0, 2.0]
    assert atoms_of(values, "categorical").tolist() == [0.0, 1.0, 2.0]
    assert atoms_of(values, "continuous").size == 0
    assert atoms_of(Points.of(INFLATED), "mixed").tolist() == [0.0]


def test_values_of_too_few_rows_are_not_named():
    values = Points.of(np.repeat([0.0, 1.0, 2.0], [9, 3, 2]))
    assert atoms_of(values, "discrete", 3).tolist() == [0.0, 1.0]
    assert atoms_of(values, "ordinal", 4).tolist() == [0.0]
    assert atoms_of(Points.of(INFLATED), "mixed", 2_999).size == 0


# Lattices

INTEGERS = st.lists(st.integers(-50_000, 50_000), min_size=2, max_size=40, unique=True)


@given(INTEGERS, st.sampled_from([1, 2, 10, 250]))
def test_step_of_integers_is_the_greatest_common_divisor_of_their_gaps(integers, times):
    gaps = np.diff(np.sort(integers)) * times
    values = np.sort(integers) * float(times)
    assert lattice_step(values) == np.gcd.reduce(gaps)


@given(
    st.lists(st.integers(0, 100_000), min_size=8, max_size=40, unique=True),
    st.sampled_from([1e-6, 0.01, 0.1, 1 / 3, 7.3]),
    st.integers(-5, 5),
)
def test_step_is_found_in_other_units_too(integers, scale, shift):
    values = np.sort(integers).astype(float)
    step = lattice_step(values)
    if np.diff(values).min() > 1_000 * step:
        return  # said not to be looked for
    assert lattice_step(values * scale + shift * scale) == pytest.approx(step * scale, rel=1e-9)


@pytest.mark.parametrize("n", [3, 4, 5, 10, 1_000])
def test_numbers_without_a_step_have_none(n):
    draws = np.random.default_rng(n)
    for _ in range(20):
        assert lattice_step(np.sort(draws.normal(size=n))) == 0.0
        assert lattice_step(np.sort(draws.lognormal(6, 2, size=n))) == 0.0


def test_last_bits_of_huge_numbers_are_no_lattice():
    assert lattice_step(np.sort(np.random.default_rng(0).lognormal(40, 1, 50))) == 0.0
    assert lattice_step(np.sort(np.random.default_rng(1).normal(size=50) * 1e300)) == 0.0
    assert lattice_step(np.array([0.0, 5e-324, 1.0])) == 0.0


def test_one_value_has_no_step():
    assert lattice_step(np.array([2.0])) == 0.0
    assert lattice_step(np.empty(0)) == 0.0


def test_step_of_cents_is_a_cent_to_the_last_places():
    cents = np.round(np.random.default_rng(1).lognormal(6, 1, 400), 2)
    assert lattice_step(np.unique(cents)) == pytest.approx(0.01, rel=1e-12)
