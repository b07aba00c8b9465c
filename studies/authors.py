"""The design that is published as code for the paper, which is not on PyPI.

The class `DistributionalRepair` for AIF360 departs from Algorithm 1: supports are a tenth wider
than the range on each side, and the barycentre is entropic with a regularisation of 10 squared
units, which blurs the target. Of two public versions one has *wide* kernels, of bandwidth 1, and
the other *narrow* ones, of Silverman's rule for data of variance 1; both in any units. Couplings
are exact. It is built here on our plan, so that only the design differs.
"""

from dataclasses import replace

import numpy as np
import ot

import fairmend

REGULARISATION = 10.0


def design_as_published(research, roles, n_support, *, wide):
    """Design a plan that way: every feature is continuous to it."""
    plan = fairmend.design(
        research,
        **roles,
        kinds=dict.fromkeys(roles["features"], "continuous"),
        n_support=n_support,
        shrinkage=0.0,
    )
    s, u = (np.array(research[roles[role]].to_pylist()) for role in ("protected", "unprotected"))
    features = []
    for feature in plan.features:
        x = research[feature.name].to_numpy()
        cells = [
            blurred(cell, [x[(u == stratum) & (s == group)] for group in np.unique(s)], wide)
            for stratum, cell in zip(np.unique(u), feature.cells, strict=True)
        ]
        features.append(replace(feature, cells=tuple(cells), lattice=0.0))
    return replace(plan, features=tuple(features))


def blurred(cell, groups, wide):
    """Give a cell those marginals, and the entropic barycentre for its target."""
    points = cell.support[:, None]
    marginals = np.array([density(x, points[:, 0], wide) for x in groups])
    costs = ot.dist(points, points)
    laws = np.ascontiguousarray(marginals.T)
    target = ot.bregman.barycenter(laws, costs, REGULARISATION, warn=False)
    return replace(cell, marginals=marginals, target=target / target.sum())


def density(x, points, wide):
    """Draw a kernel density on the support."""
    bandwidth = 1.0 if wide else (0.75 * x.size) ** -0.2
    values, counts = np.unique(x, return_counts=True)
    found = np.exp(-0.5 * ((points[:, None] - values) / bandwidth) ** 2) @ counts
    return found / found.sum()
