"""Plans for the drift measures."""

import pytest
from drift_archives import of_every_kind

import fairmend


@pytest.fixture(scope="session")
def designed():
    """Design a plan from research data of a seed, the same for the same arguments."""
    plans = {}

    def design(n, seed, **options):
        at = (n, seed, tuple(sorted(options.items())))
        if at not in plans:
            research = of_every_kind(n, seed)
            plans[at] = fairmend.design(research, protected="s", unprotected="u", **options)
        return plans[at]

    return design
