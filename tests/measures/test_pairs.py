import numpy as np
import pyarrow as pa
import pytest

import fairmend
from fairmend.errors import ColumnError, DataError

RESEARCH = pa.table({"a": ["x", "x", "y", None], "b": ["1", "2", "1", "2"]})


def test_a_pair_that_no_research_row_has_is_counted():
    rows = pa.table({"a": ["x", "y", "z", None, None], "b": ["2", "2", "1", "2", "1"]})
    found = fairmend.unseen_pairs(rows, RESEARCH, features=["a", "b"])
    assert found == {("a", "b"): pytest.approx(0.6)}
    assert fairmend.unseen_pairs(RESEARCH, RESEARCH, features=["a", "b"]) == {("a", "b"): 0.0}


def test_few_numbers_are_themselves_and_many_are_binned(as_table):
    rng = np.random.default_rng(0)
    n = 2_000
    few, many = rng.integers(0, 5, n), rng.normal(size=n)
    research = pa.table({"few": few, "many": many + 10 * few})
    others = pa.table({"few": few, "many": rng.permutation(many + 10 * few)})
    found = fairmend.unseen_pairs(as_table(others), as_table(research), features=["few", "many"])
    assert 0.6 < found["few", "many"] < 0.9
    shifted = pa.table({"few": few, "many": many + 1e-6 + 10 * few})
    near = fairmend.unseen_pairs(shifted, research, features=["few", "many"])
    assert near["few", "many"] < 0.01


def test_the_worst_pair_comes_first_and_dictionaries_are_text():
    research = pa.table({"a": ["x", "y"], "b": ["x", "y"], "c": ["x", "x"]})
    rows = pa.table({"a": ["y", "x"], "b": ["x", "y"], "c": ["x", "y"]})
    rows = rows.set_column(0, "a", rows["a"].dictionary_encode())
    found = fairmend.unseen_pairs(rows, research, features=["a", "b", "c"])
    assert next(iter(found.items())) == (("a", "b"), 1.0)
    assert list(found.values()) == [1.0, 0.5, 0.5]


def test_what_is_not_there_is_refused():
    with pytest.raises(ColumnError, match="research data has no column 'd'"):
        fairmend.unseen_pairs(RESEARCH, RESEARCH, features=["a", "d"])
    with pytest.raises(DataError):
        fairmend.unseen_pairs(RESEARCH[:0], RESEARCH, features=["a", "b"])
