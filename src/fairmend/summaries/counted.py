"""One feature of a summary: how it is written as numbers, and how often it has each value."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Self

import numpy as np
from numpy.typing import NDArray

from fairmend.errors import SummaryError
from fairmend.frames.codec import Codec
from fairmend.frames.levels import Level, canonical, in_order
from fairmend.transport.kinds import Kind
from fairmend.transport.tally import CAPACITY, Tally

Order = Literal["sorted", "dictionary", "given"]


@dataclass(frozen=True)
class Counted:
    """A feature, counted.

    Attributes
    ----------
    name : str
        Column.
    codec : Codec or None
        How its values are written as numbers; None where no part has shown a type yet.
    dtype : str
        The column's Arrow type.
    order : {"sorted", "dictionary", "given"}
        Where the order of a category's levels is from.
    kind : str or None
        The kind given by ``kinds=``.
    tally : Tally
        Values by cell.
    """

    name: str
    codec: Codec | None
    dtype: str
    order: Order
    kind: Kind | None
    tally: Tally

    @classmethod
    def together(cls, parts: Sequence[Self]) -> Self:
        """Add up parts, their cells numbered alike; other types and kinds are errors."""
        first = parts[0]
        known = [part for part in parts if part.codec is not None]
        if not known:
            return replace(first, tally=Tally.together([part.tally for part in parts]))
        what = known[0]
        for part in known[1:]:
            _refuse_unlike(what, part)
        codec = what.codec
        assert codec is not None
        if codec.type == "category":
            codec = replace(codec, levels=_levels(known, what.order))
            if len(codec.levels) > CAPACITY:
                raise SummaryError.too_many_levels(first.name, len(codec.levels), CAPACITY)
        tallies = [part._recoded(codec).tally for part in parts]
        tally = Tally.together(tallies, categories=codec.type == "category")
        return replace(what, codec=codec, dtype=min(part.dtype for part in known), tally=tally)

    def used(self) -> Self:
        """Leave out levels of an ordered dictionary that no row has."""
        if self.order != "dictionary" or self.codec is None:
            return self
        occurring = {int(v) for points in self.tally.exact for v in points.values}
        levels = tuple(level for i, level in enumerate(self.codec.levels) if i in occurring)
        return self._recoded(replace(self.codec, levels=levels))

    def spread(self, places: NDArray[np.int64], n_cells: int) -> Self:
        """Give the cells other numbers."""
        return replace(self, tally=self.tally.spread(places, n_cells))

    def _recoded(self, codec: Codec) -> Self:
        if self.codec is None or self.codec.levels == codec.levels:
            return self
        place = {canonical(level): float(i) for i, level in enumerate(codec.levels)}
        to = np.array([place.get(canonical(level), np.nan) for level in self.codec.levels])
        return replace(self, codec=codec, tally=self.tally.recoded(to))


def _refuse_unlike(one: Counted, other: Counted) -> None:
    assert one.codec is not None
    assert other.codec is not None
    for what, a, b in (
        ("the type", one.codec.type, other.codec.type),
        ("the kind", one.kind, other.kind),
        ("the order of levels", one.order, other.order),
    ):
        if a != b:
            msg = f"{what} of {one.name!r}"
            raise SummaryError.differ(msg, a, b)


def _levels(parts: Sequence[Counted], order: Order) -> tuple[Level, ...]:
    """Bring levels together, in the order that their parts agree on."""
    # By their writing, since 1 and 1.0 are equal, and the plan file must not show who came first.
    lists = list({repr(p.codec.levels): p.codec.levels for p in parts if p.codec}.values())
    if len(lists) == 1:
        return lists[0]
    if order == "sorted":
        return tuple(in_order([level for levels in lists for level in levels]))
    longest = max(lists, key=len)
    if order == "given" or not all(_in_turn(levels, iter(longest)) for levels in lists):
        raise SummaryError.other_orders(parts[0].name)
    return longest


def _in_turn(levels: Sequence[Level], among: Iterator[Level]) -> bool:
    """Tell whether levels occur among others in the same order."""
    return all(level in among for level in levels)
