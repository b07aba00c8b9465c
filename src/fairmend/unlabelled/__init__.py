"""Archives in which the protected attribute was never recorded."""

from fairmend.unlabelled.model import LabelModel

__all__ = ["LabelModel"]
