"""Repair of Dask's tables, partition by partition."""

from collections.abc import MutableMapping, Sequence
from typing import TYPE_CHECKING, Any

import dask
from fairmend.errors import RowKeyError
from fairmend.frames.keys import row_keys
from fairmend.frames.sharing import Sharing
from fairmend.frames.table import Frame
from fairmend.kernel.draws import checked_seed
from fairmend.plan.options import OutOfRange, Unseen
from fairmend.plan.travel import plan_of, text_of
from fairmend.unlabelled.travel import labels_of
from fairmend.unlabelled.travel import text_of as text_of_labels

if TYPE_CHECKING:
    from dask.dataframe import DataFrame

    from fairmend.plan.labels import Draw
    from fairmend.plan.plan import Plan
    from fairmend.unlabelled import LabelModel

MERGED = 16
"""Sketches of keys that are merged at a time: each is up to 64 kB."""


def repair(
    ddf: "DataFrame",
    plan: "Plan",
    *,
    key: str | Sequence[str],
    seed: int | None = None,
    check_keys: bool = True,
    unseen: Unseen | None = None,
    out_of_range: OutOfRange | None = None,
    drop_protected: bool = False,
    summary: MutableMapping[str, Any] | None = None,
    labels: "LabelModel | None" = None,
    draw: "Draw" = "sample",
    write_labels: str | None = None,
) -> "DataFrame":
    """Repair the features of a Dask table (Algorithm 2), lazily.

    Each row becomes what :meth:`fairmend.Plan.repair` makes of it with the same key and seed,
    however the table is partitioned. Nothing is computed before the result is.

    Parameters
    ----------
    ddf : dask.dataframe.DataFrame
        The archive.
    plan : Plan
        Sent to the workers as the JSON of its file.
    key : str or list of str
        Columns that identify rows (integers or strings). It must be given: a partition does not
        know the numbers of its rows.
    seed : int, optional
        As in :meth:`fairmend.Plan.repair`: **a secret**, by default fresh bits, handed back in
        ``summary``.
    check_keys : bool
        Whether to refuse keys that many rows share over the whole table: its key columns are then
        read once before the rest, when the result is computed. False is for keys known to identify
        rows, and judges each partition by itself.
    unseen, out_of_range, drop_protected
        As in :meth:`fairmend.Plan.repair`.
    summary : dict, optional
        Receives the seed.
    labels : LabelModel, optional
        As in :meth:`fairmend.Plan.repair`; sent as the JSON of its file. One that uses a classifier
        is refused.
    draw, write_labels
        As in :meth:`fairmend.Plan.repair`.

    Returns
    -------
    dask.dataframe.DataFrame
        With the same partitions, divisions, index and types.

    Examples
    --------
    >>> import dask.dataframe as dd
    >>> import fairmend
    >>> people = fairmend.datasets.simulate(2_000, rng=1).to_pandas()
    >>> people["id"] = range(2_000)
    >>> plan = fairmend.design(people[:500], protected="s", unprotected="u", features="x1")
    >>> ddf = dd.from_pandas(people, npartitions=4)
    >>> repaired = fairmend.dask.repair(ddf, plan, key="id", seed=7)
    >>> repaired.npartitions
    4
    >>> repaired.compute().equals(plan.repair(people, key="id", seed=7))
    True
    """
    keys = [key] if isinstance(key, str) else list(key or ())
    if not keys:
        message = (
            "key= is missing. A partition of a Dask table does not know the numbers of its rows, "
            "so every partition would give its rows the same draws. Pass key= with columns that "
            "identify rows."
        )
        raise RowKeyError(message)
    options: dict[str, Any] = {
        "seed": checked_seed(seed),
        "key": keys,
        "unseen": unseen,
        "out_of_range": out_of_range,
        "drop_protected": drop_protected,
        "draw": draw,
        "write_labels": write_labels,
    }
    if summary is not None:
        summary["seed"] = options["seed"]
    # Repairing no rows shows columns and types, and refuses what cannot be repaired here and now.
    meta = plan.repair(ddf._meta, labels=labels, **options)
    texts = text_of(plan), None if labels is None else text_of_labels(labels)
    judged = _judged(ddf[keys], keys) if check_keys else None
    return ddf.map_partitions(_repaired, texts, options, judged, meta=meta)


def _repaired(
    part: Any, texts: tuple[str, str | None], options: dict[str, Any], judged: bool | None
) -> Any:
    plan, told_by = texts
    labels = None if told_by is None else labels_of(told_by)
    sharing = Sharing() if judged else None
    return plan_of(plan).repair(part, sharing=sharing, labels=labels, **options)


def _judged(ddf: "DataFrame", keys: list[str]) -> Any:
    """Make the task that judges all keys, which every partition's repair waits for."""
    sketches = [dask.delayed(_sketch)(part, keys) for part in ddf.to_delayed()]
    while len(sketches) > MERGED:
        runs = [sketches[at : at + MERGED] for at in range(0, len(sketches), MERGED)]
        sketches = [dask.delayed(_merged)(run) for run in runs]
    return dask.delayed(_refuse_shared)(sketches, keys)


def _sketch(part: Any, keys: list[str]) -> Sharing:
    seen = Sharing()
    row_keys(Frame(part, "archive"), keys, None, seen)
    return seen


def _merged(sketches: Sequence[Sharing]) -> Sharing:
    merged = Sharing()
    for one in sketches:
        merged.merge(one)
    return merged


def _refuse_shared(sketches: Sequence[Sharing], keys: list[str]) -> bool:
    _merged(sketches).refuse_shared(keys)
    return True
