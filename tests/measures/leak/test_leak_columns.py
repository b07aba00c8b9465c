import datetime

import numpy as np
import pyarrow as pa
import pytest

from fairmend.errors import ColumnError
from fairmend.frames.table import Frame
from fairmend.measures.leak.columns import see

N = 1_200


def seen(array, features=("x",)):
    return see(Frame(pa.table({"x": array}), "table"), ["x"], features)


@pytest.mark.parametrize(
    ("array", "shape"),
    [
        (np.arange(N) / 7, "number"),
        (np.arange(N) % 9, "number"),
        (np.arange(N) % 400, "many"),
        (pa.array(np.array(["a", "b"])[np.arange(N) % 2]).dictionary_encode(), "category"),
        ([None, True, False] * (N // 3), "category"),
        ([f"street {i % 300}" for i in range(N)], "many"),
        ([datetime.date(2000, 1, 1 + i % 28) for i in range(N)], "number"),
        ([datetime.timedelta(seconds=i % 500) for i in range(N)], "many"),
        ([None] * (N - 1) + [1.5], "number"),
    ],
)
def test_shapes(array, shape):
    found, unseen = seen(array)
    assert not unseen
    assert found["x"].shape == shape
    assert found["x"].values.size == N


def test_many_texts_are_ordered_by_frequency_and_stay_missing():
    texts = ["rare"] + ["common"] * 500 + [None] + [f"t{i % 350}" for i in range(700)]
    x = seen(texts)[0]["x"].values
    assert (x[1:501] == 0).all()
    assert np.isnan(x[501])
    assert x[0] == np.nanmax(x)


@pytest.mark.parametrize(
    ("array", "is_feature", "is_key"),
    [
        (np.arange(N), False, True),
        (np.arange(N), True, False),  # a repaired whole number may be fine
        ([f"p{i}" for i in range(N)], False, True),
        ([f"p{i}" for i in range(N)], True, True),
        (np.arange(N) / 3, False, False),
        ([f"p{i // 2}" for i in range(N)], False, False),
        (np.arange(100), False, False),  # too few to tell
    ],
)
def test_keys_are_not_shown(array, is_feature, is_key):
    found, unseen = seen(array, ("x",) if is_feature else ())
    assert ("x" in unseen) is is_key
    assert ("x" in found) is not is_key


def test_other_types_are_listed_and_refused_as_features():
    lists = pa.array([[1], [2]])
    assert seen(lists, ())[1] == {"x": "its type, list<item: int64>"}
    with pytest.raises(ColumnError, match="Feature 'x' of the table is of type list"):
        seen(lists)


def test_infinite_values_are_put_beyond_the_others():
    x = seen(np.array([0.0, 10.0, np.inf, -np.inf, np.nan]))[0]["x"].values
    assert x[:4].tolist() == [0.0, 10.0, 21.0, -11.0]
    assert np.isnan(x[4])
