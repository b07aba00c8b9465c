import numpy as np

from fairmend.measures.leak.values import PSEUDO_ROWS, shares_by_value


def test_rows_out_of_training_get_the_shares_of_all_training_rows():
    rng = np.random.default_rng(0)
    values = rng.integers(0, 4, 200).astype(float)
    values[rng.random(200) < 0.2] = np.nan
    member = rng.random((200, 1)) < 0.4
    train = np.arange(150)
    found = shares_by_value(values, member, train, rng)
    for value in (0.0, 3.0, np.nan):
        same = np.isnan(values) if np.isnan(value) else values == value
        known = member[:150][same[:150], 0]
        wanted = (known.sum() + PSEUDO_ROWS * member[:150].mean()) / (known.size + PSEUDO_ROWS)
        np.testing.assert_allclose(found[150:][same[150:], 0], wanted, rtol=1e-12)


def test_no_row_sees_its_own_group():
    # With one row a value, the share of a training row can only be that of all rows.
    member = np.arange(100)[:, None] % 3 == 0
    found = shares_by_value(np.arange(100.0), member, np.arange(80), np.random.default_rng(0))
    np.testing.assert_allclose(found, member[:80].mean(), rtol=1e-12)
