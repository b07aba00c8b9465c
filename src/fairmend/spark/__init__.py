"""Repair on Spark: the same bytes as on a laptop, since a row's repair is a function of its key.

Needs the extra ``spark`` on the driver; executors need fairmend with NumPy and pyarrow.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fairmend.spark.archive import repair

__all__ = ["repair"]

_HOMES = {"repair": "fairmend.spark.archive"}


def __getattr__(name: str) -> Any:
    """Import a public name on first use: workers need none of them."""
    if name not in _HOMES:
        message = f"module 'fairmend.spark' has no attribute {name!r}"
        raise AttributeError(message)
    from importlib import import_module

    try:
        import_module("pyspark")
    except ImportError as error:
        message = "fairmend.spark needs PySpark. Run pip install 'fairmend[spark]'."
        raise ImportError(message) from error
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
