"""Repair as scikit-learn estimators: the designed plan, and the on-sample baseline."""
