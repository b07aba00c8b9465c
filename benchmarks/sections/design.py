"""Time of a design.

One feature of two groups in one stratum, one thread: the whole `fairmend.design`, from the table to
the plan, without and with the cross-validation that chooses the shrinkage; and in it marginals
apart, barycentre and both couplings in closed form, beside POT's `ot.lp.barycenter` and two
`ot.emd` of the same marginals on the same support. POT's linear programs are left out (–) where
they would take minutes. The last row is 100 features in two strata at once.
"""

import numpy as np
import pyarrow as pa
from timing import fastest

import fairmend
from fairmend.transport.barycentre import barycentre
from fairmend.transport.coupling import Coupling

ROWS, SEED = 100_000, 5
MOST_OF_BARYCENTER, MOST_OF_EMD = 256, 1_024
HALF = np.array([0.5, 0.5])


def section(rows):
    """Grow the research data, then the support."""
    sizes = [(n, 256) for n in (rows // 100, rows // 10, rows)]
    for n, points in [*sizes, *((rows // 10, points) for points in (64, 1_024, 4_096))]:
        yield _row(people(n, 1), n, 1, points)
    yield _row(people(rows, 100), rows, 100, 1_024, unprotected="u")


def people(n, features):
    """Draw normal features of two groups in two strata."""
    rng = np.random.default_rng(SEED)
    s, u = (rng.integers(0, 2, n) for _ in range(2))
    columns = {f"x{k}": 0.5 * s + 0.3 * u + rng.standard_normal(n) for k in range(features)}
    return pa.table({"s": s, "u": u, **columns})


def _row(table, n, features, points, unprotected=None):
    options = {"protected": "s", "unprotected": unprotected, "n_support": points}
    options["exclude"] = [] if unprotected else ["u"]

    def design(shrinkage):
        return fairmend.design(table, **options, shrinkage=shrinkage)

    contenders = {"fixed": lambda: design(10.0), "auto": lambda: design("auto")}
    if features == 1:
        contenders |= _transports(design(10.0).features[0].cells[0])
    seconds = fastest(contenders, 3)
    return {
        "features": features,
        "n_R": f"{n:,}",
        "n_support": f"{points:,}",
        "design, ms": seconds["auto"] * 1e3,
        "shrinkage given, ms": seconds["fixed"] * 1e3,
        **{
            f"{name}, ms": seconds[name] * 1e3 if name in seconds else "–"
            for name in ("closed form", "ot.lp.barycenter", "ot.emd × 2")
        },
    }


def _transports(cell):
    import ot

    support, marginals = cell.support, cell.marginals
    cost = (support[:, None] - support) ** 2
    cost /= cost.max()

    def closed_form():
        target = barycentre(support, marginals, HALF)
        return [Coupling.monotone(marginal, target) for marginal in marginals]

    target = barycentre(support, marginals, HALF)
    found = {"closed form": closed_form}
    if support.size <= MOST_OF_BARYCENTER:
        found["ot.lp.barycenter"] = lambda: ot.lp.barycenter(marginals.T.copy(), cost, HALF)
    if support.size <= MOST_OF_EMD:
        found["ot.emd × 2"] = lambda: [ot.emd(one, target, cost) for one in marginals]
    return found
