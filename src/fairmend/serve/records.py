"""Records of JSON as an Arrow table, and repaired values back in the form that each record had."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from fairmend.frames.levels import canonical
from fairmend.serve import refusals

if TYPE_CHECKING:
    from fairmend.plan.plan import Plan
    from fairmend.unlabelled import LabelModel

Record = dict[str, Any]

NUMBER = "a number or null"
WHOLE_OR_TEXT = "a whole number of 64 bits, or text,"
BELOW = "a number below 2^53"
LEVEL = "a text, number or boolean"
ONE_TYPE = "of one type"
ISO = "a date or time as ISO 8601 text of one form, or null,"
DURATION = "sent as an Arrow stream, since JSON has no durations,"


@dataclass(frozen=True)
class Reader:
    """Reads the members that a repair needs; all others are handed back as they came.

    JSON has one type of number, so that numbers are read as 64-bit floats, and a result is written
    without a fraction where the record's own number had none. What one record holds never changes
    how another one is read.

    Attributes
    ----------
    plan : Plan
        Says which members there are.
    key : tuple of str
        Members that identify the record.
    labels : LabelModel, optional
        Estimates the groups of records that do not say theirs.
    """

    plan: "Plan"
    key: tuple[str, ...]
    labels: "LabelModel | None" = None

    @property
    def needed(self) -> tuple[str, ...]:
        """Names of the members that each record must have."""
        plan, clues = self.plan, () if self.labels is None else self.labels.columns
        groups = () if plan.is_blind or self.labels is not None else plan.protected
        roles = (*self.key, *groups, *plan.unprotected, *plan.feature_names)
        return tuple(dict.fromkeys((*roles, *clues)))

    @property
    def welcome(self) -> tuple[str, ...]:
        """Names of the members that are read where a record has them."""
        return () if self.labels is None else self.plan.protected

    def table(self, records: Sequence[Record]) -> pa.Table:
        """Put the needed members of records into columns."""
        absent = [name for name in self.needed if any(name not in one for one in records)]
        if absent:
            rows = sum(any(name not in one for name in absent) for one in records)
            raise refusals.lacking(absent, rows)
        names = (*self.needed, *self.welcome)
        members = {name: [one.get(name) for one in records] for name in names}
        columns = {name: self._column(name, values) for name, values in members.items()}
        return pa.table(columns)

    def records(
        self, records: Sequence[Record], repaired: pa.Table, dropped: Sequence[str]
    ) -> list[Record]:
        """Put repaired values into copies of the records."""
        values = {name: _plain(repaired[name]) for name in self.plan.feature_names}
        return [
            {
                name: _spelt(values[name][row], value) if name in values else value
                for name, value in record.items()
                if name not in dropped
            }
            for row, record in enumerate(records)
        ]

    def _column(self, name: str, values: list[Any]) -> pa.Array:
        if name in self.key:
            return _keys(self.key, name, values)
        codecs, bins = self.plan.codecs, {*self.plan.strata.bins}
        if self.labels is not None:
            codecs = self.labels.codecs | codecs
            bins |= {*self.labels.strata.bins}
        if name not in codecs:
            return _numbers(name, values) if name in bins else _levels(name, values)
        if codecs[name].type == "number":
            return _numbers(name, values)
        if codecs[name].type == "datetime":
            return _times(name, values)
        if codecs[name].type == "duration":
            raise refusals.of_other_type(name, DURATION)
        return _categories(name, values)


def parse(body: bytes) -> tuple[list[Record], bool]:
    """Read a body; also say whether it was one record by itself."""
    try:
        content = json.loads(body.decode("utf-8"), parse_constant=_no_constant)
    except UnicodeDecodeError as error:
        raise refusals.not_utf8(error.start) from None
    except json.JSONDecodeError as error:
        raise refusals.not_json(error.msg, error.lineno, error.colno) from None
    except RecursionError:
        raise refusals.too_deep() from None
    except ValueError:  # NaN, or a number with thousands of digits
        raise refusals.no_number() from None
    alone = isinstance(content, dict)
    records = [content] if alone else content
    if not isinstance(records, list) or not all(isinstance(one, dict) for one in records):
        raise refusals.not_records()
    return records, alone


def write(content: Any) -> bytes:
    """Write JSON that any reader takes: ASCII, and no NaN."""
    return json.dumps(content, separators=(",", ":"), allow_nan=False).encode("ascii")


def _no_constant(name: str) -> Any:
    raise ValueError(name)


def _keys(key: Sequence[str], name: str, values: list[Any]) -> pa.Array:
    if any(value is None for value in values):
        raise refusals.no_key(key)
    if all(type(value) is str for value in values):
        return _array(name, values, pa.string(), WHOLE_OR_TEXT)
    if all(type(value) is int for value in values):
        wide = any(value >= 2**63 for value in values)
        return _array(name, values, pa.uint64() if wide else pa.int64(), WHOLE_OR_TEXT)
    raise refusals.of_other_type(name, WHOLE_OR_TEXT)


def _levels(name: str, values: list[Any]) -> pa.Array:
    if not all(isinstance(value, str | int | float | None) for value in values):
        raise refusals.of_other_type(name, LEVEL)
    said = [None if value is None else canonical(value) for value in values]
    return _array(name, said, pa.string(), LEVEL)


def _numbers(name: str, values: list[Any]) -> pa.Array:
    if not all(value is None or type(value) in (int, float) for value in values):
        raise refusals.of_other_type(name, NUMBER)
    if any(type(value) is int and abs(value) >= 2**53 for value in values):
        raise refusals.of_other_type(name, BELOW)
    return _array(name, values, pa.float64(), NUMBER)


def _categories(name: str, values: list[Any]) -> pa.Array:
    kinds = {type(value) for value in values} - {type(None)}
    for kind, arrow in ((bool, pa.bool_()), (str, pa.string())):
        if kinds <= {kind}:
            return _array(name, values, arrow, ONE_TYPE)
    if kinds <= {int, float}:
        return _numbers(name, values)
    raise refusals.of_other_type(name, ONE_TYPE)


def _times(name: str, values: list[Any]) -> pa.Array:
    """Read texts as dates, or as times without or with a zone: all of them alike."""
    if not all(isinstance(value, str | None) for value in values):
        raise refusals.of_other_type(name, ISO)
    texts = _array(name, values, pa.string(), ISO)
    for kind in (pa.date32(), pa.timestamp("us"), pa.timestamp("us", tz="UTC")):
        try:
            return texts.cast(kind)
        except pa.ArrowInvalid:
            continue
    raise refusals.of_other_type(name, ISO)


def _array(name: str, values: list[Any], kind: pa.DataType, expected: str) -> pa.Array:
    try:
        return pa.array(values, kind)
    except (pa.ArrowException, OverflowError, ValueError):  # also half of a surrogate pair
        raise refusals.of_other_type(name, expected) from None


def _plain(column: pa.ChunkedArray) -> list[Any]:
    if pa.types.is_timestamp(column.type):
        zone = "" if column.type.tz is None else "Z"
        column = pc.strftime(column, format=f"%Y-%m-%dT%H:%M:%S{zone}")
    elif pa.types.is_date(column.type):
        column = column.cast(pa.string())
    values: list[Any] = column.to_pylist()
    return values


def _spelt(value: Any, was: Any) -> Any:
    """Write a whole number without a fraction where the record's own had none."""
    whole = type(was) is int and isinstance(value, float) and value.is_integer()
    return int(value) if whole else value
