"""Bins that make strata of a numeric unprotected column."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Self

import numpy as np

from fairmend.errors import OptionError
from fairmend.frames.levels import Encoded
from fairmend.transport.support import Floats

Bounds = tuple[float | None, float | None]
BinSpec = int | Sequence[float] | Mapping[str, Bounds]


@dataclass(frozen=True)
class Bins:
    """Cut points and a name for each bin; a bin holds its lower cut and not its upper one."""

    cuts: tuple[float, ...]
    names: tuple[str, ...]

    @classmethod
    def of(cls, column: str, spec: BinSpec, values: Floats) -> Self:
        """Read a specification.

        Parameters
        ----------
        column : str
            Name, for the errors.
        spec : int, list of float or dict
            Number of quantile bins; cut points; or names with (low, high) bounds, None for open,
            which must touch each other in the order given.
        values : ndarray
            Research values, for quantiles.

        Examples
        --------
        >>> Bins.of("age", [30, 50], np.array([])).names
        ('below 30', '30 to below 50', '50 and above')
        """
        if isinstance(spec, Mapping):
            return cls._named(column, spec)
        if isinstance(spec, int):
            if spec < 2:
                message = f"unprotected_bins[{column!r}]={spec} makes no strata. Pass 2 or more."
                raise OptionError(message)
            shares = np.linspace(0, 1, spec + 1)[1:-1]
            cuts = np.unique(np.quantile(values[~np.isnan(values)], shares))
        else:
            cuts = np.asarray(spec, dtype=np.float64)
            if cuts.ndim != 1 or not cuts.size or not _rising(cuts):
                message = f"unprotected_bins[{column!r}] needs cut points in rising order."
                raise OptionError(message)
        said = [f"{cut:g}" for cut in cuts]
        between = [f"{low} to below {high}" for low, high in pairwise(said)]
        names = (f"below {said[0]}", *between, f"{said[-1]} and above")
        return cls(tuple(float(cut) for cut in cuts), names)

    @classmethod
    def _named(cls, column: str, spec: Mapping[str, Bounds]) -> Self:
        bounds = list(spec.values())
        touching = all(a[1] is not None and a[1] == b[0] for a, b in pairwise(bounds))
        if len(bounds) < 2 or not touching or bounds[0][0] is not None or bounds[-1][1] is not None:
            message = (
                f"unprotected_bins[{column!r}] must name bins that touch each other, the first "
                "open below and the last above, like {'young': (None, 30), 'old': (30, None)}."
            )
            raise OptionError(message)
        cuts = tuple(float(high) for _, high in bounds[:-1] if high is not None)
        if not _rising(np.array(cuts)):
            message = f"unprotected_bins[{column!r}] needs cut points in rising order."
            raise OptionError(message)
        return cls(cuts, tuple(spec))

    def encode(self, values: Floats) -> Encoded:
        """Give each value its bin; missing values are a bin of their own, last."""
        codes = np.searchsorted(np.array(self.cuts), values, side="right")
        codes = np.where(np.isnan(values), len(self.names), codes)
        return Encoded(codes.astype(np.int64), (*self.names, None))


def _rising(cuts: Floats) -> bool:
    return bool(np.isfinite(cuts).all() and (np.diff(cuts) > 0).all())
