"""Samples whose dependence is known."""

import numpy as np

KINDS = ("continuous", "discrete", "mixed")


def independent(kind, sizes, seed):
    """Draw values that do not depend on the group."""
    rng = np.random.default_rng([seed, *sizes])
    n = sum(sizes)
    groups = np.repeat(np.arange(len(sizes)), sizes)
    values = rng.gamma(2.0, size=n)
    if kind == "discrete":
        values = np.floor(5 * values)
    if kind == "mixed":
        values[rng.random(n) < 0.4] = 0.0
    return values, groups


def normals(sizes, shift, scale, seed):
    rng = np.random.default_rng([seed, *sizes])
    a, b = rng.normal(0, 1, sizes[0]), rng.normal(shift, scale, sizes[1])
    return np.concatenate([a, b]), np.repeat([0, 1], sizes)


def e_of_normals(shift, scale):
    """Half the sum of both divergences of N(0, 1) and N(shift, scale²)."""
    return 0.25 * ((1 + shift**2) / scale**2 + scale**2 + shift**2 - 2)


def tv_of_normals(shift, scale):
    grid = np.linspace(-12, 12, 200_001)
    p = np.exp(-0.5 * grid**2)
    q = np.exp(-0.5 * ((grid - shift) / scale) ** 2) / scale
    return 0.5 * np.abs(p - q).sum() * (grid[1] - grid[0]) / np.sqrt(2 * np.pi)
