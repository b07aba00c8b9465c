"""Design, repair and audit on Spark, with the bytes of a laptop: a repair is a function of its row.

Needs the extra ``spark`` on the driver; executors need fairmend with NumPy and pyarrow.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fairmend.spark.archive import repair
    from fairmend.spark.comparison import audit
    from fairmend.spark.research import design, summarise

__all__ = ["audit", "design", "repair", "summarise"]

_HOMES = {
    "audit": "fairmend.spark.comparison",
    "design": "fairmend.spark.research",
    "repair": "fairmend.spark.archive",
    "summarise": "fairmend.spark.research",
}


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
