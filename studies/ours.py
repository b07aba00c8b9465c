"""Our plans, and the paper's algorithms as they read, as adapters of `fairmend.testing`."""

from typing import ClassVar

import numpy as np
from row_by_row import repaired, rows_of
from scipy.stats import gaussian_kde

import fairmend
from fairmend.testing import Adapter, NotApplicable
from fairmend.transport.barycentre import barycentre
from fairmend.transport.coupling import Coupling


class Fairmend(Adapter):
    """Design a plan, repair with it."""

    def fit(self, research, *, protected, unprotected, features, amount):
        """Design."""
        self.plan = fairmend.design(
            research,
            protected=protected,
            unprotected=unprotected,
            features=features,
            amount=amount,
        )

    def transform(self, archive):
        """Repair."""
        return self.plan.repair(archive, seed=7, key="id")

    def save(self, path):
        """Write the plan's file."""
        self.plan.save(path)

    @classmethod
    def load(cls, path):
        """Read it."""
        loaded = cls()
        loaded.plan = fairmend.Plan.load(path)
        return loaded


NO_PACKAGE = dict.fromkeys(
    (
        "global_generator_is_left_alone",
        "no_research_row_is_kept",
        "saved_and_loaded_it_gives_the_same",
        "index_is_kept",
        "types_are_kept",
        "other_columns_stay",
        "input_is_not_modified",
        "duplicate_index_works",
        "missing_stays_missing",
        "unseen_group_is_not_guessed",
        "unseen_stratum_is_not_guessed",
        "group_of_one_row_is_no_bare_error",
    ),
    "it is a rule, and no package",
)
POINTS = 250
"""n_Q, as in the paper's study of Adult."""


class AsTheyRead(Adapter):
    """Algorithms 1 and 2 as they read: smooth densities on an even grid, then row by row."""

    not_applicable: ClassVar = NO_PACKAGE

    def fit(self, research, *, protected, unprotected, features, amount):
        """Estimate densities by kernels on a grid from least to most, and couple them."""
        if amount != 1:
            message = "there are no parts of its repair"
            raise NotApplicable(message)
        self.protected, self.unprotected, self.features = protected, unprotected, features
        self.cells = {
            (name, u): self.cell(part[name].to_numpy(float), part[protected].to_numpy())
            for name in features
            for u, part in research.groupby(self.strata(research))
        }

    def cell(self, values, groups):
        """Design for one feature in one stratum."""
        support = np.linspace(values.min(), values.max(), POINTS)
        names = np.unique(groups)
        densities = [gaussian_kde(values[groups == g], "silverman")(support) for g in names]
        # A density of zero would leave a row of the coupling without a law to draw from.
        laws = [(d + 1e-9 * d.max()) / (d + 1e-9 * d.max()).sum() for d in densities]
        target = barycentre(support, laws, np.ones(len(laws)))
        rows = [rows_of(Coupling.monotone(law, target), POINTS) for law in laws]
        return support, dict(zip(names, rows, strict=True))

    def transform(self, archive):
        """Repair row by row, with a generator of a fixed seed."""
        rng = np.random.default_rng(7)
        groups, strata = archive[self.protected].to_numpy(), self.strata(archive)
        found = archive.copy()
        for name in self.features:
            values, out = archive[name].to_numpy(float), np.empty(len(archive))
            for u in np.unique(strata):
                support, laws = self.cells[name, u]
                rows = strata == u
                out[rows] = repaired(support, laws, values[rows], groups[rows], rng)
            found[name] = out
        return found

    def strata(self, table):
        """Read U, of which there is one where it is not asked for."""
        n = len(table)
        return table[self.unprotected].to_numpy() if self.unprotected else np.zeros(n, int)
