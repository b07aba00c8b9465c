"""Repair of Dask's tables: the same bytes as in one process, and nothing computed early.

Needs the extra ``dask``.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fairmend.dask.archive import repair

__all__ = ["repair"]


def __getattr__(name: str) -> Any:
    """Import the door on first use."""
    if name != "repair":
        message = f"module 'fairmend.dask' has no attribute {name!r}"
        raise AttributeError(message)
    try:
        import dask.dataframe  # noqa: F401
    except ImportError as error:
        message = "fairmend.dask needs Dask. Run pip install 'fairmend[dask]'."
        raise ImportError(message) from error
    from fairmend.dask.archive import repair

    return repair


def __dir__() -> list[str]:
    return sorted(__all__)
