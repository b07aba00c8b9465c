"""Algorithm 1: from research data to its counts, and from counts to a plan."""

from fairmend.research.algorithm import design
from fairmend.research.reading import summarise

__all__ = ["design", "summarise"]
