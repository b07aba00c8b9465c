"""Data to try fairmend on: one real table, shipped in the package, and one simulated."""

from fairmend.datasets.simulated import simulate
from fairmend.datasets.uci import adult

__all__ = ["adult", "simulate"]
