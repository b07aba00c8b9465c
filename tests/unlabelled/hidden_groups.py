"""Names that several modules of these tests share."""

ROLES = {"protected": "s", "unprotected": "u", "features": ["x1", "x2"]}
