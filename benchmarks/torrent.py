"""The data of the benchmarks: people with one column of each kind, in any number."""

import numpy as np
import pyarrow as pa

FEATURES = ("continuous", "discrete", "mixed", "ordinal", "times")
ROLES = {"protected": "sex", "unprotected": "college"}
GRADES = ("A", "B", "C", "D", "E", "F")
FIRST_DAY = np.datetime64("2020-01-01", "us")


def torrent(rows: int, seed: int) -> pa.Table:
    """Draw people whose features depend on both roles; labels and grades are dictionaries."""
    rng = np.random.default_rng(seed)
    sex, college = (rng.integers(0, 2, rows, dtype=np.int8) for _ in range(2))
    shift = 0.5 * sex + 0.25 * college
    heaped = rng.random(rows) < 0.45
    hours = np.clip(np.rint(38 + 4 * shift + 10 * rng.standard_normal(rows)), 1, 99)
    gains = np.where(rng.random(rows) < 0.6, 0.0, np.exp(shift + rng.standard_normal(rows)))
    grade = np.clip(2.5 + shift + 1.2 * rng.standard_normal(rows), 0, len(GRADES) - 1)
    days = np.clip(700 + 200 * shift + 300 * rng.standard_normal(rows), 0, 1_800).astype(np.int64)
    return pa.table(
        {
            "sex": labels(sex, ("female", "male")),
            "college": labels(college, ("no", "yes")),
            "continuous": shift + rng.standard_normal(rows),
            "discrete": np.where(heaped, 40.0, hours),
            "mixed": gains,
            "ordinal": labels(grade.astype(np.int8), GRADES),
            "times": FIRST_DAY + days * np.timedelta64(1, "D"),
        }
    )


def labels(codes: np.ndarray, names: tuple[str, ...]) -> pa.DictionaryArray:
    """Write codes as what they stand for."""
    return pa.DictionaryArray.from_arrays(codes, list(names))
