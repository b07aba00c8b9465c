"""The private summary of a repair: what was done to how many rows, and the seed."""

from collections.abc import Mapping, MutableMapping
from typing import Any


def add_counts(
    summary: MutableMapping[str, Any], rows: int, seed: int, counts: Mapping[str, Mapping[str, int]]
) -> None:
    """Add one table's counts to a summary that may hold those of earlier tables.

    Examples
    --------
    >>> summary = {}
    >>> add_counts(summary, 10, 7, {"age": {"missing": 1}})
    >>> add_counts(summary, 5, 7, {"age": {"missing": 2}})
    >>> summary
    {'rows': 15, 'seed': 7, 'features': {'age': {'missing': 3}}}
    """
    summary["rows"] = summary.get("rows", 0) + rows
    seeds = summary.get("seed", seed)
    if seeds != seed:  # every call drew its own
        seeds = [*(seeds if isinstance(seeds, list) else [seeds]), seed]
    summary["seed"] = seeds
    features = summary.setdefault("features", {})
    for name, its_counts in counts.items():
        totals = features.setdefault(name, {})
        for policy, count in its_counts.items():
            totals[policy] = totals.get(policy, 0) + count
