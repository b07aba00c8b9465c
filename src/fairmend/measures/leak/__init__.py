"""The leak test: how well an adversary tells the protected attribute from what is handed on."""

from fairmend.measures.leak.measure import leak
from fairmend.measures.leak.results import Auc, Estimate, Leak, Telltale

__all__ = ["Auc", "Estimate", "Leak", "Telltale", "leak"]
