"""Research data in Spark: counted where it lies, and designed from on the driver."""

import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from fairmend.errors import DataError, SummaryError
from fairmend.frames.table import Frame
from fairmend.plan.documents import canonical_json
from fairmend.research import design as design_of
from fairmend.research.reading import NAME, Asked
from fairmend.research.reading import summarise as summarise_rows
from fairmend.spark import faults
from fairmend.spark.columns import arrow_schema, column
from fairmend.spark.gathering import gathered
from fairmend.summaries.storage import from_content, to_content
from fairmend.summaries.summary import Summary

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from fairmend.frames.bins import BinSpec
    from fairmend.plan.plan import Plan
    from fairmend.research.columns import Kinds
    from fairmend.research.roles import Names


def summarise(
    df: "DataFrame",
    *,
    protected: "Names",
    unprotected: "Names" = None,
    features: "Names" = None,
    exclude: str | Sequence[str] = (),
    kinds: "Kinds | None" = None,
    unprotected_bins: "Mapping[str, BinSpec] | None" = None,
    sample_weight: str | None = None,
) -> Summary:
    """Count research data in Spark in one pass, as :func:`fairmend.summarise` does in a process.

    Each partition is counted by itself, and the counts are added up on the cluster, 16 at a time.

    Parameters
    ----------
    df : DataFrame
        The research data.
    protected, unprotected, features, exclude, kinds, unprotected_bins, sample_weight
        As in :func:`fairmend.summarise`. Quantile bins need all rows at once: pass cut points.

    Returns
    -------
    Summary
        The same however the rows are partitioned, while a feature has at most 262,144 points.
    """
    bins = dict(unprotected_bins or {})
    for name, spec in bins.items():
        if isinstance(spec, int):
            raise SummaryError.quantiles(name)
    roles = {"protected": protected, "unprotected": unprotected, "features": features}
    asked = Asked(**roles, exclude=exclude, weight=sample_weight, kinds=kinds, bins=bins)
    if len(set(df.columns)) < len(df.columns):
        raise faults.duplicated(df.columns)
    named = asked.roles_in(Frame(_nameless(df), NAME))
    found: dict[str, Any] = {
        "protected": list(named.protected),
        "unprotected": list(named.unprotected) or None,
        "features": list(named.features),
        "unprotected_bins": bins,
        "kinds": kinds,
        "sample_weight": sample_weight,
    }
    weight = [] if sample_weight is None else [sample_weight]
    names = list(dict.fromkeys((*named.protected, *named.unprotected, *named.features, *weight)))
    arrow_schema([df.schema[name] for name in names])  # which refuses what cannot be counted
    needed = df.select(*(column(name) for name in names))

    def counted(batches: Iterator[pa.RecordBatch]) -> bytes | None:
        first = next((batch for batch in batches if batch.num_rows), None)
        if first is None:
            return None
        rows = pa.RecordBatchReader.from_batches(first.schema, chain([first], batches))
        return _packed(summarise_rows(rows, **found))

    parts = gathered(needed, counted, _merged)
    if not parts:
        raise DataError.empty(NAME)
    return Summary.together([_unpacked(part) for part in parts])


def design(
    df: "DataFrame",
    *,
    protected: "Names",
    unprotected: "Names" = None,
    features: "Names" = None,
    exclude: str | Sequence[str] = (),
    kinds: "Kinds | None" = None,
    unprotected_bins: "Mapping[str, BinSpec] | None" = None,
    sample_weight: str | None = None,
    **options: Any,
) -> "Plan":
    """Design a plan from research data in Spark, in one pass.

    Parameters
    ----------
    df : DataFrame
        The research data.
    protected, unprotected, features, exclude, kinds, unprotected_bins, sample_weight
        As in :func:`fairmend.design`.
    **options
        All its other options.

    Returns
    -------
    Plan
        That of the same rows in one table: exactly, where no feature has more than 262,144 points
        (distinct values, counted in each group of each stratum), else from values rounded to a
        small share of themselves. Weights that are no binary fractions add up to their last bits.
    """
    summary = summarise(
        df,
        protected=protected,
        unprotected=unprotected,
        features=features,
        exclude=exclude,
        kinds=kinds,
        unprotected_bins=unprotected_bins,
        sample_weight=sample_weight,
    )
    return design_of(summary, **options)


def _nameless(df: "DataFrame") -> pa.Table:
    """Make a table of no rows with the same columns, to find roles in."""
    return pa.table({name: pa.nulls(0) for name in df.columns})


def _packed(summary: Summary) -> bytes:
    return zlib.compress(canonical_json(to_content(summary)).encode(), level=1)


def _unpacked(part: bytes) -> Summary:
    return from_content(Summary, json.loads(zlib.decompress(part)))


def _merged(parts: list[bytes]) -> bytes:
    return _packed(Summary.together([_unpacked(part) for part in parts]))
