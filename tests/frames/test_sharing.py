import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fairmend.errors import RowKeyError
from fairmend.frames.sharing import KEPT, Sharing
from fairmend.kernel.draws import mix


def hashed(keys):
    return mix(np.asarray(keys, dtype=np.uint64))


@given(st.lists(st.integers(0, 50)), st.integers(0, 50))
def test_few_keys_are_counted_exactly_whatever_the_cut(keys, cut):
    seen = Sharing()
    seen.add(hashed(keys[:cut]))
    seen.add(hashed(keys[cut:]))
    assert (seen.rows, seen.keys) == (len(keys), len(set(keys)))


@pytest.mark.parametrize("times", [1, 9, 30])
def test_many_keys_are_counted_closely_and_the_cut_makes_no_difference(times):
    keys = np.random.default_rng(3).permutation(np.repeat(np.arange(8 * KEPT), times))
    whole, cut = Sharing(), Sharing()
    whole.add(hashed(keys))
    for part in np.array_split(keys, 7):
        cut.add(hashed(part))
    assert whole.keys == cut.keys
    assert whole.smallest.tolist() == cut.smallest.tolist()
    assert whole.smallest.nbytes == 8 * KEPT
    assert abs(whole.keys / (8 * KEPT) - 1) < 0.05
    if times > 10:
        with pytest.raises(RowKeyError, match=r"key=\['id'\] has"):
            whole.refuse_shared(["id"])
    else:
        whole.refuse_shared(["id"])


def test_a_key_that_is_crowded_in_one_batch_only_is_a_key():
    seen = Sharing()
    seen.add(hashed(np.zeros(100)))
    seen.add(hashed(np.arange(1_000)))
    seen.refuse_shared(["id"])
