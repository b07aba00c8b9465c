"""Tables in files: read, repaired or compared, and written only when they are complete."""
