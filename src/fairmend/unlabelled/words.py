"""What follows from what is to be expected, in words."""

from collections.abc import Iterator, Sequence

from fairmend.unlabelled.expected import Expected

NEAR = 0.1
"""Ways are about as good whose E differs by less than this part of what groups would take away."""


def recommended(ways: Sequence[Expected]) -> str | None:
    """Name the way that leaves least at about the damage of a drawn group.

    Of those that leave about as little E, it is the one that an adversary tells least of: features
    by themselves may look alike where they give the group away together.
    """
    by_way = {one.way: one for one in ways}
    none, known, drawn = (by_way[name] for name in ("none", "labelled", "sample"))
    if none.e <= known.e * 1.1 or none.e < none.high - none.e:
        return None
    draws = [by_way[name] for name in ("sample", "map", "expected")]
    affordable = [one for one in blind(ways) if one.damage <= 1.05 * drawn.damage]
    least = min(one.e for one in [*draws, *affordable])
    near = [one for one in [*draws, *affordable] if one.e - least <= NEAR * (none.e - known.e)]
    return min(near, key=lambda one: (one.leak or 0.0, one.e)).way


def blind(ways: Sequence[Expected]) -> list[Expected]:
    """List the blind ways."""
    return [one for one in ways if one.way.startswith("blind")]


def sentences(ways: Sequence[Expected], told: float) -> Iterator[str]:
    """Say in words what follows."""
    by_way = {one.way: one for one in ways}
    none, known, drawn = (by_way[name] for name in ("none", "labelled", "sample"))
    yield (
        f"The label model tells {max(told, 0.0):.0%} of what the strata leave open about the group."
    )
    name = recommended(ways)
    if name is None:
        yield "The research rows are too few to tell that there is any dependence to repair."
        return
    best = by_way[name]
    yield (
        f"Recorded groups would take away {1 - known.e / none.e:.0%} of E at a damage of "
        f"{known.damage:.2f}; drawn ones take away {1 - drawn.e / none.e:.0%} at "
        f"{drawn.damage:.2f}."
    )
    for one in blind(ways):
        yield f"A {one.way} repair takes away {1 - one.e / none.e:.0%} at {one.damage:.2f}."
    if none.leak is not None and known.leak is not None and best.leak is not None:
        yield (
            f"An adversary who sees all features together ranks groups with an AUC of "
            f"{none.leak:.2f} before, {known.leak:.2f} after a repair with recorded groups, and "
            f"{best.leak:.2f} after {best.way}."
        )
    yield f"Recommended without groups, at about that damage: {best.way}."
    if best.e - known.e > 0.25 * (none.e - known.e):
        yield (
            "More than a quarter of what recorded groups would take away stays. If groups may be "
            "recorded, for a part of the archive too, that is what helps most."
        )
