"""What a reader sees: plain data first (``densities``), drawn second (``figure``)."""
