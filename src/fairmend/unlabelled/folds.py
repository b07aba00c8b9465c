"""Folds of the research data, with each group and stratum in each as evenly as can be."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from fairmend.unlabelled.tellers import Research


def folds_of(research: "Research", n: int, seed: int) -> list[NDArray[np.intp]]:
    """Deal the rows of each group and stratum out in turn, in random order.

    Returns
    -------
    list of ndarray
        The places of each fold's rows, in order.
    """
    rng = np.random.default_rng(seed)
    cell = research.stratum * len(research.groups) + research.group
    order = rng.permutation(cell.size)
    order = order[np.argsort(cell[order], kind="stable")]
    return [np.sort(order[fold::n]) for fold in range(n)]
