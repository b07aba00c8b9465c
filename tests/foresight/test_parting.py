import numpy as np

from fairmend.foresight.parting import drawn_again, part, rows_of
from fairmend.research.cells import Sample
from fairmend.transport.points import Points


def sample():
    rng = np.random.default_rng(0)
    groups = [Points.of(rng.poisson(5, n).astype(float), rng.random(n)) for n in (300, 80)]
    return Sample([groups], np.zeros((1, 2)))


def test_both_parts_are_all_rows():
    whole = sample()
    taught, held = part(whole, 0.3, np.random.default_rng(1))
    for all_rows, one, other in zip(whole.points[0], taught.points[0], held.points[0], strict=True):
        assert one.size == round(0.3 * all_rows.size)
        both = Points.together([one, other])
        assert np.array_equal(both.values, all_rows.values)
        assert np.array_equal(both.rows, all_rows.rows)
        assert np.allclose(both.weights, all_rows.weights)
    assert (rows_of(taught) < rows_of(whole)).all()


def test_a_part_is_chosen_by_chance_and_not_by_value():
    whole = sample()
    rng = np.random.default_rng(2)
    means = [part(whole, 0.5, rng).taught.points[0][0].mean for _ in range(200)]
    assert abs(np.mean(means) - whole.points[0][0].mean) < 0.05


def test_one_row_is_on_one_side_only():
    lonely = Sample(
        [[Points.of(np.array([3.0])), Points.of(np.array([1.0, 2.0]))]], np.zeros((1, 2))
    )
    taught, held = part(lonely, 0.5, np.random.default_rng(0))
    assert [p.size for p in taught.points[0]] == [1, 1]
    assert [p.size for p in held.points[0]] == [0, 1]


def test_rows_drawn_again_are_as_many():
    again = drawn_again(sample(), np.random.default_rng(0))
    assert [p.size for p in again.points[0]] == [300, 80]
