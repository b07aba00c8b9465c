"""The summary: all that a design has to know of research data, and no row of it."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray

from fairmend._version import __version__
from fairmend.errors import SummaryError
from fairmend.frames.levels import Factor
from fairmend.summaries.counted import Counted
from fairmend.transport.support import Floats

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True)
class Summary:
    """Research data, counted by value within each group of each stratum.

    Made by :func:`fairmend.summarise`. Summaries of several sites are added up, in any order, and
    :func:`fairmend.design` makes of them the plan that it would make of all rows together: exactly
    that plan where a feature has at most 262,144 points (distinct values, counted in each group of
    each stratum), and otherwise one with values rounded to a share of themselves, see
    :class:`fairmend.transport.tally.Tally`. Sums of weights that are no binary fractions are the
    same to their last bits.

    It holds no row, so that no two values of one person can be brought together. It does hold how
    many rows of each group and stratum have each value: that somebody has a rare one can be read
    from it. Who designs from it needs that; anybody else should have the plan only.

    Attributes
    ----------
    groups, strata : Factor
        The protected and unprotected columns, and their levels so far.
    weight : str or None
        The column of sample weights.
    rows : ndarray of shape (strata, groups)
        Research rows.
    weights : ndarray of shape (strata, groups)
        Their summed weights.
    features : tuple of Counted
        The features and their values.
    creator : str
        Name and version of the program that made it.
    """

    groups: Factor
    strata: Factor
    weight: str | None
    rows: NDArray[np.int64]
    weights: Floats
    features: tuple[Counted, ...]
    creator: str = f"fairmend {__version__}"

    def __repr__(self) -> str:
        """Say what was counted."""
        return (
            f"<fairmend.Summary: {self.n_rows:,} rows; {len(self.groups)} groups of "
            f"{list(self.protected)} in {len(self.strata)} strata of {list(self.unprotected)}; "
            f"features {list(self.feature_names)}>"
        )

    @property
    def protected(self) -> tuple[str, ...]:
        """Names of the protected columns."""
        return self.groups.columns

    @property
    def unprotected(self) -> tuple[str, ...]:
        """Names of the unprotected columns."""
        return self.strata.columns

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Names of the counted columns."""
        return tuple(feature.name for feature in self.features)

    @property
    def n_rows(self) -> int:
        """Number of research rows."""
        return int(self.rows.sum())

    @property
    def size(self) -> int:
        """Number of points in all features, which is what memory it takes."""
        return sum(feature.tally.size for feature in self.features)

    def merge(self, *others: "Summary") -> "Summary":
        """Add up summaries of the same columns.

        Parameters
        ----------
        *others : Summary
            Summaries with the same roles, bins, features, types and kinds, of other rows. A row
            that is in two of them counts twice.

        Examples
        --------
        >>> import fairmend
        >>> adult = fairmend.datasets.adult(complete=True)
        >>> columns = {"protected": "sex", "features": "age"}
        >>> sites = [fairmend.summarise(part, **columns) for part in (adult[:9_000], adult[9_000:])]
        >>> sites[0].merge(sites[1]).n_rows == len(adult)
        True
        """
        return Summary.together([self, *others])

    @classmethod
    def together(cls, parts: "Sequence[Summary]") -> "Summary":
        """Add up summaries, refusing those that were made in another way."""
        if not parts:
            raise SummaryError.none()
        first = parts[0]
        for part in parts[1:]:
            _refuse_unlike(first, part)
        groups = Factor.together([part.groups for part in parts])
        strata = Factor.together([part.strata for part in parts])
        spread = [part._spread(groups, strata) for part in parts]
        features = [{feature.name: feature for feature in part.features} for part in spread]
        return cls(
            groups,
            strata,
            first.weight,
            np.sum([part.rows for part in spread], axis=0),
            np.sum([part.weights for part in spread], axis=0),
            tuple(Counted.together([one[name] for one in features]) for name in features[0]),
        )

    def save(self, path: str | Path, *, force: bool = False) -> None:
        """Write the summary to a JSON file, see ``summary.schema.json``.

        Parameters
        ----------
        path : str or Path
            Where to.
        force : bool
            Whether an existing file may be replaced.
        """
        from fairmend.summaries.storage import save_summary

        save_summary(self, Path(path), force=force)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read a summary file; one that is damaged or of another version is refused."""
        from fairmend.summaries.storage import load_summary

        return load_summary(cls, Path(path))

    def _spread(self, groups: Factor, strata: Factor) -> "Summary":
        """Give groups and strata the numbers that they have in factors that hold them all."""
        if self.groups is groups and self.strata is strata:
            return self
        s, u = self.groups.places_in(groups), self.strata.places_in(strata)
        shape = (len(strata), len(groups))
        rows, weights = np.zeros(shape, dtype=np.int64), np.zeros(shape)
        rows[np.ix_(u, s)], weights[np.ix_(u, s)] = self.rows, self.weights
        places = (u[:, None] * len(groups) + s).ravel()
        features = self.features
        if shape != self.rows.shape or not np.array_equal(places, np.arange(places.size)):
            features = tuple(f.spread(places, shape[0] * shape[1]) for f in features)
        return Summary(groups, strata, self.weight, rows, weights, features)


def _refuse_unlike(one: Summary, other: Summary) -> None:
    for what, a, b in (
        ("the protected columns", list(one.protected), list(other.protected)),
        ("the unprotected columns", list(one.unprotected), list(other.unprotected)),
        ("the bins of unprotected columns", dict(one.strata.bins), dict(other.strata.bins)),
        ("the column of sample weights", one.weight, other.weight),
        ("the features", sorted(one.feature_names), sorted(other.feature_names)),
    ):
        if a != b:
            raise SummaryError.differ(what, a, b)
