"""Which way tells groups best, and how far its scores may be trusted: by cross-validation."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fairmend.transport.support import Floats
from fairmend.unlabelled.calibration import Calibration, log_loss_of
from fairmend.unlabelled.folds import folds_of
from fairmend.unlabelled.tellers import Research, Teller, posterior_of

TEMPERS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.15, 1.3)

Way = Callable[[Research], Teller]


@dataclass(frozen=True)
class Choice:
    """What was chosen.

    Attributes
    ----------
    method : str
        The name of the way.
    temper : float
        Power of its likelihood in the posterior.
    held_out : ndarray of shape (groups, n)
        Posterior of each research row by a model that had not seen it.
    calibration : Calibration
        How good that is.
    """

    method: str
    temper: float
    held_out: Floats
    calibration: Calibration


def choose(research: Research, ways: Mapping[str, Way], folds: int, seed: int) -> Choice:
    """Fit each way without each fold in turn, and compare what it tells of that fold."""
    shape = (len(research.groups), research.group.size)
    parts = folds_of(research, folds, seed)
    found: dict[str, tuple[float, float, Floats]] = {}
    for name, way in ways.items():
        prior, likelihood = np.zeros(shape), np.zeros(shape)
        for held in parts:
            taught = np.setdiff1d(np.arange(shape[1]), held)
            teller = way(research.rows(taught))
            prior[:, held], likelihood[:, held] = teller.scores(research.frame.rows(held))
        tried = [(posterior_of(prior, likelihood, temper), temper) for temper in TEMPERS]
        losses = [log_loss_of(posterior, research.group) for posterior, _ in tried]
        at = int(np.argmin(losses))
        found[name] = (losses[at], tried[at][1], tried[at][0])
    method = min(found, key=lambda name: found[name][0])
    _, temper, held_out = found[method]
    calibration = Calibration.of(
        held_out,
        research.group,
        [research.groups.label(g) for g in range(shape[0])],
        _chance(research, parts),
        {name: loss for name, (loss, _, _) in found.items()},
    )
    return Choice(method, temper, held_out, calibration)


def _chance(research: Research, parts: list[NDArray[np.intp]]) -> float:
    """Give the log-loss where nothing but the stratum is known."""
    losses = 0.0
    for held in parts:
        taught = research.rows(np.setdiff1d(np.arange(research.group.size), held))
        posterior = taught.priors[research.stratum[held]].T
        losses += log_loss_of(posterior, research.group[held]) * held.size
    return losses / research.group.size
