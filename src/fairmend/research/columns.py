"""What kind of column each feature is, and how it is written as numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import get_args

import numpy as np

from fairmend.errors import OptionError
from fairmend.frames.codec import Codec
from fairmend.frames.levels import Level
from fairmend.frames.table import Frame
from fairmend.kernel.move import Output
from fairmend.research.cells import Sample
from fairmend.summaries.counted import Counted
from fairmend.transport.kinds import Kind, NumericKind, atoms_of, kind_of, lattice_step
from fairmend.transport.layout import Column
from fairmend.transport.points import Points

Kinds = Mapping[str, Kind | Sequence[Level]]


def checked_kinds(kinds: Kinds | None, features: Sequence[str]) -> Kinds:
    """Check that each named kind exists and belongs to a feature."""
    for name, kind in (kinds or {}).items():
        if name not in features:
            message = f"kinds= names {name!r}, which is not a feature. They are {list(features)}."
            raise OptionError(message)
        if isinstance(kind, str) and kind not in get_args(Kind):
            option = f"kinds[{name!r}]"
            raise OptionError.not_one_of(option, kind, get_args(Kind))
    return kinds or {}


def codec_of(frame: Frame, name: str, kind: Kind | Sequence[Level] | None) -> Codec:
    """Choose how a feature is written as numbers: by its type, or as the given kind asks."""
    array = frame.arrow(name)
    if kind is not None and not isinstance(kind, str):
        return Codec.category(array, kind)
    if kind in ("ordinal", "categorical"):
        return Codec.category(array)
    codec = Codec.of(array, name, frame.name)
    if kind is not None and codec.type == "category":
        message = (
            f"kinds[{name!r}]={kind!r} is a kind of numbers, and the column holds {array.type}. "
            f"Pass 'categorical', 'ordinal', or the list of its levels in order."
        )
        raise OptionError(message)
    return codec


@dataclass(frozen=True)
class Given:
    """What the caller said of a column."""

    kind: Kind | None
    output: Output
    min_atom_rows: int


def column_of(feature: Counted, codec: Codec, sample: Sample, given: Given) -> Column:
    """Describe one feature from all of its research values."""
    name = feature.name
    if codec.type == "category":
        kind, reason = _category_kind(feature, given.kind)
        column = Column(kind, reason, np.arange(len(codec.levels), dtype=np.float64), 0.0)
    else:
        column = _numeric(sample, given)
    if given.output == "monge" and (column.kind != "continuous" or column.lattice):
        what = (
            f"is {column.kind}" if not column.lattice else f"comes in steps of {column.lattice:g}"
        )
        message = (
            f"output='monge' would leak the groups of {name!r}, which {what}: each group's values "
            f"would move to places of their own. Use output='support', or name only continuous "
            f"features."
        )
        raise OptionError(message)
    return column


def _category_kind(feature: Counted, kind: Kind | None) -> tuple[Kind, str]:
    if kind is not None:
        return kind, "given by kinds="
    if feature.order == "dictionary":
        return "ordinal", "its categories have an order"
    return "categorical", f"it holds {feature.dtype}"


def _numeric(sample: Sample, given: Given) -> Column:
    points = Points.together(sample.everybody)
    if points.size == 0:
        return Column("discrete", "no value is known", points.values, 0.0)
    kind: NumericKind
    if given.kind in get_args(NumericKind):
        kind, reason = given.kind, "given by kinds="  # type: ignore[assignment]
    else:
        kind, reason = kind_of(points)
        # Of binned values it is only known that there are more.
        reason = reason if sample.step is None else f"at least {reason}"
    lattice = 0.0
    if kind != "discrete":
        lattice = lattice_step(points.values) if sample.step is None else sample.step
    return Column(kind, reason, atoms_of(points, kind, given.min_atom_rows), lattice)
