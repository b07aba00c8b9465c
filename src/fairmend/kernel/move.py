"""How one feature's values are moved in one run."""

from dataclasses import dataclass
from typing import Literal, Self

import numpy as np

from fairmend.kernel.draws import stream

Output = Literal["support", "dithered", "monge"]


@dataclass(frozen=True)
class Move:
    """How one feature's values are moved in one run.

    Attributes
    ----------
    output : {"support", "dithered", "monge"}
        To a drawn support point; spread over its grid cell; or along the deterministic map.
    amount : float
        Share of the full repair.
    geodesic : bool
        Whether a partial repair goes part of the way, or only for part of the rows.
    repair, dither, keep : uint64
        Constants of the draws' streams.
    """

    output: Output
    amount: float
    geodesic: bool
    repair: np.uint64
    dither: np.uint64
    keep: np.uint64

    @classmethod
    def of(
        cls,
        seed: int,
        feature: str,
        output: Output = "support",
        amount: float = 1.0,
        *,
        geodesic: bool = False,
    ) -> Self:
        """Address the draws of a feature."""
        draws = (stream(seed, feature, name) for name in ("repair", "dither", "keep"))
        return cls(output, amount, geodesic, *draws)
