"""Whether a summary that was read from a file can be designed from: what a schema cannot say."""

from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from fairmend.errors import SummaryFileError
from fairmend.frames.codec import UNSEEN_LEVEL, ColumnType
from fairmend.summaries.counted import Counted, Order
from fairmend.transport.binned import MANTISSA, Binned, cut_off
from fairmend.transport.kinds import Kind
from fairmend.transport.points import Points
from fairmend.transport.tally import Tally

if TYPE_CHECKING:
    from fairmend.summaries.summary import Summary


def require_sound(summary: "Summary") -> None:
    """Raise unless all parts of a summary fit together; a hash only shows that it was not changed.

    Rows and weights are checked one by one, so that a damaged count cannot become a law.
    """
    shape = (len(summary.strata), len(summary.groups))
    names = summary.feature_names
    _require(bool(names) and len(set(names)) == len(names), "features are missing or repeated")
    _require(bool(summary.protected) and bool(shape[1]), "there are no groups")
    fits = summary.rows.shape == summary.weights.shape == shape
    _require(fits and _are_counts(summary.rows, summary.weights), "the rows do not fit")
    for feature in summary.features:
        _require_feature(feature, summary.rows.ravel())


def _require_feature(feature: Counted, rows: Any) -> None:
    what, tally = f"feature {feature.name!r}", feature.tally
    codec = feature.codec
    known = codec is None or codec.type in get_args(ColumnType)
    _require(known and feature.order in get_args(Order), f"{what} is of no known type")
    _require(feature.kind is None or feature.kind in get_args(Kind), f"{what} is of no known kind")
    _require(len(tally.exact) == rows.size, f"{what} lacks cells")
    _require(tally.missing.shape == tally.missing_weights.shape == rows.shape, f"gaps of {what}")
    _require(_are_counts(tally.missing, tally.missing_weights), f"gaps of {what}")
    _require(len(tally.binned) in (0, rows.size), f"{what} lacks bins")
    _require(isinstance(tally.bits, int) and 0 <= tally.bits <= MANTISSA, f"bits of {what}")
    for points in tally.exact:
        _require_points(points, what)
    for binned in tally.binned:
        _require_binned(binned, tally.bits, what)
    counted = np.array([p.size for p in tally.exact]) + tally.missing
    for cell, binned in enumerate(tally.binned):
        counted[cell] += int(binned.rows.sum())
    _require(np.array_equal(counted, rows), f"{what} has more or fewer values than rows")
    if codec is not None and codec.type == "category":
        _require(_are_levels(tally, len(codec.levels)), f"{what} has values that are no levels")


def _require_points(points: Points, what: str) -> None:
    arrays = (points.values, points.rows, points.weights)
    _require(len({a.shape for a in arrays}) == 1 and points.values.ndim == 1, f"cells of {what}")
    rising = bool(np.isfinite(points.values).all() and (np.diff(points.values) > 0).all())
    _require(rising, f"the values of {what} do not rise")
    _require(bool((points.rows > 0).all()), f"{what} has values without rows")
    _require(_are_counts(points.rows, points.weights) and points.squares >= 0, f"counts of {what}")


def _require_binned(binned: Binned, bits: int, what: str) -> None:
    _require_points(Points(binned.keys, binned.rows, binned.weights, binned.squares), what)
    fits = binned.offsets.shape == binned.keys.shape and bool(np.isfinite(binned.offsets).all())
    _require(fits and np.array_equal(cut_off(binned.keys, bits), binned.keys), f"bins of {what}")


def _are_counts(rows: Any, weights: Any) -> bool:
    return bool((rows >= 0).all() and (weights >= 0).all() and np.isfinite(weights).all())


def _are_levels(tally: Tally, n: int) -> bool:
    values = np.concatenate([points.values for points in tally.exact])
    whole = bool((values == np.rint(values)).all())
    return whole and not tally.binned and bool(((values >= UNSEEN_LEVEL) & (values < n)).all())


def _require(sound: bool, what: str) -> None:
    if not sound:
        raise SummaryFileError(what)
