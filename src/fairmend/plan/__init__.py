"""A plan: everything learnt from the research data, and the pure function that applies it."""
