from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from fairmend.cli.main import cli
from fairmend.files.csv import write_csv


def people(n: int, rng: np.random.Generator) -> pa.Table:
    s, u = rng.integers(0, 2, n), rng.integers(0, 2, n)
    return pa.table(
        {
            "id": rng.permutation(n),
            "zip": [f"{z:05d}" for z in rng.integers(0, 99_999, n)],
            "sex": np.array(["F", "M"])[s],
            "college": u,
            "age": pa.array(rng.integers(20, 40, n) + 5 * s, mask=rng.random(n) < 0.05),
            "pay": rng.normal(20 + 5 * s + 3 * u, 4, n),
        }
    )


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run a command line in a folder with research and archive in both formats."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(5)
    for name, n in (("research", 800), ("archive", 2_000)):
        table = people(n, rng)
        pq.write_table(table, f"{name}.parquet")
        write_csv(table, Path(f"{name}.csv"))

    def run(line: str, exit_code: int = 0):
        result = CliRunner().invoke(cli, line.split(), prog_name="fairmend")
        assert result.exit_code == exit_code, result.output
        return result

    return run


@pytest.fixture
def planned(run):
    """The same, and there is a plan."""
    run("design research.csv --protected sex --unprotected college --features age,pay -o plan.json")
    return run
