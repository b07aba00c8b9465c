from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fairmend.files.csv import write_csv
from fairmend.files.design import design_file


@dataclass
class Folder:
    """Research and archive of the same people in both formats, and a plan."""

    path: Path
    archive: pa.Table

    def __truediv__(self, name: str) -> Path:
        return self.path / name


def people(n: int, rng: np.random.Generator) -> pa.Table:
    s, u = rng.integers(0, 2, n), rng.integers(0, 2, n)
    pay = np.round(rng.normal(20 + 5 * s + 3 * u, 4, n), 6)
    return pa.table(
        {
            "id": pa.array(rng.permutation(n) + 10, pa.int32()),
            "zip": [f"{z:05d}" for z in rng.integers(0, 99_999, n)],
            "rate": [f"{r:.2f}" for r in rng.integers(0, 30, n) / 10],
            "s": s,
            "u": u,
            "age": pa.array(rng.integers(20, 40, n) + 5 * s, mask=rng.random(n) < 0.05),
            "pay": pay,
            "note": pa.array(["", "a, b", 'say "x"', "two\nlines"] * (n // 4)).dictionary_encode(),
        }
    ).replace_schema_metadata({"source": "a test"})


@pytest.fixture(scope="session")
def _tables():
    rng = np.random.default_rng(5)
    return people(800, rng), people(2_000, rng)


@pytest.fixture
def folder(tmp_path, _tables):
    for name, table in zip(("research", "archive"), _tables, strict=True):
        pq.write_table(table, tmp_path / f"{name}.parquet")
        write_csv(table, tmp_path / f"{name}.csv")
    roles = {"protected": ["s"], "unprotected": ["u"], "features": ["age", "pay"]}
    design_file(tmp_path / "research.parquet", tmp_path / "plan.json", **roles)
    return Folder(tmp_path, _tables[1])
