"""Archives in which the protected attribute was never recorded."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fairmend.unlabelled.expectation import expect_unlabelled
    from fairmend.unlabelled.model import LabelModel

__all__ = ["LabelModel", "expect_unlabelled"]

_HOMES = {
    "LabelModel": "fairmend.unlabelled.model",
    "expect_unlabelled": "fairmend.unlabelled.expectation",
}


def __getattr__(name: str) -> Any:
    """Import a public name on first use: Spark's workers need what a model has learnt, no more."""
    if name not in _HOMES:
        message = f"module 'fairmend.unlabelled' has no attribute {name!r}"
        raise AttributeError(message)
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
