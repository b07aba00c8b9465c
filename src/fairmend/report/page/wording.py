"""Numbers as readers want them: few digits, thousands apart, a dash where nothing was measured."""

import math
from itertools import accumulate
from unicodedata import east_asian_width

from fairmend.report.content import Estimate, Sides

NONE = "–"
MINUS = "\u2212"
THIN = "\u202f"


def count(rows: int | None, fewest: int) -> str:
    """Write a number of rows, or that it is small.

    Examples
    --------
    >>> count(45_222, 5), count(None, 5)
    ('45,222', '<5')
    """
    return f"<{fewest}" if rows is None else f"{rows:,}"


def plural(number: int, name: str) -> str:
    """Write a number of things.

    Examples
    --------
    >>> plural(1, "stratum"), plural(2, "feature")
    ('1 stratum', '2 features')
    """
    many = {"stratum": "strata"}.get(name, f"{name}s")
    return f"{number:,} {name if number == 1 else many}"


def fixed(value: float | None, digits: int = 3) -> str:
    """Write a number with so many decimals; what rounds to 0 and is not is said to be less.

    Examples
    --------
    >>> fixed(0.12345), fixed(0.00012), fixed(0.0), fixed(-0.5, 1), fixed(None)
    ('0.123', '<0.001', '0.000', '−0.5', '–')
    """
    if value is None or not math.isfinite(value):
        return NONE
    least = 10.0**-digits
    if 0 < value < least / 2:
        return f"<{least:.{digits}f}"
    return f"{value:.{digits}f}".replace("-", MINUS)


def signed(value: float | None, digits: int = 3) -> str:
    """Write a difference with its sign.

    Examples
    --------
    >>> signed(0.25, 2), signed(-0.25, 2)
    ('+0.25', '−0.25')
    """
    if value is None or not math.isfinite(value):
        return NONE
    return f"{value:+.{digits}f}".replace("-", MINUS)


def share(value: float | None, digits: int = 1) -> str:
    """Write a share in per cent.

    Examples
    --------
    >>> share(0.1234), share(0.00001), share(None)
    ('12.3\u202f%', '<0.1\u202f%', '–')
    """
    return NONE if value is None else f"{fixed(100 * value, digits)}{THIN}%"


def amount(value: float | None, unit: str | None = None) -> str:
    """Write an amount in a feature's unit, with three digits.

    Examples
    --------
    >>> amount(12_345.6), amount(0.01234, "h"), amount(-3.0), amount(0)
    ('12,300', '0.0123\u202fh', '−3', '0')
    """
    if value is None or not math.isfinite(value):
        return NONE
    rounded = float(f"{value:.3g}")
    small = rounded and not 1e-4 <= abs(rounded) < 1e9
    said = f"{rounded:.3g}" if small else f"{rounded:,.10g}"
    return said.replace("-", MINUS) + (f"{THIN}{unit}" if unit else "")


def between(found: Estimate | None, digits: int = 3) -> str:
    """Write an interval.

    Examples
    --------
    >>> between({"value": 1, "low": 0.5, "high": 2, "raw": 1, "floor": 0, "floor_high": 0}, 1)
    '0.5 to 2.0'
    """
    if found is None or found["low"] is None or found["high"] is None:
        return NONE
    return f"{fixed(found['low'], digits)} to {fixed(found['high'], digits)}"


def value_of(found: Estimate | None) -> float | None:
    """Take the number that is compared with a tolerance."""
    return None if found is None else found["value"]


def change(sides: Sides, digits: int = 3) -> str:
    """Write before and after as one.

    Examples
    --------
    >>> change({"before": None, "after": None})
    '– → –'
    """
    before, after = (fixed(value_of(side), digits) for side in (sides["before"], sides["after"]))
    return f"{before} → {after}"


def short(name: str, longest: int) -> str:
    """Cut a name that a picture has no room for; a letter of East Asia takes the room of two.

    Examples
    --------
    >>> short("hours-per-week", 20), short("hours-per-week", 8)
    ('hours-per-week', 'hours-p…')
    >>> short("身長身長身長", 8)
    '身長身…'
    """
    upto = list(accumulate(2 if east_asian_width(letter) in "WF" else 1 for letter in name))
    if not upto or upto[-1] <= longest:
        return name
    return name[: sum(wide < longest for wide in upto)].rstrip() + "…"


def level_of(label: str, columns: list[str]) -> str:
    """Name a group without its column, where there is one column only.

    Examples
    --------
    >>> level_of("sex='Female'", ["sex"]), level_of("sex='F', race='B'", ["sex", "race"])
    ('Female', "sex='F', race='B'")
    """
    if len(columns) != 1 or not label.startswith(f"{columns[0]}="):
        return label
    level = label.removeprefix(f"{columns[0]}=")
    quoted = len(level) > 1 and level[0] == level[-1] and level[0] in "'\""
    return level[1:-1] if quoted else level


def place(feature: str, stratum: str | None) -> str:
    """Say which feature and stratum.

    Examples
    --------
    >>> place("age", "college=True"), place("age", ""), place("age", None)
    ('age, college=True', 'age', 'age')
    """
    return f"{feature}, {stratum}" if stratum else feature
