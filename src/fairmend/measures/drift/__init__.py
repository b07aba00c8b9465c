"""Stationarity: whether the archive still looks like the research data that a plan was made of."""
