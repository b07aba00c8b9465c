"""Many tests at once: Holm's correction."""

import numpy as np

from fairmend.transport.support import Floats


def holm(probabilities: Floats) -> Floats:
    """Adjust p-values so that the chance of any false rejection among them is bounded.

    Parameters
    ----------
    probabilities : ndarray of shape (tests,)
        p-values, dependent or not.

    Returns
    -------
    ndarray of shape (tests,)
        Adjusted p-values (Holm 1979): reject those that are at most the level.

    Examples
    --------
    >>> holm(np.array([0.01, 0.4, 0.03]))
    array([0.03, 0.4 , 0.06])
    """
    order = np.argsort(probabilities, kind="stable")
    raised = probabilities[order] * np.arange(probabilities.size, 0, -1)
    adjusted = np.empty_like(probabilities)
    adjusted[order] = np.minimum(np.maximum.accumulate(raised), 1.0)
    return adjusted
