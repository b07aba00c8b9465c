"""Bars of categories: which levels a picture names, and what becomes of the others."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from fairmend.plan.feature import Feature
    from fairmend.transport.support import Floats

MOST_LEVELS = 12
OTHER = "other"
LONGEST = 11
"""Letters of a name on an axis; longer ones are cut short."""


def level_bars(feature: "Feature") -> tuple[list[str], NDArray[np.int64]]:
    """Choose the bars of a feature's levels, the same for all of its strata.

    Categories are sorted by their share, so that rare ones lie together, where small counts are
    evened out; ordered levels stay in their order. Where there are more than 12 levels, the rarest
    share a bar, the last. Shares are those of the plan, so nothing of the archive is in the choice.

    Returns
    -------
    names : list of str
        One a bar.
    bar_of : ndarray of shape (levels,)
        Each level's bar.
    """
    share = _shares(feature)
    levels = feature.codec.levels
    common = np.argsort(-share, kind="stable")
    named = common if share.size <= MOST_LEVELS else common[: MOST_LEVELS - 1]
    if feature.kind != "categorical":
        named = np.sort(named)
    names = [str(levels[at]) for at in named]
    if share.size > MOST_LEVELS:
        names.append(OTHER)
    bar_of = np.full(share.size, len(names) - 1, dtype=np.int64)
    bar_of[named] = np.arange(named.size)
    return names, bar_of


def level_edges(names: Sequence[str]) -> "Floats":
    """Lay a bar of width 1 about each of 0, 1, 2 and so on."""
    return np.arange(len(names) + 1, dtype=np.float64) - 0.5


def shortened(name: str, longest: int = LONGEST) -> str:
    """Cut a long name short.

    Examples
    --------
    >>> shortened("Private"), shortened("Self-emp-not-inc")
    ('Private', 'Self-emp-n…')
    """
    return name if len(name) <= longest else name[: longest - 1].rstrip() + "…"


def _shares(feature: "Feature") -> "Floats":
    """Add up the plan's shares of each level over groups and strata."""
    share = np.zeros(len(feature.codec.levels))
    for cell in feature.cells:
        share[cell.support.astype(np.intp)] += cell.counts @ cell.marginals
    return share
