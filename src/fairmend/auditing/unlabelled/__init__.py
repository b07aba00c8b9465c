"""The audit of an archive whose groups nobody recorded: measures weighted by probabilities."""

from fairmend.auditing.unlabelled.measure import audit_unlabelled
from fairmend.auditing.unlabelled.result import UnlabelledAudit

__all__ = ["UnlabelledAudit", "audit_unlabelled"]
