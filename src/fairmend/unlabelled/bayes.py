"""Naive Bayes on a plan's own marginals: the paper's mixture, read backwards (Equation mix)."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Self

import numpy as np

from fairmend.frames.bins import Bins, Bounds
from fairmend.frames.codec import UNSEEN_LEVEL
from fairmend.frames.columns import Columns
from fairmend.frames.levels import Codes, Factor
from fairmend.plan.feature import Feature
from fairmend.plan.plan import Plan
from fairmend.plan.storage import factor_content, factor_from, from_content, to_content
from fairmend.transport.cell import Cell
from fairmend.transport.support import Floats
from fairmend.unlabelled.tellers import Research, strata_of

LEAST = -20.0
"""Log-likelihood of a group that a part of the research data lacks."""


@dataclass(frozen=True)
class Bayes:
    """F(x | s, u) as the product of its marginals, drawn as for a repair.

    Attributes
    ----------
    plan : Plan
        Marginals of all columns that tell groups; its targets play no part.
    groups : Factor
        The groups that are told, of which the plan may lack some.
    priors : ndarray of shape (strata + 1, groups)
        Pr[s | u] in the plan's strata, and Pr[s].
    """

    plan: Plan
    groups: Factor
    priors: Floats

    @classmethod
    def fit(cls, research: Research) -> Self:
        """Draw the marginals."""
        from fairmend.research import design

        asked = research.asked
        plan = design(
            research.frame.native,
            protected=asked.protected,
            unprotected=asked.unprotected,
            features=asked.told_by,
            kinds=asked.kinds,
            unprotected_bins={name: bounds_of(one) for name, one in research.strata.bins.items()},
            missing="state",
            small_groups="shrink",
        )
        places = plan.strata.places_in(research.strata)
        return cls(plan, research.groups, research.priors[[*places, -1]])

    def scores(self, frame: Columns) -> tuple[Floats, Floats]:
        """Give log Pr[s | u] and the sum of the features' log-likelihoods."""
        stratum = strata_of(frame, self.plan.strata)
        values = frame.finite_numbers(self.plan.codecs)
        places = self.plan.groups.places_in(self.groups)
        likelihood = np.zeros((len(self.plan.groups), len(frame)))
        for feature in self.plan.features:
            likelihood = likelihood + log_likelihood(feature, values[feature.name], stratum)
        every = np.full((len(self.groups), len(frame)), LEAST)
        every[places] = likelihood
        return np.log(self.priors[stratum].T), every

    def to_content(self) -> dict[str, Any]:
        """Lay it out as plain JSON types."""
        return {
            "plan": to_content(self.plan),
            "groups": factor_content(self.groups),
            "priors": self.priors.tolist(),
        }

    @classmethod
    def from_content(cls, content: Mapping[str, Any]) -> Self:
        """Rebuild it."""
        return cls(
            from_content(Plan, content["plan"]),
            factor_from(content["groups"]),
            np.array(content["priors"], dtype=np.float64),
        )


def bounds_of(bins: Bins) -> dict[str, Bounds]:
    """Write bins as :func:`fairmend.design` takes them, names included.

    Examples
    --------
    >>> bounds_of(Bins((30.0,), ("young", "old")))
    {'young': (None, 30.0), 'old': (30.0, None)}
    """
    ends = (None, *bins.cuts, None)
    return dict(zip(bins.names, pairwise(ends), strict=True))


def log_likelihood(feature: Feature, x: Floats, stratum: Codes) -> Floats:
    """Read each value's log mass off the groups' marginals.

    Between support points mass is interpolated. A value that no group had, and a category that
    research did not show, tell nothing; a missing value tells what missing ones tell.

    Returns
    -------
    ndarray of shape (groups, n)
    """
    likelihood = np.zeros((feature.anywhere.counts.size, x.size))
    for code, cell in enumerate((*feature.cells, feature.anywhere)):
        rows = np.flatnonzero(stratum == code)
        if rows.size:
            likelihood[:, rows] = np.array(
                [_read(cell, g, x[rows]) for g in range(len(likelihood))]
            )
    if feature.codec.type == "category":
        likelihood[:, x == UNSEEN_LEVEL] = 0.0
    return likelihood


def _read(cell: Cell, group: int, x: Floats) -> Floats:
    law = np.log(_smoothed(cell)[group])
    atom = np.isin(cell.support, cell.atoms)
    between = law if atom.all() or cell.kind == "continuous" else np.where(atom, np.nan, law)
    known = ~np.isnan(between)
    log: Floats = np.interp(x, cell.support[known], between[known])
    if not known.all():
        place = np.minimum(np.searchsorted(cell.support, x), cell.support.size - 1)
        log = np.where(cell.support[place] == x, law[place], log)
    told, missing = _missing(cell, group)
    return np.where(np.isnan(x), missing, log + told)


def _smoothed(cell: Cell) -> Floats:
    """Mix each law with everybody's, which weighs as one row, so that none is impossible."""
    n = cell.counts.astype(np.float64)[:, None]
    everybody = (n * cell.marginals).sum(axis=0) / max(float(n.sum()), 1.0)
    even = np.full(everybody.size, 1.0 / everybody.size)
    laws: Floats = (n * cell.marginals + 0.99 * everybody + 0.01 * even) / (n + 1.0)
    return laws


def _missing(cell: Cell, group: int) -> tuple[float, float]:
    """Give the log share of known values and of missing ones."""
    if cell.missing is None or not cell.missing[:-1].any():
        return 0.0, 0.0
    share = cell.missing[:-1]
    # Counts are of known values: all rows are these by the share that is known.
    n = cell.counts / np.maximum(1.0 - share, 1.0 / (1.0 + cell.counts))
    everybody = float(np.clip((n * share).sum() / max(float(n.sum()), 1.0), 0.001, 0.999))
    own = float((n[group] * share[group] + everybody) / (n[group] + 1.0))
    return float(np.log1p(-own)), float(np.log(own))
