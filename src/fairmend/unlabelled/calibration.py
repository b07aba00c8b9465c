"""Whether a probability of 0.3 means three in ten: what cross-validation saw of a label model."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from fairmend.frames.levels import Codes
from fairmend.transport.support import Floats

BINS = 10
FEW = 5
"""A bin of fewer rows is joined to its neighbour: it says little of a model, and more of people."""


@dataclass(frozen=True)
class Bin:
    """Held-out rows with about one probability of a group.

    Attributes
    ----------
    group : str
        The group.
    low, high : float
        Ends of the probabilities.
    rows : int
        How many rows.
    predicted, observed : float
        Mean probability of the group, and the share of rows that were of it.
    """

    group: str
    low: float
    high: float
    rows: int
    predicted: float
    observed: float


@dataclass(frozen=True)
class Calibration:
    """What held-out research rows say of a label model.

    Attributes
    ----------
    log_loss : float
        Mean −log probability of the row's own group, in nats: the smaller, the more is told.
    chance : float
        The same where nothing but the stratum is known.
    accuracy : float
        Share of rows whose likeliest group is their own.
    by_method : dict of str to float
        Log-loss of each way that was tried.
    bins : tuple of Bin
        Predicted against observed shares, by group.
    """

    log_loss: float
    chance: float
    accuracy: float
    by_method: Mapping[str, float]
    bins: tuple[Bin, ...]

    @classmethod
    def of(
        cls,
        posterior: Floats,
        group: Codes,
        names: Sequence[str],
        chance: float,
        by_method: Mapping[str, float],
    ) -> Self:
        """Judge the probabilities, of shape (groups, n), of held-out rows."""
        bins = [
            one
            for g, name in enumerate(names)
            # Of two groups, the one says all of the other.
            if not (len(names) == 2 and g == 1)
            for one in _bins(name, posterior[g], group == g)
        ]
        return cls(
            log_loss_of(posterior, group),
            chance,
            float((posterior.argmax(axis=0) == group).mean()),
            dict(by_method),
            tuple(bins),
        )

    @property
    def error(self) -> float:
        """Mean distance of predicted and observed shares over the bins, by their rows."""
        rows = np.array([one.rows for one in self.bins])
        off = np.array([abs(one.predicted - one.observed) for one in self.bins])
        return float(rows @ off / rows.sum())

    def to_dict(self) -> dict[str, Any]:
        """Lay it out as plain JSON types."""
        return {**asdict(self), "bins": [asdict(one) for one in self.bins], "error": self.error}

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Self:
        """Rebuild it."""
        known = {name: content[name] for name in ("log_loss", "chance", "accuracy", "by_method")}
        return cls(**known, bins=tuple(Bin(**one) for one in content["bins"]))

    def __str__(self) -> str:
        """Write the table."""
        tried = ", ".join(f"{name} {loss:.4f}" for name, loss in self.by_method.items())
        lines = [
            f"log-loss {self.log_loss:.4f} nats (with the stratum alone {self.chance:.4f}; "
            f"tried: {tried})",
            f"likeliest group right for {self.accuracy:.1%}; calibration error {self.error:.3f}",
            f"{'group':<24}{'probability':>15}{'rows':>9}{'predicted':>11}{'observed':>10}",
        ]
        for one in self.bins:
            ends = f"{one.low:.2f} to {one.high:.2f}"
            shares = f"{one.predicted:>11.3f}{one.observed:>10.3f}"
            lines.append(f"{one.group:<24}{ends:>15}{one.rows:>9,}{shares}")
        return "\n".join(lines)


def log_loss_of(posterior: Floats, group: Codes) -> float:
    """Average −log of each row's probability of its own group."""
    own = posterior[group, np.arange(group.size)]
    return float(-np.log(np.maximum(own, 1e-300)).mean())


def _bins(name: str, probability: Floats, own: NDArray[np.bool_]) -> list[Bin]:
    """Part rows by even steps of probability, steps with few rows joined."""
    step = np.minimum((probability * BINS).astype(np.int64), BINS - 1)
    count = np.bincount(step, minlength=BINS)
    found, start = [], 0
    for at in range(BINS):
        enough = count[start : at + 1].sum() >= FEW and count[at + 1 :].sum() >= FEW
        if not (enough or at == BINS - 1):
            continue
        rows = (step >= start) & (step <= at)
        if rows.any():
            shares = float(probability[rows].mean()), float(own[rows].mean())
            found.append(Bin(name, start / BINS, (at + 1) / BINS, int(rows.sum()), *shares))
        start = at + 1
    return found
