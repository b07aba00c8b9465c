"""Algorithm 1: from research data to a plan."""

from fairmend.research.algorithm import design

__all__ = ["design"]
