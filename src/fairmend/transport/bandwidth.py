"""Bandwidths: how wide a kernel each group's density is drawn with."""

from fairmend.transport.isj import isj_bandwidth
from fairmend.transport.points import Points


def spread(points: Points) -> float:
    """Measure the scale A = min(standard deviation, IQR / 1.349) of Silverman's rule.

    The interquartile range keeps one huge income from smearing everybody else's.
    """
    robust = (points.quantile(0.75) - points.quantile(0.25)) / 1.349
    return min(points.deviation, robust) if robust > 0 else points.deviation


def bandwidth_of(points: Points, rule: str | float = "silverman") -> float:
    """Choose the kernel's bandwidth from the data, in the data's units.

    Parameters
    ----------
    points : Points
        Research values of one group. n is their effective number.
    rule : {"silverman", "scott", "isj"} or float
        ``"silverman"``: (4/3)^(1/5)·A·n^(-1/5), optimal for a Gaussian (Silverman 1986, equation
        3.28) with the robust scale A of his equation 3.30, see :func:`spread`. ``"scott"``:
        A·n^(-1/5). ``"isj"``: the improved Sheather-Jones rule, which assumes no shape. A number is
        used as it is.

    Examples
    --------
    >>> import numpy as np
    >>> points = Points.of(np.arange(32.0))
    >>> bandwidth_of(points) / spread(points)
    0.5...
    """
    if not isinstance(rule, str):
        return float(rule)
    if points.effective < 2:
        return 0.0
    if rule == "isj":
        found = isj_bandwidth(points)
        # Data with ties have no such root; they are for atoms, not for kernels.
        return bandwidth_of(points, "silverman") if found is None else found
    factor = {"silverman": (4 / 3) ** 0.2, "scott": 1.0}[rule]
    return float(factor * spread(points) * points.effective**-0.2)
