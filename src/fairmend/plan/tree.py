"""Small trees that part the rows of a stratum by features that are repaired already."""

from dataclasses import dataclass, replace
from functools import cached_property

MOST_LEAVES = 63
"""A leaf is a bit of a 64-bit word."""


@dataclass(frozen=True)
class Split:
    """One question of a tree, asked of a repaired value.

    Attributes
    ----------
    feature : str
        A feature that is repaired before.
    at_most : float or None
        Of ordered features: values up to this go left; None where only missing values do.
    among : tuple of int
        Of categorical features: the places of the levels that go left.
    missing : bool
        Whether missing values, and levels that research did not show, go left.
    left, right : int
        The next split, or ``-1 - leaf``.
    """

    feature: str
    at_most: float | None
    among: tuple[int, ...]
    missing: bool
    left: int
    right: int


@dataclass(frozen=True)
class Tree:
    """Splits, the root first and each before its children; without one there is a single leaf.

    Every value has a leaf: one beyond all research values goes where the outermost do, and missing
    goes where the split says.
    """

    splits: tuple[Split, ...] = ()

    @property
    def leaves(self) -> int:
        """Number of leaves."""
        return len(self.splits) + 1

    @cached_property
    def sides(self) -> tuple[tuple[int, int], ...]:
        """For each split, the leaves on its left and those on its right, as bits."""
        found: dict[int, tuple[int, int]] = {}
        for at in reversed(range(len(self.splits))):  # children come after their parents
            one = self.splits[at]
            left, right = (1 << ~to if to < 0 else sum(found[to]) for to in (one.left, one.right))
            found[at] = left, right
        return tuple(found[at] for at in range(len(self.splits)))

    @cached_property
    def nodes(self) -> tuple[tuple[int, int], ...]:
        """List each node's leaves, as bits, and its parent: the root, then both sides of a split.

        So the nodes of the first few splits are the first few nodes.
        """
        above = {0: 0}  # the node that each split parts
        found = [((1 << self.leaves) - 1, -1)]
        for at, (one, sides) in enumerate(zip(self.splits, self.sides, strict=True)):
            for side, to in zip(sides, (one.left, one.right), strict=True):
                if to >= 0:
                    above[to] = len(found)
                found.append((side, above[at]))
        return tuple(found)

    def pruned(self, leaves: int) -> "Tree":
        """Keep the first splits only."""
        kept = self.splits[: max(leaves - 1, 0)]
        ends = [to for one in kept for to in (one.left, one.right) if not 0 <= to < len(kept)]
        number = {to: ~at for at, to in enumerate(ends)}
        return Tree(
            tuple(
                replace(
                    one, left=number.get(one.left, one.left), right=number.get(one.right, one.right)
                )
                for one in kept
            )
        )
