"""What an examination of dependence says, as plain content."""

from dataclasses import dataclass
from typing import Any

from fairmend.measures.inference.estimate import Estimate
from fairmend.measures.inference.verdict import Measure, Verdict


@dataclass(frozen=True)
class Distances:
    """The three distances of one comparison.

    Attributes
    ----------
    e : Estimate
        Symmetrised Kullback-Leibler divergence in nats.
    tv : Estimate
        Total variation: the largest difference of the probabilities of any event.
    ks : Estimate or None
        Kolmogorov-Smirnov: the largest difference of the shares below any value. None for
        categories, which have no order.
    """

    e: Estimate
    tv: Estimate
    ks: Estimate | None

    def to_dict(self) -> dict[str, Any]:
        """Return plain content."""
        return {
            "e": self.e.to_dict(),
            "tv": self.tv.to_dict(),
            "ks": None if self.ks is None else self.ks.to_dict(),
        }


@dataclass(frozen=True)
class PairResult:
    """Two groups, in one stratum or over all.

    Attributes
    ----------
    groups : tuple
        Their levels.
    rows : tuple of int
        Rows of each with a value.
    distances : Distances
        Between their laws.
    """

    groups: tuple[Any, Any]
    rows: tuple[int, int]
    distances: Distances

    def to_dict(self) -> dict[str, Any]:
        """Return plain content."""
        return {
            "groups": list(self.groups),
            "rows": list(self.rows),
            **self.distances.to_dict(),
        }


@dataclass(frozen=True)
class CellResult:
    """One feature in one stratum.

    Attributes
    ----------
    stratum : object
        Its level; None where there are no strata.
    rows : int
        Rows compared.
    by_pair : tuple of PairResult
        Every two groups.
    mean, worst : Distances
        Over the pairs; the worst of each distance by itself.
    worst_pair : tuple
        The groups with the largest E.
    p, p_holm : float
        Permutation test of any dependence at all; corrected for the number of cells and features.
    detectable : bool
        Whether ``p_holm`` is at most the examination's ``alpha``.
    verdicts : dict of str to Verdict
        Of the worst E and the worst total variation.
    """

    stratum: Any
    rows: int
    by_pair: tuple[PairResult, ...]
    mean: Distances
    worst: Distances
    worst_pair: tuple[Any, Any]
    p: float
    p_holm: float
    detectable: bool
    verdicts: dict[Measure, Verdict]

    def to_dict(self) -> dict[str, Any]:
        """Return plain content."""
        return {
            "stratum": self.stratum,
            "rows": self.rows,
            "by_pair": [pair.to_dict() for pair in self.by_pair],
            "mean": self.mean.to_dict(),
            "worst": self.worst.to_dict(),
            "worst_pair": list(self.worst_pair),
            "p": self.p,
            "p_holm": self.p_holm,
            "detectable": self.detectable,
            "verdicts": {name: one.to_dict() for name, one in self.verdicts.items()},
        }


@dataclass(frozen=True)
class Excluded:
    """Rows that no comparison uses.

    Attributes
    ----------
    missing : int
        Without a value.
    unlabelled : int
        With a value, without group or stratum.
    small : int
        In groups with fewer than 2 values in their stratum, or alone in it.
    """

    missing: int
    unlabelled: int
    small: int

    def to_dict(self) -> dict[str, int]:
        """Return the fields as a plain dict."""
        return {"missing": self.missing, "unlabelled": self.unlabelled, "small": self.small}


@dataclass(frozen=True)
class FeatureResult:
    """One feature.

    Attributes
    ----------
    name, kind : str
        The feature, and how its law is estimated.
    rows : int
        Rows compared.
    excluded : Excluded
        Rows that are not.
    total : Distances or None
        The mean over pairs and strata, by Pr[u], as :func:`fairmend.dependence` gives it; None
        where nothing can be compared.
    by_stratum : tuple of CellResult
        Strata in which at least two groups have 2 values or more.
    by_pair : tuple of PairResult
        Means over the strata that have both groups.
    verdicts : dict of str to Verdict
        Of the total E and total variation.
    """

    name: str
    kind: str
    rows: int
    excluded: Excluded
    total: Distances | None
    by_stratum: tuple[CellResult, ...]
    by_pair: tuple[PairResult, ...]
    verdicts: dict[Measure, Verdict]

    @property
    def detectable(self) -> bool:
        """Whether there is detectable dependence in any stratum."""
        return any(cell.detectable for cell in self.by_stratum)

    @property
    def worst(self) -> CellResult | None:
        """The stratum with the largest E of any pair."""
        return max(self.by_stratum, key=lambda cell: cell.worst.e.value, default=None)

    def to_dict(self) -> dict[str, Any]:
        """Return plain content."""
        return {
            "name": self.name,
            "kind": self.kind,
            "rows": self.rows,
            "excluded": self.excluded.to_dict(),
            "detectable": self.detectable,
            "total": None if self.total is None else self.total.to_dict(),
            "by_stratum": [cell.to_dict() for cell in self.by_stratum],
            "by_pair": [pair.to_dict() for pair in self.by_pair],
            "verdicts": {name: one.to_dict() for name, one in self.verdicts.items()},
        }


@dataclass(frozen=True)
class Examination:
    """The dependence of each feature on the group, with what chance would give.

    Attributes
    ----------
    features : dict of str to FeatureResult
        By name.
    draws, seed : int
        Permutations, and as many drawn samples, of every cell; and where they start.
    alpha : float
        Chance of calling anything detectable where nothing depends on the group.
    """

    features: dict[str, FeatureResult]
    draws: int
    seed: int
    alpha: float

    def to_dict(self) -> dict[str, Any]:
        """Return plain content, for JSON where the levels are."""
        return {
            "draws": self.draws,
            "seed": self.seed,
            "alpha": self.alpha,
            "features": {name: one.to_dict() for name, one in self.features.items()},
        }
