"""Times as text: ISO in, and the same form out."""

import pyarrow as pa
import pyarrow.compute as pc

_UNITS = ("s", "ms", "us", "ns")
_WITH_TIME = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ]"
_DAY = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}"
_TIME = r"^[0-9]{2}:[0-9]{2}"


def as_times(text: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """Read dates, or timestamps as fine as their text, where all fields are such; else None.

    Times with an offset are brought to UTC.

    Examples
    --------
    >>> as_times(pa.chunked_array([["2024-03-31", None]])).type
    DataType(date32[day])
    >>> as_times(pa.chunked_array([["2024-03-31T12:00:00.5Z"]])).type
    TimestampType(timestamp[ms, tz=UTC])
    >>> as_times(pa.chunked_array([["31.3.2024"]])) is None
    True
    """
    if not _all_match(text, _DAY):
        return None
    types = [pa.date32(), *(pa.timestamp(unit, zone) for zone in (None, "UTC") for unit in _UNITS)]
    return _first_of(types, text)


def as_durations(text: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """Read times of day; None where a field is none. A count of seconds has no unit in a CSV.

    Examples
    --------
    >>> as_durations(pa.chunked_array([["12:30", "09:00:01"]])).type
    Time32Type(time32[s])
    """
    if not _all_match(text, _TIME):
        return None
    # pyarrow reads no times of day, but moments of the first day.
    moments = pc.binary_join_element_wise("1970-01-01", text, "T")
    found = _first_of([pa.timestamp(unit) for unit in _UNITS], moments)
    if found is None:
        return None
    unit = found.type.unit
    return found.cast(pa.time32(unit) if unit in ("s", "ms") else pa.time64(unit))


def text_of(values: pa.ChunkedArray, like: pa.ChunkedArray) -> pa.ChunkedArray:
    """Write values as text; between date and time stands what stands there in ``like``.

    Fractions of a second end at their last digit that is not 0.
    """
    written = values.cast(pa.string())
    if pa.types.is_date(values.type):
        return written
    written = pc.replace_substring_regex(written, r"(\.[0-9]*?)0+(Z?)$", r"\1\2")
    written = pc.replace_substring_regex(written, r"\.(Z?)$", r"\1")
    if not pa.types.is_timestamp(values.type):
        return written
    parted = like.filter(pc.match_substring_regex(like, _WITH_TIME))
    if len(parted) and parted[0].as_py()[10] == "T":
        written = pc.replace_substring(written, " ", "T")
    return written


def _all_match(text: pa.ChunkedArray, pattern: str) -> bool:
    """Tell whether all fields that are not missing match; where none is left, they do."""
    matching = pc.all(pc.match_substring_regex(text.drop_null(), pattern)).as_py()
    return matching is not False


def _first_of(types: list[pa.DataType], text: pa.ChunkedArray) -> pa.ChunkedArray | None:
    for dtype in types:
        try:
            return text.cast(dtype)
        except pa.ArrowInvalid:
            continue
    return None
