"""Measures: what dependence is in the data, what a repair cost, how predictions treat groups.

Each measure is a module with a function of the same name, so import it from its module:
``from fairmend.measures.dependence import dependence``.
"""
