"""Doors for users of other fairness tools, in these tools' own words."""
