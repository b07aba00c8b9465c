"""The table boundary: in by narwhals, compute in NumPy, out in the caller's type with its index."""
