import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairmend.transport.kinds import lattice_step
from fairmend.transport.lattice import Lattice


@given(
    st.lists(st.integers(-(10**7), 10**7), min_size=2, max_size=30),
    st.integers(0, 6),
    st.lists(st.integers(0, 30), max_size=5),
    st.booleans(),
)
def test_parts_have_together_the_lattice_of_all_values(whole, digits, cuts, spoiled):
    values = np.array(whole) / 10.0**digits
    if spoiled:
        values[0] = np.pi
    parts = [Lattice.of(np.unique(part)) for part in np.split(values, sorted(cuts))]
    assert Lattice.together(parts) == Lattice.of(np.unique(values))
    assert Lattice.together(parts[::-1]) == Lattice.of(np.unique(values))


def test_parts_of_other_decimals_and_sizes():
    parts = [Lattice.of(np.array(x)) for x in ([0.5, 1.5], [10.0, 30.0], [0.25], [])]
    assert Lattice.together(parts).step == 0.25
    huge = Lattice.of(np.array([0.0, 2.0**45]))
    assert huge.step == 2.0**45
    assert Lattice.together([huge, parts[0]]).digits is None, "more than a float can hold"


def test_the_step_is_that_of_the_values():
    values = np.array([0.1, 0.4, 1.0])
    assert Lattice.of(values).step == lattice_step(values) == pytest.approx(0.3)


def test_means_go_back_to_the_lattice_in_its_own_spelling():
    cents = Lattice.of(np.array([0.07, 1.21, 2.0]))
    assert cents.nearest(np.array([1.2149, 0.0699])).tolist() == [1.21, 0.07]
    assert Lattice.of(np.array([0.1, np.pi])).nearest(np.array([0.123])).tolist() == [0.123]
