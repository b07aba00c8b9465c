"""The guard of a feature: what it may not become, for what the features before it have become.

A value that was drawn and is forbidden is drawn again from the leaf's target without what is
forbidden. By then all groups have the same law, and the second draw asks of nothing but repaired
values, so it tells nothing of S; drawn, and drawn again where need be, a value has the target's law
without what is forbidden.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from fairmend.errors import OptionError
from fairmend.kernel.draws import Bits, mix, stream
from fairmend.plan.constraints import Constraint, bins_inside, bins_of_constraints, named
from fairmend.plan.feature import Feature
from fairmend.plan.forest import Bins, Ints, Masks, Seen
from fairmend.transport.cell import Cell
from fairmend.transport.support import Floats

Flags = NDArray[np.bool_]

WORD = 64
"""A constraint is a bit."""

MOST_CLASSES = 100_000
"""Combinations of earlier values that are gone through for one that leaves nothing."""

_MANTISSA = np.uint64(11)


@dataclass(frozen=True)
class Guard:
    """The constraints whose last feature is this one.

    Attributes
    ----------
    name : str
        The feature.
    masks : dict of str to ndarray of shape (words, bins)
        By feature: which constraints, a bit each, a value's bin leaves possible.
    bins : dict of str to Bins
        How the values of these features are told apart.
    cells : tuple of Cell
        Of each leaf, and last of all strata together.
    wider : ndarray of shape (leaves + 1,)
        Place in ``strata`` of what a leaf falls back on where its target has nothing allowed.
    strata : tuple of Cell
        The strata, and last all of them together.
    """

    name: str
    masks: dict[str, Masks]
    bins: dict[str, Bins]
    cells: tuple[Cell, ...]
    wider: Ints
    strata: tuple[Cell, ...]

    def marks_of(self, values: Mapping[str, Floats]) -> dict[str, Seen]:
        """Find the bins of those of the features that are there."""
        return {name: self.bins[name].of(values[name]) for name in self.masks if name in values}

    def found(self, values: Mapping[str, Floats]) -> Flags:
        """Tell which rows have one of the combinations."""
        found: Flags = np.any(self._possible(self.marks_of(values), self.masks), axis=0)
        return found

    def kept_out(
        self,
        drawn: Floats,
        leaf: Ints,
        marks: Mapping[str, Seen],
        keys: Bits,
        seed: int,
        may_move: Flags,
    ) -> Floats:
        """Draw again what is forbidden.

        Parameters
        ----------
        drawn : ndarray of shape (n,)
            The feature, repaired without constraints.
        leaf : ndarray of shape (n,)
            Each row's leaf, counted over all trees.
        marks : mapping of str to ndarray of shape (n,)
            Bins of the features repaired before.
        keys : ndarray of shape (n,)
            ``mix(row key)``.
        may_move : ndarray of shape (n,)
            Rows that are repaired.
        """
        earlier = [name for name in self.masks if name != self.name]
        closing = self._possible(marks, earlier)
        own = {self.name: self.bins[self.name].of(drawn)}
        bad = (closing & self._possible(own, own)).any(axis=0) & may_move & ~np.isnan(drawn)
        rows = np.flatnonzero(bad)
        if not rows.size:
            return drawn
        bits = mix(keys[rows] ^ stream(seed, self.name, "constraint"))
        shares = (bits >> _MANTISSA).astype(np.float64) / 2.0**53
        alike = np.column_stack([leaf[rows].astype(np.uint64), closing[:, rows].T])
        cases, case = np.unique(alike, axis=0, return_inverse=True)
        order = np.argsort(case.ravel(), kind="stable")
        ends = np.cumsum(np.bincount(case.ravel(), minlength=len(cases)))
        again = drawn.copy()
        for (at, *words), part in zip(cases, np.split(order, ends[:-1]), strict=True):
            law = self._allowed(int(at), np.array(words, dtype=np.uint64))
            if law is not None:
                again[rows[part]] = _drawn(*law, shares[part])
        return again

    def leaves_something(self, words: Masks) -> bool:
        """Tell whether any value stays allowed under some constraints."""
        return bool(self._open(self.strata[-1], words).any())

    def _possible(self, marks: Mapping[str, Seen], names: Iterable[str]) -> Masks:
        """Find the constraints that some values leave possible, as bits."""
        possible: Masks | None = None
        for name in names:
            told = self.masks[name][:, marks[name]]
            possible = told if possible is None else possible & told
        assert possible is not None
        return possible

    def _open(self, cell: Cell, words: Masks) -> Flags:
        """Mark the points of a support that constraints leave allowed."""
        own = self.masks[self.name][:, self.bins[self.name].of(cell.support)]
        left: Flags = np.logical_not(np.any(own & words[:, None], axis=0))
        return left

    def _allowed(self, leaf: int, words: Masks) -> tuple[Floats, Floats] | None:
        """Give a target without what is forbidden: the leaf's, its stratum's, or any."""
        wider = (self.cells[leaf], self.strata[int(self.wider[leaf])], self.strata[-1])
        for cell in wider:
            mass = cell.target * self._open(cell, words)
            if mass.any():
                return cell.support, mass
        some = self._open(self.strata[-1], words)
        return (self.strata[-1].support, some.astype(np.float64)) if some.any() else None


def guards_of(features: Sequence[Feature], constraints: Sequence[Constraint]) -> list[Guard | None]:
    """Compile the constraints of features in the order of their repair."""
    return [
        guard_of(one, [other.name for other in features[:at]], features, constraints)
        for at, one in enumerate(features)
    ]


def guard_of(
    feature: Feature,
    earlier: Sequence[str],
    features: Sequence[Feature],
    constraints: Sequence[Constraint],
) -> Guard | None:
    """Compile the constraints that a feature is the last of; None where there is none."""
    ending = [
        one for one in constraints if feature.name in one and {*one} <= {*earlier, feature.name}
    ]
    if not ending:
        return None
    codecs = {one.name: one.codec for one in features}
    bins = bins_of_constraints(codecs, constraints)
    names = [name for name in codecs if any(name in one for one in ending)]
    words = -(-len(ending) // WORD)
    masks = {}
    for name in names:
        bits = np.zeros((words, bins[name].size), dtype=np.uint64)
        for at, one in enumerate(ending):
            inside = bins_inside(one[name], codecs[name], bins[name]) if name in one else True
            bits[at // WORD] |= np.where(inside, np.uint64(1 << at % WORD), np.uint64(0))
        masks[name] = bits
    refined = feature.refined
    leaves = [(cell,) for cell in feature.cells] if refined is None else refined.cells
    cells = tuple(cell for parts in leaves for cell in parts)
    wider = [u for u, parts in enumerate(leaves) for _ in parts]
    return Guard(
        feature.name,
        masks,
        {name: bins[name] for name in names},
        (*cells, feature.anywhere),
        np.array([*wider, len(leaves)]),
        (*feature.cells, feature.anywhere),
    )


def refuse_dead_ends(features: Sequence[Feature], constraints: Sequence[Constraint]) -> None:
    """Raise if some combination of earlier values leaves a feature no value at all.

    Where there are too many combinations to go through, none is looked for: a repair then counts
    the rows for which there is nothing left.
    """
    guards = [one for one in guards_of(features, constraints) if one is not None]
    codecs = {one.name: one.codec for one in features}
    for at, guard in enumerate(guards):
        names = [name for name in guard.masks if name != guard.name]
        marks = {name: _classes(guards[: at + 1], name) for name in names}
        if np.prod([float(one.size) for one in marks.values()]) > MOST_CLASSES:
            continue
        for case in product(*marks.values()):
            seen = {name: np.array([bin_]) for name, bin_ in zip(names, case, strict=True)}
            if any(_is_caught(other, seen) for other in guards[:at]):
                continue
            words = guard._possible(seen, names)[:, 0]
            if not guard.leaves_something(words):
                of = [one for one in constraints if guard.name in one and {*one} <= {*codecs}]
                raise OptionError.nothing_allowed(guard.name, [named(one) for one in of])


def _is_caught(guard: Guard, marks: Mapping[str, Seen]) -> bool:
    """Tell whether earlier constraints forbid a combination by themselves."""
    known = guard.masks.keys() <= marks.keys()
    return known and bool(guard._possible(marks, guard.masks).any())


def _classes(guards: Sequence[Guard], name: str) -> NDArray[np.intp]:
    """Pick one bin of a feature of all those that no guard tells apart."""
    masks = np.vstack([one.masks[name] for one in guards if name in one.masks])
    return np.unique(masks, axis=1, return_index=True)[1]


def _drawn(points: Floats, mass: Floats, shares: Floats) -> Floats:
    """Draw points by their mass; a point without mass is never drawn."""
    kept = np.flatnonzero(mass)
    upto = np.cumsum(mass[kept])
    at = np.searchsorted(upto, shares * upto[-1], side="right")
    drawn: Floats = points[kept[np.minimum(at, kept.size - 1)]]
    return drawn
