"""Joint repair: each feature within leaves of a tree over those repaired before it."""

from fairmend.research.joint.choose import joined

__all__ = ["joined"]
