"""Columns of every type come back as they went in, through a whole repair."""

import datetime
import decimal

import numpy as np
import pandas as pd
import polars as pl
import polars.testing
import pyarrow as pa
import pytest

import fairmend
from fairmend.errors import ColumnError, DataError, OptionError
from fairmend.frames.codec import Codec

N = 240
RNG = np.random.default_rng(8)
S = RNG.integers(0, 2, N)
NUMBERS = RNG.integers(0, 60, N) + 12 * S
PLACES = RNG.binomial(2, 0.3 + 0.3 * S)
FLAGS = RNG.random(N) < 0.3 + 0.4 * S
START = np.datetime64("2020-01-01")
NAMES = np.array(["low", "middle", "top"])
DAYS = START + NUMBERS
MONEY = [decimal.Decimal(int(n)).scaleb(-2) for n in NUMBERS]


def frame(x, **_):
    return pd.DataFrame({"s": S, "x": x})


def polars_frame(x, dtype=None):
    return pl.DataFrame({"s": S, "x": pl.Series(x, dtype=dtype)})


def arrow_frame(x, dtype=None):
    return pa.table({"s": S, "x": x if isinstance(x, pa.Array) else pa.array(x, dtype)})


def pandas_arrow(x, dtype):
    return frame(pd.array(pa.array(x, dtype), dtype=pd.ArrowDtype(dtype)))


