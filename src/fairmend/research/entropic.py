"""Entropic couplings, by POT: an alternative to the exact ones for those who study them."""

from dataclasses import replace

import numpy as np

from fairmend.errors import OptionError
from fairmend.transport.cell import Cell
from fairmend.transport.coupling import Coupling
from fairmend.transport.support import Floats

MARGINAL_ERROR = 1e-6
NEGLIGIBLE = 1e-14


def entropic(cell: Cell, weights: Floats, regularisation: float) -> Cell:
    """Replace a cell's target and couplings by entropic ones.

    The cost is the squared distance in units of the stratum's variance, so that the regularisation
    has no unit. The log-domain solver is used, states without mass are dropped before it (their
    logarithm is not finite), and its marginals are checked. With unequal weights the target is the
    exact barycentre, as the solver's own is wrong there (POT issue 870).
    """
    try:
        import ot
    except ImportError as error:
        message = "solver='sinkhorn' needs POT. Install it with: pip install 'fairmend[ot]'"
        raise OptionError(message) from error
    support = cell.support
    if cell.kind == "categorical" or support.size == 1:
        return cell
    pooled = np.average(cell.marginals, axis=0, weights=cell.counts)
    variance = float(pooled @ (support - pooled @ support) ** 2)
    cost = (support[:, None] - support) ** 2 / variance
    target = cell.target
    if np.ptp(weights) < 1e-12:
        target = ot.bregman.barycenter(
            np.maximum(cell.marginals, 1e-300).T,
            cost,
            regularisation,
            method="sinkhorn_log",
            numItermax=10_000,
            stopThr=1e-10,
            warn=False,
        )
        target = np.asarray(target) / np.sum(target)
    couplings = tuple(_coupling(mass, target, cost, regularisation) for mass in cell.marginals)
    return replace(cell, target=target, couplings=couplings)


def _coupling(marginal: Floats, target: Floats, cost: Floats, regularisation: float) -> Coupling:
    import ot

    rows, columns = np.flatnonzero(marginal > NEGLIGIBLE), np.flatnonzero(target > NEGLIGIBLE)
    a, b = marginal[rows] / marginal[rows].sum(), target[columns] / target[columns].sum()
    plan = ot.bregman.sinkhorn_log(
        a,
        b,
        cost[np.ix_(rows, columns)],
        regularisation,
        numItermax=20_000,
        stopThr=1e-9,
        warn=False,
    )
    error = float(np.abs(plan.sum(axis=1) - a).sum() + np.abs(plan.sum(axis=0) - b).sum())
    if not error <= MARGINAL_ERROR:
        message = (
            f"solver='sinkhorn' did not converge: the coupling misses its marginals by "
            f"{error:.1e}. Pass a larger regularisation=, or solver='exact'."
        )
        raise OptionError(message)
    at = plan > NEGLIGIBLE
    # The largest entry of each row stays, however little mass the row has.
    at[np.arange(rows.size), plan.argmax(axis=1)] = True
    i, j = np.nonzero(at)
    return Coupling(rows[i], columns[j], plan[i, j])
