"""Axes of times: which moments are written beside one, and how long a span is called."""

from datetime import UTC, datetime, timedelta

from fairmend.report.scales import ticks

INSET = 0.07
Tick = tuple[float, str]

_DAY, _HOUR, _MINUTE = 86_400.0, 3_600.0, 60.0
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST, _LAST = (
    (datetime(year, month, 1, tzinfo=UTC) - _EPOCH).total_seconds() * 1e6
    for year, month in ((1, 1), (9999, 12))
)
_MONTHS = (1, 3, 6, 12)
_SECONDS = (
    _DAY * 14,
    _DAY * 7,
    _DAY * 2,
    _DAY,
    *(_HOUR * h for h in (12, 6, 3, 1)),
    *(_MINUTE * m for m in (30, 10, 5, 1)),
)
_YEAR = 365.25 * _DAY


def date_ticks(low: float, high: float, most: int = 5) -> list[Tick]:
    """Choose at most ``most`` round moments between two, with their labels.

    Parameters
    ----------
    low, high : float
        Microseconds since 1970.
    most : int
        Labels that there is room for.

    Examples
    --------
    >>> year = 365.25 * 86_400e6
    >>> [label for _, label in date_ticks(30 * year, 50 * year)]
    ['2005', '2010', '2015']
    >>> [label for _, label in date_ticks(30 * year, 31 * year)]
    ['2000-04', '2000-07', '2000-10']
    """
    # A label reaches to both sides of its place, and the next panel is near.
    low, high = low + INSET * (high - low), high - INSET * (high - low)
    low, high = max(low, _FIRST), min(high, _LAST)
    start, span = low / 1e6, (high - low) / 1e6
    if span >= 2 * _YEAR:
        years = ticks(1970 + start / _YEAR, 1970 + (start + span) / _YEAR, most)
        whole = [int(year) for year in years if year.is_integer() and 1 <= year <= 9999]
        found = [(_of_month(year, 1), str(year)) for year in whole]
        return [tick for tick in found if low <= tick[0] <= high]
    for months in _MONTHS:
        found = _months(low, high, months)
        if 2 <= len(found) <= most:
            return found
    fitting = [step for step in _SECONDS if 1 < span / step < most]
    if not fitting:
        return [(value, moment(value)) for value in (low + 0.2 * (high - low), high)][:1]
    return _steps(low, high, fitting[-1])


def moment(microseconds: float, *, seconds: bool = True) -> str:
    """Write a moment, without a time where that is midnight.

    Examples
    --------
    >>> moment(0.0), moment(90_061e6)
    ('1970-01-01', '1970-01-02 01:01:01')
    """
    at = _EPOCH + timedelta(microseconds=round(min(max(microseconds, _FIRST), _LAST)))
    day = at.date().isoformat()
    if (at.hour, at.minute, at.second) == (0, 0, 0):
        return day
    return f"{day} {at:%H:%M:%S}" if seconds else f"{day[5:]} {at:%H:%M}"


def span_unit(low: float, high: float) -> tuple[float, str]:
    """Choose the unit that a span of microseconds is written in.

    Examples
    --------
    >>> span_unit(0, 7_200e6)
    (60000000.0, 'min')
    """
    span = max(abs(low), abs(high)) / 1e6
    for size, name in ((_DAY, "d"), (_HOUR, "h"), (_MINUTE, "min")):
        if span >= 3 * size:
            return size * 1e6, name
    return 1e6, "s"


def span_ticks(low: float, high: float, most: int = 5) -> list[Tick]:
    """Choose round spans between two, with their labels."""
    size, name = span_unit(low, high)
    return [(value * size, f"{value:g} {name}") for value in ticks(low / size, high / size, most)]


def _months(low: float, high: float, step: int) -> list[Tick]:
    first = _EPOCH + timedelta(microseconds=low)
    found = []
    for count in range(first.year * 12, first.year * 12 + 48, step):
        at = _of_month(count // 12, count % 12 + 1)
        if low <= at <= high:
            found.append((at, f"{count // 12}-{count % 12 + 1:02d}"))
    return found


def _steps(low: float, high: float, step: float) -> list[Tick]:
    size = step * 1e6
    first, last = -(-low // size), high // size
    return [
        (at * size, moment(at * size, seconds=False)) for at in range(int(first), int(last) + 1)
    ]


def _of_month(year: int, month: int) -> float:
    return (datetime(year, month, 1, tzinfo=UTC) - _EPOCH).total_seconds() * 1e6
