"""Archives in which the protected attribute was never recorded."""

from fairmend.unlabelled.auditing import audit_unlabelled
from fairmend.unlabelled.expectation import expect_unlabelled
from fairmend.unlabelled.model import LabelModel

__all__ = ["LabelModel", "audit_unlabelled", "expect_unlabelled"]
