"""Repair of Spark's tables and streams."""

from collections.abc import MutableMapping, Sequence
from typing import TYPE_CHECKING, Any

from fairmend.errors import ColumnError
from fairmend.kernel.draws import checked_seed
from fairmend.plan.options import OutOfRange, Unseen
from fairmend.plan.travel import text_of
from fairmend.spark import faults, udf
from fairmend.spark.accumulator import reports_to
from fairmend.spark.columns import arrow_schema, column
from fairmend.spark.keys import refuse_shared
from fairmend.spark.reports import Account
from fairmend.spark.streams import watch_batches
from fairmend.spark.udf import moved_column, repair_udf
from fairmend.spark.worker import Work
from fairmend.unlabelled.travel import text_of as text_of_labels

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import StructField

    from fairmend.measures.drift.monitor import Monitor
    from fairmend.plan.labels import Draw
    from fairmend.plan.plan import Plan
    from fairmend.unlabelled import LabelModel

ARCHIVE = "archive"
MOVED = "the repaired columns"
"""Column of structs between the repair and the table; named so that no archive has it."""


def repair(
    df: "DataFrame",
    plan: "Plan",
    *,
    key: str | Sequence[str] | None,
    seed: int | None = None,
    reproducible: bool = True,
    check_keys: bool = True,
    unseen: Unseen | None = None,
    out_of_range: OutOfRange | None = None,
    drop_protected: bool = False,
    summary: MutableMapping[str, Any] | None = None,
    monitor: "Monitor | None" = None,
    labels: "LabelModel | None" = None,
    draw: "Draw" = "sample",
) -> "DataFrame":
    """Repair the features of a Spark table or stream (Algorithm 2), lazily.

    Each row becomes what :meth:`fairmend.Plan.repair` makes of it with the same key and seed,
    however the table is partitioned, and however often a task is tried. Only features, roles and
    keys go through Python; all other columns, the order of columns, types, nullability and metadata
    stay as they are.

    Parameters
    ----------
    df : DataFrame
        A table, or a stream of Structured Streaming.
    plan : Plan
        Sent to the executors as the JSON of its file.
    key : str, list of str or None
        Columns that identify rows (integers or strings). Spark has no stable row number, so it must
        be given, or ``None`` together with ``reproducible=False``.
    seed : int, optional
        As in :meth:`fairmend.Plan.repair`: **a secret**, by default fresh bits, handed back in
        ``summary``. A restarted stream needs the seed that it began with.
    reproducible : bool
        False draws at random for each row, each time that it is computed, and takes no key and no
        seed: two runs, or two actions on the same result, then differ.
    check_keys : bool
        Whether to refuse keys that many rows share. That is judged over the whole table, by one
        reading of its key columns *before* this call returns; False is for keys known to identify
        rows, and judges each Arrow batch only, as it always is with a stream.
    unseen, out_of_range, drop_protected
        As in :meth:`fairmend.Plan.repair`.
    summary : dict, optional
        Receives the seed at once, and the counts of each policy as tasks end: those of the last
        time that a table was computed, and of all micro-batches of a stream. Below Spark 4.1, and
        through Spark Connect, the seed only.
    monitor : Monitor, optional
        Of a stream: looks at each micro-batch when it is complete. Needs Spark 4.1.
    labels : LabelModel, optional
        As in :meth:`fairmend.Plan.repair`; sent as the JSON of its file, so that executors need no
        more than otherwise. One that uses a classifier is refused.
    draw : {"sample", "map", "expected"}
        As in :meth:`fairmend.Plan.repair`.

    Returns
    -------
    DataFrame
        Not computed yet.

    Examples
    --------
    >>> repaired = fairmend.spark.repair(df, plan, key="id")  # doctest: +SKIP
    >>> repaired.write.parquet("repaired")  # doctest: +SKIP
    """
    keys = (key,) if isinstance(key, str) else tuple(key or ())
    _require_options(keys, seed, monitor, df, reproducible=reproducible)
    seed = checked_seed(seed)
    options = {"unseen": unseen, "out_of_range": out_of_range, "draw": draw}
    told_by = None if labels is None or plan.is_blind else text_of_labels(labels)
    fields = _fields(df, plan, keys, labels)
    # Repairing no rows refuses columns of other types, roles as keys and impossible options now.
    empty = arrow_schema(fields).empty_table()
    plan.repair(empty, seed=seed, key=keys, first_row=0, labels=labels, **options)  # type: ignore[arg-type]
    if keys and check_keys and not df.isStreaming:
        refuse_shared(df, keys)
    account = Account(seed, summary, monitor)
    context = None if _is_remote(df) else df.sparkSession.sparkContext

    def sent(text: str | None) -> Any:
        return text if context is None or text is None else context.broadcast(text)

    work = Work(
        plan=sent(text_of(plan)),
        seed=seed,
        names=tuple(field.name for field in fields),
        features=plan.feature_names,
        required=tuple(one.name for one in fields if not one.nullable),
        key=keys,
        options=options,
        judge_batches=bool(keys) and (df.isStreaming or not check_keys),
        watched=monitor is not None,
        report=None if context is None else reports_to(context, account),
        labels=sent(told_by),
    )
    if monitor is not None:
        watch_batches(df.sparkSession, account)
    moved = {
        name: moved_column(MOVED, at, field)
        for at, (name, field) in enumerate(zip(plan.feature_names, fields, strict=False))
    }
    dropped = plan.protected if drop_protected else ()
    kept = [name for name in df.columns if name not in dropped]
    repaired = df.withColumn(MOVED, repair_udf(work, fields))
    return repaired.select(*(moved[name] if name in moved else column(name) for name in kept))


def _require_options(
    keys: Sequence[str],
    seed: int | None,
    monitor: "Monitor | None",
    df: "DataFrame",
    *,
    reproducible: bool,
) -> None:
    if reproducible and not keys:
        raise faults.no_key()
    if not reproducible and (keys or seed is not None):
        raise faults.both_ways("key" if keys else "seed")
    if monitor is not None and not df.isStreaming:
        raise faults.monitor_of_table()
    if monitor is not None and _is_remote(df):
        raise faults.monitor_through_connect()
    if monitor is not None and not udf.HAS_ARROW:
        raise faults.monitor_of_old_spark()


def _fields(
    df: "DataFrame", plan: "Plan", keys: Sequence[str], labels: "LabelModel | None"
) -> "list[StructField]":
    """Find the columns that go through Python: features first, then roles, clues and keys."""
    if len(set(df.columns)) < len(df.columns):
        raise faults.duplicated(df.columns)
    known = {field.name: field for field in df.schema.fields}
    groups: Sequence[str] = () if plan.is_blind else plan.protected
    clues: Sequence[str] = ()
    if labels is not None and not plan.is_blind:
        groups = [name for name in groups if name in known]
        clues = labels.columns
    wanted: dict[str, str] = {}
    for parameter, names in (
        ("features", plan.feature_names),
        ("protected", groups),
        ("unprotected", plan.unprotected),
        ("labels", clues),
        ("key", keys),
    ):
        wanted |= {name: parameter for name in names if name not in wanted}
    for name, parameter in wanted.items():
        if name not in known:
            raise ColumnError.missing(ARCHIVE, name, parameter, df.columns)
    return [known[name] for name in wanted]


def _is_remote(df: "DataFrame") -> bool:
    """Tell whether it belongs to Spark Connect, which has neither broadcasts nor accumulators."""
    return ".connect." in type(df).__module__
