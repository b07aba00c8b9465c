"""Algorithm 2 as it reads: for each row find a point, toss a coin, draw from the coupling's row."""

import numpy as np


def rows_of(coupling, size):
    """Write a coupling out, each row as the law that a value is drawn from."""
    joint = np.zeros((size, size))
    joint[coupling.source, coupling.target] = coupling.mass
    return joint / joint.sum(axis=1, keepdims=True)


def repaired(support, laws, values, groups, rng):
    """Repair values, of which each has the number of its group, a row at a time."""
    found = np.empty(len(values))
    for at, (x, group) in enumerate(zip(values, groups, strict=True)):
        x = min(max(x, support[0]), support[-1])
        below = min(int(np.searchsorted(support, x, side="right")) - 1, support.size - 2)
        tau = (x - support[below]) / (support[below + 1] - support[below])
        row = below + int(rng.random() < tau)
        found[at] = support[rng.choice(support.size, p=laws[group][row])]
    return found
