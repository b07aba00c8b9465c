"""One spelling for all values that a plan may move, so that a field's text tells nothing more.

If ``1.0`` stayed as it was and a moved value were written ``1``, the text would tell who was moved,
and that depends on the group.
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from fairmend.files.times import text_of
from fairmend.frames.codec import UNSEEN_LEVEL, Codec
from fairmend.frames.table import Frame
from fairmend.plan.apply import cells_of
from fairmend.plan.labels import planned_groups
from fairmend.plan.options import OutOfRange, Policies, Unseen
from fairmend.plan.plan import Plan

Mask = NDArray[np.bool_]


def planned_rows(
    plan: Plan,
    table: pa.Table,
    unseen: Unseen | None,
    out_of_range: OutOfRange | None,
    *,
    told: bool = False,
) -> dict[str, Mask]:
    """Mark for each feature the rows that a plan repairs; a policy leaves the others as they are.

    Parameters
    ----------
    plan : Plan
        What is applied.
    table : pyarrow.Table
        The archive, its columns typed.
    unseen, out_of_range : str, optional
        As in :meth:`fairmend.Plan.repair`; by default the plan's.
    told : bool
        Whether groups that were not recorded are estimated.
    """
    default = plan.options.policies
    policies = Policies(unseen or default.unseen, out_of_range or default.out_of_range)
    frame = Frame(table, "archive")
    group = planned_groups(plan, frame, policies) if told else None
    cells = cells_of(plan, frame, policies, group)
    stratum = np.maximum(cells, 0) // (len(plan.groups) + 1)
    values = frame.finite_numbers(plan.codecs)
    planned: dict[str, Mask] = {}
    for feature in plan.features:
        x, mask = values[feature.name], cells >= 0
        if feature.codec.type == "category" and policies.unseen == "keep":
            mask = mask & (x != UNSEEN_LEVEL)
        if policies.out_of_range == "keep":
            low, high = feature.range
            mask = mask & ~((x < low[stratum]) | (x > high[stratum]))
        planned[feature.name] = mask
    return planned


def spelt(
    text: pa.ChunkedArray,
    before: pa.ChunkedArray,
    after: pa.ChunkedArray,
    codec: Codec,
    planned: Mask,
    *,
    first: str | None = None,
    missing_too: bool = False,
) -> pa.ChunkedArray:
    """Write the planned values of a column in one way, whether they have moved or not.

    Whole numbers are written without a point, other numbers by the shortest text that reads as
    them, categories as the plan spells their levels, times in ISO. Where a row is not planned, or
    was missing and still is, its field stays as it was.

    Parameters
    ----------
    text : chunked array of str
        The fields of the archive.
    before, after : chunked array
        Their values, and those after repair.
    codec : Codec
        What the values are.
    planned : ndarray of bool
        The rows that the plan repairs.
    first : str, optional
        The field of the source's first row, whose form times have; by default that of ``text``.
    missing_too : bool
        Whether the plan repairs missing values, so that they are written in one way too: empty.
    """
    like = text if first is None else pa.chunked_array([[first]])
    gone = pc.and_(pc.is_null(before), pc.is_null(after))
    to_write = pa.chunked_array([pa.array(planned)])
    if not missing_too:
        to_write = pc.and_not(to_write, gone)
    written = pc.fill_null(_written(after, codec, like), "")
    is_category = codec.type == "category"  # of which a level in another spelling has not moved
    same = pc.equal(_levels(before, codec), written) if is_category else pc.equal(before, after)
    other = pc.invert(pc.fill_null(same, True))
    moved = pc.or_(other, pc.xor(pc.is_null(before), pc.is_null(after)))
    return pc.if_else(pc.or_(to_write, moved), written, text)


def _written(values: pa.ChunkedArray, codec: Codec, like: pa.ChunkedArray) -> pa.ChunkedArray:
    if codec.type == "category":
        return _levels(values, codec)
    if codec.type != "number":
        return text_of(values, like)
    if not pa.types.is_floating(values.type):
        return values.cast(pa.string())
    values = pc.add(values, 0.0)  # a minus zero is a zero
    is_whole = pc.and_(pc.equal(values, pc.round(values)), pc.less(pc.abs(values), 2.0**53))
    none = pa.scalar(None, values.type)
    # As a float, 10,000,000,000 would be written 1e+10.
    whole = pc.if_else(is_whole, values, none).cast(pa.int64()).cast(pa.string())
    if pc.all(is_whole).as_py():
        return whole
    return pc.coalesce(whole, values.cast(pa.string()))


def _levels(values: pa.ChunkedArray, codec: Codec) -> pa.ChunkedArray:
    """Spell each category as its level in the plan; one that the plan does not know is kept."""
    found = pc.unique(values.drop_null())
    places = codec.encode(found)
    known = pa.array(places >= 0)
    levels = codec.decode(np.maximum(places, 0.0), pa.string())
    names = pc.if_else(known, levels, found.cast(pa.string()))
    return names.take(pc.index_in(values, value_set=found))
