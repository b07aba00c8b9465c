"""Research data of any size, read once and counted."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import narwhals as nw
import numpy as np

from fairmend.errors import DataError, SummaryError
from fairmend.frames.bins import Bins, BinSpec
from fairmend.frames.codec import Codec
from fairmend.frames.levels import Factor, Level
from fairmend.frames.roles import encoded_roles
from fairmend.frames.table import Frame
from fairmend.research.columns import Kinds, checked_kinds, codec_of
from fairmend.research.roles import Names, Roles
from fairmend.summaries.counted import Counted, Order
from fairmend.summaries.summary import Summary
from fairmend.transport.kinds import Kind
from fairmend.transport.support import Floats
from fairmend.transport.tally import CAPACITY, Parting, Tally

CHUNK_ROWS = 2**20
"""Rows counted at once: sorting more takes more memory and no less time."""

BATCH_ROWS = 2**19
"""Smaller batches of an Arrow stream are put together, as each has a cost of its own."""

NAME = "research data"


@dataclass(frozen=True)
class Asked:
    """The columns as they were named, before any table was seen."""

    protected: Names
    unprotected: Names
    features: Names
    exclude: Names
    weight: str | None
    kinds: Kinds | None
    bins: Mapping[str, BinSpec]

    def roles_in(self, frame: Frame) -> Roles:
        """Find the columns in a table."""
        return Roles.of(
            frame,
            protected=self.protected,
            unprotected=self.unprotected,
            features=self.features,
            exclude=self.exclude,
            weight=self.weight,
        )


def summarise(
    research: Any,
    *,
    protected: Names,
    unprotected: Names = None,
    features: Names = None,
    exclude: str | Sequence[str] = (),
    kinds: Kinds | None = None,
    unprotected_bins: Mapping[str, BinSpec] | None = None,
    sample_weight: str | None = None,
) -> Summary:
    """Count research data of any size in one pass, for a design here or elsewhere.

    Sites that may not share rows each summarise their own; :func:`fairmend.design` takes the
    summaries of all. Memory is bounded by the number of features, groups and strata, whatever the
    number of rows.

    Parameters
    ----------
    research : table, Arrow stream or iterable of tables
        A pandas, polars or pyarrow table; anything with ``__arrow_c_stream__``, such as a pyarrow
        ``RecordBatchReader`` or a DuckDB relation; or tables one after the other.
    protected, unprotected, features, exclude, unprotected_bins, sample_weight
        As in :func:`fairmend.design`. Without ``features`` the first table says which there are.
        Quantile bins need one table.
    kinds : dict
        As in :func:`fairmend.design`. Levels of ordinal columns, and numbers that are categories,
        must be named here.

    Returns
    -------
    Summary

    Examples
    --------
    >>> import fairmend
    >>> adult = fairmend.datasets.adult(complete=True)
    >>> columns = {"protected": "sex", "unprotected": "college", "features": ["age", "workclass"]}
    >>> sites = [fairmend.summarise(part, **columns) for part in (adult[:9_000], adult[9_000:])]
    >>> sites[0]
    <fairmend.Summary: 9,000 rows; 2 groups of ['sex'] in 2 strata of ['college']; ...>
    >>> fairmend.design(sites)
    <fairmend.Plan: age (discrete), workclass (categorical); 2 groups of ['sex'] in 2 strata of ...>
    """
    asked = Asked(
        protected, unprotected, features, exclude, sample_weight, kinds, unprotected_bins or {}
    )
    parts: list[Summary] = []
    for part in _counted_parts(research, asked):
        parts.append(part)
        # Together only now and then: each time, all that is known so far is gone through.
        if sum(one.size for one in parts) > max(2**22, CAPACITY * len(part.features)):
            parts = [Summary.together(parts)]
    if not parts:
        raise DataError.empty(NAME)
    return Summary.together(parts)


def _counted_parts(research: Any, asked: Asked) -> Iterator[Summary]:
    if is_stream(research):
        for table in _tables(research):
            frame = Frame(table, NAME)
            roles = asked.roles_in(frame)
            if asked.features is None:
                asked = Asked(**{**vars(asked), "features": roles.features})
            for name, spec in asked.bins.items():
                if isinstance(spec, int):
                    raise SummaryError.quantiles(name)
            if len(frame):
                yield from _chunks(frame, roles, asked)
        return
    frame = Frame(research, NAME)
    roles = asked.roles_in(frame)
    checked_kinds(asked.kinds, roles.features)
    if not len(frame):
        raise DataError.empty(NAME)
    yield from _chunks(frame, roles, asked)


def is_stream(research: Any) -> bool:
    """Tell whether something gives tables one after the other, and is no table itself."""
    if isinstance(research, str | bytes | Mapping):
        return False
    try:
        nw.from_native(research, eager_only=True)
    except TypeError:
        return hasattr(research, "__arrow_c_stream__") or isinstance(research, Iterable)
    except nw.exceptions.DuplicateError:
        return False
    return False


def _tables(research: Any) -> Iterator[Any]:
    import pyarrow as pa

    if hasattr(research, "__arrow_c_stream__"):
        yield from _larger(pa.RecordBatchReader.from_stream(research))
        return
    for table in research:
        yield pa.table(table) if isinstance(table, pa.RecordBatch) else table


def _larger(reader: Any) -> Iterator[Any]:
    """Put small batches together."""
    import pyarrow as pa

    waiting: list[Any] = []
    for batch in reader:
        waiting.append(batch)
        if sum(one.num_rows for one in waiting) >= BATCH_ROWS:
            yield pa.Table.from_batches(waiting)
            waiting = []
    yield pa.Table.from_batches(waiting, reader.schema)


def _chunks(frame: Frame, roles: Roles, asked: Asked) -> Iterator[Summary]:
    """Encode one table as arrays, and count these piece by piece."""
    kinds = checked_kinds(asked.kinds, roles.features)
    frame.refuse_missing((*roles.protected, *roles.unprotected))
    groups, group = _factor(frame, roles.protected, {})
    strata, stratum = _factor(frame, roles.unprotected, asked.bins)
    headings = [_heading(frame, name, kinds.get(name)) for name in roles.features]
    codecs = {one.name: one.codec or Codec("number") for one in headings}
    values = frame.finite_numbers(codecs)
    weights = row_weights(frame, roles.weight)
    shape = (len(strata), len(groups))
    cell = stratum * len(groups) + group
    for start in range(0, len(frame), CHUNK_ROWS):
        at = slice(start, start + CHUNK_ROWS)
        parting = Parting.of(cell[at], shape[0] * shape[1])
        rows = np.bincount(cell[at], minlength=shape[0] * shape[1])
        share = None if weights is None else weights[at]
        sums = rows if share is None else [part.sum() for part in parting.parts(share)]
        yield Summary(
            groups,
            strata,
            roles.weight,
            rows.reshape(shape),
            np.array(sums, dtype=np.float64).reshape(shape),
            tuple(one.counted(Tally.of(values[one.name][at], share, parting)) for one in headings),
        )


@dataclass(frozen=True)
class Heading:
    """A feature before its values are counted."""

    name: str
    codec: Codec | None
    dtype: str
    order: Order
    kind: Kind | None

    def counted(self, tally: Tally) -> Counted:
        """Add the counts."""
        return Counted(self.name, self.codec, self.dtype, self.order, self.kind, tally)


def _heading(frame: Frame, name: str, given: Kind | Sequence[Level] | None) -> Heading:
    import pyarrow as pa

    array = frame.arrow(name)
    dtype = array.type
    if given is not None and not isinstance(given, str):
        return Heading(name, codec_of(frame, name, given), str(dtype), "given", "ordinal")
    kind = cast("Kind | None", given)
    if pa.types.is_null(dtype):
        return Heading(name, None, str(dtype), "sorted", kind)
    codec = codec_of(frame, name, kind)
    if codec.type == "category" and pa.types.is_dictionary(dtype) and dtype.ordered:
        # All of them: which are used is known when all tables have been seen.
        levels = [level for level in array.dictionary.to_pylist() if level is not None]
        return Heading(name, Codec("category", tuple(levels)), str(dtype), "dictionary", kind)
    return Heading(name, codec, str(dtype), "sorted", kind)


def _factor(
    frame: Frame, columns: Sequence[str], specs: Mapping[str, BinSpec]
) -> tuple[Factor, Any]:
    for name in specs:
        if name not in columns:
            message = f"unprotected_bins= names {name!r}, which is not in unprotected=."
            raise DataError(message)
    bins = {
        name: Bins.of(name, spec, frame.finite_numbers({name: Codec("number")})[name])
        for name, spec in specs.items()
    }
    encoded = encoded_roles(frame, columns, bins)
    factor = Factor.of(columns, encoded, bins)
    return factor, factor.encode(encoded, len(frame))


def row_weights(frame: Frame, name: str | None) -> Floats | None:
    """Read the sample weights, which must be finite, known and not negative."""
    if name is None:
        return None
    weights = frame.finite_numbers({name: Codec("number")})[name]
    bad = int((~(weights >= 0)).sum())
    if bad:
        raise DataError.bad_weights(name, bad)
    return weights
