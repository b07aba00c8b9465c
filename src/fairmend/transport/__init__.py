"""One-dimensional optimal transport: coupling > barycentre > marginal > support."""
