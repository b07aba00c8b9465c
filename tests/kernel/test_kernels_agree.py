"""Both kernels give the same bytes, whatever the plan and whatever the rows."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fairmend.kernel
from fairmend.errors import OptionError
from fairmend.kernel import c_kernel, numpy_kernel
from fairmend.kernel.draws import mix
from fairmend.kernel.move import Move
from fairmend.kernel.repair import repair_values
from fairmend.kernel.table import compile_table
from fairmend.transport.cell import Cell

built = pytest.mark.skipif(
    not c_kernel.BUILT, reason="the C kernel was not built: no compiler, or a stale build"
)
HUGE = np.finfo(float).max
EXTREME = [np.nan, np.inf, -np.inf, HUGE, -HUGE, 1e300, 5e-324, -5e-324, -0.0, 0.0, 1.0]


def law(rng, *shape):
    mass = rng.random(shape) * (rng.random(shape) < 0.7)
    mass[..., rng.integers(shape[-1])] += 0.1
    return mass / mass.sum(axis=-1, keepdims=True)


def random_cell(rng, make_up, n_groups, missing, unit):
    """A cell that no data designed: laws with holes, on points of any spacing."""
    grid, atoms = np.empty(0), np.empty(0)
    if "grid" in make_up:
        grid = np.linspace(-2, 3, rng.integers(2, 40)) * unit
    if "atoms" in make_up:
        atoms = np.unique(np.round(rng.normal(0, 2, rng.integers(1, 12)), 1))
        atoms = np.unique(np.append(atoms, grid[:: max(1, grid.size // 3)] / unit)) * unit
    if "warped" in make_up:
        atoms = np.union1d(atoms, np.sinh(np.linspace(-4, 9, rng.integers(2, 200))) * unit)
    n = np.union1d(grid, atoms).size
    shares = rng.random(n_groups + 1) if missing else None
    counts = rng.integers(1, 100, n_groups)
    return Cell("mixed", grid, atoms, law(rng, n_groups, n), law(rng, n), counts, shares)


MAKE_UPS = [("grid",), ("atoms",), ("grid", "atoms"), ("warped",), ("warped", "atoms")]


def random_rows(rng, cells, n, unit):
    points = np.concatenate([cell.support for cell in cells])
    x = np.where(rng.random(n) < 0.5, rng.choice(points, n), rng.normal(0, 4, n) * unit)
    x = np.where(rng.random(n) < 0.1, np.nextafter(x, rng.choice([-np.inf, np.inf], n)), x)
    x = np.where(rng.random(n) < 0.1, rng.choice(EXTREME, n), x)
    where = rng.integers(0, len(cells) * cells[0].marginals.shape[0], n)
    return x, where, mix(rng.integers(0, 2**64, n, dtype=np.uint64))


def bytes_of_both(table, x, where, keys, move):
    return [
        kernel.repair_values(table, x, where, keys, move).tobytes()
        for kernel in (numpy_kernel, c_kernel)
    ]


@built
@settings(max_examples=300, deadline=None)
@given(
    st.integers(0, 2**32),
    st.lists(st.sampled_from(MAKE_UPS), min_size=1, max_size=4),
    st.integers(1, 4),
    st.booleans(),
    st.sampled_from([1.0, 1e-9, 1e12, 1e-300, 1e200]),
    st.sampled_from(["support", "dithered", "monge"]),
    st.sampled_from([0.0, 0.25, 0.7, 1.0]),
    st.booleans(),
    st.sampled_from([0.0, 0.1, 1.0]),
)
def test_bytes_are_equal(
    seed, make_ups, n_groups, missing, unit, output, amount, geodesic, lattice
):
    rng = np.random.default_rng(seed)
    cells = [random_cell(rng, one, n_groups, missing, unit) for one in make_ups]
    x, where, keys = random_rows(rng, cells, 700, unit)
    move = Move.of(seed, "x", output, amount, geodesic=geodesic)
    table = compile_table(cells, lattice * unit)
    of_numpy, of_c = bytes_of_both(table, x, where, keys, move)
    assert of_numpy == of_c


@built
@pytest.mark.parametrize("n", [0, 1, 127, 128, 129, 383, 384, 385, 16_385, 40_000])
def test_bytes_are_equal_for_any_number_of_rows(rng, n):
    cells = [random_cell(rng, ("grid", "atoms"), 2, False, 1.0) for _ in range(2)]
    x, where, keys = random_rows(rng, cells, n, 1.0)
    of_numpy, of_c = bytes_of_both(compile_table(cells), x, where, keys, Move.of(1, "x"))
    assert of_numpy == of_c
    assert len(of_c) == 8 * n


@built
def test_bytes_are_equal_for_any_layout_of_the_rows_in_memory(rng):
    cells = [random_cell(rng, ("grid", "atoms"), 2, True, 1.0)]
    table, move = compile_table(cells), Move.of(1, "x", amount=0.5)
    x, where, keys = random_rows(rng, cells, 999, 1.0)
    wanted = numpy_kernel.repair_values(table, x, where, keys, move).tobytes()
    wide = [np.repeat(a, 3)[::3] for a in (x, where, keys)]
    backwards = [np.ascontiguousarray(a[::-1])[::-1] for a in (x, where, keys)]
    narrow = [x, where.astype(np.int32), keys]
    shifted = [np.frombuffer(b"." + a.tobytes(), a.dtype, offset=1) for a in (x, where, keys)]
    for arrays in (wide, backwards, narrow, shifted):
        for array in arrays:
            array.flags.writeable = False
        assert bytes_of_both(table, *arrays, move) == [wanted, wanted]


# What does not fit is refused, never read


def passed(rng, **changed):
    """Arguments of the C function, some of them spoilt."""
    cells = [random_cell(rng, ("grid", "atoms"), 2, True, 1.0) for _ in range(2)]
    table = compile_table(cells)
    names = [
        *("grid_low", "grid_per_unit", "grid_points", "atom_start", "atom_points", "atom_below"),
        *("atoms", "search_atoms", "search_below", "first_row", "missing_row", "slot_start"),
        *("slot_log2", "threshold", "targets", "widths", "monge"),
    ]
    arrays = dict(zip(names, c_kernel._arrays(table), strict=True))
    x, where, keys = random_rows(rng, cells, 50, 1.0)
    rows = {"repaired": np.empty(50), "values": x, "cells": where, "keys": keys}
    numbers = {"n_groups": 2, "most": table.search.most, "per_unit": table.search.per_unit}
    for name, change in changed.items():
        for where_it_is in (arrays, rows, numbers):
            if name in where_it_is:
                where_it_is[name] = change(where_it_is[name])
    everything = (*rows.values(), tuple(arrays.values()), (*numbers.values(), 0.0))
    return (*everything, ("s", 1.0, False), (1, 2, 3))


def replaced(at, value):
    def change(array):
        array = array.copy()
        array.reshape(-1)[at] = value
        return array

    return change


LARGE = 2**62
SPOILT = {
    "a row too many": {"grid_points": replaced(0, LARGE)},
    "one grid point": {"grid_points": replaced(0, 1)},
    "negative points": {"atom_points": replaced(0, -1)},
    "no points": {"atom_points": replaced(0, 0), "grid_points": replaced(0, 0)},
    "atoms that start beyond the end": {"atom_start": replaced(1, LARGE)},
    "atoms that start before the beginning": {"atom_start": replaced(0, -1)},
    "a cell beyond the rows": {"first_row": replaced(-1, LARGE)},
    "a cell before the rows": {"first_row": replaced(0, -5)},
    "missing beyond the rows": {"missing_row": replaced(1, LARGE)},
    "slots beyond the end": {"slot_start": replaced(3, LARGE)},
    "slots before the beginning": {"slot_start": replaced(3, -1)},
    "a row of too many slots": {"slot_log2": replaced(2, 32)},
    "a shift by more than there is": {"slot_log2": replaced(2, 2**63)},
    "a search beyond the end": {"search_below": replaced(0, LARGE)},
    "a search before the beginning": {"search_below": replaced(0, -1)},
    "a search that goes on": {"most": lambda most: LARGE},
    "a search that goes back": {"most": lambda most: -LARGE},
    "no groups": {"n_groups": lambda n: 0},
    "too many groups": {"n_groups": lambda n: LARGE},
    "arrays cut short": {"widths": lambda a: a[:-1]},
    "a target cut off": {"targets": lambda a: a[:-1], "widths": lambda a: a[:-1]},
    "no strata": {"grid_low": lambda a: a[:0]},
    "no buckets": {"search_below": lambda a: a[:0]},
    "values cut short": {"values": lambda a: a[:-1]},
    "keys cut short": {"keys": lambda a: a[:-1]},
    "cells cut short": {"cells": lambda a: a[:-1]},
}


@built
@pytest.mark.parametrize("name", SPOILT)
def test_what_does_not_fit_is_refused(rng, name):
    with pytest.raises(ValueError, match=r"not fit together|not of one length"):
        c_kernel._accelerator.repair(*passed(rng, **SPOILT[name]))


@built
@pytest.mark.parametrize("cell", [-1, 4, 2**31, -(2**63), 2**32])
def test_a_row_in_no_cell_is_refused(rng, cell):
    with pytest.raises(IndexError, match="row 7 is in no cell"):
        c_kernel._accelerator.repair(*passed(rng, cells=replaced(7, cell)))


@built
@pytest.mark.parametrize(
    "spoilt",
    [
        {"values": lambda a: np.zeros(a.size, np.float32)},
        {"values": lambda a: a.astype(">f8")},
        {"keys": lambda a: a.view(np.int64)},
        {"cells": lambda a: a.astype(np.int16)},
        {"targets": lambda a: a.view(np.int64)},
        {"atom_below": lambda a: a.astype(float)},
    ],
)
def test_arrays_of_other_types_are_refused(rng, spoilt):
    with pytest.raises(TypeError, match="an array is of type"):
        c_kernel._accelerator.repair(*passed(rng, **spoilt))


@built
def test_results_over_what_is_read_are_refused(rng):
    _, values, *rest = passed(rng)
    with pytest.raises(ValueError, match="lie over what is read"):
        c_kernel._accelerator.repair(values, values, *rest)


@built
@pytest.mark.parametrize("name", ["atom_below", "threshold", "atoms", "search_atoms", "monge"])
def test_numbers_that_mean_nothing_are_no_danger(rng, name):
    # Whatever is no index may be anything; under the sanitizers this test shows it.
    for spoil in (-1, 0):
        change = {name: lambda a, s=spoil: np.full(a.size, s, np.int64).view(a.dtype)}
        c_kernel._accelerator.repair(*passed(rng, **change))


# Which one is in use


def test_the_environment_chooses(monkeypatch, rng):
    cells = [random_cell(rng, ("grid",), 2, False, 1.0)]
    x, where, keys = random_rows(rng, cells, 100, 1.0)
    monkeypatch.delenv("FAIRMEND_KERNEL", raising=False)
    assert fairmend.kernel.implementation() == ("c" if c_kernel.BUILT else "numpy")
    usual = repair_values(compile_table(cells), x, where, keys, Move.of(1, "x"))
    monkeypatch.setenv("FAIRMEND_KERNEL", "NumPy")
    assert fairmend.kernel.implementation() == "numpy"
    chosen = repair_values(compile_table(cells), x, where, keys, Move.of(1, "x"))
    assert chosen.tobytes() == usual.tobytes()


def test_an_unknown_kernel_is_refused(monkeypatch):
    monkeypatch.setenv("FAIRMEND_KERNEL", "fortran")
    with pytest.raises(OptionError, match="FAIRMEND_KERNEL=fortran names no kernel"):
        fairmend.kernel.implementation()


def test_without_the_accelerator_numpy_it_is_unless_c_was_asked_for(monkeypatch):
    monkeypatch.delenv("FAIRMEND_KERNEL", raising=False)
    monkeypatch.setattr(c_kernel, "BUILT", False)
    assert fairmend.kernel.implementation() == "numpy"
    monkeypatch.setenv("FAIRMEND_KERNEL", "c")
    with pytest.raises(OptionError, match="was not built with this installation"):
        fairmend.kernel.implementation()


@pytest.mark.parametrize(
    "stale",
    ["None", "type(sys)('_accelerator')", "types.SimpleNamespace(LAYOUT=0)"],
)
def test_an_absent_or_stale_build_is_passed_over(stale, monkeypatch):
    monkeypatch.delenv("FAIRMEND_KERNEL", raising=False)
    code = (
        "import sys, types\n"
        f"sys.modules['fairmend.kernel._accelerator'] = {stale}\n"
        "import fairmend.kernel\n"
        "print(fairmend.kernel.implementation())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "numpy\n"
