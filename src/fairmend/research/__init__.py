"""Algorithm 1: from research data to a plan."""
