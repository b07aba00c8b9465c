"""The benchmarks run, whatever they measure."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


def run(*arguments):
    command = [sys.executable, BENCHMARKS, *arguments]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)


SLOW = [pytest.param(name, marks=pytest.mark.slow) for name in ("design", "memory", "peers")]


@pytest.mark.parametrize("section", ["files", "kernel", *SLOW])
def test_a_section_made_small_prints_its_table_and_writes_nothing(section):
    before = sorted(BENCHMARKS.rglob("*.md"))
    done = run(section, "--rows", "5000")
    assert done.returncode == 0, done.stderr
    assert "5,000 rows, seed " in done.stdout
    assert sorted(BENCHMARKS.rglob("*.md")) == before


@pytest.mark.slow
@pytest.mark.usefixtures("spark")
def test_so_does_the_section_on_spark_where_java_is():
    test_a_section_made_small_prints_its_table_and_writes_nothing("spark")


def test_an_unknown_section_is_refused_with_those_there_are():
    done = run("kernels")
    assert done.returncode == 2
    assert "no section ['kernels']" in done.stderr
    assert "'kernel'" in done.stderr
