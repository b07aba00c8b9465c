"""Laws of values: units, gaps, ranges, and parts of a repair."""

import numpy as np

from fairmend.testing.law import Make, require
from fairmend.testing.tables import FEATURES, compare, fitted, numbers, people

SCALES = (1e-6, 0.01, 100.0, 1e6)
SHIFT = 273.15


def scale_makes_no_difference(make: Make) -> None:
    """In other units of length or money, the result is the same in these units.

    Otherwise hidden constants decide how much is repaired, and cents are treated unlike euros.
    """
    research, archive = people(), people(seed=1)
    wanted = fitted(make, research, ["x"]).transform(archive)
    for scale in SCALES:
        there = fitted(make, research.assign(x=scale * research["x"]), ["x"])
        found = there.transform(archive.assign(x=scale * archive["x"]))
        back = found.assign(x=numbers(found, "x") / scale)
        _compare(back, wanted, f"times {scale:g}")


def shift_makes_no_difference(make: Make) -> None:
    """Counted from another zero, the result is the same from there.

    Kelvin and Celsius, or years since 1900 and since 1970, say the same.
    """
    research, archive = people(), people(seed=1)
    wanted = fitted(make, research, ["x"]).transform(archive)
    there = fitted(make, research.assign(x=research["x"] + SHIFT), ["x"])
    found = there.transform(archive.assign(x=archive["x"] + SHIFT))
    _compare(found.assign(x=numbers(found, "x") - SHIFT), wanted, f"plus {SHIFT:g}")


def missing_stays_missing(make: Make) -> None:
    """Missing values stay missing, and nobody else's value changes for it.

    A gap that is filled in silence is a made-up fact about a person.
    """
    archive = people(seed=1)
    gone = np.arange(len(archive)) % 3 == 0
    adapter = fitted(make, people(), ["x"])
    found = numbers(adapter.transform(archive.assign(x=archive["x"].mask(gone))), "x")
    filled = int(np.sum(gone & ~np.isnan(found)))
    require(not filled, f"{filled:,} of {gone.sum():,} missing values were filled")
    lost = int(np.sum(~gone & np.isnan(found)))
    require(not lost, f"{lost:,} values went missing")
    wanted = numbers(adapter.transform(archive), "x")
    moved = int(np.sum(~np.isclose(found, wanted, rtol=1e-7, atol=1e-9) & ~gone))
    require(not moved, f"{moved:,} values of others are not what they are without the gaps")


def whole_numbers_stay_whole_and_in_range(make: Make) -> None:
    """Hours, ages and flags stay whole numbers that the data has.

    A person of 16.7 years among adults, or of -3 working hours, is a mark that was repaired.
    """
    research, archive = people(4_000), people(4_000, seed=1)
    found = fitted(make, research, ["hours", "flag"]).transform(archive)
    for name in ("hours", "flag"):
        values = numbers(found, name)
        parts = int(np.sum(values != np.round(values)))
        require(not parts, f"{name}: {parts:,} of {values.size:,} values are no whole numbers")
        low, high = research[name].min(), research[name].max()
        out = int(np.sum((values < low) | (values > high)))
        require(not out, f"{name}: {out:,} values are not between {low} and {high}")


def positive_values_stay_positive(make: Make) -> None:
    """Where no value is below zero, none comes to be.

    Nobody has a negative income or age, and what comes next may take a logarithm.
    """
    archive = people(4_000, seed=1)
    found = numbers(fitted(make, people(4_000), ["income"]).transform(archive), "income")
    below = int(np.sum(found < 0))
    require(
        not below, f"{below:,} of {found.size:,} incomes are below zero, down to {found.min():.3g}"
    )


def amount_zero_changes_nothing(make: Make) -> None:
    """No repair at all leaves every value as it is.

    The slider between none and full repair should begin at the data.
    """
    archive = people(seed=1)
    compare(fitted(make, people(), amount=0.0).transform(archive), archive, FEATURES)


def _compare(found: object, wanted: object, units: str) -> None:
    try:
        compare(found, wanted, ["x"])
    except AssertionError as broken:
        require(False, f"{units}: {broken}")


LAWS = (
    scale_makes_no_difference,
    shift_makes_no_difference,
    missing_stays_missing,
    whole_numbers_stay_whole_and_in_range,
    positive_values_stay_positive,
    amount_zero_changes_nothing,
)