MICROS = DAYS.astype("datetime64[us]")
NANOS = DAYS.astype("datetime64[ns]")
SPANS = NUMBERS.astype("timedelta64[h]")
PYDAYS = DAYS.astype(object).tolist()
TIMES = [datetime.time(8 + n // 60, n % 60) for n in NUMBERS.tolist()]
TABLES = {
    "pandas datetime64[ns]": frame(NANOS),
    "pandas datetime64[us]": frame(MICROS),
    "pandas datetime64[s]": frame(DAYS.astype("datetime64[s]")),
    "pandas with time zone": frame(pd.Series(NANOS).dt.tz_localize("Europe/Prague")),
    "pandas us with time zone": frame(pd.Series(MICROS).dt.tz_localize("UTC")),
    "pandas timedelta64[ns]": frame(SPANS.astype("timedelta64[ns]")),
    "pandas timedelta64[s]": frame(SPANS.astype("timedelta64[s]")),
    "pandas bool": frame(FLAGS),
    "pandas boolean": frame(pd.array(FLAGS, dtype="boolean")),
    "pandas objects": frame(NAMES[PLACES].astype(object)),
    "pandas string": frame(pd.array(NAMES[PLACES], dtype="string")),
    "pandas categories": frame(pd.Categorical(NAMES[PLACES], categories=["top", *NAMES[:2], "no"])),
    "pandas ordered categories": frame(
        pd.Categorical(NAMES[PLACES], categories=["no", "top", "middle", "low"], ordered=True)
    ),
    "pandas categories of numbers": frame(pd.Categorical(PLACES)),
    "pandas date": frame(pd.Series(PYDAYS, dtype=object)),
    "pandas arrow date": pandas_arrow(PYDAYS, pa.date32()),
    "pandas arrow decimal": pandas_arrow(MONEY, pa.decimal128(9, 2)),
    "pandas arrow dictionary": pandas_arrow(
        NAMES[PLACES].tolist(), pa.dictionary(pa.int8(), pa.string())
    ),
    "polars date": polars_frame(PYDAYS),
    "polars datetime": polars_frame(MICROS),
    "polars datetime ns": polars_frame(NANOS),
    "polars datetime ms": polars_frame(MICROS, pl.Datetime("ms")),
    "polars with time zone": polars_frame(MICROS, pl.Datetime("us", "America/New_York")),
    "polars duration": polars_frame(SPANS.astype("timedelta64[us]")),
    "polars time": polars_frame(TIMES),
    "polars bool": polars_frame(FLAGS),
    "polars text": polars_frame(NAMES[PLACES].tolist()),
    "polars categories": polars_frame(NAMES[PLACES].tolist(), pl.Categorical),
    "polars enum": polars_frame(NAMES[PLACES].tolist(), pl.Enum(["top", "no", "low", "middle"])),
    "polars decimal": polars_frame(MONEY, pl.Decimal(9, 2)),
    "arrow date32": arrow_frame(PYDAYS),
    "arrow date64": arrow_frame(PYDAYS, pa.date64()),
    "arrow timestamp[ns]": arrow_frame(NANOS),
    "arrow timestamp[s]": arrow_frame(DAYS.astype("datetime64[s]")),
    "arrow timestamp with zone": arrow_frame(MICROS, pa.timestamp("us", "UTC")),
    "arrow duration": arrow_frame(SPANS.astype("timedelta64[ms]")),
    "arrow time32": arrow_frame(TIMES, pa.time32("s")),
    "arrow decimal128": arrow_frame(MONEY, pa.decimal128(9, 2)),
    "arrow decimal256": arrow_frame(MONEY, pa.decimal256(50, 4)),
    "arrow bool": arrow_frame(FLAGS),
    "arrow large text": arrow_frame(NAMES[PLACES], pa.large_string()),
    "arrow text view": arrow_frame(pa.array(NAMES[PLACES]).cast(pa.string_view())),
    "arrow dictionary": arrow_frame(pa.array(NAMES[PLACES]).dictionary_encode()),
    "arrow ordered dictionary": arrow_frame(
        pa.DictionaryArray.from_arrays(PLACES.astype(np.int8), NAMES.tolist(), ordered=True)
    ),
}


def values(table):
    return list(table["x"].to_pylist() if isinstance(table, pa.Table) else table["x"])


def assert_same_type(one, other):
    assert type(one) is type(other)
    if isinstance(one, pa.Table):
        assert one.schema.equals(other.schema, check_metadata=True)
    elif isinstance(one, pl.DataFrame):
        assert one.schema == other.schema
    else:
        pd.testing.assert_series_equal(one.dtypes, other.dtypes)


@pytest.mark.parametrize("name", TABLES)
def test_values_are_repaired_to_seen_values_of_the_same_type(name):
    table = TABLES[name]
    plan = fairmend.design(table, protected="s")
    repaired = plan.repair(table, seed=7)
    assert_same_type(repaired, table)
    before, after = values(table), values(repaired)
    assert {type(v) for v in after} == {type(v) for v in before}
    # All of these columns are of few values, so none is laid on a grid.
    assert set(after) <= set(before)
    assert sum(a != b for a, b in zip(after, before, strict=True)) > N / 20


@pytest.mark.parametrize("name", TABLES)
def test_an_amount_of_zero_gives_back_the_table(name):
    table = TABLES[name]
    same = fairmend.design(table, protected="s", amount=0.0).repair(table, seed=7)
    if isinstance(table, pa.Table):
        assert same.equals(table, check_metadata=True)
    elif isinstance(table, pl.DataFrame):
        polars.testing.assert_frame_equal(same, table)
    else:
        pd.testing.assert_frame_equal(same, table)


@pytest.mark.parametrize("name", TABLES)
def test_missing_values_stay_missing_and_change_no_other(name):
    table = TABLES[name]
    if name in ("pandas bool",):
        return  # which has none
    plan, gone = fairmend.design(table, protected="s"), np.arange(N) % 5 == 0
    if isinstance(table, pd.DataFrame):
        gaps = table.assign(x=table.x.mask(gone))
    elif isinstance(table, pl.DataFrame):
        gaps = table.with_columns(x=pl.when(pl.Series(~gone)).then("x"))
    else:
        x = pa.array(table["x"].to_pylist(), table["x"].type, mask=gone)
        if pa.types.is_dictionary(x.type):
            x = pa.DictionaryArray.from_arrays(
                pa.array(PLACES.astype(np.int8), mask=gone).cast(x.type.index_type),
                NAMES.tolist(),
                ordered=x.type.ordered,
            )
        gaps = table.set_column(1, table.schema.field("x"), x)
    repaired, whole = plan.repair(gaps, seed=7), plan.repair(table, seed=7)
    assert_same_type(repaired, gaps)
    missing = [bool(pd.isna(v)) for v in values(repaired)]
    assert missing == gone.tolist()
    for found, wanted, g in zip(values(repaired), values(whole), gone, strict=True):
        assert g or found == wanted


@pytest.mark.parametrize("unit", ["ns", "us", "ms"])
def test_times_of_a_wide_range_are_smoothed_and_whole(unit):
    when = (START + RNG.integers(0, 10**6, 600) * np.timedelta64(7, "m")).astype(
        f"datetime64[{unit}]"
    )
    table = pd.DataFrame({"s": np.arange(600) % 2, "x": when})
    plan = fairmend.design(table, protected="s")
    assert (plan.features[0].codec.type, plan.features[0].kind) == ("datetime", "continuous")
    repaired = plan.repair(table, seed=7)
    assert repaired.x.dtype == table.x.dtype
    # On the lattice of the research data: seven minutes, counted from its first.
    steps = (repaired.x - table.x.min()) / np.timedelta64(7, "m")
    np.testing.assert_array_equal(steps, steps.round())


HOURS = np.datetime64("2024-01-01", "ns") + NUMBERS // 6 * np.timedelta64(1, "h")
LONG = [decimal.Decimal(1_234_567) + decimal.Decimal(int(n)).scaleb(-15) for n in NUMBERS]
SHORT = [decimal.Decimal(int(n)).scaleb(-1) for n in NUMBERS]


@pytest.mark.parametrize("form", [pa.table, pl.DataFrame, pd.DataFrame])
@pytest.mark.parametrize("odd", [HOURS + np.timedelta64(137, "ns"), HOURS.astype("M8[us]")])
def test_digits_that_a_plan_does_not_have_do_not_show_who_stayed(form, odd):
    # 12 hours and 137 nanoseconds: moved to 13, their nanoseconds are none.
    table = form({"s": S, "x": odd.astype("M8[ns]")})
    repaired = fairmend.design(table, protected="s").repair(table, seed=7)
    assert_same_type(repaired, table)
    before, after = (np.array(pa.array(values(t), pa.timestamp("ns"))) for t in (table, repaired))
    assert (before.astype("M8[us]") == after).sum() > N / 10
    assert (after == after.astype("M8[us]")).all()
    kept = fairmend.design(table, protected="s", amount=0.0).repair(table, seed=7)
    assert values(kept) == values(table)


@pytest.mark.parametrize("form", [pa.table, pl.DataFrame])
def test_decimals_longer_than_floats_do_not_show_who_stayed(form):
    table = form({"s": S, "x": pa.array(LONG, pa.decimal128(38, 18))})
    plan = fairmend.design(table, protected="s")
    levels = set(plan.features[0].cells[0].support)
    texts = {str(value) for value in values(plan.repair(table, seed=7))}
    assert texts <= {f"{decimal.Decimal(repr(float(level))):.18f}" for level in levels}


def test_decimals_no_longer_than_floats_stay_as_they_are():
    table = arrow_frame(SHORT, pa.decimal128(38, 18))
    repaired = fairmend.design(table, protected="s").repair(table, seed=7)
    assert set(values(repaired)) <= set(values(table))
    assert repaired["x"].type == pa.decimal128(38, 18)


DECIMALS = [pa.decimal128(9, 2), pa.decimal128(38, 18), pa.decimal256(50, 30), pa.decimal128(9, 9)]


@pytest.mark.parametrize("kind", DECIMALS)
@pytest.mark.parametrize("digits", [3, 8, 17, 30])
def test_decimals_are_read_as_the_nearest_floats(rng, kind, digits):
    whole = [int(n) for n in rng.integers(-(10**9), 10**9, 300)]
    most = 10 ** min(digits, kind.precision)
    steps = [(n * 10**25 + n) % most * (1 if n > 0 else -1) for n in whole]
    exact = [None, *(decimal.Decimal(n).scaleb(-kind.scale) for n in steps)]
    found = Codec("number").encode(pa.array(exact, kind)[1:].slice(2))
    assert found.tolist() == [float(value) for value in exact[3:]]
    assert np.isnan(Codec("number").encode(pa.array(exact, kind))[0])


def test_decimals_that_floats_cannot_tell_apart_are_refused():
    table = arrow_frame([value * 10**12 for value in LONG], pa.decimal128(38, 3))
    with pytest.raises(DataError, match="beyond 2"):
        fairmend.design(table, protected="s")


def test_a_plan_reads_a_column_in_any_of_its_types():
    plan = fairmend.design(TABLES["polars text"], protected="s")
    wanted = values(plan.repair(TABLES["polars text"], seed=7))
    for name in ("polars enum", "pandas categories", "arrow dictionary", "arrow large text"):
        repaired = plan.repair(TABLES[name], seed=7)
        assert_same_type(repaired, TABLES[name])
        assert values(repaired) == wanted
    days = fairmend.design(TABLES["arrow date32"], protected="s")
    wanted = [str(day) for day in values(days.repair(TABLES["arrow date32"], seed=7))]
    for name in ("polars datetime", "pandas datetime64[ns]", "arrow timestamp[s]"):
        assert [str(v)[:10] for v in values(days.repair(TABLES[name], seed=7))] == wanted


def test_orders_are_those_of_the_type_or_as_given():
    def kind_and_levels(name, **options):
        feature = fairmend.design(TABLES[name], protected="s", **options).features[0]
        return feature.kind, list(feature.codec.levels)

    text = ("categorical", ["low", "middle", "top"])
    assert kind_and_levels("pandas objects") == text
    assert kind_and_levels("pandas categories") == text
    ordered = ("ordinal", ["top", "middle", "low"])
    assert kind_and_levels("pandas ordered categories") == ordered
    assert kind_and_levels("arrow ordered dictionary") == ("ordinal", NAMES.tolist())
    given = ["middle", "low", "top"]
    for name in ("polars text", "pandas ordered categories"):
        assert kind_and_levels(name, kinds={"x": given}) == ("ordinal", given)
    assert kind_and_levels("polars text", kinds={"x": "ordinal"}) == ("ordinal", text[1])
    numbers = fairmend.design(frame(PLACES), protected="s", kinds={"x": "categorical"})
    assert numbers.features[0].codec.levels == (0, 1, 2)


# Refusals


def test_a_kind_of_numbers_is_no_kind_of_text():
    with pytest.raises(OptionError, match=r"kinds\['x'\]='discrete' is a kind of numbers"):
        fairmend.design(TABLES["polars text"], protected="s", kinds={"x": "discrete"})


@pytest.mark.parametrize(
    ("research", "archive"),
    [
        ("polars date", "polars duration"),
        ("polars date", "polars text"),
        ("pandas datetime64[ns]", "pandas bool"),
        ("arrow duration", "arrow date32"),
        ("polars text", "polars date"),
    ],
)
def test_a_column_of_another_type_is_refused(research, archive):
    plan = fairmend.design(TABLES[research], protected="s")
    with pytest.raises(ColumnError, match=r"archive has columns of another type: 'x' is .*Convert"):
        plan.repair(TABLES[archive], seed=7)


def test_levels_that_the_type_cannot_hold_are_refused():
    codec = Codec("category", ("low", "top"))
    with pytest.raises(DataError, match=r"levels \['low', 'top'\] cannot be written as int64"):
        codec.decode(np.array([0.0]), pa.int64())


def test_decimals_stay_within_their_type_where_the_support_reaches_beyond_it():
    rng = np.random.default_rng(0)
    s = rng.integers(0, 2, 2_000)
    cents = rng.integers(39 + 500 * s, 9_999, 2_000)
    money = pa.array([decimal.Decimal(int(n)).scaleb(-2) for n in cents], pa.decimal128(4, 2))
    table = pa.table({"s": s, "x": money})
    plan = fairmend.design(table, protected="s", features="x")
    assert plan.features[0].cells[0].support[-1] > 99.99
    repaired = plan.repair(pa.concat_tables([table] * 20), seed=1)["x"]
    assert repaired.type == money.type
    assert max(repaired.to_pylist()) == decimal.Decimal("99.99")
