"""An audit of archives in Spark, in one pass over both."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from pyspark.sql import functions as sf

from fairmend.errors import ColumnError, RowKeyError
from fairmend.frames.arrow import ArrowFrame
from fairmend.plan.apply import cells_of
from fairmend.plan.options import Policies
from fairmend.plan.travel import plan_of, text_of
from fairmend.spark import faults
from fairmend.spark.columns import arrow_schema, column
from fairmend.spark.counts import ArchiveCounts, added
from fairmend.spark.examination import ArchiveAudit, audit_of
from fairmend.spark.gathering import gathered

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from fairmend.plan.plan import Plan

BEFORE, AFTER, ROLE, HERE, THERE = "before ", "after ", "role ", "in archive", "in repaired"


def audit(
    archive: "DataFrame",
    repaired: "DataFrame",
    plan: "Plan",
    *,
    key: str | Sequence[str],
    draws: int | None = None,
    seed: int = 0,
) -> ArchiveAudit:
    """Measure what a repair achieved and cost, in one pass over a join of both tables by key.

    Values are counted by group and stratum at places that the plan names, before any row is seen;
    counts are added up on the cluster, and everything else is computed from them on the driver.

    Parameters
    ----------
    archive, repaired : DataFrame
        Before and after. ``repaired`` may lack the protected columns.
    plan : Plan
        By which it was repaired.
    key : str or list of str
        Columns that identify a row in both; each key once.
    draws : int, optional
        Permutations for floors and tests, by default 499 or as many as Holm's correction needs.
    seed : int
        Of the permutations. It protects nothing.

    Returns
    -------
    ArchiveAudit
        The same as counting all rows in one process: exactly, but for the last bits of the root
        mean squared and the mean absolute change.

    Notes
    -----
    Damage lacks what needs all values in order: the Wasserstein distance, the 95th percentile and
    the rank correlation of :func:`fairmend.damage`. Dependence differs from
    :func:`fairmend.measures.inference.examine` on the rows by where the bins of a continuous
    feature lie; features whose every value is a support point are counted alike.
    """
    keys = (key,) if isinstance(key, str) else tuple(key)
    text = text_of(plan)
    joined, totals = _joined(archive, repaired, plan, keys)

    def counted(batches: Iterator[pa.RecordBatch]) -> bytes | None:
        its_plan = plan_of(text)
        parts = [_counted(its_plan, batch) for batch in batches if batch.num_rows]
        return added(parts).tobytes() if parts else None

    def merged(parts: list[bytes]) -> bytes:
        return added([np.frombuffer(part) for part in parts]).tobytes()

    parts = [np.frombuffer(part) for part in gathered(joined, counted, merged)]
    if not parts:
        raise faults.nothing_joined(keys)
    vector = added(parts)
    counts = ArchiveCounts.empty(plan).filled_with(vector[2:])
    both = counts.tally.rows
    unmatched = {"archive": int(vector[0]), "repaired": int(vector[1])}
    for name, total in totals.items():
        if both + unmatched[name] != total:
            raise RowKeyError.too_few(keys, min(total, both), max(total, both))
    if not both:
        raise faults.nothing_joined(keys)
    return audit_of(plan, counts, unmatched, draws, seed)


def _joined(
    archive: "DataFrame", repaired: "DataFrame", plan: "Plan", keys: tuple[str, ...]
) -> "tuple[DataFrame, dict[str, int]]":
    """Put rows beside each other: features before and after, and roles as they were before."""
    roles = dict.fromkeys((*plan.protected, *plan.unprotected))
    features = plan.feature_names
    for df, names in ((archive, (*keys, *roles, *features)), (repaired, (*keys, *features))):
        if len(set(df.columns)) < len(df.columns):
            raise faults.duplicated(df.columns)
        for name in names:
            if name not in df.columns:
                table = "archive" if df is archive else "repaired table"
                raise ColumnError.missing(table, name, "key, features or roles", df.columns)
        arrow_schema([df.schema[name] for name in names])  # which refuses what cannot be read
    matched = [column(name).alias(f"key {i}") for i, name in enumerate(keys)]
    old = archive.select(
        *matched,
        *(column(name).alias(BEFORE + name) for name in features),
        *(column(name).alias(ROLE + name) for name in roles),
        sf.lit(1).alias(HERE),
    )
    new = repaired.select(
        *matched, *(column(name).alias(AFTER + name) for name in features), sf.lit(1).alias(THERE)
    )
    on = [f"key {i}" for i in range(len(keys))]
    joined = old.join(new, on, "full_outer").drop(*on)
    return joined, {"archive": archive.count(), "repaired": repaired.count()}


def _counted(plan: "Plan", batch: pa.RecordBatch) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    table = pa.Table.from_batches([batch])
    here, there = (table[name].is_valid().to_numpy() for name in (HERE, THERE))
    both = table.filter(pa.array(here & there))
    before = _of(both, BEFORE, plan.feature_names, {r: ROLE + r for r in _roles(plan)})
    after = _of(both, AFTER, plan.feature_names, {})
    cells = cells_of(plan, before, Policies("keep"))
    values = before.finite_numbers(plan.codecs), after.finite_numbers(plan.codecs)
    counts = ArchiveCounts.of(plan, cells, *values)
    alone = [(here & ~there).sum(), (there & ~here).sum()]
    vector: np.ndarray[tuple[int], np.dtype[np.float64]] = np.append(alone, counts.vector())
    return vector


def _of(table: pa.Table, when: str, features: Sequence[str], roles: dict[str, str]) -> ArrowFrame:
    columns = {name: table[when + name] for name in features}
    columns |= {name: table[place] for name, place in roles.items() if name not in columns}
    return ArrowFrame(pa.table(columns), "archive" if when == BEFORE else "repaired table")


def _roles(plan: "Plan") -> tuple[str, ...]:
    return (*plan.protected, *plan.unprotected)
