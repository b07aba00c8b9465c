"""The mix of groups and strata: who is in the archive, beside who was in the research data."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from fairmend.measures.drift.chance import Chance
from fairmend.measures.drift.laws import Planned
from fairmend.measures.drift.tally import Ints, Tally
from fairmend.transport.support import Floats


@dataclass(frozen=True)
class Mix:
    """Shares of groups and strata in research and archive.

    A repair conditions on group and stratum, so another mix is no fault of the plan, and research
    is often drawn group by group on purpose: it is told, not alarmed about.

    Attributes
    ----------
    research, archive : ndarray of shape (strata, groups)
        Shares of the rows that have a stratum and a group of the plan.
    unseen : float
        Share of the archive's rows whose stratum or group research did not show.
    distance, probability : float
        Total variation of the two, and a bound on the probability of so much by chance.
    """

    research: Floats
    archive: Floats
    unseen: float
    distance: float
    probability: float

    def to_dict(self, plan: Planned) -> dict[str, Any]:
        """Return plain values."""
        return {
            "distance": self.distance,
            "p": self.probability,
            "unseen": self.unseen,
            "cells": [
                {
                    "stratum": plan.strata.label(u),
                    "group": plan.groups.label(s),
                    "research": float(self.research[u, s]),
                    "archive": float(self.archive[u, s]),
                }
                for u, s in np.ndindex(self.research.shape)
            ],
        }


def mix_of(plan: Planned, tally: Tally) -> Mix:
    """Compare the rows of each stratum and group.

    Research rows of a cell are those of its best known feature: the plan counts values, not rows.
    """
    u, s = len(plan.strata), len(plan.groups)
    counts: Ints = np.max(
        [[cell.counts for cell in feature.cells] for feature in plan.features], axis=0
    )
    found = tally.cells[:-1].reshape(u + 1, s + 1)[:u, :s]
    known, rows = int(found.sum()), tally.rows
    chance = Chance(int(counts.sum()), (counts / counts.sum()).ravel(), ordered=False)
    archive = found / max(known, 1)
    distance = 0.5 * float(np.abs(archive.ravel() - chance.mass).sum()) if known else 0.0
    return Mix(
        chance.mass.reshape(u, s),
        archive,
        (rows - known) / max(rows, 1),
        distance,
        chance.probability(distance, known),
    )
