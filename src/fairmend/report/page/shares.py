"""The table behind a density: shares of a few values, and of what lies between them."""

from itertools import pairwise
from typing import NamedTuple

from fairmend.report.densities import Panel
from fairmend.report.page.groups import Groups
from fairmend.report.page.tables import Table
from fairmend.report.page.wording import NONE, place, share
from fairmend.report.panel import bin_name
from fairmend.report.svg import Node

MOST_ALONE, MOST_BETWEEN = 8, 12
"""Peaks that have a row of their own, and rows for the rest."""

PEAK = 2.5
"""A peak is as many times as high as the mean of its neighbours."""


class Stretch(NamedTuple):
    """Bins ``first`` to ``end - 1``."""

    first: int
    end: int


def share_table(panel: Panel, groups: Groups) -> Node:
    """Write the shares of each group before and after."""
    sides = [groups.only(panel[side]) for side in ("before", "after")]
    curves = [(side, at) for at in range(len(groups.shown)) for side in (0, 1)]
    heads = [
        f"#{groups.names[groups.shown[at]]}, {('before', 'after')[side]}" for side, at in curves
    ]
    where = place(panel["feature"], panel["stratum"])
    table = Table(f"Share of each group’s rows: {where}", ("Values", *heads), most=99)
    for stretch in stretches(panel, groups):
        found = (sides[side]["curves"][at]["share"] for side, at in curves)
        cells = [NONE if s is None else share(sum(s[stretch.first : stretch.end])) for s in found]
        table.add(_name(panel, stretch), *cells)
    return table.node()


def stretches(panel: Panel, groups: Groups) -> list[Stretch]:
    """Cut an axis into few stretches, with its peaks alone."""
    bins = len(panel["edges"]) - 1
    if bins <= MOST_ALONE + MOST_BETWEEN:
        return [Stretch(at, at + 1) for at in range(bins)]
    curves = [c for side in (panel["before"], panel["after"]) for c in groups.only(side)["curves"]]
    drawn = [curve["share"] for curve in curves if curve["share"] is not None]
    top = [max(shares) for shares in zip(*drawn, strict=True)] or [0.0] * bins
    alone = _peaks(top)
    wide = -(-bins // MOST_BETWEEN)
    cuts = {0, bins, *range(0, bins, wide)} | {end for at in alone for end in (at, at + 1)}
    return [Stretch(first, end) for first, end in pairwise(sorted(cuts))]


def _peaks(top: list[float]) -> list[int]:
    around = [(top[max(at - 1, 0)] + top[min(at + 1, len(top) - 1)]) / 2 for at in range(len(top))]
    found = [at for at, height in enumerate(top) if height > PEAK * around[at] and height >= 0.01]
    return sorted(sorted(found, key=lambda at: -top[at])[:MOST_ALONE])


def _name(panel: Panel, stretch: Stretch) -> str:
    first, last = bin_name(panel, stretch.first), bin_name(panel, stretch.end - 1)
    if first == last:
        return first
    if panel["single"]:
        return f"{first} to {last}"
    if stretch.first == 0:
        return f"below {last.split(' to ')[-1]}"
    beyond = stretch.end == len(panel["edges"]) - 1
    return (
        f"above {first.split(' to ')[0]}"
        if beyond
        else (f"{first.split(' to ')[0]} to {last.split(' to ')[-1]}")
    )
