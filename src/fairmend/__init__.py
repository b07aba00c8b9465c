"""Repair features in torrents of tabular data from a small labelled sample, by optimal transport.

Everything public is here and is imported when it is first used, so that ``import fairmend`` and
``fairmend --help`` start at once.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from fairmend._version import __version__

if TYPE_CHECKING:
    from fairmend import dask, datasets, errors, kernel, spark
    from fairmend.auditing.measure import audit
    from fairmend.auditing.result import Audit
    from fairmend.auditing.unlabelled import audit_unlabelled
    from fairmend.errors import FairmendError
    from fairmend.foresight import forecast
    from fairmend.measures.damage import damage
    from fairmend.measures.dependence import dependence
    from fairmend.measures.disparate import disparate_impact, disparate_treatment
    from fairmend.measures.drift.monitor import Monitor
    from fairmend.measures.leak import leak
    from fairmend.measures.pairs import unseen_pairs
    from fairmend.plan.plan import Plan
    from fairmend.repair.distributional import DistributionalRepair
    from fairmend.repair.geometric import GeometricRepair
    from fairmend.research import design, summarise
    from fairmend.summaries import Summary
    from fairmend.unlabelled import LabelModel, expect_unlabelled

_HOMES = {
    "Audit": "fairmend.auditing.result",
    "DistributionalRepair": "fairmend.repair.distributional",
    "FairmendError": "fairmend.errors",
    "GeometricRepair": "fairmend.repair.geometric",
    "LabelModel": "fairmend.unlabelled",
    "Monitor": "fairmend.measures.drift.monitor",
    "Plan": "fairmend.plan.plan",
    "Summary": "fairmend.summaries",
    "audit": "fairmend.auditing.measure",
    "audit_unlabelled": "fairmend.auditing.unlabelled",
    "damage": "fairmend.measures.damage",
    "dependence": "fairmend.measures.dependence",
    "design": "fairmend.research",
    "disparate_impact": "fairmend.measures.disparate",
    "disparate_treatment": "fairmend.measures.disparate",
    "expect_unlabelled": "fairmend.unlabelled",
    "forecast": "fairmend.foresight",
    "leak": "fairmend.measures.leak",
    "summarise": "fairmend.research",
    "unseen_pairs": "fairmend.measures.pairs",
}
_MODULES = ("dask", "datasets", "errors", "kernel", "spark")

__all__ = [
    "Audit",
    "DistributionalRepair",
    "FairmendError",
    "GeometricRepair",
    "LabelModel",
    "Monitor",
    "Plan",
    "Summary",
    "__version__",
    "audit",
    "audit_unlabelled",
    "damage",
    "dask",
    "datasets",
    "dependence",
    "design",
    "disparate_impact",
    "disparate_treatment",
    "errors",
    "expect_unlabelled",
    "forecast",
    "kernel",
    "leak",
    "spark",
    "summarise",
    "unseen_pairs",
]


def __getattr__(name: str) -> Any:
    """Import a public name from its home on first use."""
    if name in _MODULES:
        return import_module(f"fairmend.{name}")
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    message = f"module 'fairmend' has no attribute {name!r}"
    raise AttributeError(message)


def __dir__() -> list[str]:
    return sorted(__all__)
