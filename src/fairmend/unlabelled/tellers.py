"""What tells groups: scores of each group for each row, and the posterior that they make."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from fairmend.frames.bins import Bins
from fairmend.frames.codec import Codec
from fairmend.frames.columns import Columns
from fairmend.frames.levels import UNSEEN, Codes, Factor
from fairmend.frames.roles import numbered
from fairmend.transport.support import Floats

if TYPE_CHECKING:
    from fairmend.frames.table import Frame
    from fairmend.research.columns import Kinds


@dataclass(frozen=True)
class Asked:
    """Which columns have which role; ``also`` names columns that tell groups and are not repaired.

    Attributes
    ----------
    protected, unprotected, features, also : tuple of str
        Columns.
    kinds : mapping
        As in :func:`fairmend.design`.
    bins : mapping of str to Bins
        How numeric unprotected columns are cut into strata.
    """

    protected: tuple[str, ...]
    unprotected: tuple[str, ...]
    features: tuple[str, ...]
    also: tuple[str, ...] = ()
    kinds: "Kinds" = field(default_factory=dict)
    bins: Mapping[str, Bins] = field(default_factory=dict)

    @property
    def told_by(self) -> tuple[str, ...]:
        """The columns that tell groups, beside the strata."""
        return (*self.features, *self.also)


@dataclass(frozen=True)
class Research:
    """The research data with its groups and strata as numbers, or some of its rows.

    Attributes
    ----------
    frame : Frame
        The rows.
    groups, strata : Factor
        Of all research data.
    group, stratum : ndarray of shape (n,)
        Codes of the rows.
    codecs : mapping of str to Codec
        How the columns that tell groups are written as numbers.
    asked : Asked
        The roles.
    """

    frame: "Frame"
    groups: Factor
    strata: Factor
    group: Codes
    stratum: Codes
    codecs: Mapping[str, Codec]
    asked: Asked

    def rows(self, places: NDArray[np.intp]) -> "Research":
        """Keep some of the rows."""
        return Research(
            self.frame.rows(places),
            self.groups,
            self.strata,
            self.group[places],
            self.stratum[places],
            self.codecs,
            self.asked,
        )

    @property
    def priors(self) -> Floats:
        """Pr[s | u], of shape (strata + 1, groups); the last row is Pr[s].

        One pseudo-row a stratum, spread as everybody is, leaves no group impossible.
        """
        shape = (len(self.strata), len(self.groups))
        counts = np.bincount(self.stratum * shape[1] + self.group, minlength=shape[0] * shape[1])
        counts = counts.reshape(shape).astype(np.float64)
        everywhere = (counts.sum(axis=0) + 1.0 / shape[1]) / (counts.sum() + 1.0)
        each = (counts + everywhere) / (counts.sum(axis=1, keepdims=True) + 1.0)
        shares: Floats = np.vstack([each, everywhere])
        return shares


class Teller(Protocol):
    """One way to tell groups, fitted."""

    def scores(self, frame: Columns) -> tuple[Floats, Floats]:
        """Give log Pr[s | u] and the log-likelihood of what tells it, each of (groups, n).

        Both are known up to a number of each row's own. A row's are a function of that row.
        """

    def to_content(self) -> dict[str, Any]:
        """Lay it out as plain JSON types."""


def strata_of(frame: Columns, strata: Factor) -> Codes:
    """Give each row its stratum; one that research did not show is the number behind the last."""
    codes = numbered(frame, strata)
    return np.where(codes == UNSEEN, len(strata), codes)


def posterior_of(prior: Floats, likelihood: Floats, temper: float) -> Floats:
    """Bring scores together: ``prior · likelihood^temper``, to shares.

    Columns that say the same twice make naive Bayes too sure of itself; tempering takes that back.
    Groups are added one by one, so that a row's shares do not depend on the rows beside it.

    Returns
    -------
    ndarray of shape (groups, n)

    Examples
    --------
    >>> posterior_of(np.log([[0.5], [0.5]]), np.log([[0.9], [0.1]]), 1.0).round(2).ravel()
    array([0.9, 0.1])
    """
    log = prior + temper * likelihood
    share = np.exp(log - log.max(axis=0))
    total = np.zeros(share.shape[1])
    for one in share:
        total = total + one
    shares: Floats = share / total
    return shares


def names_in(columns: Sequence[str], codecs: Mapping[str, Codec]) -> tuple[list[str], list[str]]:
    """Part columns into those of numbers or times, and those of categories."""
    numbers = [name for name in columns if codecs[name].type != "category"]
    return numbers, [name for name in columns if codecs[name].type == "category"]
