"""A repair over HTTP, one record or a batch at a time.

Needs the extra ``serve``; ``fairmend serve`` starts it.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fairmend.serve.app import create_app

__all__ = ["create_app"]


def __getattr__(name: str) -> Any:
    """Import the application on first use."""
    if name != "create_app":
        message = f"module 'fairmend.serve' has no attribute {name!r}"
        raise AttributeError(message)
    try:
        import fastapi  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as error:
        message = "fairmend.serve needs FastAPI and uvicorn. Run pip install 'fairmend[serve]'."
        raise ImportError(message) from error
    from fairmend.serve.app import create_app

    return create_app


def __dir__() -> list[str]:
    return sorted(__all__)
